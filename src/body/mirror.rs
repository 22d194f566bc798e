//! Mirrors a canonical clip in the plane x = 0.
//!
//! Canonical axes mirror each other, so mirroring exchanges joints and changes signs, of bones too. It is exact:
//! mirroring twice gives the same bits. [`crate::motion::mirror`] is for users' skeletons, whose axes seldom mirror
//! and whose bone lengths stay.

use crate::body::character::Character;
use crate::error::Result;
use crate::motion::clip::Clip;
use crate::motion::quat::mirror_rotation;
use crate::motion::rig::Role;
use glam::Vec3;
use std::sync::Arc;

/// Mirrors `clip`, a clip on a canonical skeleton of `character`.
///
/// # Errors
/// [`crate::Error::Skeleton`] if the clip's skeleton is not a skeleton of the character.
pub fn mirror_clip(clip: &Clip, character: &Character) -> Result<Clip> {
    let offsets: Vec<Vec3> = clip.skeleton().joints().iter().map(|joint| joint.offset).collect();
    let opposite = |joint: usize| character.joints[joint].opposite;
    let swapped: Vec<Vec3> =
        (0..character.len()).filter_map(|j| offsets.get(opposite(j)).map(|&o| mirror_point(o))).collect();
    let skeleton = if swapped == offsets { Arc::clone(clip.skeleton()) } else { character.skeleton(&swapped)? };
    let frames = clip.rotations().chunks_exact(character.len());
    let rotations = frames.flat_map(|frame| (0..character.len()).map(|joint| mirror_rotation(frame[opposite(joint)])));
    let translations = clip.translations().iter().map(|&place| mirror_point(place)).collect();
    Clip::new(clip.name.clone(), skeleton, clip.frame_time_secs(), rotations.collect(), translations)
}

/// Mirrors a point in x = 0.
pub fn mirror_point(place: Vec3) -> Vec3 {
    Vec3::new(-place.x, place.y, place.z)
}

/// Index of a biped's role on the other side of the body.
pub fn opposite_role(role: usize) -> usize {
    Role::ALL[role].opposite() as usize
}
