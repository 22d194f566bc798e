//! Axes of rigs whose rest pose tells nothing about the body, estimated from poses: the bone gives one axis of a limb,
//! the hinge of knee or elbow the other; feet that stand flat give theirs; other joints are on average in line with
//! their parents.

use super::{Tip, bone_end, find_tip, joint_roles, stance};
use crate::motion::fk::Pose;
use crate::motion::hinge::LIMBS;
use crate::motion::quat::{self, align, mirror_rotation};
use crate::motion::rig::{Rig, Role};
use crate::motion::skeleton::Skeleton;
use crate::motion::vector::nearest_axis;
use glam::{Quat, Vec3};

/// Cosine above which a bone lies on a coordinate axis of its joint. The estimated second axis of the joint (see
/// [`stance`]) is then rounded to a coordinate axis, so that all clips of a rig give the same axes.
const ON_AXIS: f32 = 0.99;
/// Cosine above which the up direction of the hips is rounded to a coordinate axis.
const HIPS_ON_AXIS: f32 = 0.7;
/// A joint without a role, or at the end of a limb or of the neck, gets the axes of its parent if its mean rotation
/// relative to the parent is smaller than this angle, radians.
const MAX_MEAN_ROTATION: f32 = 1.05;
/// Weight of the guessed hinge axis in each pose: the sine of the bend at which the measured axis has the same weight.
const GUESS_WEIGHT: f32 = 0.03;

/// Estimates the axes, [joints]. `poses`: at least one, sampled from clips on the skeleton.
pub fn estimate_axes(skeleton: &Skeleton, rig: &Rig, poses: &[Pose]) -> Vec<Quat> {
    let roles = joint_roles(skeleton, rig);
    let mut axes: Vec<Quat> = Vec::with_capacity(skeleton.len());
    for (index, joint) in skeleton.joints().iter().enumerate() {
        let Some(parent) = joint.parent else {
            axes.push(match roles[index] {
                Some(Role::Hips) => estimate_hips(rig, poses).unwrap_or_default(),
                _ => Quat::IDENTITY,
            });
            continue;
        };
        // Returns the body axes of the parent in the axes of this joint, mean over the poses. They are the axes of this
        // joint if its body part is on average in line with that of the parent.
        let mean_parent_axes = || {
            let parent_axes =
                poses.iter().map(|p| p.world_rotations[index].inverse() * p.world_rotations[parent] * axes[parent]);
            robust_mean(parent_axes)
        };
        let bone = |role| bone_end(rig, role).and_then(|end| local_position(&poses[0], index, end).try_normalize());
        use Role::*;
        let estimate = match roles[index] {
            Some(Hips) => estimate_hips(rig, poses),
            Some(
                role @ (LeftUpLeg | LeftLeg | RightUpLeg | RightLeg | LeftArm | LeftForeArm | RightArm | RightForeArm),
            ) => bone(role).and_then(|bone| {
                let guessed_axis = mean_parent_axes() * stance(role).1;
                let hinge_axis =
                    estimate_hinge(rig, role, index, poses) + guessed_axis * GUESS_WEIGHT * poses.len() as f32;
                align(stance(role), (bone, round_to_axis(bone, hinge_axis)))
            }),
            Some(role @ (LeftFoot | RightFoot)) => axes_from_standing(skeleton, rig, role, index, poses)
                .or_else(|| axes_from_slope(rig, role, index, &poses[0])),
            // These body parts are on average in line with the parent's. So if the mean rotation between the joints is
            // small, both joints have the same axes.
            None | Some(LeftToe | RightToe | Head | LeftHand | RightHand) => {
                let rotations = poses.iter().map(|p| p.world_rotations[parent].inverse() * p.world_rotations[index]);
                (robust_mean(rotations).angle_between(Quat::IDENTITY) < MAX_MEAN_ROTATION).then_some(axes[parent])
            }
            Some(role) => bone(role).and_then(|bone| {
                let second_axis = round_to_axis(bone, mean_parent_axes() * stance(role).1);
                align(stance(role), (bone, second_axis))
            }),
        };
        axes.push(estimate.unwrap_or_else(|| round_rotation(mean_parent_axes())));
    }
    set_toe_axes(&mut axes, rig, poses);
    make_feet_symmetric(&mut axes, rig);
    axes
}

/// Returns the position of joint `to` in the axes of joint `from`.
fn local_position(pose: &Pose, from: usize, to: usize) -> Vec3 {
    pose.world_rotations[from].inverse() * (pose.world_positions[to] - pose.world_positions[from])
}

/// Estimates the axes of the hips. The left direction is exact; the up direction is the direction to the trunk,
/// rounded, because the first spine joint of LAFAN1 lies far behind the hips.
fn estimate_hips(rig: &Rig, poses: &[Pose]) -> Option<Quat> {
    let pose = poses.first()?;
    let hips = rig.joint(Role::Hips)?;
    let (left, right) = (rig.joint(Role::LeftUpLeg)?, rig.joint(Role::RightUpLeg)?);
    let side_axis = local_position(pose, hips, left) - local_position(pose, hips, right);
    let trunk = local_position(pose, hips, bone_end(rig, Role::Hips)?);
    let nearest = nearest_axis(trunk);
    let up = if nearest.dot(trunk.normalize_or_zero()) > HIPS_ON_AXIS { nearest } else { trunk };
    align((Vec3::X, Vec3::Y), (side_axis, up))
}

/// Returns the sum over poses of the hinge axis of the limb's middle joint, in the axes of `joint`. The length of each
/// summand is the sine of the bend.
fn estimate_hinge(rig: &Rig, role: Role, joint: usize, poses: &[Pose]) -> Vec3 {
    let Some(limb) = LIMBS.into_iter().find(|limb| limb[..2].contains(&role)) else { return Vec3::ZERO };
    let [Some(top), Some(middle), Some(end)] = limb.map(|role| rig.joint(role)) else { return Vec3::ZERO };
    let hinge_axis = |pose: &Pose| {
        let position_of = |joint: usize| pose.world_positions[joint];
        let (upper, lower) = (
            (position_of(middle) - position_of(top)).normalize_or_zero(),
            (position_of(end) - position_of(middle)).normalize_or_zero(),
        );
        pose.world_rotations[joint].inverse() * upper.cross(lower)
    };
    poses.iter().map(hinge_axis).sum()
}

/// Estimates the axes of a foot from the poses in which it stands flat: it is low, the shin is within 32° of upright,
/// and the line from ankle to tip points at most 49° down or 3° up.
fn axes_from_standing(skeleton: &Skeleton, rig: &Rig, role: Role, foot: usize, poses: &[Pose]) -> Option<Quat> {
    let tip = find_tip(skeleton, rig, role, foot)?;
    let shin = rig.joint(if role == Role::LeftFoot { Role::LeftLeg } else { Role::RightLeg })?;
    let standing: Vec<(f32, Quat)> = poses
        .iter()
        .filter_map(|pose| {
            let position_of = |joint: usize| pose.world_positions[joint];
            let tip = match tip {
                Tip::Joint(toe) => position_of(toe),
                Tip::Site(site) => position_of(foot) + pose.world_rotations[foot] * site,
            };
            let sole = (tip - position_of(foot)).normalize_or_zero();
            let is_upright = (position_of(shin) - position_of(foot)).normalize_or_zero().y > 0.85;
            let is_flat = (-0.75..0.05).contains(&sole.y);
            let standing_axes = align((Vec3::Y, Vec3::Z), (Vec3::Y, sole))?;
            (is_upright && is_flat)
                .then(|| (position_of(foot).y + tip.y, pose.world_rotations[foot].inverse() * standing_axes))
        })
        .collect();
    let lowest = standing.iter().map(|pose| pose.0).fold(f32::INFINITY, f32::min);
    // The sum of two heights, ankle and tip: 2 cm for each.
    let lowest_poses = standing.iter().filter(|pose| pose.0 < lowest + 0.04).map(|pose| pose.1);
    (!standing.is_empty()).then(|| robust_mean(lowest_poses))
}

/// Sets the axes of toes from the poses in which their foot stands flat, if any.
fn set_toe_axes(axes: &mut [Quat], rig: &Rig, poses: &[Pose]) {
    /// Cosine of the largest slope of a level foot.
    const MIN_LEVEL: f32 = 0.985;
    for (foot, toe) in [(Role::LeftFoot, Role::LeftToe), (Role::RightFoot, Role::RightToe)] {
        let (Some(foot), Some(toe)) = (rig.joint(foot), rig.joint(toe)) else { continue };
        let measured_axes: Vec<Quat> = poses
            .iter()
            .map(|pose| (pose, pose.world_rotations[foot] * axes[foot]))
            .filter(|(_, foot_axes)| (*foot_axes * Vec3::Y).y > MIN_LEVEL)
            .map(|(pose, foot_axes)| pose.world_rotations[toe].inverse() * foot_axes)
            .collect();
        if !measured_axes.is_empty() {
            axes[toe] = robust_mean(measured_axes.into_iter());
        }
    }
}

/// Makes the axes of feet (relative to the shins) and toes (relative to the feet) symmetric: both sides get the mean of
/// their measurements, if these are similar.
fn make_feet_symmetric(axes: &mut [Quat], rig: &Rig) {
    /// Largest angle between both sides, radians.
    const MAX_DIFFERENCE: f32 = 0.26;
    let old_axes = axes.to_vec();
    use Role::*;
    for pair in [[(LeftLeg, LeftFoot), (RightLeg, RightFoot)], [(LeftFoot, LeftToe), (RightFoot, RightToe)]] {
        let [Some((left_parent, left)), Some((right_parent, right))] =
            pair.map(|(left_parent, role)| rig.joint(left_parent).zip(rig.joint(role)))
        else {
            continue;
        };
        let left_rotation = old_axes[left_parent].inverse() * old_axes[left];
        let right_rotation = mirror_rotation(old_axes[right_parent].inverse() * old_axes[right]);
        if left_rotation.angle_between(right_rotation) < MAX_DIFFERENCE {
            let mean_rotation = quat::mean([left_rotation, right_rotation].into_iter());
            axes[left] = (axes[left_parent] * mean_rotation).normalize();
            axes[right] = (axes[right_parent] * mirror_rotation(mean_rotation)).normalize();
        }
    }
}

/// Estimates the axes of a foot that never stands, by a typical slope of the line from ankle to toes.
fn axes_from_slope(rig: &Rig, role: Role, foot: usize, pose: &Pose) -> Option<Quat> {
    /// Angle below the horizontal, radians.
    const SLOPE: f32 = 0.45;
    let shin = rig.joint(if role == Role::LeftFoot { Role::LeftLeg } else { Role::RightLeg })?;
    let sole = local_position(pose, foot, bone_end(rig, role)?);
    let left = local_position(pose, foot, shin).cross(sole).try_normalize()?;
    align((Vec3::Z, Vec3::X), (Quat::from_axis_angle(left, -SLOPE) * sole, left))
}

/// Returns the mean of rotations without outliers, which are far from the mean of all.
fn robust_mean(rotations: impl Iterator<Item = Quat>) -> Quat {
    /// Largest angle to the mean of all rotations, radians.
    const MAX_DISTANCE: f32 = 0.5;
    let rotations: Vec<Quat> = rotations.collect();
    let rough_mean = quat::mean(rotations.iter().copied());
    let inliers: Vec<Quat> = rotations.into_iter().filter(|q| q.angle_between(rough_mean) < MAX_DISTANCE).collect();
    if inliers.is_empty() { rough_mean } else { quat::mean(inliers.into_iter()) }
}

/// Rounds `second` to the nearest coordinate axis if `bone` lies on another coordinate axis; else returns `second`.
fn round_to_axis(bone: Vec3, second: Vec3) -> Vec3 {
    let axis = nearest_axis(bone);
    if axis.dot(bone) < ON_AXIS {
        return second;
    }
    nearest_axis(second * (Vec3::ONE - axis.abs()))
}

/// Rounds to the nearest rotation that maps coordinate axes to coordinate axes, if it is within 34°; else returns
/// `rotation`.
fn round_rotation(rotation: Quat) -> Quat {
    let x = nearest_axis(rotation * Vec3::X);
    let y = round_to_axis(x, rotation * Vec3::Y);
    match align((Vec3::X, Vec3::Y), (x, y)) {
        Some(rounded) if rounded.angle_between(rotation) < 0.6 => rounded,
        _ => rotation,
    }
}
