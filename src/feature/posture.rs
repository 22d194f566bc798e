//! How people of a style hold themselves: mean and spread of how their pelvis and upper body are turned, and how high they
//! carry their hips; and motions brought to hold themselves so.
//!
//! Moments of a motion are matched to a style's, joint by joint, as images' are by adaptive instance normalisation (Huang and
//! Belongie 2017): the mean turns to the style's, what a joint does around it stays and grows or shrinks as the spreads do.
//! Legs are left to whoever knows where the feet stand.

use crate::body::GroundFrame;
use crate::feature::delta::{Poses, ROLES};
use crate::motion::quat::{exp, log, mean, near};
use crate::motion::rig::Role;
use glam::Quat;

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
/// Frames over which a motion comes into a posture, and out of it: a third of a second.
const EASE: usize = 10;

/// A posture.
#[derive(Debug, Clone, PartialEq)]
pub struct Posture {
    /// Mean rotations of [`HELD`] roles: of the hips seen from where they face, of others seen from their parents.
    pub mean: [Quat; HELD.len()],
    /// Root mean squares of the angles to them, radians.
    pub spread: [f32; HELD.len()],
    /// Mean height of the hips over the ground, metres.
    pub height: f32,
}

impl Posture {
    /// Of poses with the height of the ground under them; `None` where there are none.
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
            let squares = turns(HELD[index]).map(|turn| log(mean[index].inverse() * turn).length_squared());
            (squares.sum::<f32>() / count).sqrt()
        };
        let heights = takes.iter().flat_map(|(poses, ground)| poses.hips.iter().map(move |hips| hips.y - ground));
        Some(Self { mean, spread: std::array::from_fn(spread), height: heights.sum::<f32>() / count })
    }

    /// Poses held so, into which they come at their beginning and out of which at their end.
    pub fn put_on(&self, poses: &mut Poses, ground: f32) {
        let Some(own) = Self::of(&[(poses, ground)]) else { return };
        let frames = poses.len();
        let ease = EASE.min(frames / 3 + 1) as f32;
        for frame in 0..frames {
            let share = ((frame + 1).min(frames - frame) as f32 / ease).min(1.0);
            let share = share * share * (3.0 - 2.0 * share);
            for (index, role) in HELD.iter().enumerate() {
                let above = facing(poses, frame, *role);
                let local = poses.pose(frame)[*role as usize];
                let grown = (self.spread[index] / own.spread[index].max(1e-4)).clamp(LEAST, 1.0 / LEAST);
                let held =
                    above * self.mean[index] * exp(log(own.mean[index].inverse() * above.inverse() * local) * grown);
                let made = near(local.slerp(near(held, local), share).normalize(), local);
                poses.rotations[frame * ROLES + *role as usize] = made;
            }
            poses.hips[frame].y += share * (self.height - own.height).clamp(-HIGHEST, HIGHEST);
        }
    }
}

/// What a role's rotation is seen from: the hips' from where they face, others' as they are.
fn facing(poses: &Poses, frame: usize, role: Role) -> Quat {
    match role {
        Role::Hips => GroundFrame::under(poses.hips[frame], poses.pose(frame)[0]).rotation(),
        _ => Quat::IDENTITY,
    }
}
