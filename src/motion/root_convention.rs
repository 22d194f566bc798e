//! Root conventions: which joint moves over the ground if two joints of a skeleton can.
//!
//! Some files of a rig keep the top joint at the origin and move only the hips; other files of the same rig move the
//! top joint over the ground below the hips (Bandai-Namco's `joint_Root`). If two such clips were joined, the top joint
//! would move from one convention to the other within the blend. So a clip adopts the convention of the first clip; the
//! world motion of the body does not change.

use crate::motion::clip::Clip;
use crate::motion::quat::is_same_rotation;
use crate::motion::root::{Root, can_carry, is_static};
use glam::{Quat, Vec3};
use std::sync::Arc;

/// Rewrites the motion of the top joint of `clip`, and of its children to match, by the convention of `first`: the top
/// joint does not move, or it moves with the body and has the same position relative to it as at the end of `first`.
/// Both clips have one skeleton. A clip that already has the convention of `first` does not change, nor does any clip
/// of a rig whose root path ([`Root::path`]) is not two joints.
pub fn adopt_root_convention(clip: &mut Clip, first: &Clip, root: &Root) {
    let &[top, _] = root.path() else { return };
    let skeleton = Arc::clone(clip.skeleton());
    let children: Vec<usize> = skeleton.children(top).collect();
    if first.frames() == 0 || clip.frames() == 0 || !children.iter().all(|&child| can_carry(&skeleton, child)) {
        return;
    }
    let top_is_static = is_static(first, top);
    let last = if top_is_static { 0 } else { first.frames() - 1 };
    let first_top_transform = (first.local_translation(last, top), first.frame_rotations(last)[top]);
    let same_convention = match top_is_static {
        true => {
            is_static(clip, top)
                && clip.local_translation(0, top).distance(first_top_transform.0) < 1e-5
                && is_same_rotation(clip.frame_rotations(0)[top], first_top_transform.1)
        }
        false => !is_static(clip, top),
    };
    if same_convention {
        return;
    }
    let first_root = root.pose(first, last);
    let top_transforms: Vec<(Vec3, Quat)> = (0..clip.frames())
        .map(|frame| {
            if top_is_static {
                return first_top_transform;
            }
            let root_pose = root.pose(clip, frame);
            let yaw_rotation = Quat::from_rotation_y(first_root.turn_to(&root_pose));
            let top_position =
                root_pose.world_position + yaw_rotation * (first_top_transform.0 - first_root.world_position);
            (top_position.with_y(first_top_transform.0.y), yaw_rotation * first_top_transform.1)
        })
        .collect();
    let slot = |joint: usize| skeleton.translation_slot(joint);
    let (joints, width) = (skeleton.len(), skeleton.translated().len());
    for (frame, (position, rotation)) in top_transforms.into_iter().enumerate() {
        let (old_position, old_rotation) = (clip.local_translation(frame, top), clip.frame_rotations(frame)[top]);
        let to_top = rotation.conjugate();
        for &child in &children {
            let child_rotation = (to_top * old_rotation * clip.frame_rotations(frame)[child]).normalize();
            let child_translation =
                to_top * (old_position + old_rotation * clip.local_translation(frame, child) - position);
            clip.rotations_mut()[frame * joints + child] = child_rotation;
            if let Some(slot) = slot(child) {
                clip.translations_mut()[frame * width + slot] = child_translation;
            }
        }
        clip.rotations_mut()[frame * joints + top] = rotation;
        if let Some(slot) = slot(top) {
            clip.translations_mut()[frame * width + slot] = position;
        }
    }
}
