//! Bends the legs of a canonical clip so that ankles and toes reach the positions that a network predicted: RMR,
//! section 6.
//!
//! Predicted rotations and positions agree only to a few centimetres. Viewers notice the feet most, so the positions of
//! the feet take precedence. Two-bone inverse kinematics moves each ankle to its target, then the foot turns towards
//! its toe.

use crate::body::limb::{self, LEGS, TOES};
use crate::motion::clip::Clip;
use crate::motion::fk::Pose;
use glam::{Quat, Vec3};

/// A foot that is nearer to its targets does not change, metres.
const TOLERANCE: f32 = 1e-5;

/// Target positions of the feet in one frame, world metres: (ankle, toe) of the left and of the right foot.
pub type FootTargets = [(Vec3, Vec3); 2];

/// Moves ankles and toes of a biped's canonical clip to `targets`, `[frames]`, as far as the legs reach.
pub fn reach(clip: &mut Clip, targets: &[FootTargets]) {
    let joints = clip.joints();
    let toe_offsets = TOES.map(|toe| clip.skeleton().joints()[toe as usize].offset);
    let mut pose = Pose::default();
    for (frame, targets) in targets.iter().enumerate() {
        pose.set(clip, frame);
        let (positions, world) = (&pose.world_positions, &pose.world_rotations);
        let local = &mut clip.rotations_mut()[frame * joints..][..joints];
        for (side, &(ankle, toe)) in targets.iter().enumerate() {
            let leg = LEGS[side];
            let (foot, end) = (leg[2] as usize, TOES[side] as usize);
            if positions[foot].distance(ankle) > TOLERANCE || positions[end].distance(toe) > TOLERANCE {
                let sole = shortest_rotation(world[foot] * toe_offsets[side], toe - ankle) * world[foot];
                limb::reach(leg, &limb::bones(leg, positions, world), ankle, sole, world, local);
                // The toes keep their world rotation.
                local[end] = (sole.inverse() * world[end]).normalize();
            }
        }
    }
}

/// Returns the shortest rotation from one direction to another; the identity if one of them has no length.
fn shortest_rotation(from: Vec3, to: Vec3) -> Quat {
    match (from.try_normalize(), to.try_normalize()) {
        (Some(from), Some(to)) => Quat::from_rotation_arc(from, to),
        _ => Quat::IDENTITY,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::body::biped;
    use crate::motion::rig::Role;

    /// Creates a clip of one frame: a pair of legs with bent knees.
    fn bent_legs() -> Clip {
        let mut offsets = vec![Vec3::ZERO; biped().len()];
        let mut rotations = vec![Quat::IDENTITY; biped().len()];
        for (([upper, lower, foot], toe), side) in LEGS.into_iter().zip(TOES).zip([1.0, -1.0]) {
            let [upper, lower, foot, end] = [upper, lower, foot, toe].map(|role| role as usize);
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
        let pose = Pose::from_clip(clip, 0);
        let position = |role: Role| pose.world_positions[role as usize];
        [0, 1].map(|side| (position(LEGS[side][2]), position(TOES[side])))
    }

    #[test]
    fn feet_reach_their_targets_and_shins_fold_backwards() {
        let mut clip = bent_legs();
        let shift = [Vec3::new(0.03, 0.04, 0.1), Vec3::new(-0.02, 0.06, -0.12)];
        let targets = std::array::from_fn(|side| {
            let (ankle, toe) = feet(&clip)[side];
            (ankle + shift[side], toe + shift[side])
        });
        reach(&mut clip, &[targets]);
        for ((ankle, toe), (target_ankle, target_toe)) in feet(&clip).into_iter().zip(targets) {
            assert!(ankle.distance(target_ankle) < 1e-4, "ankle at {ankle}, target {target_ankle}");
            assert!(toe.distance(target_toe) < 1e-4, "toe at {toe}, target {target_toe}");
        }
        for [_, lower, _] in LEGS {
            let (axis, angle) = clip.frame_rotations(0)[lower as usize].to_axis_angle();
            assert!(axis.x * angle > 0.0, "the knee folds by {angle} rad about {axis}");
        }
    }

    #[test]
    fn feet_at_their_targets_do_not_change() {
        let mut clip = bent_legs();
        let targets = feet(&clip);
        reach(&mut clip, &[targets]);
        assert_eq!(clip, bent_legs());
    }
}
