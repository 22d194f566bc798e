//! Inverse kinematics of the canonical biped's legs and arms.

use crate::body::poses::parent_index;
use crate::motion::ik::TwoBone;
use crate::motion::rig::Role;
use glam::{Quat, Vec3};

/// Thigh, shin and foot of both legs.
pub const LEGS: [[Role; 3]; 2] =
    [[Role::LeftUpLeg, Role::LeftLeg, Role::LeftFoot], [Role::RightUpLeg, Role::RightLeg, Role::RightFoot]];
/// Upper arm, forearm and hand of both arms.
pub const ARMS: [[Role; 3]; 2] =
    [[Role::LeftArm, Role::LeftForeArm, Role::LeftHand], [Role::RightArm, Role::RightForeArm, Role::RightHand]];
/// Toes of both legs.
pub const TOES: [Role; 2] = [Role::LeftToe, Role::RightToe];

/// Computes world rotations from local rotations, `[22]` each.
pub fn world_rotations(local: &[Quat]) -> Vec<Quat> {
    let mut world = local.to_vec();
    for role in &Role::ALL[1..] {
        world[*role as usize] = world[parent_index(*role)] * local[*role as usize];
    }
    world
}

/// Returns the bones of a limb in world space, metres. `positions`, `rotations`: world positions and rotations of all
/// joints, `[22]`.
pub fn bones(limb: [Role; 3], positions: &[Vec3], rotations: &[Quat]) -> TwoBone {
    let [root, middle, end] = limb.map(|role| positions[role as usize]);
    TwoBone { root, middle, end, hinge: rotations[limb[0] as usize] * hinge(limb[0]) }
}

/// Returns the axis about which a limb bends, in the axes of its upper bone: on the canonical body, knees move shins
/// backwards, and elbows move forearms forwards.
fn hinge(upper: Role) -> Vec3 {
    match upper {
        Role::LeftArm => Vec3::NEG_Y,
        Role::RightArm => Vec3::Y,
        _ => Vec3::X,
    }
}

/// Rotates a limb at its root and middle joint until its end reaches `target`, as far as [`TwoBone::reach`] allows.
/// `local`: local rotations to change, `[22]`; `rotations`: their world rotations; `end_rotation`: world rotation of
/// the hand or foot afterwards.
pub fn reach(
    [upper, lower, end]: [Role; 3],
    bones: &TwoBone,
    target: Vec3,
    end_rotation: Quat,
    rotations: &[Quat],
    local: &mut [Quat],
) {
    let reach = bones.reach(target);
    let upper_rotation = reach.upper * rotations[upper as usize];
    let lower_rotation = reach.upper * reach.lower * rotations[lower as usize];
    local[upper as usize] = (rotations[parent_index(upper)].inverse() * upper_rotation).normalize();
    local[lower as usize] = (upper_rotation.inverse() * lower_rotation).normalize();
    local[end as usize] = (lower_rotation.inverse() * end_rotation).normalize();
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::body::poses::{ROLES, joint_positions};

    /// Creates the offsets of a body with straight legs that point down and straight arms that point sideways, metres.
    fn straight_limbs() -> [Vec3; ROLES] {
        let mut offsets = [Vec3::ZERO; ROLES];
        for (limbs, bone) in [(LEGS, Vec3::new(0.0, -0.4, 0.0)), (ARMS, Vec3::new(0.3, 0.0, 0.0))] {
            for ([_, lower, end], side) in limbs.into_iter().zip([1.0, -1.0]) {
                (offsets[lower as usize], offsets[end as usize]) =
                    (bone.with_x(side * bone.x), bone.with_x(side * bone.x));
            }
        }
        offsets
    }

    #[test]
    fn limbs_reach_their_targets_knees_fold_backwards_and_elbows_forwards() {
        let (offsets, rest) = (straight_limbs(), vec![Quat::IDENTITY; ROLES]);
        let (world, positions) = (world_rotations(&rest), joint_positions(Vec3::Y, &rest, &offsets));
        for (limb, is_arm) in LEGS.map(|leg| (leg, false)).into_iter().chain(ARMS.map(|arm| (arm, true))) {
            let [root, middle, end] = limb.map(|role| role as usize);
            let target = positions[root].lerp(positions[end], 0.8);
            let mut local = rest.clone();
            reach(limb, &bones(limb, &positions, &world), target, world[end], &world, &mut local);
            let reached = joint_positions(Vec3::Y, &local, &offsets);
            assert!(reached[end].distance(target) < 1e-3, "{:?} at {}, target {target}", limb[2], reached[end]);
            // The middle joint moves to the side opposite to the fold.
            assert_eq!(reached[middle].z < -0.05, is_arm, "{:?} at {}", limb[1], reached[middle]);
            let end_rotation = world_rotations(&local)[end];
            assert!(end_rotation.angle_between(Quat::IDENTITY) < 1e-3, "{:?} turned", limb[2]);
        }
    }
}
