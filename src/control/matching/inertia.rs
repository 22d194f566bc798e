//! Inertialized joins: at a jump to another frame, the difference of the poses becomes an offset that decays.

use super::spring::Offset;
use crate::motion::quat::{exp, log};
use glam::{Quat, Vec3};

/// Half-life of offsets, seconds.
const HALF_LIFE: f32 = 0.1;

/// Local pose of a take: rotations and translations relative to its ground pose.
#[derive(Debug, Clone, Default)]
pub struct LocalPose {
    /// `[joints]`.
    pub rotations: Vec<Quat>,
    /// [translated joints], metres.
    pub translations: Vec<Vec3>,
}

/// A pose and the pose a short time later.
#[derive(Debug, Clone, Default)]
pub struct Moving {
    /// The pose.
    pub now: LocalPose,
    /// The pose after `seconds`.
    pub next: LocalPose,
    /// Time between both.
    pub seconds: f32,
}

/// Offsets of all joints.
#[derive(Debug, Clone, Default)]
pub struct Inertia {
    rotations: Vec<Offset>,
    translations: Vec<Offset>,
}

impl Inertia {
    /// Removes all offsets.
    pub fn clear(&mut self) {
        self.rotations.clear();
        self.translations.clear();
    }

    /// Adds the difference from the pose that is left to the pose that is played next, and of their velocities.
    pub fn jump(&mut self, from: &Moving, to: &Moving) {
        self.rotations.resize(from.now.rotations.len(), Offset::default());
        self.translations.resize(from.now.translations.len(), Offset::default());
        let rate = |moving: &Moving, joint: usize| {
            log(moving.next.rotations[joint] * moving.now.rotations[joint].conjugate()) / moving.seconds
        };
        for (joint, offset) in self.rotations.iter_mut().enumerate() {
            let shown = exp(offset.value) * from.now.rotations[joint];
            offset.value = log(shown * to.now.rotations[joint].conjugate());
            offset.rate += rate(from, joint) - rate(to, joint);
        }
        let rate = |moving: &Moving, slot: usize| {
            (moving.next.translations[slot] - moving.now.translations[slot]) / moving.seconds
        };
        for (slot, offset) in self.translations.iter_mut().enumerate() {
            offset.value += from.now.translations[slot] - to.now.translations[slot];
            offset.rate += rate(from, slot) - rate(to, slot);
        }
    }

    /// Decays the offsets, and adds them to a pose.
    pub fn apply(&mut self, pose: &mut LocalPose, seconds: f32) {
        for (rotation, offset) in pose.rotations.iter_mut().zip(&mut self.rotations) {
            offset.decay(HALF_LIFE, seconds);
            *rotation = (exp(offset.value) * *rotation).normalize();
        }
        for (translation, offset) in pose.translations.iter_mut().zip(&mut self.translations) {
            offset.decay(HALF_LIFE, seconds);
            *translation += offset.value;
        }
    }
}
