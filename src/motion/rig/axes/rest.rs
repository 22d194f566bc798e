//! Axes of rigs whose rest pose (all rotations zero) is a standing body: T-pose, A-pose, arms down.

use super::{Tip, bone_end, roles, stance, tip};
use crate::motion::rig::{Rig, Role};
use crate::motion::skeleton::Skeleton;
use glam::{Quat, Vec3};

/// Largest lean of legs and trunk in a standing body, as a cosine.
const UPRIGHT: f32 = 0.8;
/// Sideways component of a direction that counts as zero: rounding in files.
const EXACT: f32 = 2e-3;

fn positions(skeleton: &Skeleton, bones: &[Vec3]) -> Vec<Vec3> {
    let mut world = Vec::with_capacity(bones.len());
    for (joint, bone) in skeleton.joints().iter().zip(bones) {
        world.push(joint.parent.map_or(Vec3::ZERO, |parent: usize| world[parent]) + *bone);
    }
    world
}

/// Heading of the rest pose as a rotation about y from +z, radians; `None` if it is not a standing body.
pub fn facing(skeleton: &Skeleton, rig: &Rig, bones: &[Vec3]) -> Option<f32> {
    let world = positions(skeleton, bones);
    let at = |role| rig.joint(role).map(|joint| world[joint]);
    let up = |from: Vec3, to: Vec3| (to - from).normalize_or_zero().y > UPRIGHT;
    let legs = up(at(Role::LeftFoot)?, at(Role::LeftUpLeg)?) && up(at(Role::RightFoot)?, at(Role::RightUpLeg)?);
    let top = at(Role::Head).or_else(|| at(Role::Neck)).or_else(|| at(Role::LeftArm))?;
    let hips = (at(Role::LeftUpLeg)? + at(Role::RightUpLeg)?) / 2.0;
    let across = at(Role::LeftUpLeg)? - at(Role::RightUpLeg)?;
    let shoulders = at(Role::LeftArm).zip(at(Role::RightArm)).map_or(across, |(left, right)| left - right);
    let level = |v: Vec3| v.with_y(0.0).length() > UPRIGHT * v.length() && v.length() > 0.0;
    let standing = legs && up(hips, top) && level(across) && across.dot(shoulders) > 0.0;
    let forward = (across.normalize_or_zero() + shoulders.normalize_or_zero()).cross(Vec3::Y);
    standing.then(|| heading(forward))
}

/// Rotation about y from +z to a direction.
fn heading(direction: Vec3) -> f32 {
    direction.x.atan2(direction.z)
}

/// Axes, [joints]. Bones that are straight in the stance are rotated to those of the rest pose by the shortest
/// rotation; hips, head and clavicles are used as at rest.
pub fn axes(skeleton: &Skeleton, rig: &Rig, bones: &[Vec3], facing: f32) -> Vec<Quat> {
    let world = positions(skeleton, bones);
    let turn = Quat::from_rotation_y(facing);
    let roles = roles(skeleton, rig);
    let mut axes: Vec<Quat> = Vec::with_capacity(skeleton.len());
    for (index, joint) in skeleton.joints().iter().enumerate() {
        let inherited = joint.parent.map_or(turn, |parent| axes[parent]);
        use Role::*;
        axes.push(match roles[index] {
            None | Some(LeftHand | RightHand | LeftToe | RightToe) => inherited,
            Some(Hips | Head | LeftShoulder | RightShoulder) => turn,
            Some(role @ (LeftFoot | RightFoot)) => {
                let tip = tip(skeleton, rig, role, index).map(|tip| match tip {
                    Tip::Joint(toe) => world[toe] - world[index],
                    Tip::Site(site) => site,
                });
                // Feet rest flat on the ground, or perpendicular to legs that rest astride, where they lie exactly in
                // the plane of the leg, as in files converted from CMU's ASF.
                let shin = joint.parent.map(|parent| world[index] - world[parent]).unwrap_or_default();
                let base = if tip.is_some_and(|tip| in_plane(facing, shin, tip)) { inherited } else { turn };
                heading_for(base, tip)
            }
            Some(role) => {
                let bone = bone_end(rig, role).map(|end| world[end] - world[index]);
                match bone.and_then(Vec3::try_normalize) {
                    Some(bone) => Quat::from_rotation_arc(turn * stance(role).0, bone) * turn,
                    None => inherited,
                }
            }
        });
    }
    axes
}

/// Whether a foot's tip points straight ahead in the frame of its shin but not on the ground. Programs align rest
/// poses to the world axes, even where the line of the shoulders deviates by a degree.
fn in_plane(facing: f32, shin: Vec3, tip: Vec3) -> bool {
    use std::f32::consts::FRAC_PI_2;
    let ground = Quat::from_rotation_y((facing / FRAC_PI_2).round() * FRAC_PI_2);
    let leg = Quat::from_rotation_arc(Vec3::NEG_Y, shin.normalize_or(Vec3::NEG_Y)) * ground;
    let sideways = |base: Quat| (base.inverse() * tip).normalize_or_zero().x.abs();
    sideways(leg) < EXACT && sideways(ground) > 20.0 * EXACT
}

/// `base` turned about its own y so that its z has the heading of the foot's tip.
fn heading_for(base: Quat, tip: Option<Vec3>) -> Quat {
    let ahead = tip.and_then(|tip| (base.inverse() * tip).with_y(0.0).try_normalize());
    match ahead {
        // A tip straight below the ankle has no heading.
        Some(ahead) if ahead.z > 0.5 => base * Quat::from_rotation_y(heading(ahead)),
        _ => base,
    }
}
