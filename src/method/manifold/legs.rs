//! Leg rotations from the predicted positions of ankles and toes.

use crate::body::poses::{ROLES, joints, parent};
use crate::feature::manifold::{place, rotations};
use crate::motion::ik::TwoBone;
use crate::motion::rig::Role;
use glam::{Quat, Vec3};

/// Each leg with the indices of its ankle and toe among [`crate::feature::manifold::POINTS`].
const LEGS: [([Role; 4], [usize; 2]); 2] = [
    ([Role::LeftUpLeg, Role::LeftLeg, Role::LeftFoot, Role::LeftToe], [2, 3]),
    ([Role::RightUpLeg, Role::RightLeg, Role::RightFoot, Role::RightToe], [5, 6]),
];

/// Position of the hips and local rotations, [22], of a row. Knees bend about the predicted axes, ankles reach their
/// positions, feet point to their toes.
pub fn solved(row: &[f32], like: &[Quat], offsets: &[Vec3; ROLES]) -> (Vec3, Vec<Quat>) {
    let hips = place(row, 0);
    let mut local = rotations(row, like);
    let mut world = local.clone();
    for role in &Role::ALL[1..] {
        world[*role as usize] = world[parent(*role)] * local[*role as usize];
    }
    let places = joints(hips, &local, offsets);
    for ([upper, lower, foot, toe], [ankle, tip]) in LEGS {
        let [upper, lower, foot, toe] = [upper, lower, foot, toe].map(|role| role as usize);
        let (middle, end) = (places[lower], places[foot]);
        // A knee folds about its own x axis.
        let leg = TwoBone { root: places[upper], middle, end, hinge: world[upper] * Vec3::X };
        let [to, tip] = [place(row, ankle), place(row, tip)];
        let reach = leg.reach(to);
        let turned = [reach.upper * world[upper], reach.upper * reach.lower * world[lower]];
        let now = world[foot] * offsets[toe];
        let pointed = match (now.try_normalize(), (tip - to).try_normalize()) {
            (Some(now), Some(wanted)) => Quat::from_rotation_arc(now, wanted) * world[foot],
            _ => world[foot],
        };
        local[upper] = (world[0].inverse() * turned[0]).normalize();
        local[lower] = (turned[0].inverse() * turned[1]).normalize();
        local[foot] = (turned[1].inverse() * pointed).normalize();
    }
    (hips, local)
}
