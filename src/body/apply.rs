//! Applies an edited canonical body to the user's own skeleton.
//!
//! Only the change is applied: each mapped joint turns by the world rotation from the old canonical joint to the new
//! one. Everything else (fingers, props, extra spine joints, twist) keeps its local motion. Without an edit, no value
//! changes.

use crate::body::canonical::{Canonical, map_joints};
use crate::error::{Error, Result};
use crate::motion::clip::Clip;
use crate::motion::fk::Pose;
use crate::motion::rig::Rig;
use glam::{Quat, Vec3};

/// Returns `clip` with the change from `before` (its own canonical body) to `after` (another clip on the same
/// canonical skeleton).
///
/// # Errors
/// [`Error::Clip`] if the numbers of frames or joints differ, [`Error::Rig`] if the rig has no root of that
/// character.
pub fn apply(clip: &Clip, rig: &Rig, before: &Canonical, after: &Clip) -> Result<Clip> {
    let fail = |message| Err(Error::Clip { clip: clip.name.clone(), message });
    if before.clip.frames() != clip.frames() || after.frames() != clip.frames() {
        return fail(format!("{} and {} frames of body for {}", before.clip.frames(), after.frames(), clip.frames()));
    }
    let count = before.character.len();
    if before.clip.joints() != count || after.joints() != count {
        return fail(format!("bodies of {} and {} joints, not {count}", before.clip.joints(), after.joints()));
    }
    let mapped = map_joints(clip, rig).filter(|(character, _)| *character == before.character);
    let Some((root, mapped)) = mapped.and_then(|(_, mapped)| Some((mapped[0]?, mapped))) else {
        let message = format!("its rig is not that of a {}, or lacks hips", before.character.name);
        return Err(Error::Rig { clip: clip.name.clone(), message });
    };
    let mut part_of = vec![None; clip.joints()];
    for (part, joint) in mapped.iter().enumerate() {
        if let Some(joint) = *joint {
            part_of[joint] = Some(part);
        }
    }
    let skeleton = clip.skeleton().clone();
    // Where the root has no translation channels, the nearest ancestor that has them moves instead.
    let mut mover = root;
    while skeleton.translation_slot(mover).is_none() {
        let Some(parent) = skeleton.joints()[mover].parent else { break };
        mover = parent;
    }
    let width = skeleton.translated().len();
    let mut edited = clip.clone();
    let (mut pose, mut old, mut new) = (Pose::default(), Pose::default(), Pose::default());
    let mut world = vec![Quat::IDENTITY; clip.joints()];
    for frame in 0..clip.frames() {
        let place = |clip: &Clip| clip.frame_translations(frame)[0];
        let moved = (place(after) - place(&before.clip)) / before.scale;
        if moved == Vec3::ZERO && before.clip.frame_rotations(frame) == after.frame_rotations(frame) {
            continue;
        }
        pose.set(clip, frame);
        old.set(&before.clip, frame);
        new.set(after, frame);
        let rotations = &mut edited.rotations_mut()[frame * skeleton.len()..][..skeleton.len()];
        for (joint, info) in skeleton.joints().iter().enumerate() {
            let parent = info.parent.map_or(Quat::IDENTITY, |parent| world[parent]);
            if let Some(part) = part_of[joint] {
                let turn = new.world_rotations[part] * old.world_rotations[part].inverse();
                world[joint] = turn * pose.world_rotations[joint];
                rotations[joint] = (parent.inverse() * world[joint]).normalize();
            } else {
                world[joint] = parent * rotations[joint];
            }
        }
        if let Some(slot) = skeleton.translation_slot(mover) {
            let parent = skeleton.joints()[mover].parent.map_or(Quat::IDENTITY, |parent| world[parent]);
            edited.translations_mut()[frame * width + slot] += parent.inverse() * moved;
        }
    }
    Ok(edited)
}
