//! Selects the joints with phases, and detects their contacts (eq. 20).

use super::{ContactSurface, ObjectTrack, PhaseOptions};
use crate::error::{Error, Result, quoted};
use crate::motion::clip::Clip;
use crate::motion::contact::{detect_contacts, ground_contacts, remove_short_runs};
use crate::motion::fk;
use crate::motion::rig::{Rig, RigKind, Role};
use glam::Vec3;

const FEET: [Role; 2] = [Role::LeftFoot, Role::RightFoot];
const HANDS: [Role; 2] = [Role::LeftHand, Role::RightHand];
/// Largest resting height of a joint that stands on the ground, relative to the resting height of the lowest point, as
/// a fraction of its limb's length.
const MAX_REST_HEIGHT: f32 = 0.3;

/// A joint with phases, and the surface that it touches.
pub struct PhaseJoint {
    pub name: String,
    pub joint: usize,
    pub touches: ContactSurface,
}

/// Returns the requested joints, and whether they are guesses, of which the caller drops those that never touch the
/// ground. Default joints: the feet and, if there is an object, the hands; for rigs other than bipeds that lack a role
/// of a foot or hand, all joints without children, which are guesses.
pub fn select_joints(clip: &Clip, rig: &Rig, options: &PhaseOptions) -> Result<(Vec<PhaseJoint>, bool)> {
    if options.joints.is_empty() {
        return Ok(default_joints(clip, rig, options.object.is_some()));
    }
    let touches = if options.object.is_some() { ContactSurface::Object } else { ContactSurface::Ground };
    let phase_joint = |name: &String| {
        let joint_of_role = || Role::from_name(name).ok().and_then(|role| rig.joint(role));
        let joint = clip.skeleton().find(name).or_else(joint_of_role);
        let unknown = || {
            let (clip, name) = (quoted(&clip.name), quoted(name));
            let message = format!("clip {clip} has no joint {name}, and no joint with a role of this name");
            Error::Option { option: "joints", message }
        };
        Ok(PhaseJoint { name: name.clone(), joint: joint.ok_or_else(unknown)?, touches })
    };
    Ok((options.joints.iter().map(phase_joint).collect::<Result<_>>()?, false))
}

/// Returns the joints of [`select_joints`] if none are requested.
fn default_joints(clip: &Clip, rig: &Rig, has_object: bool) -> (Vec<PhaseJoint>, bool) {
    let with_roles = |roles: [Role; 2], touches| {
        let phase_joint = move |role| Some(PhaseJoint { name: format!("{role:?}"), joint: rig.joint(role)?, touches });
        roles.into_iter().filter_map(phase_joint)
    };
    let mut joints: Vec<PhaseJoint> = with_roles(FEET, ContactSurface::Ground).collect();
    if rig.kind == RigKind::Quadruped {
        // Its roles are those of a person: a paw is the end of a limb below the joint of a foot or hand.
        return (leaf_joints(clip), true);
    }
    if rig.kind != RigKind::Biped {
        // In rigs other than bipeds, hands are front feet.
        joints.extend(with_roles(HANDS, ContactSurface::Ground));
        if joints.len() < 4 {
            return (leaf_joints(clip), true);
        }
    }
    if has_object {
        joints.extend(with_roles(HANDS, ContactSurface::Object));
    }
    (joints, false)
}

/// Returns the joints without children.
fn leaf_joints(clip: &Clip) -> Vec<PhaseJoint> {
    let joints = clip.skeleton().joints();
    let is_leaf = |joint: &usize| joints.iter().all(|other| other.parent != Some(*joint));
    let phase_joint =
        |joint: usize| PhaseJoint { name: joints[joint].name.clone(), joint, touches: ContactSurface::Ground };
    (0..joints.len()).filter(is_leaf).map(phase_joint).collect()
}

/// Detects the contacts of each joint, `[frames]`. Also returns its world positions, `[frames]`, metres.
pub fn detect_joint_contacts(
    clip: &Clip,
    rig: &Rig,
    joints: &[PhaseJoint],
    object: Option<&ObjectTrack>,
) -> Vec<(Vec<bool>, Vec<Vec3>)> {
    let feet = joints.iter().any(|joint| foot_side(rig, joint).is_some()).then(|| detect_contacts(clip, rig));
    // Two points of each joint, the joint and its child or end site; then the feet of the rig. The lowest of all these
    // points gives the height of the floor.
    let points = joints.iter().flat_map(|joint| [(joint.joint, Vec3::ZERO), child_point(clip, joint.joint)]);
    let ground = FEET.iter().filter_map(|&foot| rig.joint(foot)).map(|foot| (foot, Vec3::ZERO));
    let mut tracks = fk::point_tracks(clip, &points.chain(ground).collect::<Vec<_>>());
    // 5th percentile of the heights.
    let rest_height = |track: &Vec<Vec3>| {
        let mut heights: Vec<f32> = track.iter().map(|position| position.y).collect();
        let index = heights.len() / 20;
        (index < heights.len()).then(|| *heights.select_nth_unstable_by(index, f32::total_cmp).1)
    };
    let floor = tracks.iter().filter_map(rest_height).fold(f32::INFINITY, f32::min);
    let mut contacts = Vec::with_capacity(joints.len());
    for (index, joint) in joints.iter().enumerate() {
        let points = [2 * index, 2 * index + 1].map(|point| &tracks[point][..]);
        let limb_length = limb_metres(clip, joint.joint);
        let contact = match (joint.touches, object, &feet, foot_side(rig, joint)) {
            (ContactSurface::Object, Some(object), ..) => object_contacts(points, object, clip.fps()),
            (_, _, Some(feet), Some(side)) => feet.foot(side),
            _ => {
                let mut contact = vec![false; clip.frames()];
                for point in points {
                    let ([point_contact], height) = ground_contacts([point], limb_length, clip.fps());
                    if height - floor < MAX_REST_HEIGHT * limb_length {
                        contact
                            .iter_mut()
                            .zip(point_contact)
                            .for_each(|(contact, is_touching)| *contact |= is_touching);
                    }
                }
                contact
            }
        };
        contacts.push((contact, std::mem::take(&mut tracks[2 * index])));
    }
    contacts
}

/// Returns the side of a biped's foot or toe that touches the ground, 0 left, 1 right: its contacts are those of heel
/// and toe together. `None` for other joints.
fn foot_side(rig: &Rig, joint: &PhaseJoint) -> Option<usize> {
    let sides = [[Role::LeftFoot, Role::LeftToe], [Role::RightFoot, Role::RightToe]];
    let is_on_ground = rig.kind == RigKind::Biped && joint.touches == ContactSurface::Ground;
    let has_joint = |roles: &[Role; 2]| roles.iter().any(|&role| rig.joint(role) == Some(joint.joint));
    is_on_ground.then(|| sides.iter().position(has_joint)).flatten()
}

/// Returns the longest End Site of a joint, or else its first child, or else the joint itself, as a joint and an
/// offset.
fn child_point(clip: &Clip, joint: usize) -> (usize, Vec3) {
    let joints = clip.skeleton().joints();
    let child = || joints.iter().position(|other| other.parent == Some(joint)).map(|child| (child, Vec3::ZERO));
    let site = joints[joint].longest_site().map(|site| (joint, site));
    site.or_else(child).unwrap_or((joint, Vec3::ZERO))
}

/// Returns the length of a joint's limb along the bones, metres. The limb starts at the joint below the nearest
/// ancestor that is a root or has three or more children. A limb without length counts as one metre long.
fn limb_metres(clip: &Clip, joint: usize) -> f32 {
    let joints = clip.skeleton().joints();
    let children = |parent: usize| joints.iter().filter(|other| other.parent == Some(parent)).count();
    let (mut current, mut length) = (joint, 0.0);
    while let Some(parent) = joints[current].parent {
        if joints[parent].parent.is_none() || children(parent) >= 3 {
            break;
        }
        length += joints[current].offset.length();
        current = parent;
    }
    if length > 1e-6 { length } else { 1.0 }
}

/// Detects the frames in which one of the points is near the object and has about the same velocity, `[frames]`.
fn object_contacts(points: [&[Vec3]; 2], object: &ObjectTrack, fps: f64) -> Vec<bool> {
    let mut contact = vec![false; object.positions.len()];
    for point in points {
        // Relative to the object.
        let positions: Vec<Vec3> =
            point.iter().zip(&object.positions).map(|(point, object)| *point - *object).collect();
        let speeds = super::speeds(&positions, fps);
        for (contact, (position, speed)) in contact.iter_mut().zip(positions.iter().zip(speeds)) {
            *contact |= position.length() <= object.radius && speed <= object.speed;
        }
    }
    remove_short_runs(&mut contact, fps);
    contact
}
