//! Axes of rigs whose rest pose gives no information: from bones, hinges, flat feet and mean poses.

use super::{Tip, bone_end, roles, stance, tip};
use crate::motion::fk::Pose;
use crate::motion::hinge::LIMBS;
use crate::motion::quat::{self, align, mirror_rotation};
use crate::motion::rig::{Rig, Role};
use crate::motion::skeleton::Skeleton;
use glam::{Quat, Vec3};

/// A bone this close to a coordinate axis lies on it (cosine). Its second axis is then the nearest coordinate axis,
/// so that all clips of a rig give the same answer.
const ON_AXIS: f32 = 0.99;
/// The up direction of the hips is rounded to a coordinate axis this close (cosine).
const HIPS_ON_AXIS: f32 = 0.7;
/// A joint that turns less than this relative to its parent, on average, has its parent's axes; radians.
const STRAIGHT: f32 = 1.05;
/// Weight of the guess at rest relative to the measured hinge, per pose, as the sine of a bend.
const GUESS: f32 = 0.03;

/// Axes, [joints]. `poses` are samples of clips on the skeleton, at least one.
pub fn axes(skeleton: &Skeleton, rig: &Rig, poses: &[Pose]) -> Vec<Quat> {
    let roles = roles(skeleton, rig);
    let mut axes: Vec<Quat> = Vec::with_capacity(skeleton.len());
    for (index, joint) in skeleton.joints().iter().enumerate() {
        let Some(parent) = joint.parent else {
            axes.push(match roles[index] {
                Some(Role::Hips) => hips(rig, poses).unwrap_or_default(),
                _ => Quat::IDENTITY,
            });
            continue;
        };
        // Mean orientation of the parent's part in the axes of the joint.
        let follows = || {
            let seen =
                poses.iter().map(|p| p.world_rotations[index].inverse() * p.world_rotations[parent] * axes[parent]);
            mean(seen)
        };
        let bone = |role| bone_end(rig, role).and_then(|end| local(&poses[0], index, end).try_normalize());
        use Role::*;
        let estimate = match roles[index] {
            Some(Hips) => hips(rig, poses),
            Some(
                role @ (LeftUpLeg | LeftLeg | RightUpLeg | RightLeg | LeftArm | LeftForeArm | RightArm | RightForeArm),
            ) => bone(role).and_then(|bone| {
                let guess = follows() * stance(role).1;
                let hinge = hinge(rig, role, index, poses) + guess * GUESS * poses.len() as f32;
                align(stance(role), (bone, round(bone, hinge)))
            }),
            Some(role @ (LeftFoot | RightFoot)) => {
                stood(skeleton, rig, role, index, poses).or_else(|| sloped(rig, role, index, &poses[0]))
            }
            // Where axes lie along bones, a joint at rest continues straight from its parent.
            None | Some(LeftToe | RightToe | Head | LeftHand | RightHand) => {
                let turned = poses.iter().map(|p| p.world_rotations[parent].inverse() * p.world_rotations[index]);
                (mean(turned).angle_between(Quat::IDENTITY) < STRAIGHT).then_some(axes[parent])
            }
            Some(role) => bone(role).and_then(|bone| {
                let second = round(bone, follows() * stance(role).1);
                align(stance(role), (bone, second))
            }),
        };
        axes.push(estimate.unwrap_or_else(|| round_rotation(follows())));
    }
    settle_toes(&mut axes, rig, poses);
    settle_sides(&mut axes, rig);
    axes
}

/// Position of a joint relative to another, in the axes of the latter.
fn local(pose: &Pose, from: usize, to: usize) -> Vec3 {
    pose.world_rotations[from].inverse() * (pose.world_positions[to] - pose.world_positions[from])
}

/// The left direction is exact; up is the direction to the trunk, rounded: the first spine joint of LAFAN1 lies well
/// behind the hips.
fn hips(rig: &Rig, poses: &[Pose]) -> Option<Quat> {
    let pose = poses.first()?;
    let hips = rig.joint(Role::Hips)?;
    let (left, right) = (rig.joint(Role::LeftUpLeg)?, rig.joint(Role::RightUpLeg)?);
    let across = local(pose, hips, left) - local(pose, hips, right);
    let trunk = local(pose, hips, bone_end(rig, Role::Hips)?);
    let nearest = coordinate_axis(trunk);
    let up = if nearest.dot(trunk.normalize_or_zero()) > HIPS_ON_AXIS { nearest } else { trunk };
    align((Vec3::X, Vec3::Y), (across, up))
}

/// Sum over poses of the hinge axis of the limb's middle joint, in the axes of `joint`; long where it bends much.
fn hinge(rig: &Rig, role: Role, joint: usize, poses: &[Pose]) -> Vec3 {
    let Some(limb) = LIMBS.into_iter().find(|limb| limb[..2].contains(&role)) else { return Vec3::ZERO };
    let [Some(top), Some(middle), Some(end)] = limb.map(|role| rig.joint(role)) else { return Vec3::ZERO };
    let bend = |pose: &Pose| {
        let at = |joint: usize| pose.world_positions[joint];
        let (upper, lower) = ((at(middle) - at(top)).normalize_or_zero(), (at(end) - at(middle)).normalize_or_zero());
        pose.world_rotations[joint].inverse() * upper.cross(lower)
    };
    poses.iter().map(bend).sum()
}

/// Axes of a foot from the poses in which it stands flat: low, below an upright shin, tip a little below the ankle.
fn stood(skeleton: &Skeleton, rig: &Rig, role: Role, foot: usize, poses: &[Pose]) -> Option<Quat> {
    let tip = tip(skeleton, rig, role, foot)?;
    let shin = rig.joint(if role == Role::LeftFoot { Role::LeftLeg } else { Role::RightLeg })?;
    let standing: Vec<(f32, Quat)> = poses
        .iter()
        .filter_map(|pose| {
            let at = |joint: usize| pose.world_positions[joint];
            let tip = match tip {
                Tip::Joint(toe) => at(toe),
                Tip::Site(site) => at(foot) + pose.world_rotations[foot] * site,
            };
            let sole = (tip - at(foot)).normalize_or_zero();
            let upright = (at(shin) - at(foot)).normalize_or_zero().y > 0.85;
            let flat = (-0.75..0.05).contains(&sole.y);
            let world = align((Vec3::Y, Vec3::Z), (Vec3::Y, sole))?;
            (upright && flat).then(|| (at(foot).y + tip.y, pose.world_rotations[foot].inverse() * world))
        })
        .collect();
    let lowest = standing.iter().map(|pose| pose.0).fold(f32::INFINITY, f32::min);
    // Two points, each within 2 cm of the lowest standing height.
    let down = standing.iter().filter(|pose| pose.0 < lowest + 0.04).map(|pose| pose.1);
    (!standing.is_empty()).then(|| mean(down))
}

/// Sets the axes of toes from the poses in which their foot stands flat, if any.
fn settle_toes(axes: &mut [Quat], rig: &Rig, poses: &[Pose]) {
    const LEVEL: f32 = 0.985;
    for (foot, toe) in [(Role::LeftFoot, Role::LeftToe), (Role::RightFoot, Role::RightToe)] {
        let (Some(foot), Some(toe)) = (rig.joint(foot), rig.joint(toe)) else { continue };
        let level: Vec<Quat> = poses
            .iter()
            .map(|pose| (pose, pose.world_rotations[foot] * axes[foot]))
            .filter(|(_, part)| (*part * Vec3::Y).y > LEVEL)
            .map(|(pose, part)| pose.world_rotations[toe].inverse() * part)
            .collect();
        if !level.is_empty() {
            axes[toe] = mean(level.into_iter());
        }
    }
}

/// Makes the axes of both feet symmetric, relative to the shins: averages the measurements of both sides.
fn settle_sides(axes: &mut [Quat], rig: &Rig) {
    const ALIKE: f32 = 0.26;
    let before = axes.to_vec();
    use Role::*;
    for pair in [[(LeftLeg, LeftFoot), (RightLeg, RightFoot)], [(LeftFoot, LeftToe), (RightFoot, RightToe)]] {
        let [Some((above, left)), Some((other_above, right))] =
            pair.map(|(above, role)| rig.joint(above).zip(rig.joint(role)))
        else {
            continue;
        };
        let own = before[above].inverse() * before[left];
        let other = mirror_rotation(before[other_above].inverse() * before[right]);
        if own.angle_between(other) < ALIKE {
            let both = quat::mean([own, other].into_iter());
            axes[left] = (axes[above] * both).normalize();
            axes[right] = (axes[other_above] * mirror_rotation(both)).normalize();
        }
    }
}

/// Axes of a foot that never stands: people's toes lie about this far below their ankles, seen from the side.
fn sloped(rig: &Rig, role: Role, foot: usize, pose: &Pose) -> Option<Quat> {
    const SLOPE: f32 = 0.45;
    let shin = rig.joint(if role == Role::LeftFoot { Role::LeftLeg } else { Role::RightLeg })?;
    let sole = local(pose, foot, bone_end(rig, role)?);
    let left = local(pose, foot, shin).cross(sole).try_normalize()?;
    align((Vec3::Z, Vec3::X), (Quat::from_axis_angle(left, -SLOPE) * sole, left))
}

/// Mean of rotations near each other, without outliers.
fn mean(rotations: impl Iterator<Item = Quat>) -> Quat {
    const NEAR: f32 = 0.5;
    let all: Vec<Quat> = rotations.collect();
    let rough = quat::mean(all.iter().copied());
    let near: Vec<Quat> = all.into_iter().filter(|q| q.angle_between(rough) < NEAR).collect();
    if near.is_empty() { rough } else { quat::mean(near.into_iter()) }
}

fn coordinate_axis(v: Vec3) -> Vec3 {
    match v.abs().max_position() {
        0 => Vec3::X * v.x.signum(),
        1 => Vec3::Y * v.y.signum(),
        _ => Vec3::Z * v.z.signum(),
    }
}

/// `second`, or the coordinate axis nearest to it where `bone` lies on another one.
fn round(bone: Vec3, second: Vec3) -> Vec3 {
    let axis = coordinate_axis(bone);
    if axis.dot(bone) < ON_AXIS {
        return second;
    }
    coordinate_axis(second * (Vec3::ONE - axis.abs()))
}

/// The nearest rotation that maps coordinate axes to coordinate axes, if it is within 35°.
fn round_rotation(rotation: Quat) -> Quat {
    let x = coordinate_axis(rotation * Vec3::X);
    let y = round(x, rotation * Vec3::Y);
    match align((Vec3::X, Vec3::Y), (x, y)) {
        Some(rounded) if rounded.angle_between(rotation) < 0.6 => rounded,
        _ => rotation,
    }
}
