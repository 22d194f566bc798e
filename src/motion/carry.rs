//! Root conventions: selects the joint that moves over the ground if two joints of a skeleton can.
//!
//! Some files of a rig keep the top joint at the origin and move the hips; others of the same rig move the top joint
//! along below the hips (Bandai-Namco's `joint_Root` does either). In a join of both, the top joint would fly from
//! one convention to the other. Here a clip adopts the convention of the first clip; the world motion of the body
//! does not change.

use crate::motion::clip::Clip;
use crate::motion::root::{Root, can_carry, is_static};
use glam::{Quat, Vec3};
use std::sync::Arc;

/// Rewrites the top joint of `clip`, and its children to match, by the convention of `first`: the top joint keeps its
/// place, or moves with the hips as at the end of `first`. Both clips have one skeleton. Clips that already agree,
/// and rigs whose root path is not two joints, are not changed.
pub fn adopt(clip: &mut Clip, first: &Clip, root: &Root) {
    let &[top, _] = root.path() else { return };
    let skeleton = Arc::clone(clip.skeleton());
    let children: Vec<usize> = skeleton.children(top).collect();
    if first.frames() == 0 || clip.frames() == 0 || !children.iter().all(|&child| can_carry(&skeleton, child)) {
        return;
    }
    let still = is_static(first, top);
    let last = if still { 0 } else { first.frames() - 1 };
    let model = (first.local_translation(last, top), first.frame_rotations(last)[top]);
    let agrees = match still {
        true => {
            is_static(clip, top)
                && clip.local_translation(0, top).distance(model.0) < 1e-5
                && clip.frame_rotations(0)[top].dot(model.1).abs() > 1.0 - 1e-7
        }
        false => !is_static(clip, top),
    };
    if agrees {
        return;
    }
    let end = root.pose(first, last);
    let poses: Vec<(Vec3, Quat)> = (0..clip.frames())
        .map(|frame| {
            if still {
                return model;
            }
            let now = root.pose(clip, frame);
            let turn = Quat::from_rotation_y(end.turn_to(&now));
            let place = now.world_position + turn * (model.0 - end.world_position);
            (place.with_y(model.0.y), turn * model.1)
        })
        .collect();
    let slot = |joint: usize| skeleton.translation_slot(joint);
    let (joints, width) = (skeleton.len(), skeleton.translated().len());
    for (frame, (position, rotation)) in poses.into_iter().enumerate() {
        let (old_position, old_rotation) = (clip.local_translation(frame, top), clip.frame_rotations(frame)[top]);
        let back = rotation.conjugate();
        for &child in &children {
            let turned = (back * old_rotation * clip.frame_rotations(frame)[child]).normalize();
            let moved = back * (old_position + old_rotation * clip.local_translation(frame, child) - position);
            clip.rotations_mut()[frame * joints + child] = turned;
            if let Some(slot) = slot(child) {
                clip.translations_mut()[frame * width + slot] = moved;
            }
        }
        clip.rotations_mut()[frame * joints + top] = rotation;
        if let Some(slot) = slot(top) {
            clip.translations_mut()[frame * width + slot] = position;
        }
    }
}
