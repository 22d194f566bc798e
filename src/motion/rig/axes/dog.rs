//! Axes of dogs. Their stance is a dog standing at ease: facing +z, left is +x, paws on the ground.

use crate::motion::fk::Pose;
use crate::motion::quat::{align, mean};
use crate::motion::rig::dog::DogRole;
use crate::motion::skeleton::Skeleton;
use crate::motion::vector::{mirror_point, nearest_axis};
use glam::{Quat, Vec3};

/// Largest difference between the heights of standing paws, metres.
const MAX_PAW_DIFFERENCE: f32 = 0.05;
/// Sine of the largest slope of a standing dog's trunk.
const MAX_TRUNK_SLOPE: f32 = 0.35;
/// Cosine above which a joint's lateral axis is rounded to a coordinate axis of the joint: most programs lay coordinate
/// axes along bones.
const ON_AXIS: f32 = 0.9;

/// Returns the heading of a pose (rotation about y from +z), from the direction of hips to chest, and the sine of the
/// slope of this direction.
fn heading_and_slope(pose: &Pose, joints: &[Option<usize>]) -> Option<(Quat, f32)> {
    let position_of = |role: DogRole| joints[role as usize].map(|joint| pose.world_positions[joint]);
    let trunk = (position_of(DogRole::Chest)? - position_of(DogRole::Hips)?).try_normalize()?;
    Some((Quat::from_rotation_y(trunk.x.atan2(trunk.z)), trunk.y))
}

/// Returns the heights of the paws: of their joints, or of the End Sites that replace them.
fn paw_heights(skeleton: &Skeleton, joints: &[Option<usize>], pose: &Pose) -> Option<[f32; 4]> {
    use DogRole::*;
    let height = |(paw, leg_end): (DogRole, DogRole)| match joints[paw as usize] {
        Some(joint) => Some(pose.world_positions[joint].y),
        None => {
            let joint = joints[leg_end as usize]?;
            let site = *skeleton.joints()[joint].end_sites.first()?;
            Some((pose.world_positions[joint] + pose.world_rotations[joint] * site).y)
        }
    };
    let heights =
        [(LeftPaw, LeftFoot), (RightPaw, RightFoot), (LeftForePaw, LeftHand), (RightForePaw, RightHand)].map(height);
    Some([heights[0]?, heights[1]?, heights[2]?, heights[3]?])
}

/// Returns whether a pose shows a dog on its four paws: the paws are level, the hips are above them, and the trunk is
/// nearly horizontal.
fn is_standing(skeleton: &Skeleton, joints: &[Option<usize>], pose: &Pose) -> bool {
    let Some((paw_heights, (_, slope))) = paw_heights(skeleton, joints, pose).zip(heading_and_slope(pose, joints))
    else {
        return false;
    };
    let (low, high) =
        (paw_heights.into_iter().fold(f32::MAX, f32::min), paw_heights.into_iter().fold(f32::MIN, f32::max));
    let hips = joints[DogRole::Hips as usize].map_or(0.0, |hips| pose.world_positions[hips].y);
    high - low < MAX_PAW_DIFFERENCE && hips > high + 2.0 * MAX_PAW_DIFFERENCE && slope.abs() < MAX_TRUNK_SLOPE
}

/// Returns the axes, [joints], of a dog that stands in its rest pose `pose`, where all parts count as in the stance.
/// `None` if it does not stand.
pub fn rest_axes(skeleton: &Skeleton, joints: &[Option<usize>], pose: &Pose) -> Option<Vec<Quat>> {
    let (heading, _) = heading_and_slope(pose, joints).filter(|_| is_standing(skeleton, joints, pose))?;
    Some(vec![heading; skeleton.len()])
}

/// Estimates the axes, [joints], from any number of poses: the mean over the poses in which the dog stands, made
/// symmetric. `None` if it stands in no pose.
pub fn mean_axes(skeleton: &Skeleton, joints: &[Option<usize>], poses: &[Pose]) -> Option<Vec<Quat>> {
    let standing: Vec<(&Pose, Quat)> = poses
        .iter()
        .filter(|pose| is_standing(skeleton, joints, pose))
        .filter_map(|pose| Some((pose, heading_and_slope(pose, joints)?.0)))
        .collect();
    (!standing.is_empty()).then_some(())?;
    let estimate = |joint: usize| {
        let measured = mean(standing.iter().map(|(pose, heading)| pose.world_rotations[joint].inverse() * *heading));
        let left = measured * Vec3::X;
        let nearest = nearest_axis(left);
        let lateral = if nearest.dot(left) > ON_AXIS { nearest } else { left };
        align((Vec3::X, Vec3::Y), (lateral, measured * Vec3::Y)).unwrap_or(measured)
    };
    let mut axes: Vec<Quat> = (0..skeleton.len()).map(estimate).collect();
    // In the stance the bones of both sides mirror each other: both sides get the mean of their directions.
    let bone = |joint: usize| {
        let child = skeleton.children(joint).next().map(|child| skeleton.joints()[child].offset);
        child.or(skeleton.joints()[joint].end_sites.first().copied())
    };
    for role in DogRole::ALL.into_iter().filter(|role| *role < role.opposite()) {
        let Some((left, right)) = joints[role as usize].zip(joints[role.opposite() as usize]) else { continue };
        let Some((left_bone, right_bone)) = bone(left).zip(bone(right)) else { continue };
        let stance_direction = |joint: usize, bone: Vec3| (axes[joint].inverse() * bone).normalize_or_zero();
        let left_direction = stance_direction(left, left_bone);
        let right_direction = stance_direction(right, right_bone);
        let mean_direction = (left_direction + mirror_point(right_direction)).normalize_or_zero();
        if mean_direction != Vec3::ZERO {
            axes[left] = (axes[left] * Quat::from_rotation_arc(mean_direction, left_direction)).normalize();
            axes[right] =
                (axes[right] * Quat::from_rotation_arc(mirror_point(mean_direction), right_direction)).normalize();
        }
    }
    Some(axes)
}
