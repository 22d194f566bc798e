//! Postures of styles: mean and spread of the rotations of pelvis and upper body, height of the hips and speed; and
//! the adaptation of motions to them.
//!
//! The moments of a motion are matched to those of a style, joint by joint, as adaptive instance normalisation does
//! for images (Huang and Belongie 2017): the mean rotates to that of the style, and deviations from it are scaled by
//! the ratio of the spreads. Legs are not changed here, because their feet have to be placed.
//!
//! Discarded variants: docs/notes/dcmoe.md.

use crate::body::GroundPose;
use crate::body::poses::{FPS, Poses, ROLES};
use crate::motion::ease::smoothstep;
use crate::motion::quat::{exp, log, mean, near};
use crate::motion::rig::Role;
use glam::{Quat, Vec3};

/// Roles whose posture belongs to the style.
pub const HELD: [Role; 14] = [
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
/// Smallest factor for the deviations of a joint; the largest is its inverse.
const LEAST: f32 = 0.5;
/// Largest change of the hips' height, metres.
const HIGHEST: f32 = 0.15;
/// Rotations smaller than this count as none, radians.
const STILL: f32 = 1e-4;
/// Frames over which a posture is blended in and out: a third of a second.
const EASE: usize = 10;

/// A posture.
#[derive(Debug, Clone, PartialEq)]
pub struct Posture {
    /// Mean rotations of the [`HELD`] roles: of the hips relative to their heading, of others relative to their
    /// parents.
    pub mean: [Quat; HELD.len()],
    /// Root mean squares of the rotation vectors relative to the mean, about each axis, radians.
    pub spread: [Vec3; HELD.len()],
    /// Mean height of the hips over the ground, metres.
    pub height: f32,
    /// First and third quartile of speeds over the ground in stretches of motion, m/s.
    pub speeds: [f32; 2],
}

impl Posture {
    /// Measures stretches of motion, each with the height of its ground; `None` where there are no poses.
    pub fn of(takes: &[(&Poses, f32)]) -> Option<Self> {
        let count = takes.iter().map(|(poses, _)| poses.len()).sum::<usize>() as f32;
        if count == 0.0 {
            return None;
        }
        let each = || takes.iter().flat_map(|(poses, _)| (0..poses.len()).map(|frame| (*poses, frame)));
        let turns = |role: Role| {
            each().map(move |(poses, frame)| facing(poses, frame, role).inverse() * poses.pose(frame)[role as usize])
        };
        let mean = HELD.map(|role| mean(turns(role)));
        let spread = |index: usize| {
            let squares = turns(HELD[index]).map(|turn| log(mean[index].inverse() * turn).powf(2.0));
            (squares.sum::<Vec3>() / count).map(f32::sqrt)
        };
        let heights = takes.iter().flat_map(|(poses, ground)| poses.hips.iter().map(move |hips| hips.y - ground));
        let height = heights.sum::<f32>() / count;
        let mut speeds: Vec<f32> = takes.iter().map(|(poses, _)| speed(poses)).collect();
        speeds.sort_by(f32::total_cmp);
        let speeds = [1, 3].map(|quarter| speeds[speeds.len() * quarter / 4]);
        Some(Self { mean, spread: std::array::from_fn(spread), height, speeds })
    }

    /// Brings poses into the posture, blended in at their beginning and out at their end.
    pub fn put_on(&self, poses: &mut Poses, ground: f32) {
        let Some(own) = Self::of(&[(poses, ground)]) else { return };
        let [least, most] = [LEAST, 1.0 / LEAST].map(Vec3::splat);
        let grown: [Vec3; HELD.len()] = std::array::from_fn(|index| {
            (self.spread[index] / own.spread[index].max(Vec3::splat(STILL))).clamp(least, most)
        });
        let frames = poses.len();
        for frame in 0..frames {
            let share = eased(frame, frames);
            for (index, role) in HELD.iter().enumerate() {
                let above = facing(poses, frame, *role);
                let local = poses.pose(frame)[*role as usize];
                let off = log(own.mean[index].inverse() * above.inverse() * local);
                let held = above * self.mean[index] * exp(off * grown[index]);
                let posed = near(local.slerp(near(held, local), share).normalize(), local);
                poses.rotations[frame * ROLES + *role as usize] = posed;
            }
            poses.hips[frame].y += share * (self.height - own.height).clamp(-HIGHEST, HIGHEST);
        }
    }
}

/// Mean speed over the ground, m/s.
fn speed(poses: &Poses) -> f32 {
    let way: f32 = poses.hips.windows(2).map(|pair| (pair[1] - pair[0]).with_y(0.0).length()).sum();
    way * FPS as f32 / poses.len().saturating_sub(1).max(1) as f32
}

/// Weight of the posture in a frame, 0 to 1.
fn eased(frame: usize, frames: usize) -> f32 {
    let ease = EASE.min(frames / 3 + 1) as f32;
    smoothstep(((frame + 1).min(frames - frame) as f32 / ease).min(1.0))
}

/// Reference of a role's rotation: the heading for the hips, the identity for others.
fn facing(poses: &Poses, frame: usize, role: Role) -> Quat {
    match role {
        Role::Hips => GroundPose::under(poses.hips[frame], poses.pose(frame)[0]).rotation(),
        _ => Quat::IDENTITY,
    }
}
