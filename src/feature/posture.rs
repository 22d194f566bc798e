//! How people of a style hold themselves: mean and spread of how their pelvis and upper body are turned, how high they carry
//! their hips and how fast they go; and motions brought to hold themselves so.
//!
//! Moments of a motion are matched to a style's, joint by joint, as images' are by adaptive instance normalisation (Huang and
//! Belongie 2017): the mean turns to the style's, what a joint does around it stays and grows or shrinks as the spreads do.
//! Legs are left to whoever knows where the feet stand.
//!
//! What was tried: docs/notes/dcmoe.md.

use crate::body::GroundPose;
use crate::body::poses::{FPS, Poses, ROLES};
use crate::motion::ease::smoothstep;
use crate::motion::quat::{exp, log, mean, near};
use crate::motion::rig::Role;
use glam::{Quat, Vec3};

/// Roles whose posture is a style's.
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
/// A joint does at least this part, and at most its inverse, of what it did.
const LEAST: f32 = 0.5;
/// Hips are carried at most this much higher or lower than they were, metres.
const HIGHEST: f32 = 0.15;
/// What turns less than this does not turn, radians.
const STILL: f32 = 1e-4;
/// Frames over which a motion comes into a posture, and out of it: a third of a second.
const EASE: usize = 10;

/// A posture.
#[derive(Debug, Clone, PartialEq)]
pub struct Posture {
    /// Mean rotations of [`HELD`] roles: of the hips seen from where they face, of others seen from their parents.
    pub mean: [Quat; HELD.len()],
    /// Root mean squares of the rotation vectors from them, about each axis, radians.
    pub spread: [Vec3; HELD.len()],
    /// Mean height of the hips over the ground, metres.
    pub height: f32,
    /// Speeds over the ground, the slower and the faster, between which half of the stretches of motion lie, m/s.
    pub speeds: [f32; 2],
}

impl Posture {
    /// Of stretches of motion with the height of the ground under each; `None` where there are no poses.
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

    /// Poses held so, into which they come at their beginning and out of which at their end.
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
                let made = near(local.slerp(near(held, local), share).normalize(), local);
                poses.rotations[frame * ROLES + *role as usize] = made;
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

/// How far a motion has come into a posture in one of its frames, 0 to 1.
fn eased(frame: usize, frames: usize) -> f32 {
    let ease = EASE.min(frames / 3 + 1) as f32;
    smoothstep(((frame + 1).min(frames - frame) as f32 / ease).min(1.0))
}

/// What a role's rotation is seen from: the hips' from where they face, others' as they are.
fn facing(poses: &Poses, frame: usize, role: Role) -> Quat {
    match role {
        Role::Hips => GroundPose::under(poses.hips[frame], poses.pose(frame)[0]).rotation(),
        _ => Quat::IDENTITY,
    }
}
