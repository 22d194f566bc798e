//! A join of two clips: what stands between them, and where the second one goes.

use crate::method::frame::Frame;
use crate::motion::clip::Clip;
use crate::motion::root::{Root, Standing};
use glam::{Quat, Vec3};

/// Turning rates are averaged over this long, seconds: half a stride, in which the hips' own swing cancels.
pub(super) const TURN_SECS: f64 = 0.5;

/// What stands between two clips, and where the second one goes.
#[derive(Debug, Clone)]
pub struct Transition {
    /// The next clip, placed on the ground; all its frames, unblended.
    pub placed: Clip,
    /// How many last frames of the old clip are dropped (they live on in the blend).
    pub overlap: usize,
    /// How many first frames of `placed` the blend stands for.
    pub replaced: usize,
    /// What stands for both: local rotations, [blend × joints].
    pub rotations: Vec<Quat>,
    /// Likewise the translations, [blend × translated joints].
    pub translations: Vec<Vec3>,
}

/// The ground step between two frames, turned by `yaw`.
pub(super) fn step_at(from: &Standing, to: &Standing, yaw: f32) -> Vec3 {
    Quat::from_rotation_y(yaw) * (to.world_position - from.world_position).with_y(0.0)
}

/// Mean turn a frame.
pub(super) fn turning_rate(clip: &Clip, root: &Root, from: usize, to: usize) -> f32 {
    root.standing(clip, from).turn_to(&root.standing(clip, to)) / (to - from).max(1) as f32
}

impl Transition {
    pub(super) fn empty(placed: Clip, overlap: usize, frames: usize) -> Self {
        let rotations = Vec::with_capacity(frames * placed.joints());
        let translations = Vec::with_capacity(frames * placed.skeleton().translated().len());
        Self { placed, overlap, replaced: frames, rotations, translations }
    }

    /// Appends a frame, its path back in local space.
    pub(super) fn push(&mut self, frame: Frame, root: &Root) {
        let mut frame = frame.into_local(self.placed.skeleton(), root);
        self.rotations.append(&mut frame.rotations);
        self.translations.append(&mut frame.translations);
    }
}
