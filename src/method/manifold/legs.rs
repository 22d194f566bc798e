//! Computes leg rotations from the predicted positions of ankles and toes.

use crate::body::limb::{LEGS, TOES, bones, reach, world_rotations};
use crate::body::poses::{ROLES, joint_positions};
use crate::feature::manifold::{point, rotations};
use glam::{Quat, Vec3};

/// Indices of ankle and toe of each leg in [`crate::feature::manifold::POINTS`].
const POINTS: [[usize; 2]; 2] = [[2, 3], [5, 6]];

/// Computes the position of the hips, metres, and the local rotations, `[22]`, of a row. Legs rotate at hips and knees
/// until the ankles reach their predicted positions, as far as [`reach`] allows; then feet turn until the toes
/// lie in the predicted direction from the ankles. `reference`: rotations of the previous frame, `[22]`, by which the
/// signs of the quaternions are chosen. `offsets`: bone offsets, metres.
pub fn solve(row: &[f32], reference: &[Quat], offsets: &[Vec3; ROLES]) -> (Vec3, Vec<Quat>) {
    let hips = point(row, 0);
    let mut local = rotations(row, reference);
    let world = world_rotations(&local);
    let positions = joint_positions(hips, &local, offsets);
    for ((leg, toe), [ankle_index, toe_index]) in LEGS.into_iter().zip(TOES).zip(POINTS) {
        let bones = bones(leg, &positions, &world);
        let [ankle_target, toe_target] = [point(row, ankle_index), point(row, toe_index)];
        let foot = leg[2] as usize;
        let toe_direction = world[foot] * offsets[toe as usize];
        let foot_rotation = match (toe_direction.try_normalize(), (toe_target - ankle_target).try_normalize()) {
            (Some(current), Some(target)) => Quat::from_rotation_arc(current, target) * world[foot],
            _ => world[foot],
        };
        reach(leg, &bones, ankle_target, foot_rotation, &world, &mut local);
    }
    (hips, local)
}
