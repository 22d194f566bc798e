//! The transition between two joined clips.

use crate::method::frame::Frame;
use crate::motion::clip::Clip;
use crate::motion::root::{Root, RootPose};
use glam::{Quat, Vec3};

/// The blended frames between two clips, and the second clip in its new position.
#[derive(Debug, Clone)]
pub struct Transition {
    /// All frames of the second clip, moved so that it continues the first, not blended.
    pub placed: Clip,
    /// Number of frames at the end of the first clip that the blend replaces.
    pub overlap: usize,
    /// Number of frames at the beginning of `placed` that the blend replaces.
    pub replaced: usize,
    /// Local rotations of the blended frames, [blended frames × joints].
    pub rotations: Vec<Quat>,
    /// Local translations of the blended frames, [blended frames × translated joints].
    pub translations: Vec<Vec3>,
}

/// Returns the displacement over the ground between two frames, metres, rotated by `yaw`, radians.
pub(super) fn ground_displacement(from: &RootPose, to: &RootPose, yaw: f32) -> Vec3 {
    Quat::from_rotation_y(yaw) * (to.world_position - from.world_position).with_y(0.0)
}

impl Transition {
    /// Creates a transition without blended frames, which replaces the last `overlap` frames of the first clip and the
    /// first `replaced` frames of the second. Reserves memory for `replaced` blended frames.
    pub(super) fn empty(placed: Clip, overlap: usize, replaced: usize) -> Self {
        let rotations = Vec::with_capacity(replaced * placed.joints());
        let translations = Vec::with_capacity(replaced * placed.skeleton().translated().len());
        Self { placed, overlap, replaced, rotations, translations }
    }

    /// Appends a blended frame, converted to local space.
    pub(super) fn push(&mut self, frame: Frame, root: &Root) {
        let mut frame = frame.into_local(self.placed.skeleton(), root);
        self.rotations.append(&mut frame.rotations);
        self.translations.append(&mut frame.translations);
    }
}
