//! Mirroring: left and right exchanged, as in a mirror on the plane x = 0.
//!
//! Joints' axes seldom mirror each other (Bandai-Namco's right bones run along −x), so each part takes the mirrored
//! world rotation of its partner's body part (see [`crate::motion::rig::axes`]). For
//! bodies other than bipeds, partners are found by name, and the rest pose must be symmetric. Mirroring twice returns
//! the original clip for any axes.

use crate::error::{Error, Result};
use crate::motion::clip::Clip;
use crate::motion::fk::Pose;
use crate::motion::quat::{mirror_rotation, with_nearest_sign};
use crate::motion::rig::axes::Axes;
use crate::motion::rig::{Rig, RigKind, dog, find_partners, rest_pose, root_chain};
use crate::motion::skeleton::Skeleton;
use glam::{Quat, Vec3};
use std::sync::Arc;

/// Largest distance of a joint at rest from the mirror image of its partner, as a fraction of the body's size.
const ASYMMETRY: f32 = 0.05;

/// Motion of a joint in the mirrored clip.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Part {
    /// The mirror image of its partner; in the middle of the body, of itself.
    Image,
    /// A joint without a partner below a joint with one, as a prop in a hand: it keeps its local motion.
    Prop,
}

/// Properties of a skeleton that mirroring needs.
struct Mirror {
    partners: Vec<usize>,
    parts: Vec<Part>,
    /// Axes of the body part of each joint, [joints], see [`Axes::joint_from_body`].
    joint_from_body: Vec<Quat>,
    /// Whether a joint takes the mirrored world position of its partner, [joints]; others keep their bone lengths.
    placed: Vec<bool>,
}

impl Mirror {
    /// `None` if the axes cannot be determined because the clip has no frames.
    fn of(clip: &Clip, rig: &Rig) -> Result<Option<Self>> {
        let skeleton = clip.skeleton();
        let partners = find_partners(skeleton, rig);
        let (joint_from_body, placed) = match rig.kind {
            RigKind::Biped => match Axes::detect(clip, rig) {
                Some(axes) => (axes.joint_from_body, root_chain(skeleton, rig)),
                None => return Ok(None),
            },
            RigKind::Quadruped | RigKind::Other => {
                let moves = (0..skeleton.len()).map(|joint| skeleton.translation_slot(joint).is_some()).collect();
                let known = dog::find_joints(skeleton).and_then(|joints| Axes::detect_dog(clip, &joints));
                match known {
                    Some(axes) => (axes.joint_from_body, root_chain(skeleton, rig)),
                    None => (vec![rest_axes(clip, &partners)?; skeleton.len()], moves),
                }
            }
        };
        let has_side = |joint: usize| partners[joint] != joint;
        let mut parts = vec![Part::Image; skeleton.len()];
        for (joint, parent) in skeleton.joints().iter().map(|joint| joint.parent).enumerate() {
            let hangs = parent.is_some_and(|parent| has_side(parent) || parts[parent] == Part::Prop);
            if hangs && !has_side(joint) {
                parts[joint] = Part::Prop;
            }
        }
        Ok(Some(Self { partners, parts, joint_from_body, placed }))
    }
}

/// The clip with left and right exchanged, on its own skeleton. Joints with roles exchange with the opposite role,
/// others (fingers) with the joint of the opposite name; joints without a partner mirror themselves, and props on one
/// side keep their local motion there. Bone lengths do not change.
///
/// # Errors
/// [`Error::Rig`] for a body other than a biped where no joint has an opposite by name, or the rest pose is not
/// symmetric.
pub fn mirror(clip: &Clip, rig: &Rig) -> Result<Clip> {
    let skeleton = clip.skeleton();
    let Some(Mirror { partners, parts, joint_from_body, placed }) = Mirror::of(clip, rig)? else {
        return Ok(clip.clone());
    };
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
            let above = joint.parent.map(|parent| (places[parent], world[parent]));
            let (base, turn) = above.unwrap_or_default();
            let is_prop = parts[index] == Part::Prop;
            let part = match is_prop {
                true => turn * clip.frame_rotations(frame)[index],
                false => {
                    let other = partners[index];
                    let image = mirror_rotation(pose.world_rotations[other] * joint_from_body[other]);
                    (image * joint_from_body[index].inverse()).normalize()
                }
            };
            world.push(part);
            // The root of the body takes the mirrored position; joints below it keep their bone lengths.
            let local = match placed[index] && !is_prop {
                true => turn.inverse() * (flip(pose.world_positions[partners[index]]) - base),
                false => clip.local_translation(frame, index),
            };
            places.push(base + turn * local);
            if skeleton.translation_slot(index).is_some() {
                translations.push(local);
            }
            let local = (turn.inverse() * world[index]).normalize();
            let before = frame.checked_sub(1).map(|before| rotations[before * clip.joints() + index]);
            rotations.push(before.map_or(local, |before| with_nearest_sign(local, before)));
        }
    }
    Clip::new(clip.name.clone(), Arc::clone(skeleton), clip.frame_time_secs(), rotations, translations)
}

fn flip(place: Vec3) -> Vec3 {
    Vec3::new(-place.x, place.y, place.z)
}

/// Axes of all parts of a body without rotations at rest: the rotation about the vertical from +x to the left of the
/// body.
fn rest_axes(clip: &Clip, partners: &[usize]) -> Result<Quat> {
    let skeleton: &Skeleton = clip.skeleton();
    let fail = |message: &str| Err(Error::Rig { clip: clip.name.clone(), message: message.to_owned() });
    let rest = rest_pose(skeleton).world_positions;
    let pairs = (0..skeleton.len()).filter(|&joint| partners[joint] > joint);
    let pairs: Vec<(usize, usize)> = pairs.map(|joint| (joint, partners[joint])).collect();
    // Pairs are in no fixed order: lines against the sum so far are reversed.
    let mut across = Vec3::ZERO;
    for &(one, other) in &pairs {
        let line = (rest[one] - rest[other]).with_y(0.0);
        across += if line.dot(across) < 0.0 { -line } else { line };
    }
    if pairs.is_empty() {
        return fail("no joint has an opposite by its name (left, right): there is nothing to exchange");
    }
    let Some(across) = across.try_normalize() else {
        return fail("left and right joints coincide in its rest pose: no mirror plane can be found");
    };
    let middle = pairs.iter().map(|&(one, other)| (rest[one] + rest[other]) / 2.0).sum::<Vec3>() / pairs.len() as f32;
    let size = rest.iter().map(|place| place.distance(middle)).fold(0.0, f32::max);
    let image = |place: Vec3| place - across * (2.0 * (place - middle).dot(across));
    if pairs.iter().any(|&(one, other)| image(rest[one]).distance(rest[other]) > ASYMMETRY * size) {
        return fail("its rest pose is not symmetric: map it as a biped, or mirror it in the program it was made with");
    }
    Ok(Quat::from_rotation_arc(Vec3::X, across))
}
