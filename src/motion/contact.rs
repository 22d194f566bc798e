//! Foot contacts: the frames in which the heel or toe of a foot touches the ground.
//!
//! Heel (the ankle joint) and toe (the toe-base joint) are detected separately: each touches while it is near the
//! ground and slow. The thresholds are scaled by leg length and have hysteresis: those that begin a contact are
//! stricter than those that continue it. The ground of each part is its resting height in this clip: a low quantile of
//! its heights in slow frames, so that neither glitches nor jumps move it. The ground is assumed flat: feet on stairs
//! and boxes count as in the air.

use crate::motion::clip::Clip;
use crate::motion::fk::{Pose, point_tracks, with_ancestors};
use crate::motion::rig::{Rig, RigKind, Role, leg};
use glam::Vec3;

/// Heights over the resting height below which a contact begins and above which it ends, leg lengths.
pub const CONTACT_HEIGHT: [f32; 2] = [0.045, 0.07];
/// Horizontal speeds below which a contact begins and above which it ends, leg lengths per second.
pub const CONTACT_SPEED: [f32; 2] = [0.5, 1.0];
/// Shortest contact, and shortest interruption of a contact, seconds: shorter ones are removed.
pub const MIN_CONTACT_SECS: f64 = 0.06;
/// The resting height is this quantile of the heights in slow frames.
const RESTING_QUANTILE: f64 = 0.15;

/// Parts of a foot that touch the ground.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(usize)]
pub enum FootPart {
    /// The ankle joint.
    Heel,
    /// The toe-base joint.
    Toe,
}

impl FootPart {
    /// Both parts.
    pub const ALL: [FootPart; 2] = [FootPart::Heel, FootPart::Toe];
}

/// Legs of a biped, or other limbs in pairs, such as the arms. Index 0 is the left side, 1 the right side.
#[derive(Debug, Clone, PartialEq)]
pub struct Legs {
    /// Hip joint, knee, ankle.
    pub chain: [[usize; 3]; 2],
    /// Contact points, `[side][part]`: a joint, and a position in its axes. The toe is the toe-base joint, or the
    /// foot's longest End Site, or the ankle.
    pub points: [[(usize, Vec3); 2]; 2],
    /// All joints from the root to the contact points, parents first: those that forward kinematics has to compute.
    pub required_joints: Vec<usize>,
}

impl Legs {
    /// Finds the legs of a biped; `None` if the rig lacks a leg.
    pub fn detect(clip: &Clip, rig: &Rig) -> Option<Self> {
        if rig.kind != RigKind::Biped {
            return None;
        }
        let chain = rig.legs()?;
        let joints = clip.skeleton().joints();
        let points = [0, 1].map(|side| {
            let ankle = chain[side][2];
            let site = joints[ankle].longest_site().unwrap_or(Vec3::ZERO);
            let toe = rig.joint([Role::LeftToe, Role::RightToe][side]).map(|toe| (toe, Vec3::ZERO));
            [(ankle, Vec3::ZERO), toe.unwrap_or((ankle, site))]
        });
        Some(Self::from_points(clip, chain, points))
    }

    /// Creates limbs, for example arms, from their chains and contact points (see the fields).
    pub fn from_points(clip: &Clip, chain: [[usize; 3]; 2], points: [[(usize, Vec3); 2]; 2]) -> Self {
        let tips = points.as_flattened().iter().map(|&(joint, _)| joint);
        Self { chain, points, required_joints: with_ancestors(clip.skeleton(), tips) }
    }

    /// Returns the mean length of both legs in a frame, hip to knee to ankle, metres.
    pub fn length(&self, clip: &Clip, frame: usize) -> f32 {
        leg::length(&Pose::from_clip(clip, frame), &self.chain)
    }
}

/// World trajectories of heel and toe, `[side][part][frame]`, metres.
pub type Tracks = [[Vec<Vec3>; 2]; 2];

/// Computes the world positions of both heels and toes over a clip.
pub fn foot_tracks(clip: &Clip, legs: &Legs) -> Tracks {
    let mut tracks = point_tracks(clip, legs.points.as_flattened()).into_iter();
    [0, 1].map(|_| [0, 1].map(|_| tracks.next().unwrap_or_default()))
}

/// Contacts of a clip. Side 0 is left, 1 right.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Contacts {
    /// Whether a part of a foot touches the ground, `[side][part][frame]`.
    pub parts: [[Vec<bool>; 2]; 2],
    /// Resting heights of heels and of toes in world coordinates, `[part]`, metres.
    pub world_ground: [f32; 2],
}

impl Contacts {
    /// Returns whether a foot touches the ground with heel or toe.
    pub fn touches(&self, side: usize, frame: usize) -> bool {
        self.parts[side].iter().any(|part| part[frame])
    }

    /// Returns whether the left foot (side 0) or the right foot (side 1) touches the ground with heel or toe,
    /// `[frames]`.
    pub fn foot(&self, side: usize) -> Vec<bool> {
        (0..self.parts[side][0].len()).map(|frame| self.touches(side, frame)).collect()
    }
}

/// Detects the contacts of both feet; all lists are empty if the rig lacks a leg or the clip has no frames.
pub fn detect_contacts(clip: &Clip, rig: &Rig) -> Contacts {
    match Legs::detect(clip, rig) {
        Some(legs) if clip.frames() > 0 => contacts_from_tracks(clip, &legs, &foot_tracks(clip, &legs)),
        _ => Contacts::default(),
    }
}

/// Detects the contacts as [`detect_contacts`] does, from trajectories that are already computed. The clip has at least
/// one frame.
pub fn contacts_from_tracks(clip: &Clip, legs: &Legs, tracks: &Tracks) -> Contacts {
    let leg_length = legs.length(clip, 0);
    let mut contacts = Contacts::default();
    for part in FootPart::ALL.map(|part| part as usize) {
        let (flags, ground) = ground_contacts([0, 1].map(|side| &tracks[side][part][..]), leg_length, clip.fps());
        contacts.world_ground[part] = ground;
        for (side, flags) in flags.into_iter().enumerate() {
            contacts.parts[side][part] = flags;
        }
    }
    contacts
}

/// Detects the contacts of points that rest at the same height (both heels, or one paw), and returns this height too.
/// `tracks`: world trajectories of at least one frame, metres.
pub fn ground_contacts<const N: usize>(tracks: [&[Vec3]; N], leg_length: f32, fps: f64) -> ([Vec<bool>; N], f32) {
    let speeds = tracks.map(|track| ground_speeds(track, fps as f32));
    let ground = resting_height(&tracks, &speeds, CONTACT_SPEED[0] * leg_length);
    let flags = std::array::from_fn(|index| {
        let mut touching = false;
        let update = |(position, speed): (&Vec3, &f32)| {
            let threshold = touching as usize;
            touching = position.y - ground < CONTACT_HEIGHT[threshold] * leg_length
                && *speed < CONTACT_SPEED[threshold] * leg_length;
            touching
        };
        let mut flags: Vec<bool> = tracks[index].iter().zip(&speeds[index]).map(update).collect();
        remove_short_runs(&mut flags, fps);
        flags
    });
    (flags, ground)
}

/// Computes the horizontal speeds of a point by central differences, m/s, `[frames]`.
pub fn ground_speeds(track: &[Vec3], fps: f32) -> Vec<f32> {
    let last = track.len().saturating_sub(1);
    (0..track.len())
        .map(|frame| {
            let (previous, next) = (frame.saturating_sub(1), (frame + 1).min(last));
            let step = (track[next] - track[previous]).with_y(0.0).length();
            step * fps / (next - previous).max(1) as f32
        })
        .collect()
}

/// Returns the common resting height of points: the [`RESTING_QUANTILE`] quantile of their heights in frames slower
/// than `max_speed` (m/s); with fewer than five such heights, the 0.05 quantile of all their heights.
fn resting_height(tracks: &[&[Vec3]], speeds: &[Vec<f32>], max_speed: f32) -> f32 {
    let pairs = || tracks.iter().zip(speeds).flat_map(|(track, speeds)| track.iter().zip(speeds));
    let mut heights: Vec<f32> =
        pairs().filter(|(_, speed)| **speed < max_speed).map(|(position, _)| position.y).collect();
    let mut quantile = RESTING_QUANTILE;
    if heights.len() < 5 {
        heights = pairs().map(|(position, _)| position.y).collect();
        quantile = 0.05;
    }
    let index = ((heights.len() - 1) as f64 * quantile) as usize;
    *heights.select_nth_unstable_by(index, f32::total_cmp).1
}

/// Closes interruptions of contacts, and then removes contacts, that are shorter than [`MIN_CONTACT_SECS`].
pub fn remove_short_runs(flags: &mut [bool], fps: f64) {
    let min_length = (MIN_CONTACT_SECS * fps).round().max(1.0) as usize;
    invert_short_runs(flags, false, min_length);
    invert_short_runs(flags, true, min_length);
}

/// Inverts runs of `value` shorter than `min_length` frames, except at the ends of the clip.
fn invert_short_runs(flags: &mut [bool], value: bool, min_length: usize) {
    let mut start = 0;
    while start < flags.len() {
        let end = (start..flags.len()).find(|&frame| flags[frame] != flags[start]).unwrap_or(flags.len());
        if flags[start] == value && end - start < min_length && start > 0 && end < flags.len() {
            flags[start..end].fill(!value);
        }
        start = end;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::motion::{bvh, rig, skeleton::Skeleton};
    use std::sync::Arc;

    #[test]
    fn the_toe_of_a_foot_without_a_toe_joint_is_its_longest_end_site() {
        let clip = bvh::parse("ada-idle", include_bytes!("../../tests/fixtures/ada-idle.bvh")).unwrap().clip;
        let mut rig = rig::infer(&clip);
        let mut joints = clip.skeleton().joints().to_vec();
        let expected = [(Role::LeftFoot, Role::LeftToe), (Role::RightFoot, Role::RightToe)].map(|(foot, toe)| {
            let (foot, toe) = (rig.joint(foot).unwrap(), rig.joints[toe as usize].take().unwrap());
            // A marker at the ankle comes first.
            joints[foot].end_sites = vec![Vec3::ZERO, joints[toe].offset];
            (foot, joints[toe].offset)
        });
        let skeleton = Arc::new(Skeleton::new(joints, clip.skeleton().space()).unwrap());
        let (rotations, translations) = (clip.rotations().to_vec(), clip.translations().to_vec());
        let clip = Clip::new("ada-idle", skeleton, clip.frame_time_secs(), rotations, translations).unwrap();
        let legs = Legs::detect(&clip, &rig).unwrap();
        assert_eq!(legs.points.map(|[_, toe]| toe), expected);
    }
}
