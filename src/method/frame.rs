//! A pose on the user's skeleton that can be mixed with other poses.

use crate::motion::clip::Clip;
use crate::motion::root::Root;
use crate::motion::skeleton::Skeleton;
use glam::{Quat, Vec3};

/// One frame. Joints of the root's path, from the top joint to the hips, are in world space, because local values of
/// these joints cannot be mixed one by one. All other joints are local.
#[derive(Debug, Clone, PartialEq)]
pub struct Frame {
    /// Rotations, `[joints]`.
    pub rotations: Vec<Quat>,
    /// Translations, [translated joints], metres.
    pub translations: Vec<Vec3>,
}

impl Frame {
    /// Reads a frame of a clip.
    pub fn from_clip(clip: &Clip, root: &Root, frame: usize) -> Self {
        let mut rotations = clip.frame_rotations(frame).to_vec();
        let mut translations = clip.frame_translations(frame).to_vec();
        for pair in root.path().windows(2) {
            let (parent, child) = (pair[0], pair[1]);
            let (Some(parent_slot), Some(child_slot)) =
                (clip.skeleton().translation_slot(parent), clip.skeleton().translation_slot(child))
            else {
                continue;
            };
            translations[child_slot] = translations[parent_slot] + rotations[parent] * translations[child_slot];
            rotations[child] = rotations[parent] * rotations[child];
        }
        Self { rotations, translations }
    }

    /// Converts the root's path to local space, as in clips.
    #[must_use]
    pub fn into_local(mut self, skeleton: &Skeleton, root: &Root) -> Self {
        for pair in root.path().windows(2).rev() {
            let (parent, child) = (pair[0], pair[1]);
            let (Some(parent_slot), Some(child_slot)) =
                (skeleton.translation_slot(parent), skeleton.translation_slot(child))
            else {
                continue;
            };
            let to_parent = self.rotations[parent].conjugate();
            self.translations[child_slot] =
                to_parent * (self.translations[child_slot] - self.translations[parent_slot]);
            self.rotations[child] = (to_parent * self.rotations[child]).normalize();
        }
        self
    }
}
