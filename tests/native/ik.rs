//! Two-bone inverse kinematics: the end reaches every reachable target, a leg at its target does not move, and the knee
//! never jumps.

use glam::{Quat, Vec3};
use kinestitch::motion::ik::{FULL_REACH, MIN_REACH, SOFT_REACH, TwoBone};
use proptest::prelude::*;

/// Creates a leg with the hip at the origin. `lean` of the thigh and `bend` of the knee are in radians about the x
/// axis, which is rotated by `yaw` radians about y.
fn leg(thigh: f32, shin: f32, lean: f32, bend: f32, yaw: f32) -> TwoBone {
    let heading = Quat::from_rotation_y(yaw);
    let middle = heading * Quat::from_rotation_x(-lean) * Vec3::new(0.0, -thigh, 0.0);
    let end = middle + heading * Quat::from_rotation_x(bend - lean) * Vec3::new(0.0, -shin, 0.0);
    TwoBone { root: Vec3::ZERO, middle, end, hinge: heading * Vec3::X }
}

/// Returns the positions of knee and ankle after the solution.
fn solve(leg: &TwoBone, target: Vec3) -> (Vec3, Vec3) {
    let reach = leg.reach(target);
    let middle = leg.root + reach.upper * (leg.middle - leg.root);
    (middle, middle + reach.upper * (reach.lower * (leg.end - leg.middle)))
}

fn bend(leg: &TwoBone, middle: Vec3, end: Vec3) -> f32 {
    (middle - leg.root).angle_between(end - middle)
}

proptest! {
    #[test]
    fn reaches_targets_within_reach(
        thigh in 0.3f32..0.6, shin in 0.3f32..0.6, lean in -1.0f32..1.0, folded in 0.2f32..2.0, yaw in -3.0f32..3.0,
        direction in prop::array::uniform3(-1.0f32..1.0), distance in 0.35f32..SOFT_REACH,
    ) {
        let leg = leg(thigh, shin, lean, folded, yaw);
        let direction = Vec3::from(direction);
        prop_assume!(direction.length() > 0.1);
        let target = direction.normalize() * distance * (thigh + shin);
        prop_assume!(target.length() > (thigh - shin).abs() + 0.02);
        let (middle, end) = solve(&leg, target);
        prop_assert!(end.distance(target) < 2e-3, "{} m from the target", end.distance(target));
        prop_assert!((middle.length() - thigh).abs() < 1e-4 && (end.distance(middle) - shin).abs() < 1e-4);
    }

    #[test]
    fn never_stretches_or_folds_beyond_the_limits(
        lean in -1.0f32..1.0, folded in 0.05f32..2.0, target in prop::array::uniform3(-2.0f32..2.0),
    ) {
        let leg = leg(0.45, 0.42, lean, folded, 0.4);
        let initial = leg.end.length();
        let (_, end) = solve(&leg, target.into());
        // 0.87 m is the length of the straight leg.
        prop_assert!(end.length() <= (FULL_REACH * 0.87).max(initial) + 1e-3);
        prop_assert!(end.length() >= (MIN_REACH * 0.87).min(initial) - 1e-3);
    }

    #[test]
    fn a_leg_at_its_target_does_not_move(lean in -1.0f32..1.0, folded in -0.3f32..2.5, yaw in -3.0f32..3.0) {
        let leg = leg(0.45, 0.42, lean, folded, yaw);
        let reach = leg.reach(leg.end);
        prop_assert!(reach.lower.angle_between(Quat::IDENTITY) < 2e-3);
        prop_assert!(reach.upper.angle_between(Quat::IDENTITY) < 2e-3);
    }

    #[test]
    fn knees_stay_in_their_plane(
        lean in -0.8f32..0.8, folded in 0.4f32..2.0, down in 0.4f32..0.8, ahead in -0.3f32..0.3,
    ) {
        // For a target in the leg's plane the knee stays in that plane.
        let leg = leg(0.45, 0.42, lean, folded, 0.7);
        let target = Quat::from_rotation_y(0.7) * Vec3::new(0.0, -down, ahead);
        let (middle, _) = solve(&leg, target);
        prop_assert!(middle.dot(leg.hinge).abs() < 1e-3);
    }
}

#[test]
fn a_target_that_moves_out_of_reach_causes_no_jump() {
    let leg = leg(0.45, 0.42, 0.2, 0.5, 0.0);
    let angle = |step: usize| {
        let target = Vec3::new(0.0, -0.7 - 0.001 * step as f32, 0.05);
        let (middle, end) = solve(&leg, target);
        bend(&leg, middle, end)
    };
    let angles: Vec<f32> = (0..400).map(angle).collect();
    assert!(angles.windows(2).all(|pair| pair[1] <= pair[0] + 1e-4), "straightens steadily");
    // A hard limit would jump by 0.1 rad within the last millimetre.
    let largest = angles.windows(2).map(|pair| (pair[0] - pair[1]).abs()).fold(0.0, f32::max);
    assert!(largest < 0.02, "{largest} rad for a millimetre");
}

#[test]
fn a_knee_bent_backwards_turns_forwards_without_a_jump() {
    let leg = leg(0.45, 0.42, 0.1, -0.25, 0.0);
    let signed_bend = |lift: f32| {
        let (middle, end) = solve(&leg, leg.end + Vec3::Y * lift);
        let (thigh, shin) = (middle, end - middle);
        leg.hinge.dot(thigh.cross(shin)).atan2(thigh.dot(shin))
    };
    let angles: Vec<f32> = (0..60).map(|step| signed_bend(0.001 * step as f32)).collect();
    assert!((angles[0] + 0.25).abs() < 1e-3 && angles[59] > 0.5, "{} to {}", angles[0], angles[59]);
    assert!(angles.windows(2).all(|pair| (pair[1] - pair[0]).abs() < 0.06));
}

#[test]
fn degenerate_legs_stay_finite() {
    for (middle, end, hinge) in [
        (Vec3::ZERO, Vec3::ZERO, Vec3::X),
        (Vec3::NEG_Y, Vec3::NEG_Y * 2.0, Vec3::ZERO),
        (Vec3::NEG_Y, Vec3::ZERO, Vec3::X),
        (Vec3::NEG_Y, Vec3::NEG_Y, Vec3::Z),
    ] {
        let leg = TwoBone { root: Vec3::ZERO, middle, end, hinge };
        for target in [Vec3::ZERO, Vec3::Y, Vec3::splat(1e6), end] {
            let reach = leg.reach(target);
            assert!(reach.upper.is_finite() && reach.lower.is_finite());
        }
    }
}
