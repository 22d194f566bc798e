//! Mirrors a canonical clip in the plane x = 0.
//!
//! The body axes of opposite joints mirror each other, so mirroring only swaps joints and changes signs, in rotations
//! and in offsets. It is exact: mirroring twice gives the same bits. [`crate::motion::mirror`] is for users' skeletons:
//! their local axes seldom mirror each other, and their bone lengths do not change.

use crate::body::character::Character;
use crate::error::Result;
use crate::motion::clip::Clip;
use crate::motion::quat::mirror_rotation;
use crate::motion::rig::Role;
use crate::motion::vector::mirror_point;
use glam::Vec3;
use std::sync::Arc;

/// Mirrors a clip on a canonical skeleton of `character`.
///
/// # Errors
/// [`crate::Error::Skeleton`] if the clip has another number of joints than the character.
pub fn mirror_clip(clip: &Clip, character: &Character) -> Result<Clip> {
    let offsets: Vec<Vec3> = clip.skeleton().joints().iter().map(|joint| joint.offset).collect();
    if offsets.len() != character.len() {
        character.skeleton(&offsets)?; // always fails: a clip with more joints would be read as other frames
    }
    let opposite = |joint: usize| character.joints[joint].opposite;
    let mirrored_offsets: Vec<Vec3> =
        (0..character.len()).map(|joint| mirror_point(offsets[opposite(joint)])).collect();
    let skeleton = if mirrored_offsets == offsets {
        Arc::clone(clip.skeleton())
    } else {
        character.skeleton(&mirrored_offsets)?
    };
    let frames = clip.rotations().chunks_exact(character.len());
    let rotations = frames.flat_map(|frame| (0..character.len()).map(|joint| mirror_rotation(frame[opposite(joint)])));
    let translations = clip.translations().iter().map(|&point| mirror_point(point)).collect();
    Clip::new(clip.name.clone(), skeleton, clip.frame_time_secs(), rotations.collect(), translations)
}

/// Returns the index of the same biped role on the other side of the body.
pub fn opposite_role(role: usize) -> usize {
    Role::ALL[role].opposite() as usize
}
