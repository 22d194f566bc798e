//! Axes of rigs whose rest pose (all rotations are the identity) is a standing body: T-pose, A-pose, arms down.

use super::{Tip, bone_end, find_tip, joint_roles, stance};
use crate::motion::rig::{Rig, Role};
use crate::motion::skeleton::Skeleton;
use glam::{Quat, Vec3};

/// Cosine of the largest angle in a standing body between legs or trunk and the vertical, and between the line of the
/// hips and the horizontal.
const MIN_COSINE: f32 = 0.8;
/// Largest sideways component of a unit direction that counts as zero: files round their numbers.
const MAX_SIDEWAYS: f32 = 2e-3;

/// Returns the world positions of the joints in the rest pose, metres, [joints]. `bones`: local translation of each
/// joint, metres, [joints].
fn world_positions(skeleton: &Skeleton, bones: &[Vec3]) -> Vec<Vec3> {
    let mut positions = Vec::with_capacity(bones.len());
    for (joint, bone) in skeleton.joints().iter().zip(bones) {
        positions.push(joint.parent.map_or(Vec3::ZERO, |parent: usize| positions[parent]) + *bone);
    }
    positions
}

/// Returns the heading of the rest pose, radians about y from +z; `None` if it is not a standing body. `bones`: local
/// translation of each joint, metres, [joints].
pub fn find_heading(skeleton: &Skeleton, rig: &Rig, bones: &[Vec3]) -> Option<f32> {
    let positions = world_positions(skeleton, bones);
    let position_of = |role| rig.joint(role).map(|joint| positions[joint]);
    let is_upright = |from: Vec3, to: Vec3| (to - from).normalize_or_zero().y > MIN_COSINE;
    let legs = is_upright(position_of(Role::LeftFoot)?, position_of(Role::LeftUpLeg)?)
        && is_upright(position_of(Role::RightFoot)?, position_of(Role::RightUpLeg)?);
    let top = position_of(Role::Head).or_else(|| position_of(Role::Neck)).or_else(|| position_of(Role::LeftArm))?;
    let hips = (position_of(Role::LeftUpLeg)? + position_of(Role::RightUpLeg)?) / 2.0;
    // Lines of the hips and of the shoulders, from right to left.
    let across = position_of(Role::LeftUpLeg)? - position_of(Role::RightUpLeg)?;
    let shoulders =
        position_of(Role::LeftArm).zip(position_of(Role::RightArm)).map_or(across, |(left, right)| left - right);
    let is_level = |v: Vec3| v.with_y(0.0).length() > MIN_COSINE * v.length() && v.length() > 0.0;
    let is_standing = legs && is_upright(hips, top) && is_level(across) && across.dot(shoulders) > 0.0;
    let forward = (across.normalize_or_zero() + shoulders.normalize_or_zero()).cross(Vec3::Y);
    is_standing.then(|| heading_of(forward))
}

/// Returns the angle about y from +z to a direction, radians.
fn heading_of(direction: Vec3) -> f32 {
    direction.x.atan2(direction.z)
}

/// Computes the body axes of each joint, [joints]. `bones`: as in [`find_heading`]. `heading`: its result.
///
/// In the rest pose joints have no rotation, so the axes of a joint are the rotation of its body part from the stance
/// to the rest pose: the heading, then the shortest rotation that gives the bone its direction in the rest pose. Hips,
/// head and clavicles are assumed to be oriented as in the stance. Hands, toes and joints without a role have the axes
/// of their parent.
pub fn compute_axes(skeleton: &Skeleton, rig: &Rig, bones: &[Vec3], heading: f32) -> Vec<Quat> {
    let positions = world_positions(skeleton, bones);
    let facing = Quat::from_rotation_y(heading);
    let roles = joint_roles(skeleton, rig);
    let mut axes: Vec<Quat> = Vec::with_capacity(skeleton.len());
    for (index, joint) in skeleton.joints().iter().enumerate() {
        let inherited = joint.parent.map_or(facing, |parent| axes[parent]);
        use Role::*;
        axes.push(match roles[index] {
            None | Some(LeftHand | RightHand | LeftToe | RightToe) => inherited,
            Some(Hips | Head | LeftShoulder | RightShoulder) => facing,
            Some(role @ (LeftFoot | RightFoot)) => {
                let tip = find_tip(skeleton, rig, role, index).map(|tip| match tip {
                    Tip::Joint(toe) => positions[toe] - positions[index],
                    Tip::Site(site) => site,
                });
                // In most rest poses feet are flat on the ground. If the legs are spread apart, feet may instead lie
                // exactly in the plane of the leg, as in files converted from CMU's ASF.
                let shin = joint.parent.map(|parent| positions[index] - positions[parent]).unwrap_or_default();
                let foot_axes =
                    if tip.is_some_and(|tip| is_in_leg_plane(heading, shin, tip)) { inherited } else { facing };
                align_with_tip(foot_axes, tip)
            }
            Some(role) => {
                let bone = bone_end(rig, role).map(|end| positions[end] - positions[index]);
                match bone.and_then(Vec3::try_normalize) {
                    Some(bone) => Quat::from_rotation_arc(facing * stance(role).0, bone) * facing,
                    None => inherited,
                }
            }
        });
    }
    axes
}

/// Returns whether a foot's tip points straight ahead in the axes of its leg but not in the axes of the ground. `shin`:
/// from knee to ankle. `tip`: from the ankle to the tip. The heading is rounded to a world axis: programs align rest
/// poses to the world axes, even if the line of the shoulders deviates by a degree.
fn is_in_leg_plane(heading: f32, shin: Vec3, tip: Vec3) -> bool {
    use std::f32::consts::FRAC_PI_2;
    let ground = Quat::from_rotation_y((heading / FRAC_PI_2).round() * FRAC_PI_2);
    let leg = Quat::from_rotation_arc(Vec3::NEG_Y, shin.normalize_or(Vec3::NEG_Y)) * ground;
    let sideways = |foot_axes: Quat| (foot_axes.inverse() * tip).normalize_or_zero().x.abs();
    // The second threshold is far above the first: rounding must not decide.
    sideways(leg) < MAX_SIDEWAYS && sideways(ground) > 20.0 * MAX_SIDEWAYS
}

/// Rotates `foot_axes` about their y axis, so that their z axis has the heading of `tip`. `tip`: from the ankle to the
/// tip of the foot.
fn align_with_tip(foot_axes: Quat, tip: Option<Vec3>) -> Quat {
    let tip_direction = tip.and_then(|tip| (foot_axes.inverse() * tip).with_y(0.0).try_normalize());
    match tip_direction {
        // A tip straight below the ankle has no heading. A tip that points 60° or more away from forward is ignored.
        Some(tip_direction) if tip_direction.z > 0.5 => foot_axes * Quat::from_rotation_y(heading_of(tip_direction)),
        _ => foot_axes,
    }
}
