//! Keys of another style: upper bodies held as people of that style hold theirs.
//!
//! Recordings never change their style, so a network that is told one learns to look at the keys instead. It has to see keys
//! that do not have the style it is told: those of a lane are bent to another style's mean posture, and the recording's own
//! is what it is to come to between them.

use super::take::Take;
use crate::feature::dcmoe::Body;
use crate::feature::delta::ROLES;
use crate::motion::quat::{exp, log, near};
use crate::motion::rig::Role;
use glam::{Quat, Vec3};

/// Rotation vectors that make one style's posture of another's, in each role's own frame.
pub type Manner = [Vec3; ROLES];

/// Mean postures by style and side.
pub struct Postures {
    /// Style, whether mirrored, mean local rotations.
    all: Vec<(usize, bool, [Quat; ROLES])>,
}

/// Hips and legs stay: feet are to stand.
fn is_upper(role: Role) -> bool {
    use Role::*;
    let lower = [Hips, LeftUpLeg, LeftLeg, LeftFoot, LeftToe, RightUpLeg, RightLeg, RightFoot, RightToe];
    !lower.contains(&role)
}

impl Postures {
    /// Of takes, for some styles.
    pub fn of<'a>(takes: impl Iterator<Item = &'a Take> + Clone, styles: &[usize]) -> Self {
        let mean = |style: usize, mirrored: bool| {
            let mut sums: Option<[Quat; ROLES]> = None;
            for take in takes.clone().filter(|take| take.style == Some(style) && take.is_mirrored == mirrored) {
                for body in take.bodies.iter().step_by(5) {
                    let locals: Vec<Quat> = body.locals().collect();
                    let sums = sums.get_or_insert_with(|| std::array::from_fn(|role| locals[role] * 1e-6));
                    sums.iter_mut().zip(&locals).for_each(|(sum, local)| *sum = *sum + near(*local, *sum));
                }
            }
            sums.map(|sums| sums.map(Quat::normalize))
        };
        let both = styles.iter().flat_map(|style| [(*style, false), (*style, true)]);
        Self { all: both.filter_map(|(style, side)| Some((style, side, mean(style, side)?))).collect() }
    }

    /// From the posture of a take's style to that of another; `choice` counts the others. `None` where there is none.
    pub fn other(&self, take: &Take, choice: usize) -> Option<Manner> {
        let side = || self.all.iter().filter(|one| one.1 == take.is_mirrored);
        let own = side().find(|one| Some(one.0) == take.style)?;
        let others: Vec<_> = side().filter(|one| one.0 != own.0).collect();
        let other = others.get(choice % others.len().max(1))?;
        let turn = |role: usize| match is_upper(Role::ALL[role]) {
            true => log(own.2[role].inverse() * other.2[role]),
            false => Vec3::ZERO,
        };
        Some(std::array::from_fn(turn))
    }
}

/// A part of the way to another manner.
pub fn bent(body: &Body, manner: &Manner, part: f32, offsets: &[Vec3; ROLES]) -> Body {
    let turned = body.locals().zip(manner).map(|(local, turn)| (local * exp(*turn * part)).normalize());
    Body::of(body.places[0], &turned.collect::<Vec<_>>(), offsets)
}
