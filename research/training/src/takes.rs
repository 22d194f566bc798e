//! Takes of people for the in-betweeners' training: recordings on their canonical skeletons, and random cuts of them.

use crate::data::{Recording, Split};
use crate::weighted::Weighted;
use glam::Vec3;
use kinestitch::body::mirror::opposite_role;
use kinestitch::body::poses::{CONTACTS, Poses, ROLES, joint_positions};
use kinestitch::error::{Error, Result};
use kinestitch::motion::rig::Role;
use kinestitch::motion::vector::mirror_point;
use rand::Rng;
use rand::rngs::StdRng;
use std::collections::BTreeMap;

/// Joints of the contact columns.
pub const FEET: [Role; CONTACTS] = [Role::LeftFoot, Role::LeftToe, Role::RightFoot, Role::RightToe];
/// Maximum random shift of a cut's ground height, metres.
const MAX_LIFT: f32 = 0.015;
/// Maximum height of an ankle over its rest height during a contact, metres.
const ANKLE_CONTACT: f32 = 0.025;
/// Maximum height of a toe over its rest height during a contact, metres.
const TOE_CONTACT: f32 = 0.016;
/// Speed below which a low joint is in contact, metres per second.
const CONTACT_SPEED: f32 = 0.5;

/// Slowest speed of [`add_speeds`]; a take at this speed is a hundred times as long.
const MIN_SPEED: f64 = 0.01;

/// A recording on its canonical skeleton at 30 fps.
pub struct Take {
    /// The motion.
    pub poses: Poses,
    /// Joint offsets of the skeleton, metres.
    pub offsets: [Vec3; ROLES],
    /// Height of the ground, metres.
    pub ground: f32,
    /// Contacts, [frames × 4], 0 or 1.
    pub contacts: Vec<f32>,
}

/// Frames of a take, from a start frame on.
#[derive(Clone, Copy)]
pub struct Cut<'a> {
    /// The take.
    pub take: &'a Take,
    /// First frame.
    pub start: usize,
    /// Whether left and right are exchanged.
    pub mirrored: bool,
    /// Offset added to the take's ground height, metres.
    pub lift: f32,
}

/// Takes grouped by data set. A set is drawn by its weight, and a take within the set in proportion to its length.
pub struct Source(Weighted<Vec<Take>>);

/// Takes by the name of their data set.
pub type TakesBySet = BTreeMap<String, Vec<Take>>;

/// Splits recordings into takes to train on, from the data sets `sets`, and takes held out for validation, from the data
/// sets `validation`. No take is of the test split.
pub fn split_takes(
    recordings: &[Recording],
    sets: &BTreeMap<String, f64>,
    validation: &[String],
) -> (TakesBySet, Vec<Take>) {
    let (mut takes, mut held_out) = (TakesBySet::new(), Vec::new());
    for recording in recordings {
        match recording.split {
            Split::Train if sets.contains_key(&recording.set) => {
                takes.entry(recording.set.clone()).or_default().push(Take::from_recording(recording));
            }
            Split::Validation if validation.contains(&recording.set) => held_out.push(Take::from_recording(recording)),
            _ => {}
        }
    }
    (takes, held_out)
}

/// Combines takes by data set with the weights of these sets in a recipe. Returns weight and takes of each set, sorted
/// by the names of the sets.
///
/// # Errors
/// [`Error::Option`] for a data set without takes.
pub fn takes_with_weights(mut takes: TakesBySet, weights: &BTreeMap<String, f64>) -> Result<Vec<(f64, Vec<Take>)>> {
    let weighted_set = |(name, weight): (&String, &f64)| match takes.remove(name) {
        Some(takes) if !takes.is_empty() => Ok((*weight, takes)),
        _ => Err(Error::Option { option: "data", message: format!("no recordings of {name} to train on") }),
    };
    weights.iter().map(weighted_set).collect()
}

impl Take {
    /// Creates the take of a recording.
    pub fn from_recording(recording: &Recording) -> Self {
        let clip = &recording.clip;
        let joints = clip.skeleton().joints();
        let offsets = std::array::from_fn(|role| joints[role].offset);
        let poses = Poses { hips: clip.translations().to_vec(), rotations: clip.rotations().to_vec() };
        let contacts = contacts(&poses, &offsets, recording.ground, recording.rest);
        Self { poses, offsets, ground: recording.ground, contacts }
    }

    /// Resamples the take to another speed: 2 is twice as fast, -1 plays backwards. Poses are interpolated; contacts are
    /// copied from the nearest frame.
    pub fn with_speed(&self, speed: f64) -> Self {
        let last = self.poses.len().saturating_sub(1);
        let count = (last as f64 / speed.abs()) as usize + 1;
        let (mut poses, mut contacts) = (Poses::default(), Vec::with_capacity(count * CONTACTS));
        for frame in 0..count {
            let distance = (frame as f64 * speed.abs()).min(last as f64);
            let source = if speed < 0.0 { last as f64 - distance } else { distance };
            let (previous, next) = (source as usize, (source as usize + 1).min(last));
            let weight = (source - previous as f64) as f32;
            let rotations = self.poses.pose(previous).iter().zip(self.poses.pose(next));
            let rotations = rotations.map(|(a, b)| a.slerp(*b, weight));
            poses.push(self.poses.hips[previous].lerp(self.poses.hips[next], weight), rotations);
            contacts.extend_from_slice(&self.contacts[source.round() as usize * CONTACTS..][..CONTACTS]);
        }
        Self { poses, offsets: self.offsets, ground: self.ground, contacts }
    }
}

/// Adds copies of each take, resampled to each of the speeds ([`Take::with_speed`]).
///
/// # Errors
/// [`Error::Option`] for a speed of 0, or so slow that the copies would not fit in memory.
pub fn add_speeds(mut takes: TakesBySet, speeds: &[f64]) -> Result<TakesBySet> {
    if let Some(speed) = speeds.iter().find(|speed| !(speed.is_finite() && speed.abs() >= MIN_SPEED)) {
        let message =
            format!("{speed} is not a speed: use at least {MIN_SPEED}, or at most -{MIN_SPEED} for backwards");
        return Err(Error::Option { option: "speeds", message });
    }
    for takes in takes.values_mut() {
        let resampled: Vec<Take> =
            speeds.iter().flat_map(|speed| takes.iter().map(|take| take.with_speed(*speed))).collect();
        takes.extend(resampled);
    }
    Ok(takes)
}

impl<'a> Cut<'a> {
    /// Creates a cut that is neither mirrored nor lifted.
    pub fn unchanged(take: &'a Take, start: usize) -> Self {
        Self { take, start, mirrored: false, lift: 0.0 }
    }

    /// Returns the poses of `count` frames, starting `from` frames after the start of the cut.
    pub fn poses(&self, from: usize, count: usize) -> Poses {
        let from = self.start + from;
        let poses = self.take.poses.slice(from..from + count);
        if self.mirrored { poses.mirrored() } else { poses }
    }

    /// Returns the contacts of `count` frames, starting `from` frames after the start of the cut, [count × 4].
    pub fn contacts(&self, from: usize, count: usize) -> Vec<f32> {
        let mut contacts = self.take.contacts[(self.start + from) * CONTACTS..][..count * CONTACTS].to_vec();
        if self.mirrored {
            contacts.chunks_exact_mut(CONTACTS).for_each(|row| row.rotate_left(CONTACTS / 2));
        }
        contacts
    }

    /// Returns the joint offsets of the skeleton, metres.
    pub fn offsets(&self) -> [Vec3; ROLES] {
        match self.mirrored {
            true => std::array::from_fn(|role| mirror_point(self.take.offsets[opposite_role(role)])),
            false => self.take.offsets,
        }
    }

    /// Returns the height of the ground, metres.
    pub fn ground(&self) -> f32 {
        self.take.ground + self.lift
    }
}

impl Source {
    /// Creates a source from takes by data set and the weights of the sets, which need not sum to 1.
    pub fn new(sets: Vec<(f64, Vec<Take>)>) -> Self {
        Self(Weighted::new(sets))
    }

    /// Returns the takes of each data set with a positive weight, in the order of the sets' names.
    pub fn sets(&self) -> &[Vec<Take>] {
        self.0.items()
    }

    /// Checks that a take has at least `frames` frames, so that [`Source::cut`] finds one after some draws.
    ///
    /// # Errors
    /// [`Error::Option`] if all takes are shorter, or if no data set has a positive weight.
    pub fn check_length(&self, frames: usize) -> Result<()> {
        if self.sets().iter().flatten().any(|take| take.poses.len() >= frames) {
            return Ok(());
        }
        let message = format!("no recording to train on has {frames} frames or more, at 30 frames per second");
        Err(Error::Option { option: "data", message })
    }

    /// Draws a random cut of `frames` frames, possibly mirrored; `None` if the drawn set has no take of that length.
    pub fn cut(&self, rng: &mut StdRng, frames: usize) -> Option<Cut<'_>> {
        let takes = self.0.items().get(self.0.draw(rng))?;
        let starts = |take: &Take| (take.poses.len() + 1).saturating_sub(frames);
        let mut start = rng.random_range(0..takes.iter().map(starts).sum::<usize>().max(1));
        for take in takes {
            if start < starts(take) {
                let lift = rng.random_range(-MAX_LIFT..MAX_LIFT);
                return Some(Cut { take, start, mirrored: rng.random_bool(0.5), lift });
            }
            start -= starts(take);
        }
        None
    }
}

/// Detects contacts, [frames × 4], 0 or 1: joints of [`FEET`] that are slow and near their rest height. `rest`: heights
/// of these joints above the ground at rest, metres.
pub fn contacts(poses: &Poses, offsets: &[Vec3; ROLES], ground: f32, rest: [f32; 4]) -> Vec<f32> {
    let positions: Vec<_> =
        (0..poses.len()).map(|frame| joint_positions(poses.hips[frame], poses.pose(frame), offsets)).collect();
    let mut out = Vec::with_capacity(poses.len() * CONTACTS);
    for frame in 0..poses.len() {
        for (foot, role) in FEET.iter().enumerate() {
            let position = |frame: usize| positions[frame][*role as usize];
            let is_ankle = matches!(role, Role::LeftFoot | Role::RightFoot);
            let max_height = if is_ankle { ANKLE_CONTACT } else { TOE_CONTACT };
            let is_low = position(frame).y - ground - rest[foot] < max_height;
            let displacement = position(frame).distance(position(frame.saturating_sub(1)));
            let speed = displacement * kinestitch::body::poses::FPS as f32;
            out.push(f32::from(u8::from(is_low && speed < CONTACT_SPEED)));
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use glam::Quat;

    #[test]
    fn a_source_without_a_take_of_the_length_is_rejected() {
        let mut poses = Poses::default();
        (0..5).for_each(|_| poses.push(Vec3::ZERO, [Quat::IDENTITY; ROLES]));
        let contacts = vec![0.0; poses.len() * CONTACTS];
        let take = || Take { poses: poses.clone(), offsets: [Vec3::Y; ROLES], ground: 0.0, contacts: contacts.clone() };
        let source = Source::new(vec![(1.0, vec![take()])]);
        assert!(source.check_length(5).is_ok() && source.check_length(6).is_err());
        assert!(Source::new(vec![(0.0, vec![take()])]).check_length(1).is_err(), "the set has no weight");
    }

    #[test]
    fn takes_are_added_at_each_speed_except_zero() {
        let mut poses = Poses::default();
        for frame in 0..31 {
            poses.push(Vec3::Z * frame as f32, [Quat::IDENTITY; ROLES]);
        }
        let contacts = vec![0.0; poses.len() * CONTACTS];
        let takes = || {
            let take =
                Take { poses: poses.clone(), offsets: [Vec3::Y; ROLES], ground: 0.0, contacts: contacts.clone() };
            BTreeMap::from([("a".to_owned(), vec![take])])
        };
        let lengths: Vec<usize> =
            add_speeds(takes(), &[2.0, -0.5]).unwrap()["a"].iter().map(|take| take.poses.len()).collect();
        assert_eq!(lengths, [31, 16, 61]);
        for speed in [0.0, -0.0, 1e-9, f64::NAN, f64::INFINITY] {
            let error = add_speeds(takes(), &[1.5, speed]).err().unwrap();
            assert!(matches!(error, Error::Option { option: "speeds", .. }), "{error}");
        }
    }
}
