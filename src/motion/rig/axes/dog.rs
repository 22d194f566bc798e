//! Axes of dogs. Their stance is a dog standing at ease: facing +z, left is +x, paws on the ground.

use crate::motion::fk::Pose;
use crate::motion::quat::{align, mean};
use crate::motion::rig::dog::DogRole;
use crate::motion::skeleton::Skeleton;
use crate::motion::vector::{mirror_point, nearest_axis};
use glam::{Quat, Vec3};

/// Largest difference between the heights of standing paws, metres.
const MAX_PAW_DIFFERENCE: f32 = 0.05;
/// Smallest height of a standing dog's hips over its highest paw, metres: below that of small dogs, and above that of
/// rest poses with all bones on one line.
const MIN_HIPS_HEIGHT: f32 = 0.1;
/// Sine of the largest slope of a standing dog's trunk.
const MAX_TRUNK_SLOPE: f32 = 0.35;
/// Cosine above which a joint's lateral axis is rounded to a coordinate axis of the joint: most programs lay one
/// coordinate axis along the bone, and then another one is lateral.
const ON_AXIS: f32 = 0.9;

/// Returns the heading of a pose (rotation about y from +z), from the direction of hips to chest, and the sine of the
/// slope of this direction.
fn heading_and_slope(pose: &Pose, joints: &[Option<usize>]) -> Option<(Quat, f32)> {
    let position_of = |role: DogRole| joints[role as usize].map(|joint| pose.world_positions[joint]);
    let trunk = (position_of(DogRole::Chest)? - position_of(DogRole::Hips)?).try_normalize()?;
    Some((Quat::from_rotation_y(trunk.x.atan2(trunk.z)), trunk.y))
}

/// Returns the heights of the paws: of their joints, or of the longest End Sites of the joints above them.
fn paw_heights(skeleton: &Skeleton, joints: &[Option<usize>], pose: &Pose) -> Option<[f32; 4]> {
    use DogRole::*;
    let height = |(paw, leg_end): (DogRole, DogRole)| match joints[paw as usize] {
        Some(joint) => Some(pose.world_positions[joint].y),
        None => {
            let joint = joints[leg_end as usize]?;
            let site = skeleton.joints()[joint].longest_site()?;
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
    let hips_height = joints[DogRole::Hips as usize].map(|hips| pose.world_positions[hips].y);
    let trunk_slope = heading_and_slope(pose, joints).map(|(_, slope)| slope);
    let Some(((heights, hips), slope)) = paw_heights(skeleton, joints, pose).zip(hips_height).zip(trunk_slope) else {
        return false;
    };
    let (low, high) = (heights.into_iter().fold(f32::MAX, f32::min), heights.into_iter().fold(f32::MIN, f32::max));
    high - low < MAX_PAW_DIFFERENCE && hips > high + MIN_HIPS_HEIGHT && slope.abs() < MAX_TRUNK_SLOPE
}

/// Returns the axes, [joints], of a dog that stands in its rest pose `pose`; `None` if it does not stand. All body
/// parts in the rest pose are taken to be oriented as in the stance, so every joint gets the heading as its axes.
pub fn rest_axes(skeleton: &Skeleton, joints: &[Option<usize>], pose: &Pose) -> Option<Vec<Quat>> {
    let (heading, _) = heading_and_slope(pose, joints).filter(|_| is_standing(skeleton, joints, pose))?;
    Some(vec![heading; skeleton.len()])
}

/// Estimates the axes, [joints], from any number of poses: the mean over the poses in which the dog stands. The bones
/// of both sides get mirrored directions. `None` if it stands in no pose.
pub fn mean_axes(skeleton: &Skeleton, joints: &[Option<usize>], poses: &[Pose]) -> Option<Vec<Quat>> {
    let standing: Vec<(&Pose, Quat)> = poses
        .iter()
        .filter(|pose| is_standing(skeleton, joints, pose))
        .filter_map(|pose| Some((pose, heading_and_slope(pose, joints)?.0)))
        .collect();
    (!standing.is_empty()).then_some(())?;
    let estimate = |joint: usize| {
        let measured = mean(standing.iter().map(|(pose, heading)| pose.world_rotations[joint].inverse() * *heading));
        let lateral = measured * Vec3::X;
        let nearest = nearest_axis(lateral);
        let rounded = if nearest.dot(lateral) > ON_AXIS { nearest } else { lateral };
        align((Vec3::X, Vec3::Y), (rounded, measured * Vec3::Y)).unwrap_or(measured)
    };
    let mut axes: Vec<Quat> = (0..skeleton.len()).map(estimate).collect();
    // In the stance the bones of both sides mirror each other: both sides get the mean of their directions.
    let bone = |joint: usize| {
        let child = skeleton.children(joint).next().map(|child| skeleton.joints()[child].offset);
        child.or(skeleton.joints()[joint].longest_site())
    };
    for role in DogRole::ALL.into_iter().filter(|role| *role < role.opposite()) {
        let Some((left_joint, right_joint)) = joints[role as usize].zip(joints[role.opposite() as usize]) else {
            continue;
        };
        let Some((left_bone, right_bone)) = bone(left_joint).zip(bone(right_joint)) else { continue };
        let stance_direction = |joint: usize, bone: Vec3| (axes[joint].inverse() * bone).normalize_or_zero();
        let left_direction = stance_direction(left_joint, left_bone);
        let right_direction = stance_direction(right_joint, right_bone);
        let mean_direction = (left_direction + mirror_point(right_direction)).normalize_or_zero();
        if mean_direction != Vec3::ZERO {
            let left_turn = Quat::from_rotation_arc(mean_direction, left_direction);
            let right_turn = Quat::from_rotation_arc(mirror_point(mean_direction), right_direction);
            axes[left_joint] = (axes[left_joint] * left_turn).normalize();
            axes[right_joint] = (axes[right_joint] * right_turn).normalize();
        }
    }
    Some(axes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::motion::bvh;
    use crate::motion::rig::dog::find_joints;

    #[test]
    fn a_paw_without_a_joint_is_the_longest_end_site() {
        let text = include_bytes!("../../../../tests/fixtures/cleo-walk.bvh");
        let clip = bvh::parse("cleo-walk", text).unwrap().clip;
        let mut joints = find_joints(clip.skeleton()).unwrap();
        let pose = Pose::from_clip(&clip, 0);
        let expected = paw_heights(clip.skeleton(), &joints, &pose).unwrap();
        // The same rig with End Sites instead of the joints of the paws, each after a marker at the joint above.
        let mut skeleton_joints = clip.skeleton().joints().to_vec();
        for role in [DogRole::LeftPaw, DogRole::RightPaw, DogRole::LeftForePaw, DogRole::RightForePaw] {
            let paw = joints[role as usize].take().unwrap();
            let parent = skeleton_joints[paw].parent.unwrap();
            skeleton_joints[parent].end_sites = vec![Vec3::ZERO, skeleton_joints[paw].offset];
        }
        let skeleton = Skeleton::new(skeleton_joints, clip.skeleton().space()).unwrap();
        let heights = paw_heights(&skeleton, &joints, &pose).unwrap();
        for (height, expected) in heights.into_iter().zip(expected) {
            assert!((height - expected).abs() < 1e-5, "{height} m instead of {expected} m");
        }
    }
}
