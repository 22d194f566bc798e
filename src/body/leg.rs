//! Inverse kinematics of the canonical biped's legs.

use crate::body::poses::{ROLES, parent_index};
use crate::motion::ik::TwoBone;
use crate::motion::rig::Role;
use glam::{Quat, Vec3};

/// Thigh, shin, foot and toe of both legs.
pub const LEGS: [[Role; 4]; 2] = [
    [Role::LeftUpLeg, Role::LeftLeg, Role::LeftFoot, Role::LeftToe],
    [Role::RightUpLeg, Role::RightLeg, Role::RightFoot, Role::RightToe],
];

/// Computes world rotations from local rotations, `[22]` each.
pub fn world_rotations(local: &[Quat]) -> Vec<Quat> {
    let mut world = local.to_vec();
    for role in &Role::ALL[1..] {
        world[*role as usize] = world[parent_index(*role)] * local[*role as usize];
    }
    world
}

/// Returns the bones of a leg in world space, metres. `positions`, `rotations`: world positions and rotations of all
/// joints, `[22]`.
pub fn bones([upper, lower, foot, _]: [Role; 4], positions: &[Vec3; ROLES], rotations: &[Quat]) -> TwoBone {
    let [root, middle, end] = [upper, lower, foot].map(|role| positions[role as usize]);
    // The knees of the canonical body bend about the x axis of the thigh.
    TwoBone { root, middle, end, hinge: rotations[upper as usize] * Vec3::X }
}

/// Rotates a leg at hip and knee until its ankle reaches `target`, as far as [`TwoBone::reach`] allows. `local`: local
/// rotations to change, `[22]`; `rotations`: their world rotations; `foot_rotation`: world rotation of the foot
/// afterwards.
pub fn reach(
    [upper, lower, foot, _]: [Role; 4],
    bones: &TwoBone,
    target: Vec3,
    foot_rotation: Quat,
    rotations: &[Quat],
    local: &mut [Quat],
) {
    let reach = bones.reach(target);
    let thigh_rotation = reach.upper * rotations[upper as usize];
    let shin_rotation = reach.upper * reach.lower * rotations[lower as usize];
    // The parent of a thigh is the hips, whose local rotation is their world rotation.
    local[upper as usize] = (rotations[0].inverse() * thigh_rotation).normalize();
    local[lower as usize] = (thigh_rotation.inverse() * shin_rotation).normalize();
    local[foot as usize] = (shin_rotation.inverse() * foot_rotation).normalize();
}
