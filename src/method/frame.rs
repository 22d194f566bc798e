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
            let (Some(up), Some(down)) =
                (clip.skeleton().translation_slot(pair[0]), clip.skeleton().translation_slot(pair[1]))
            else {
                continue;
            };
            translations[down] = translations[up] + rotations[pair[0]] * translations[down];
            rotations[pair[1]] = rotations[pair[0]] * rotations[pair[1]];
        }
        Self { rotations, translations }
    }

    /// Converts the root's path to local space, as in clips.
    #[must_use]
    pub fn into_local(mut self, skeleton: &Skeleton, root: &Root) -> Self {
        for pair in root.path().windows(2).rev() {
            let (Some(up), Some(down)) = (skeleton.translation_slot(pair[0]), skeleton.translation_slot(pair[1]))
            else {
                continue;
            };
            let to_parent = self.rotations[pair[0]].conjugate();
            self.translations[down] = to_parent * (self.translations[down] - self.translations[up]);
            self.rotations[pair[1]] = (to_parent * self.rotations[pair[1]]).normalize();
        }
        self
    }
}
