//! Mirroring: left and right exchanged, as in a mirror on the plane x = 0.
//!
//! The local axes of two partner joints seldom mirror each other (Bandai-Namco's right bones run along −x). So a joint
//! does not take the mirrored rotation of its partner, but the rotation that gives its body part the mirrored world
//! rotation of its partner's body part (see [`crate::motion::rig::axes`]). For bodies other than people and known
//! dogs, partners are found by name, and the rest pose must be symmetric. Mirroring twice returns the original motion
//! for any axes.

use crate::error::{Error, Result};
use crate::motion::clip::Clip;
use crate::motion::fk::Pose;
use crate::motion::quat::{mirror_rotation, with_nearest_sign};
use crate::motion::rig::axes::Axes;
use crate::motion::rig::{Rig, RigKind, dog, find_partners, rest_pose, root_chain};
use crate::motion::skeleton::Skeleton;
use crate::motion::vector::mirror_point;
use glam::{Quat, Vec3};
use std::sync::Arc;

/// Largest distance of a joint at rest from the mirror image of its partner, as a fraction of the body's size: the
/// distance of its farthest joint from its centre.
const MAX_ASYMMETRY: f32 = 0.05;

/// Source of a joint's motion in the mirrored clip.
#[derive(Debug, Clone, Copy, PartialEq)]
enum MirrorMode {
    /// Takes the mirrored motion of its partner. A joint on the midline is its own partner.
    Mirrored,
    /// Keeps its local motion: a joint without a partner below a joint with one, such as a prop in a hand.
    KeepLocal,
}

/// Properties of a skeleton that mirroring needs.
struct Mirror {
    /// Partner of each joint, [joints], see [`find_partners`].
    partners: Vec<usize>,
    modes: Vec<MirrorMode>,
    /// Body axes of each joint, [joints], see [`Axes::joint_from_body`].
    joint_from_body: Vec<Quat>,
    /// Whether a joint takes the mirrored world position of its partner, [joints]. Other joints keep their local
    /// translation, so that bone lengths do not change.
    mirrors_position: Vec<bool>,
}

impl Mirror {
    /// Determines partners and axes. `None` if the axes cannot be determined because the clip has no frames.
    fn new(clip: &Clip, rig: &Rig) -> Result<Option<Self>> {
        let skeleton = clip.skeleton();
        let partners = find_partners(skeleton, rig);
        let (joint_from_body, mirrors_position) = match rig.kind {
            RigKind::Biped => match Axes::detect(clip, rig) {
                Some(axes) => (axes.joint_from_body, root_chain(skeleton, rig)),
                None => return Ok(None),
            },
            RigKind::Quadruped | RigKind::Other => {
                let has_translation =
                    (0..skeleton.len()).map(|joint| skeleton.translation_slot(joint).is_some()).collect();
                let dog_axes = dog::find_joints(skeleton).and_then(|joints| Axes::detect_dog(clip, &joints));
                match dog_axes {
                    Some(axes) => (axes.joint_from_body, root_chain(skeleton, rig)),
                    None => (vec![rest_axes(clip, &partners)?; skeleton.len()], has_translation),
                }
            }
        };
        let has_side = |joint: usize| partners[joint] != joint;
        let mut modes = vec![MirrorMode::Mirrored; skeleton.len()];
        for (joint, parent) in skeleton.joints().iter().map(|joint| joint.parent).enumerate() {
            let is_below_side = parent.is_some_and(|parent| has_side(parent) || modes[parent] == MirrorMode::KeepLocal);
            if is_below_side && !has_side(joint) {
                modes[joint] = MirrorMode::KeepLocal;
            }
        }
        Ok(Some(Self { partners, modes, joint_from_body, mirrors_position }))
    }
}

/// Returns the clip with left and right exchanged, on the same skeleton. A joint with a role takes the motion of the
/// opposite role, any other joint (a finger) the motion of the joint with the opposite name. A joint without a partner
/// takes its own mirrored motion, unless it hangs from a joint of one side (a prop in a hand): then it keeps its local
/// motion. Bone lengths do not change where axes are known: for people and known dogs.
///
/// # Errors
/// [`Error::Rig`] for a body other than a biped or a known dog if no joint names form a left/right pair, or if the rest
/// pose is not symmetric.
pub fn mirror(clip: &Clip, rig: &Rig) -> Result<Clip> {
    let skeleton = clip.skeleton();
    let Some(Mirror { partners, modes, joint_from_body, mirrors_position }) = Mirror::new(clip, rig)? else {
        return Ok(clip.clone());
    };
    let mut rotations: Vec<Quat> = Vec::with_capacity(clip.rotations().len());
    let mut translations: Vec<Vec3> = Vec::with_capacity(clip.translations().len());
    let mut pose = Pose::default();
    let mut world_rotations: Vec<Quat> = Vec::with_capacity(clip.joints());
    let mut world_positions: Vec<Vec3> = Vec::with_capacity(clip.joints());
    for frame in 0..clip.frames() {
        pose.set(clip, frame);
        world_rotations.clear();
        world_positions.clear();
        for (index, joint) in skeleton.joints().iter().enumerate() {
            let parent = joint.parent.map(|parent| (world_positions[parent], world_rotations[parent]));
            let (parent_position, parent_rotation) = parent.unwrap_or_default();
            let keeps_local = modes[index] == MirrorMode::KeepLocal;
            let world_rotation = match keeps_local {
                true => parent_rotation * clip.frame_rotations(frame)[index],
                false => {
                    let partner = partners[index];
                    let mirrored = mirror_rotation(pose.world_rotations[partner] * joint_from_body[partner]);
                    (mirrored * joint_from_body[index].inverse()).normalize()
                }
            };
            world_rotations.push(world_rotation);
            let translation = match mirrors_position[index] && !keeps_local {
                true => {
                    let position = mirror_point(pose.world_positions[partners[index]]);
                    parent_rotation.inverse() * (position - parent_position)
                }
                false => clip.local_translation(frame, index),
            };
            world_positions.push(parent_position + parent_rotation * translation);
            if skeleton.translation_slot(index).is_some() {
                translations.push(translation);
            }
            let rotation = (parent_rotation.inverse() * world_rotation).normalize();
            let previous = frame.checked_sub(1).map(|previous_frame| rotations[previous_frame * clip.joints() + index]);
            rotations.push(previous.map_or(rotation, |previous| with_nearest_sign(rotation, previous)));
        }
    }
    Clip::new(clip.name.clone(), Arc::clone(skeleton), clip.frame_time_secs(), rotations, translations)
}

/// Returns the body axes of every joint of a skeleton whose rest pose is symmetric: a rotation that turns +x to the
/// line from one side of the body to the other.
fn rest_axes(clip: &Clip, partners: &[usize]) -> Result<Quat> {
    let skeleton: &Skeleton = clip.skeleton();
    let fail = |message: &str| Err(Error::Rig { clip: clip.name.clone(), message: message.to_owned() });
    let rest = rest_pose(skeleton).world_positions;
    let pairs = (0..skeleton.len()).filter(|&joint| partners[joint] > joint);
    let pairs: Vec<(usize, usize)> = pairs.map(|joint| (joint, partners[joint])).collect();
    // The two joints of a pair are in no fixed order, so a line that points against the sum is reversed.
    let mut side_axis = Vec3::ZERO;
    for &(a, b) in &pairs {
        let line = (rest[a] - rest[b]).with_y(0.0);
        side_axis += if line.dot(side_axis) < 0.0 { -line } else { line };
    }
    if pairs.is_empty() {
        return fail("no joint names form a left/right pair, so there is nothing to mirror");
    }
    let Some(side_axis) = side_axis.try_normalize() else {
        return fail("left and right joints coincide in its rest pose, so no mirror plane can be found");
    };
    let centre = pairs.iter().map(|&(a, b)| (rest[a] + rest[b]) / 2.0).sum::<Vec3>() / pairs.len() as f32;
    let size = rest.iter().map(|position| position.distance(centre)).fold(0.0, f32::max);
    let mirror_in_plane = |position: Vec3| position - side_axis * (2.0 * (position - centre).dot(side_axis));
    if pairs.iter().any(|&(a, b)| mirror_in_plane(rest[a]).distance(rest[b]) > MAX_ASYMMETRY * size) {
        return fail("its rest pose is not symmetric; map it as a biped, or mirror it in the program it was made with");
    }
    Ok(Quat::from_rotation_arc(Vec3::X, side_axis))
}
