//! Bends the legs of a canonical clip so that ankles and toes have the positions of a row: RMR, section 6.
//!
//! Rotations and positions of a predicted row agree only to a few centimetres. Viewers notice the feet most, so
//! positions take precedence. Each leg reaches by two-bone inverse kinematics, then the foot turns towards its toe.

use crate::motion::clip::Clip;
use crate::motion::fk::Pose;
use crate::motion::ik::TwoBone;
use crate::motion::rig::Role;
use glam::{Quat, Vec3};

/// Feet this near to their targets are left alone, metres.
const NEAR: f32 = 1e-5;
/// Hip, knee, ankle and toe of each side.
const CHAINS: [[Role; 4]; 2] = [
    [Role::LeftUpLeg, Role::LeftLeg, Role::LeftFoot, Role::LeftToe],
    [Role::RightUpLeg, Role::RightLeg, Role::RightFoot, Role::RightToe],
];

/// Target positions of the feet in a frame, world metres: (ankle, toe) of left and right.
pub type FootTargets = [(Vec3, Vec3); 2];

/// Turns the legs of a biped's canonical clip towards `targets`, [frames], as far as they reach.
pub fn reach(clip: &mut Clip, targets: &[FootTargets]) {
    let joints = clip.joints();
    let ends = CHAINS.map(|[.., end]| clip.skeleton().joints()[end as usize].offset);
    let mut pose = Pose::default();
    for (frame, targets) in targets.iter().enumerate() {
        pose.set(clip, frame);
        let (positions, world) = (&pose.world_positions, &pose.world_rotations);
        let rotations = &mut clip.rotations_mut()[frame * joints..][..joints];
        for ((chain, tip), &(ankle, toe)) in CHAINS.iter().zip(ends).zip(targets) {
            let [upper, lower, foot, end] = chain.map(|role| role as usize);
            if positions[foot].distance(ankle) > NEAR || positions[end].distance(toe) > NEAR {
                // In canonical frames a knee folds by rotation about +x.
                let hinge = world[upper] * Vec3::X;
                let leg = TwoBone { root: positions[upper], middle: positions[lower], end: positions[foot], hinge };
                let turn = leg.reach(ankle);
                let whole = turn.upper * turn.lower;
                let thigh = turn.upper * world[upper];
                let shin = whole * world[lower];
                let sole = towards(world[foot] * tip, toe - ankle) * world[foot];
                let toes = world[end];
                let above = world[Role::Hips as usize];
                rotations[upper] = (above.inverse() * thigh).normalize();
                rotations[lower] = (thigh.inverse() * shin).normalize();
                rotations[foot] = (shin.inverse() * sole).normalize();
                rotations[end] = (sole.inverse() * toes).normalize();
            }
        }
    }
}

/// The shortest rotation from one direction to another.
fn towards(from: Vec3, to: Vec3) -> Quat {
    match (from.try_normalize(), to.try_normalize()) {
        (Some(from), Some(to)) => Quat::from_rotation_arc(from, to),
        _ => Quat::IDENTITY,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::body::biped;

    /// One frame of a pair of legs with bent knees.
    fn bent() -> Clip {
        let mut offsets = vec![Vec3::ZERO; biped().len()];
        let mut rotations = vec![Quat::IDENTITY; biped().len()];
        for (chain, side) in CHAINS.iter().zip([1.0, -1.0]) {
            let [upper, lower, foot, end] = chain.map(|role| role as usize);
            offsets[upper] = Vec3::new(0.1 * side, -0.05, 0.0);
            offsets[lower] = Vec3::new(0.0, -0.43, 0.0);
            offsets[foot] = Vec3::new(0.0, -0.43, 0.0);
            offsets[end] = Vec3::new(0.0, -0.05, 0.14);
            rotations[upper] = Quat::from_rotation_x(-0.4);
            rotations[lower] = Quat::from_rotation_x(0.7);
        }
        Clip::new("bent", biped().skeleton(&offsets).unwrap(), 1.0, rotations, vec![Vec3::Y]).unwrap()
    }

    fn feet(clip: &Clip) -> FootTargets {
        let pose = Pose::of(clip, 0);
        CHAINS.map(|[.., foot, end]| (pose.world_positions[foot as usize], pose.world_positions[end as usize]))
    }

    #[test]
    fn feet_reach_their_targets_and_knees_fold_forwards() {
        let mut clip = bent();
        let shift = [Vec3::new(0.03, 0.04, 0.1), Vec3::new(-0.02, 0.06, -0.12)];
        let targets = std::array::from_fn(|side| {
            let (ankle, toe) = feet(&clip)[side];
            (ankle + shift[side], toe + shift[side])
        });
        reach(&mut clip, &[targets]);
        for ((ankle, toe), (wanted_ankle, wanted_toe)) in feet(&clip).into_iter().zip(targets) {
            assert!(ankle.distance(wanted_ankle) < 1e-4, "{ankle} for {wanted_ankle}");
            assert!(toe.distance(wanted_toe) < 1e-4, "{toe} for {wanted_toe}");
        }
        for [_, lower, ..] in CHAINS {
            let (axis, angle) = clip.frame_rotations(0)[lower as usize].to_axis_angle();
            assert!(axis.x * angle > 0.0, "knee folds by {angle} about {axis}");
        }
    }

    #[test]
    fn feet_in_place_change_nothing() {
        let mut clip = bent();
        let targets = feet(&clip);
        reach(&mut clip, &[targets]);
        assert_eq!(clip, bent());
    }
}
