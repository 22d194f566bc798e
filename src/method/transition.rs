//! A join of two clips: the frames between them, and the placement of the second.

use crate::method::frame::Frame;
use crate::motion::clip::Clip;
use crate::motion::root::{Root, RootPose};
use glam::{Quat, Vec3};

/// Turning rates are averaged over this time, seconds: half a stride, in which the swing of the hips cancels.
pub(super) const TURN_SECS: f64 = 0.5;

/// The frames between two clips, and the placement of the second.
#[derive(Debug, Clone)]
pub struct Transition {
    /// The next clip, placed on the ground; all its frames, unblended.
    pub placed: Clip,
    /// Number of last frames of the old clip that the blend replaces.
    pub overlap: usize,
    /// Number of first frames of `placed` that the blend replaces.
    pub replaced: usize,
    /// Local rotations of the blend, [blend × joints].
    pub rotations: Vec<Quat>,
    /// Local translations of the blend, [blend × translated joints].
    pub translations: Vec<Vec3>,
}

/// The ground step between two frames, turned by `yaw`.
pub(super) fn step_at(from: &RootPose, to: &RootPose, yaw: f32) -> Vec3 {
    Quat::from_rotation_y(yaw) * (to.world_position - from.world_position).with_y(0.0)
}

/// Mean rotation per frame.
pub(super) fn turning_rate(clip: &Clip, root: &Root, from: usize, to: usize) -> f32 {
    root.standing(clip, from).turn_to(&root.standing(clip, to)) / (to - from).max(1) as f32
}

impl Transition {
    pub(super) fn empty(placed: Clip, overlap: usize, frames: usize) -> Self {
        let rotations = Vec::with_capacity(frames * placed.joints());
        let translations = Vec::with_capacity(frames * placed.skeleton().translated().len());
        Self { placed, overlap, replaced: frames, rotations, translations }
    }

    /// Appends a frame, converted to local space.
    pub(super) fn push(&mut self, frame: Frame, root: &Root) {
        let mut frame = frame.into_local(self.placed.skeleton(), root);
        self.rotations.append(&mut frame.rotations);
        self.translations.append(&mut frame.translations);
    }
}
