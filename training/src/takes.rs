//! Takes of people for the in-betweeners: recordings on their canonical skeletons, and random windows of them.

use crate::data::Recording;
use crate::weighted::Weighted;
use glam::Vec3;
use kinestitch::body::mirror::{flip, opposite};
use kinestitch::body::poses::{CONTACTS, Poses, ROLES, joints};
use kinestitch::error::{Error, Result};
use kinestitch::motion::rig::Role;
use rand::Rng;
use rand::rngs::StdRng;
use std::collections::BTreeMap;

/// Joints of the contact columns.
pub const FEET: [Role; CONTACTS] = [Role::LeftFoot, Role::LeftToe, Role::RightFoot, Role::RightToe];
/// Largest random shift of a cut's ground height, metres.
const LIFT: f32 = 0.015;

/// A recording on its canonical skeleton at 30 fps.
pub struct Take {
    /// The motion.
    pub poses: Poses,
    /// Offsets of its skeleton.
    pub offsets: [Vec3; ROLES],
    /// Height of the ground, metres.
    pub ground: f32,
    /// Contacts, [frames × 4], 0 or 1.
    pub contacts: Vec<f32>,
}

/// Frames of a take from a start frame on.
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

/// Takes by set, drawn by the share of their set, and within a set in proportion to length.
pub struct Source(Weighted<Vec<Take>>);

/// Takes of a recipe's sets with their shares, in the order of their names.
///
/// # Errors
/// [`Error::Option`] for a set without takes.
pub fn of_shares(
    mut takes: BTreeMap<String, Vec<Take>>,
    shares: &BTreeMap<String, f64>,
) -> Result<Vec<(f64, Vec<Take>)>> {
    let of = |(name, share): (&String, &f64)| match takes.remove(name) {
        Some(takes) if !takes.is_empty() => Ok((*share, takes)),
        _ => Err(Error::Option { option: "data", message: format!("no recordings of {name} to train on") }),
    };
    shares.iter().map(of).collect()
}

impl Take {
    /// Take of a packed recording.
    pub fn of(recording: &Recording) -> Self {
        let clip = &recording.clip;
        let joints = clip.skeleton().joints();
        let offsets = std::array::from_fn(|role| joints[role].offset);
        let poses = Poses { hips: clip.translations().to_vec(), rotations: clip.rotations().to_vec() };
        let contacts = contacts(&poses, &offsets, recording.ground, recording.rest);
        Self { poses, offsets, ground: recording.ground, contacts }
    }

    /// The take played at another speed: poses are interpolated, contacts are those of the nearest frame.
    pub fn at_speed(&self, speed: f64) -> Self {
        let last = self.poses.len().saturating_sub(1);
        let count = (last as f64 / speed) as usize + 1;
        let (mut poses, mut contacts) = (Poses::default(), Vec::with_capacity(count * CONTACTS));
        for frame in 0..count {
            let at = (frame as f64 * speed).min(last as f64);
            let (before, after) = (at as usize, (at as usize + 1).min(last));
            let share = (at - before as f64) as f32;
            let turned = self.poses.pose(before).iter().zip(self.poses.pose(after)).map(|(a, b)| a.slerp(*b, share));
            poses.push(self.poses.hips[before].lerp(self.poses.hips[after], share), turned);
            contacts.extend_from_slice(&self.contacts[at.round() as usize * CONTACTS..][..CONTACTS]);
        }
        Self { poses, offsets: self.offsets, ground: self.ground, contacts }
    }
}

/// All takes, and each once more at every speed, as more examples.
pub fn at_speeds(mut takes: BTreeMap<String, Vec<Take>>, speeds: &[f64]) -> BTreeMap<String, Vec<Take>> {
    for takes in takes.values_mut() {
        let more: Vec<Take> = speeds.iter().flat_map(|speed| takes.iter().map(|take| take.at_speed(*speed))).collect();
        takes.extend(more);
    }
    takes
}

impl<'a> Cut<'a> {
    /// Cut without mirroring or shift.
    pub fn plain(take: &'a Take, start: usize) -> Self {
        Self { take, start, mirrored: false, lift: 0.0 }
    }

    /// Poses of `count` frames, starting `from` frames after its start.
    pub fn poses(&self, from: usize, count: usize) -> Poses {
        let from = self.start + from;
        let poses = self.take.poses.cut(from..from + count);
        if self.mirrored { poses.mirrored() } else { poses }
    }

    /// Contacts of the same frames, [count × 4].
    pub fn contacts(&self, from: usize, count: usize) -> Vec<f32> {
        let mut contacts = self.take.contacts[(self.start + from) * CONTACTS..][..count * CONTACTS].to_vec();
        if self.mirrored {
            contacts.chunks_exact_mut(CONTACTS).for_each(|row| row.rotate_left(CONTACTS / 2));
        }
        contacts
    }

    /// Offsets of the skeleton.
    pub fn offsets(&self) -> [Vec3; ROLES] {
        match self.mirrored {
            true => std::array::from_fn(|role| flip(self.take.offsets[opposite(role)])),
            false => self.take.offsets,
        }
    }

    /// Height of the ground.
    pub fn ground(&self) -> f32 {
        self.take.ground + self.lift
    }
}

impl Source {
    /// Takes by set, with the shares of the sets, which need not sum to 1.
    pub fn new(sets: Vec<(f64, Vec<Take>)>) -> Self {
        Self(Weighted::new(sets))
    }

    /// Random cut of this many frames, possibly mirrored; `None` if the drawn set has no take of that length.
    pub fn cut(&self, rng: &mut StdRng, frames: usize) -> Option<Cut<'_>> {
        let takes = self.0.items().get(self.0.draw(rng))?;
        let starts = |take: &Take| (take.poses.len() + 1).saturating_sub(frames);
        let mut start = rng.random_range(0..takes.iter().map(starts).sum::<usize>().max(1));
        for take in takes {
            if start < starts(take) {
                let lift = rng.random_range(-LIFT..LIFT);
                return Some(Cut { take, start, mirrored: rng.random_bool(0.5), lift });
            }
            start -= starts(take);
        }
        None
    }
}

/// Contacts of a motion: joints that are slow and near their rest height.
pub fn contacts(poses: &Poses, offsets: &[Vec3; ROLES], ground: f32, rest: [f32; 4]) -> Vec<f32> {
    let places: Vec<_> = (0..poses.len()).map(|frame| joints(poses.hips[frame], poses.pose(frame), offsets)).collect();
    let mut out = Vec::with_capacity(poses.len() * CONTACTS);
    for frame in 0..poses.len() {
        for (foot, role) in FEET.iter().enumerate() {
            let at = |frame: usize| places[frame][*role as usize];
            let height = if matches!(role, Role::LeftFoot | Role::RightFoot) { 0.025 } else { 0.016 };
            let low = at(frame).y - ground - rest[foot] < height;
            let speed = at(frame).distance(at(frame.saturating_sub(1))) * kinestitch::body::poses::FPS as f32;
            out.push(f32::from(u8::from(low && speed < 0.5)));
        }
    }
    out
}
