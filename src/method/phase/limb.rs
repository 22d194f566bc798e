//! Joints with phases, and their contacts (eq. 20).

use super::{ObjectTrack, PhaseOptions, Touches};
use crate::error::{Error, Result, quoted};
use crate::motion::clip::Clip;
use crate::motion::contact::{contacts, drop_short, ground_contacts};
use crate::motion::fk;
use crate::motion::rig::{Rig, RigKind, Role};
use glam::Vec3;

const FEET: [Role; 2] = [Role::LeftFoot, Role::RightFoot];
const HANDS: [Role; 2] = [Role::LeftHand, Role::RightHand];
/// Joints that rest higher than this over the lowest one never stand on the ground, lengths of their limb.
const HIGHEST: f32 = 0.3;

/// A joint and the partner of its contacts.
pub struct Target {
    pub name: String,
    pub joint: usize,
    pub touches: Touches,
}

/// The requested joints; else the feet and, with an object, the hands. For animals whose feet have no roles, the ends
/// of all limbs: `true` means that only those that touch anything count.
pub fn targets(clip: &Clip, rig: &Rig, options: &PhaseOptions) -> Result<(Vec<Target>, bool)> {
    if options.joints.is_empty() {
        return Ok(usual(clip, rig, options.object.is_some()));
    }
    let touches = if options.object.is_some() { Touches::Object } else { Touches::Ground };
    let target = |name: &String| {
        let role = |role: &Role| format!("{role:?}") == *name;
        let of_role = || Role::ALL.iter().find(|item| role(item)).and_then(|&role| rig.joint(role));
        let joint = clip.skeleton().joints().iter().position(|joint| joint.name == *name).or_else(of_role);
        let unknown = || {
            let (clip, name) = (quoted(&clip.name), quoted(name));
            let message = format!("clip {clip} has no joint {name}, and none that plays a role of that name");
            Error::Option { option: "joints", message }
        };
        Ok(Target { name: name.clone(), joint: joint.ok_or_else(unknown)?, touches })
    };
    Ok((options.joints.iter().map(target).collect::<Result<_>>()?, false))
}

fn usual(clip: &Clip, rig: &Rig, object: bool) -> (Vec<Target>, bool) {
    let of = |roles: [Role; 2], touches| {
        let target = move |role| Some(Target { name: format!("{role:?}"), joint: rig.joint(role)?, touches });
        roles.into_iter().filter_map(target)
    };
    let mut targets: Vec<Target> = of(FEET, Touches::Ground).collect();
    if rig.kind != RigKind::Biped {
        // Hands of rigs other than bipeds are feet.
        targets.extend(of(HANDS, Touches::Ground));
        if targets.len() < 4 {
            return (ends(clip), true);
        }
    }
    if object {
        targets.extend(of(HANDS, Touches::Object));
    }
    (targets, false)
}

/// Joints without children.
fn ends(clip: &Clip) -> Vec<Target> {
    let joints = clip.skeleton().joints();
    let is_end = |joint: &usize| joints.iter().all(|other| other.parent != Some(*joint));
    let target = |joint: usize| Target { name: joints[joint].name.clone(), joint, touches: Touches::Ground };
    (0..joints.len()).filter(is_end).map(target).collect()
}

/// Contacts of each target, and the world trajectory of its joint, metres.
pub fn contacts_of(
    clip: &Clip,
    rig: &Rig,
    targets: &[Target],
    object: Option<&ObjectTrack>,
) -> Vec<(Vec<bool>, Vec<Vec3>)> {
    let feet = targets.iter().any(|target| foot_side(rig, target).is_some()).then(|| contacts(clip, rig));
    // For each target the joint and its child or end; then the feet of the rig, which give the height of the ground.
    let below = targets.iter().flat_map(|target| [(target.joint, Vec3::ZERO), below(clip, target.joint)]);
    let ground = FEET.iter().filter_map(|&foot| rig.joint(foot)).map(|foot| (foot, Vec3::ZERO));
    let mut tracks = fk::tracks(clip, &below.chain(ground).collect::<Vec<_>>());
    let resting = |track: &Vec<Vec3>| {
        let mut heights: Vec<f32> = track.iter().map(|position| position.y).collect();
        let at = heights.len() / 20;
        heights.get_mut(at).is_some().then(|| *heights.select_nth_unstable_by(at, f32::total_cmp).1)
    };
    let floor = tracks.iter().filter_map(resting).fold(f32::INFINITY, f32::min);
    let mut result = Vec::with_capacity(targets.len());
    for (index, target) in targets.iter().enumerate() {
        let points = [2 * index, 2 * index + 1].map(|point| &tracks[point][..]);
        let limb = limb_metres(clip, target.joint);
        let contact = match (target.touches, object, &feet, foot_side(rig, target)) {
            (Touches::Object, Some(object), ..) => on_object(points, object, clip.fps()),
            (_, _, Some(feet), Some(side)) => feet.foot(side),
            _ => {
                let mut contact = vec![false; clip.frames()];
                for point in points {
                    let ([touching], rest) = ground_contacts([point], limb, clip.fps());
                    if rest - floor < HIGHEST * limb {
                        contact.iter_mut().zip(touching).for_each(|(any, touching)| *any |= touching);
                    }
                }
                contact
            }
        };
        result.push((contact, std::mem::take(&mut tracks[2 * index])));
    }
    result
}

/// Left 0, right 1, for the feet and toes of a biped on the ground; their contacts combine heel and toe.
fn foot_side(rig: &Rig, target: &Target) -> Option<usize> {
    let sides = [[Role::LeftFoot, Role::LeftToe], [Role::RightFoot, Role::RightToe]];
    let ground = rig.kind == RigKind::Biped && target.touches == Touches::Ground;
    let is = |roles: &[Role; 2]| roles.iter().any(|&role| rig.joint(role) == Some(target.joint));
    ground.then(|| sides.iter().position(is)).flatten()
}

/// The End Site of a joint, or its first child, or the joint itself.
fn below(clip: &Clip, joint: usize) -> (usize, Vec3) {
    let joints = clip.skeleton().joints();
    let child = || joints.iter().position(|other| other.parent == Some(joint)).map(|child| (child, Vec3::ZERO));
    let site = joints[joint].end_sites.first().map(|&site| (joint, site));
    site.or_else(child).unwrap_or((joint, Vec3::ZERO))
}

/// Length along the bones from a joint up to the start of its limb: the highest joint below a root or below a joint
/// with three or more children.
fn limb_metres(clip: &Clip, joint: usize) -> f32 {
    let joints = clip.skeleton().joints();
    let children = |of: usize| joints.iter().filter(|other| other.parent == Some(of)).count();
    let (mut at, mut length) = (joint, 0.0);
    while let Some(parent) = joints[at].parent {
        if joints[parent].parent.is_none() || children(parent) >= 3 {
            break;
        }
        length += joints[at].offset.length();
        at = parent;
    }
    if length > 1e-6 { length } else { 1.0 }
}

/// Whether a point is near the object and has about its velocity, [frames].
fn on_object(points: [&[Vec3]; 2], object: &ObjectTrack, fps: f64) -> Vec<bool> {
    let mut contact = vec![false; object.positions.len()];
    for point in points {
        let away: Vec<Vec3> = point.iter().zip(&object.positions).map(|(point, object)| *point - *object).collect();
        let speeds = super::speeds(&away, fps);
        for (any, (away, speed)) in contact.iter_mut().zip(away.iter().zip(speeds)) {
            *any |= away.length() <= object.radius && speed <= object.speed;
        }
    }
    drop_short(&mut contact, fps);
    contact
}
