//! Applies an edited canonical body to the user's own skeleton.
//!
//! Only the change is applied: each mapped joint is rotated by the world rotation from the original canonical joint to
//! the edited one. All other joints (fingers, props, extra spine joints, twist joints) keep their local motion. Without
//! an edit, no value changes.

use crate::body::canonical::{Canonical, map_joints};
use crate::error::{Error, Result};
use crate::motion::clip::Clip;
use crate::motion::fk::Pose;
use crate::motion::rig::Rig;
use glam::{Quat, Vec3};

/// Returns `clip` with the change from `original` (its canonical body) to `edited` (another clip on the same canonical
/// skeleton).
///
/// # Errors
/// [`Error::Clip`] if the numbers of frames or joints differ, [`Error::Rig`] if the rig is not of that
/// character or has no hips.
pub fn apply(clip: &Clip, rig: &Rig, original: &Canonical, edited: &Clip) -> Result<Clip> {
    check_sizes(clip, original, edited)?;
    let mapped = map_joints(clip, rig).filter(|(character, _)| *character == original.character);
    let Some((root, mapped)) = mapped.and_then(|(_, mapped)| Some((mapped[0]?, mapped))) else {
        let message = format!("its rig is not the rig of a {}, or has no hips", original.character.name);
        return Err(Error::Rig { clip: clip.name.clone(), message });
    };
    let mut character_joint_of = vec![None; clip.joints()];
    for (character_joint, joint) in mapped.iter().enumerate() {
        if let Some(joint) = *joint {
            character_joint_of[joint] = Some(character_joint);
        }
    }
    let skeleton = clip.skeleton().clone();
    // If the root has no translations, its nearest ancestor with translations moves instead.
    let mut carrier = root;
    while skeleton.translation_slot(carrier).is_none() {
        let Some(parent) = skeleton.joints()[carrier].parent else { break };
        carrier = parent;
    }
    let parent_of = |joint: usize| skeleton.joints()[joint].parent;
    let width = skeleton.translated().len();
    let mut result = clip.clone();
    let (mut pose, mut original_pose, mut edited_pose) = (Pose::default(), Pose::default(), Pose::default());
    let mut world_rotations = vec![Quat::IDENTITY; clip.joints()];
    for frame in 0..clip.frames() {
        let root_position = |clip: &Clip| clip.frame_translations(frame)[0];
        let root_displacement = (root_position(edited) - root_position(&original.clip)) / original.scale;
        if root_displacement == Vec3::ZERO && original.clip.frame_rotations(frame) == edited.frame_rotations(frame) {
            continue;
        }
        pose.set(clip, frame);
        original_pose.set(&original.clip, frame);
        edited_pose.set(edited, frame);
        let rotations = &mut result.rotations_mut()[frame * skeleton.len()..][..skeleton.len()];
        for joint in 0..skeleton.len() {
            let parent_rotation = parent_of(joint).map_or(Quat::IDENTITY, |parent| world_rotations[parent]);
            if let Some(character_joint) = character_joint_of[joint] {
                let old_rotation = original_pose.world_rotations[character_joint];
                let change = edited_pose.world_rotations[character_joint] * old_rotation.inverse();
                world_rotations[joint] = change * pose.world_rotations[joint];
                rotations[joint] = (parent_rotation.inverse() * world_rotations[joint]).normalize();
            } else {
                world_rotations[joint] = parent_rotation * rotations[joint];
            }
        }
        if let Some(slot) = skeleton.translation_slot(carrier) {
            let parent_rotation = parent_of(carrier).map_or(Quat::IDENTITY, |parent| world_rotations[parent]);
            result.translations_mut()[frame * width + slot] += parent_rotation.inverse() * root_displacement;
        }
    }
    Ok(result)
}

/// Checks that both canonical bodies have the frames of the clip and the joints of the character.
fn check_sizes(clip: &Clip, original: &Canonical, edited: &Clip) -> Result<()> {
    let fail = |message| Err(Error::Clip { clip: clip.name.clone(), message });
    let [frames, joints] = [[original.clip.frames(), edited.frames()], [original.clip.joints(), edited.joints()]];
    if frames != [clip.frames(); 2] {
        let [a, b] = frames;
        return fail(format!("its canonical bodies have {a} and {b} frames, but the clip has {}", clip.frames()));
    }
    let joint_count = original.character.len();
    if joints != [joint_count; 2] {
        let [a, b] = joints;
        return fail(format!("its canonical bodies have {a} and {b} joints, not {joint_count}"));
    }
    Ok(())
}
