//! Computes leg rotations from the predicted positions of ankles and toes.

use crate::body::poses::{ROLES, joint_positions, parent_index};
use crate::feature::manifold::{point, rotations};
use crate::motion::ik::TwoBone;
use crate::motion::rig::Role;
use glam::{Quat, Vec3};

/// Roles of each leg, and the indices of its ankle and toe in [`crate::feature::manifold::POINTS`].
const LEGS: [([Role; 4], [usize; 2]); 2] = [
    ([Role::LeftUpLeg, Role::LeftLeg, Role::LeftFoot, Role::LeftToe], [2, 3]),
    ([Role::RightUpLeg, Role::RightLeg, Role::RightFoot, Role::RightToe], [5, 6]),
];

/// Computes the position of the hips, metres, and the local rotations, `[22]`, of a row. Legs rotate at hips and knees
/// until the ankles reach their predicted positions, as far as [`TwoBone::reach`] allows; then feet turn until the toes
/// lie in the predicted direction from the ankles. `reference`: rotations of the previous frame, `[22]`, by which the
/// signs of the quaternions are chosen. `offsets`: bone offsets, metres.
pub fn solve(row: &[f32], reference: &[Quat], offsets: &[Vec3; ROLES]) -> (Vec3, Vec<Quat>) {
    let hips = point(row, 0);
    let mut local = rotations(row, reference);
    let mut world = local.clone();
    for role in &Role::ALL[1..] {
        world[*role as usize] = world[parent_index(*role)] * local[*role as usize];
    }
    let positions = joint_positions(hips, &local, offsets);
    for ([upper, lower, foot, toe], [ankle_index, toe_index]) in LEGS {
        let [upper, lower, foot, toe] = [upper, lower, foot, toe].map(|role| role as usize);
        let (middle, end) = (positions[lower], positions[foot]);
        // The knees of the canonical body bend about the x axis of the thigh.
        let leg = TwoBone { root: positions[upper], middle, end, hinge: world[upper] * Vec3::X };
        let [ankle_target, toe_target] = [point(row, ankle_index), point(row, toe_index)];
        let reach = leg.reach(ankle_target);
        // World rotations with the ankle at its target.
        let thigh_rotation = reach.upper * world[upper];
        let shin_rotation = reach.upper * reach.lower * world[lower];
        let toe_direction = world[foot] * offsets[toe];
        let foot_rotation = match (toe_direction.try_normalize(), (toe_target - ankle_target).try_normalize()) {
            (Some(current), Some(target)) => Quat::from_rotation_arc(current, target) * world[foot],
            _ => world[foot],
        };
        // The parent of a thigh is the hips, whose local rotation is their world rotation.
        local[upper] = (world[0].inverse() * thigh_rotation).normalize();
        local[lower] = (thigh_rotation.inverse() * shin_rotation).normalize();
        local[foot] = (shin_rotation.inverse() * foot_rotation).normalize();
    }
    (hips, local)
}
