//! An edited canonical body → the user's own skeleton.
//!
//! Only the change travels: each mapped joint turns by the world rotation that takes the old canonical role to the
//! new one, and everything else (fingers, props, extra spine joints, twist) keeps its local motion. No edit, no change.

use crate::error::{Error, Result};
use crate::feature::body::Body;
use crate::motion::clip::Clip;
use crate::motion::fk::Pose;
use crate::motion::rig::{Rig, Role};
use glam::{Quat, Vec3};

/// `clip` with the change from `before` to `after`, both of the clip's frames. `before` is the clip's own body.
///
/// # Errors
/// [`Error::Clip`] where the numbers of frames differ, [`Error::Rig`] where no hips are mapped.
pub fn apply(clip: &Clip, rig: &Rig, before: &Body, after: &Body) -> Result<Clip> {
    if before.frames() != clip.frames() || after.frames() != clip.frames() {
        let message = format!("{} and {} frames of body for {}", before.frames(), after.frames(), clip.frames());
        return Err(Error::Clip { clip: clip.name.clone(), message });
    }
    let Some(hips) = rig.joint(Role::Hips) else {
        return Err(Error::Rig { clip: clip.name.clone(), message: "no joint is mapped to the hips".to_owned() });
    };
    let mut role_of = vec![None; clip.joints()];
    for role in Role::ALL {
        if let Some(joint) = rig.joint(role) {
            role_of[joint] = Some(role as usize);
        }
    }
    let skeleton = clip.skeleton().clone();
    let width = skeleton.translated().len();
    let mut edited = clip.clone();
    let mut pose = Pose::default();
    let mut world = vec![Quat::IDENTITY; clip.joints()];
    for frame in 0..clip.frames() {
        let (old, new) = (before.world(frame).1, after.world(frame).1);
        let moved = (after.hips[frame] - before.hips[frame]) / before.scale;
        if moved == Vec3::ZERO && before.frame(frame) == after.frame(frame) {
            continue;
        }
        pose.set(clip, frame);
        let rotations = &mut edited.rotations_mut()[frame * skeleton.len()..][..skeleton.len()];
        for (joint, info) in skeleton.joints().iter().enumerate() {
            let parent = info.parent.map_or(Quat::IDENTITY, |parent| world[parent]);
            if let Some(role) = role_of[joint] {
                world[joint] = new[role] * old[role].inverse() * pose.world_rotations[joint];
                rotations[joint] = (parent.inverse() * world[joint]).normalize();
            } else {
                world[joint] = parent * rotations[joint];
            }
        }
        // The hips move by themselves where they can, else with the joint above them that can.
        let mut mover = hips;
        while skeleton.translation_slot(mover).is_none() {
            let Some(parent) = skeleton.joints()[mover].parent else { break };
            mover = parent;
        }
        if let Some(slot) = skeleton.translation_slot(mover) {
            let parent = skeleton.joints()[mover].parent.map_or(Quat::IDENTITY, |parent| world[parent]);
            edited.translations_mut()[frame * width + slot] += parent.inverse() * moved;
        }
    }
    Ok(edited)
}
