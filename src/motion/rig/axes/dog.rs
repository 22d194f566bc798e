//! Axes of dogs. Their stance is a dog standing at ease: facing +z, left is +x, paws on the ground.

use crate::motion::fk::Pose;
use crate::motion::quat::{align, mean};
use crate::motion::rig::dog::DogRole;
use crate::motion::skeleton::Skeleton;
use glam::{Quat, Vec3};

/// Largest difference in height among standing paws, metres.
const LEVEL: f32 = 0.05;
/// Sine of the largest slope of a standing dog's trunk.
const LEAN: f32 = 0.35;
/// Cosine below which a joint's lateral axis does not count as a coordinate axis; most programs lay axes along bones.
const ON_AXIS: f32 = 0.9;

/// Heading of a pose as a rotation about y from +z, from the direction hips to chest, and the sine of its slope.
fn heading(pose: &Pose, joints: &[Option<usize>]) -> Option<(Quat, f32)> {
    let at = |role: DogRole| joints[role as usize].map(|joint| pose.world_positions[joint]);
    let trunk = (at(DogRole::Chest)? - at(DogRole::Hips)?).try_normalize()?;
    Some((Quat::from_rotation_y(trunk.x.atan2(trunk.z)), trunk.y))
}

/// Heights of the paws, from their joints or the End Sites that replace them.
fn paws(skeleton: &Skeleton, joints: &[Option<usize>], pose: &Pose) -> Option<[f32; 4]> {
    use DogRole::*;
    let height = |(paw, above): (DogRole, DogRole)| match joints[paw as usize] {
        Some(joint) => Some(pose.world_positions[joint].y),
        None => {
            let joint = joints[above as usize]?;
            let site = *skeleton.joints()[joint].end_sites.first()?;
            Some((pose.world_positions[joint] + pose.world_rotations[joint] * site).y)
        }
    };
    let all =
        [(LeftPaw, LeftFoot), (RightPaw, RightFoot), (LeftForePaw, LeftHand), (RightForePaw, RightHand)].map(height);
    Some([all[0]?, all[1]?, all[2]?, all[3]?])
}

/// Whether a pose shows a dog on its four paws.
fn is_standing(skeleton: &Skeleton, joints: &[Option<usize>], pose: &Pose) -> bool {
    let Some((paws, (_, rise))) = paws(skeleton, joints, pose).zip(heading(pose, joints)) else { return false };
    let (low, high) = (paws.into_iter().fold(f32::MAX, f32::min), paws.into_iter().fold(f32::MIN, f32::max));
    let hips = joints[0].map_or(0.0, |hips| pose.world_positions[hips].y);
    high - low < LEVEL && hips > high + 2.0 * LEVEL && rise.abs() < LEAN
}

/// Axes, [joints], from a rest pose that stands: every part as at rest. `None` if it does not stand.
pub fn rest(skeleton: &Skeleton, joints: &[Option<usize>], pose: &Pose) -> Option<Vec<Quat>> {
    let (heading, _) = heading(pose, joints).filter(|_| is_standing(skeleton, joints, pose))?;
    Some(vec![heading; skeleton.len()])
}

/// Axes, [joints], from any number of poses: the mean over those that stand, made symmetric. Used to make the table
/// of known rigs. `None` if no pose stands.
pub fn mean_stance(skeleton: &Skeleton, joints: &[Option<usize>], poses: &[Pose]) -> Option<Vec<Quat>> {
    let standing: Vec<(&Pose, Quat)> = poses
        .iter()
        .filter(|pose| is_standing(skeleton, joints, pose))
        .filter_map(|pose| Some((pose, heading(pose, joints)?.0)))
        .collect();
    (!standing.is_empty()).then_some(())?;
    let own = |joint: usize| {
        let seen = mean(standing.iter().map(|(pose, heading)| pose.world_rotations[joint].inverse() * *heading));
        let left = seen * Vec3::X;
        let nearest = coordinate_axis(left);
        let lateral = if nearest.dot(left) > ON_AXIS { nearest } else { left };
        align((Vec3::X, Vec3::Y), (lateral, seen * Vec3::Y)).unwrap_or(seen)
    };
    let mut axes: Vec<Quat> = (0..skeleton.len()).map(own).collect();
    // Bones of both sides mirror each other in the stance: use their mean directions.
    let bone = |joint: usize| {
        let child = skeleton.children(joint).next().map(|child| skeleton.joints()[child].offset);
        child.or(skeleton.joints()[joint].end_sites.first().copied())
    };
    for role in DogRole::ALL.into_iter().filter(|role| *role < role.opposite()) {
        let Some((left, right)) = joints[role as usize].zip(joints[role.opposite() as usize]) else { continue };
        let Some((left_bone, right_bone)) = bone(left).zip(bone(right)) else { continue };
        let seen = |joint: usize, bone: Vec3| (axes[joint].inverse() * bone).normalize_or_zero();
        let (one, two) = (seen(left, left_bone), seen(right, right_bone));
        let both = (one + flip(two)).normalize_or_zero();
        if both != Vec3::ZERO {
            axes[left] = (axes[left] * Quat::from_rotation_arc(both, one)).normalize();
            axes[right] = (axes[right] * Quat::from_rotation_arc(flip(both), two)).normalize();
        }
    }
    Some(axes)
}

/// A direction mirrored in x = 0.
fn flip(v: Vec3) -> Vec3 {
    Vec3::new(-v.x, v.y, v.z)
}

fn coordinate_axis(v: Vec3) -> Vec3 {
    match v.abs().max_position() {
        0 => Vec3::X * v.x.signum(),
        1 => Vec3::Y * v.y.signum(),
        _ => Vec3::Z * v.z.signum(),
    }
}
