//! Selects the joints with phases, and detects their contacts (eq. 20).

use super::{ObjectTrack, PhaseOptions, Touches};
use crate::error::{Error, Result, quoted};
use crate::motion::clip::Clip;
use crate::motion::contact::{detect_contacts, drop_short, ground_contacts};
use crate::motion::fk;
use crate::motion::rig::{Rig, RigKind, Role};
use glam::Vec3;

const FEET: [Role; 2] = [Role::LeftFoot, Role::RightFoot];
const HANDS: [Role; 2] = [Role::LeftHand, Role::RightHand];
/// Joints that rest higher than this over the lowest joint never stand on the ground; relative to the length of their
/// limb.
const MAX_REST_HEIGHT: f32 = 0.3;

/// A joint and what it touches.
pub struct Target {
    pub name: String,
    pub joint: usize,
    pub touches: Touches,
}

/// Returns the requested joints; by default the feet and, if there is an object, the hands. For animals whose feet have
/// no roles, returns the ends of all limbs and `true`: the caller drops ends that never touch anything.
pub fn targets(clip: &Clip, rig: &Rig, options: &PhaseOptions) -> Result<(Vec<Target>, bool)> {
    if options.joints.is_empty() {
        return Ok(default_targets(clip, rig, options.object.is_some()));
    }
    let touches = if options.object.is_some() { Touches::Object } else { Touches::Ground };
    let target = |name: &String| {
        let role = |role: &Role| format!("{role:?}") == *name;
        let of_role = || Role::ALL.iter().find(|item| role(item)).and_then(|&role| rig.joint(role));
        let joint = clip.skeleton().joints().iter().position(|joint| joint.name == *name).or_else(of_role);
        let unknown = || {
            let (clip, name) = (quoted(&clip.name), quoted(name));
            let message = format!("clip {clip} has no joint {name}, and no joint with a role of this name");
            Error::Option { option: "joints", message }
        };
        Ok(Target { name: name.clone(), joint: joint.ok_or_else(unknown)?, touches })
    };
    Ok((options.joints.iter().map(target).collect::<Result<_>>()?, false))
}

/// Returns the joints of [`targets`] if none are requested.
fn default_targets(clip: &Clip, rig: &Rig, object: bool) -> (Vec<Target>, bool) {
    let with_roles = |roles: [Role; 2], touches| {
        let target = move |role| Some(Target { name: format!("{role:?}"), joint: rig.joint(role)?, touches });
        roles.into_iter().filter_map(target)
    };
    let mut targets: Vec<Target> = with_roles(FEET, Touches::Ground).collect();
    if rig.kind != RigKind::Biped {
        // In rigs other than bipeds, hands are front feet.
        targets.extend(with_roles(HANDS, Touches::Ground));
        if targets.len() < 4 {
            return (leaf_joints(clip), true);
        }
    }
    if object {
        targets.extend(with_roles(HANDS, Touches::Object));
    }
    (targets, false)
}

/// Returns the joints without children.
fn leaf_joints(clip: &Clip) -> Vec<Target> {
    let joints = clip.skeleton().joints();
    let is_end = |joint: &usize| joints.iter().all(|other| other.parent != Some(*joint));
    let target = |joint: usize| Target { name: joints[joint].name.clone(), joint, touches: Touches::Ground };
    (0..joints.len()).filter(is_end).map(target).collect()
}

/// Returns the contacts of each target, and the world positions of its joint, [frames], metres.
pub fn contacts_of(
    clip: &Clip,
    rig: &Rig,
    targets: &[Target],
    object: Option<&ObjectTrack>,
) -> Vec<(Vec<bool>, Vec<Vec3>)> {
    let feet = targets.iter().any(|target| foot_side(rig, target).is_some()).then(|| detect_contacts(clip, rig));
    // Two points of each target, the joint and its child or end site; then the feet of the rig, which give the height
    // of the ground.
    let points = targets.iter().flat_map(|target| [(target.joint, Vec3::ZERO), child_point(clip, target.joint)]);
    let ground = FEET.iter().filter_map(|&foot| rig.joint(foot)).map(|foot| (foot, Vec3::ZERO));
    let mut tracks = fk::point_tracks(clip, &points.chain(ground).collect::<Vec<_>>());
    // 5th percentile of the heights.
    let rest_height = |track: &Vec<Vec3>| {
        let mut heights: Vec<f32> = track.iter().map(|position| position.y).collect();
        let index = heights.len() / 20;
        (index < heights.len()).then(|| *heights.select_nth_unstable_by(index, f32::total_cmp).1)
    };
    let floor = tracks.iter().filter_map(rest_height).fold(f32::INFINITY, f32::min);
    let mut result = Vec::with_capacity(targets.len());
    for (index, target) in targets.iter().enumerate() {
        let points = [2 * index, 2 * index + 1].map(|point| &tracks[point][..]);
        let limb = limb_metres(clip, target.joint);
        let contact = match (target.touches, object, &feet, foot_side(rig, target)) {
            (Touches::Object, Some(object), ..) => object_contacts(points, object, clip.fps()),
            (_, _, Some(feet), Some(side)) => feet.foot(side),
            _ => {
                let mut contact = vec![false; clip.frames()];
                for point in points {
                    let ([touching], rest) = ground_contacts([point], limb, clip.fps());
                    if rest - floor < MAX_REST_HEIGHT * limb {
                        contact.iter_mut().zip(touching).for_each(|(contact, touching)| *contact |= touching);
                    }
                }
                contact
            }
        };
        result.push((contact, std::mem::take(&mut tracks[2 * index])));
    }
    result
}

/// Returns 0 for the left and 1 for the right foot or toe of a biped on the ground, whose contacts combine heel and
/// toe; `None` for other targets.
fn foot_side(rig: &Rig, target: &Target) -> Option<usize> {
    let sides = [[Role::LeftFoot, Role::LeftToe], [Role::RightFoot, Role::RightToe]];
    let is_on_ground = rig.kind == RigKind::Biped && target.touches == Touches::Ground;
    let has_joint = |roles: &[Role; 2]| roles.iter().any(|&role| rig.joint(role) == Some(target.joint));
    is_on_ground.then(|| sides.iter().position(has_joint)).flatten()
}

/// Returns the end site of a joint, or else its first child, or else the joint itself, as a joint and an offset.
fn child_point(clip: &Clip, joint: usize) -> (usize, Vec3) {
    let joints = clip.skeleton().joints();
    let child = || joints.iter().position(|other| other.parent == Some(joint)).map(|child| (child, Vec3::ZERO));
    let site = joints[joint].end_sites.first().map(|&site| (joint, site));
    site.or_else(child).unwrap_or((joint, Vec3::ZERO))
}

/// Returns the length of a joint's limb along the bones, metres. The limb starts at the highest joint above it that is
/// still below a root or below a joint with three or more children.
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

/// Detects whether one of the points is near the object and has about the same velocity, [frames].
fn object_contacts(points: [&[Vec3]; 2], object: &ObjectTrack, fps: f64) -> Vec<bool> {
    let mut contact = vec![false; object.positions.len()];
    for point in points {
        let relative: Vec<Vec3> = point.iter().zip(&object.positions).map(|(point, object)| *point - *object).collect();
        let speeds = super::speeds(&relative, fps);
        for (contact, (position, speed)) in contact.iter_mut().zip(relative.iter().zip(speeds)) {
            *contact |= position.length() <= object.radius && speed <= object.speed;
        }
    }
    drop_short(&mut contact, fps);
    contact
}
