//! Measures the posture of a style (mean and spread of the rotations of pelvis and upper body, height of the hips,
//! speed), and applies it to other motions.
//!
//! Mean and spread of a motion are matched to the style, joint by joint, as adaptive instance normalisation does
//! for images (Huang and Belongie 2017): the mean rotation becomes the style's mean, and deviations from the mean
//! are scaled by the ratio of the spreads. Legs do not change here: their rotations follow from the positions of the
//! feet.
//!
//! Discarded variants: research/notes/dcmoe.md.

use crate::body::GroundPose;
use crate::body::poses::{FPS, Poses, ROLES};
use crate::motion::ease::smoothstep;
use crate::motion::quat::{exp, log, mean, with_nearest_sign};
use crate::motion::rig::Role;
use glam::{Quat, Vec3};

/// Roles whose rotations belong to a posture.
pub const POSTURE_ROLES: [Role; 14] = [
    Role::Hips,
    Role::Spine,
    Role::Spine1,
    Role::Spine2,
    Role::Neck,
    Role::Head,
    Role::LeftShoulder,
    Role::LeftArm,
    Role::LeftForeArm,
    Role::LeftHand,
    Role::RightShoulder,
    Role::RightArm,
    Role::RightForeArm,
    Role::RightHand,
];
/// Smallest factor for the deviations of a joint from its mean; the largest factor is the inverse.
const MIN_SCALE: f32 = 0.5;
/// Largest change of the hips' height, metres.
const MAX_HEIGHT_CHANGE: f32 = 0.15;
/// Smallest spread used as a divisor, radians.
const MIN_SPREAD: f32 = 1e-4;
/// Number of frames over which a posture is blended in and out: a third of a second.
const EASE_FRAMES: usize = 10;

/// The posture of a style.
#[derive(Debug, Clone, PartialEq)]
pub struct Posture {
    /// Mean rotations of the [`POSTURE_ROLES`]: of the hips relative to their heading, of other roles relative to the
    /// parent joint.
    pub mean: [Quat; POSTURE_ROLES.len()],
    /// Root mean square of the rotation vector relative to the mean, about each axis, radians.
    pub spread: [Vec3; POSTURE_ROLES.len()],
    /// Mean height of the hips over the ground, metres.
    pub height: f32,
    /// First and third quartile of the mean ground speeds of the measured takes, metres per second.
    pub speeds: [f32; 2],
}

impl Posture {
    /// Measures the posture of takes, each with the height of its ground, metres; `None` if they have no poses.
    pub fn measure(takes: &[(&Poses, f32)]) -> Option<Self> {
        let count = takes.iter().map(|(poses, _)| poses.len()).sum::<usize>() as f32;
        if count == 0.0 {
            return None;
        }
        let frames = || takes.iter().flat_map(|(poses, _)| (0..poses.len()).map(|frame| (*poses, frame)));
        let rotations = |role: Role| {
            frames().map(move |(poses, frame)| {
                reference_rotation(poses, frame, role).inverse() * poses.pose(frame)[role as usize]
            })
        };
        let mean = POSTURE_ROLES.map(|role| mean(rotations(role)));
        let spread = |index: usize| {
            let squares =
                rotations(POSTURE_ROLES[index]).map(|rotation| log(mean[index].inverse() * rotation).powf(2.0));
            (squares.sum::<Vec3>() / count).map(f32::sqrt)
        };
        let heights = takes.iter().flat_map(|(poses, ground)| poses.hips.iter().map(move |hips| hips.y - ground));
        let height = heights.sum::<f32>() / count;
        let mut speeds: Vec<f32> = takes.iter().map(|(poses, _)| mean_speed(poses)).collect();
        speeds.sort_by(f32::total_cmp);
        let speeds = [1, 3].map(|quarter| speeds[speeds.len() * quarter / 4]);
        Some(Self { mean, spread: std::array::from_fn(spread), height, speeds })
    }

    /// Applies the posture to poses, blended in at their beginning and out at their end. `ground`: height of the
    /// ground, metres.
    pub fn apply(&self, poses: &mut Poses, ground: f32) {
        let Some(original) = Self::measure(&[(poses, ground)]) else { return };
        let [min_scale, max_scale] = [MIN_SCALE, 1.0 / MIN_SCALE].map(Vec3::splat);
        let scales: [Vec3; POSTURE_ROLES.len()] = std::array::from_fn(|index| {
            (self.spread[index] / original.spread[index].max(Vec3::splat(MIN_SPREAD))).clamp(min_scale, max_scale)
        });
        let frames = poses.len();
        for frame in 0..frames {
            let weight = posture_weight(frame, frames);
            for (index, role) in POSTURE_ROLES.iter().enumerate() {
                let reference = reference_rotation(poses, frame, *role);
                let local = poses.pose(frame)[*role as usize];
                let deviation = log(original.mean[index].inverse() * reference.inverse() * local);
                let adapted = reference * self.mean[index] * exp(deviation * scales[index]);
                let blended =
                    with_nearest_sign(local.slerp(with_nearest_sign(adapted, local), weight).normalize(), local);
                poses.rotations[frame * ROLES + *role as usize] = blended;
            }
            poses.hips[frame].y +=
                weight * (self.height - original.height).clamp(-MAX_HEIGHT_CHANGE, MAX_HEIGHT_CHANGE);
        }
    }
}

/// Returns the mean speed over the ground, metres per second.
fn mean_speed(poses: &Poses) -> f32 {
    let length: f32 = poses.hips.windows(2).map(|pair| (pair[1] - pair[0]).with_y(0.0).length()).sum();
    length * FPS as f32 / poses.len().saturating_sub(1).max(1) as f32
}

/// Returns the weight of the posture in a frame, 0 to 1.
fn posture_weight(frame: usize, frames: usize) -> f32 {
    let ease = EASE_FRAMES.min(frames / 3 + 1) as f32;
    smoothstep(((frame + 1).min(frames - frame) as f32 / ease).min(1.0))
}

/// Returns the rotation that a role's rotation is measured from: the heading for the hips, the identity for others.
fn reference_rotation(poses: &Poses, frame: usize, role: Role) -> Quat {
    match role {
        Role::Hips => GroundPose::from_root(poses.hips[frame], poses.pose(frame)[0]).rotation(),
        _ => Quat::IDENTITY,
    }
}
