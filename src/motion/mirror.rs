//! Mirroring: left and right exchanged, as in a mirror on the plane x = 0.
//!
//! The axes of joints seldom mirror each other (Bandai-Namco's right bones run along −x), so each part takes the
//! mirrored world rotation of its partner's body part (see [`crate::motion::rig::axes`]). Mirroring twice gives the
//! same clip, whatever the axes.

use crate::error::{Error, Result};
use crate::motion::clip::Clip;
use crate::motion::fk::Pose;
use crate::motion::quat::{flipped, near};
use crate::motion::rig::axes::Axes;
use crate::motion::rig::{Rig, RigKind, partners};
use glam::{Quat, Vec3};
use std::sync::Arc;

/// The mirrored clip on its own skeleton. Joints with roles exchange with their opposites; others (fingers) with the
/// joint of the opposite name, or keep their place. Bone lengths do not change.
///
/// # Errors
/// [`Error::Rig`] where the rig is not a [`RigKind::Biped`].
pub fn mirror(clip: &Clip, rig: &Rig) -> Result<Clip> {
    let skeleton = clip.skeleton();
    if rig.kind != RigKind::Biped {
        let message = "only bodies with hips and two legs can be mirrored; map them first".to_owned();
        return Err(Error::Rig { clip: clip.name.clone(), message });
    }
    let Some(axes) = Axes::of(clip, rig) else { return Ok(clip.clone()) };
    let partners = partners(skeleton, rig);
    let above_body = crate::motion::rig::above_hips(skeleton, rig);

    let mut rotations: Vec<Quat> = Vec::with_capacity(clip.rotations().len());
    let mut translations: Vec<Vec3> = Vec::with_capacity(clip.translations().len());
    let mut pose = Pose::default();
    let mut world: Vec<Quat> = Vec::with_capacity(clip.joints());
    let mut places: Vec<Vec3> = Vec::with_capacity(clip.joints());
    for frame in 0..clip.frames() {
        pose.set(clip, frame);
        world.clear();
        places.clear();
        for (index, joint) in skeleton.joints().iter().enumerate() {
            let part = flipped(axes.world(&pose, partners[index])) * axes.joint_from_body[index].inverse();
            world.push(part.normalize());
            let above = joint.parent.map(|parent| (places[parent], world[parent]));
            let (base, turn) = above.unwrap_or_default();
            // The root of the body moves to its mirrored position; all joints below keep their bones.
            let local = if above_body[index] {
                let (at, x) = (pose.world_positions[index], Vec3::new(-1.0, 1.0, 1.0));
                turn.inverse() * (at * x - base)
            } else {
                clip.local_translation(frame, index)
            };
            places.push(base + turn * local);
            if skeleton.translation_slot(index).is_some() {
                translations.push(local);
            }
            let local = (turn.inverse() * world[index]).normalize();
            let before = frame.checked_sub(1).map(|before| rotations[before * clip.joints() + index]);
            rotations.push(before.map_or(local, |before| near(local, before)));
        }
    }
    Clip::new(clip.name.clone(), Arc::clone(skeleton), clip.frame_time_secs(), rotations, translations)
}
