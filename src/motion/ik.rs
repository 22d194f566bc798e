//! Two-bone inverse kinematics: a leg (or an arm) reaches a point by rotations at its knee and hip; the hip does not
//! move.
//!
//! The knee rotates about its own hinge, so it bends in the same direction as before; then the hip swings the whole leg
//! by the shortest rotation. Two measures keep knees from popping. First, a leg is not stretched completely, because
//! near its full length a small movement of the foot needs a large rotation of the knee: beyond [`SOFT_REACH`] the
//! distance approaches [`FULL_REACH`] softly, and a leg that is already straighter than that is not straightened
//! further. Second, a knee that is bent backwards (in some recordings, and in blends) is made to bend forwards
//! gradually as the correction grows, without a jump.

use crate::motion::ease::smoothstep;
use glam::{Quat, Vec3};

/// Fraction of the full length up to which a leg follows its target exactly.
pub const SOFT_REACH: f32 = 0.97;
/// Fraction of the full length that is never exceeded, unless the motion itself exceeds it.
pub const FULL_REACH: f32 = 0.995;
/// Length of the correction, as a fraction of the leg length, at which a knee that is bent backwards has flipped
/// forwards.
pub const FLIP_DISTANCE: f32 = 0.03;
/// Smallest distance from hip to ankle, as a fraction of the leg length, unless the motion itself has a smaller one.
pub const MIN_REACH: f32 = 0.3;

/// A leg in world space, metres.
#[derive(Debug, Clone, Copy)]
pub struct TwoBone {
    /// Hip joint.
    pub root: Vec3,
    /// Knee joint.
    pub middle: Vec3,
    /// Ankle joint.
    pub end: Vec3,
    /// Unit axis about which the knee bends (a positive rotation folds the leg); used where the leg is too straight to
    /// compute the axis from its bones.
    pub hinge: Vec3,
}

/// World rotations to apply: first `lower`, about the knee to everything below it; then `upper`, about the hip to the
/// whole leg.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Reach {
    /// Rotation of the whole leg about the hip joint.
    pub upper: Quat,
    /// Rotation of the lower leg about the knee joint, before `upper`.
    pub lower: Quat,
}

impl TwoBone {
    /// Computes the rotations that bring the ankle to `target`, or as near as the soft limits allow.
    pub fn reach(&self, target: Vec3) -> Reach {
        let (thigh, shin) = (self.middle - self.root, self.end - self.middle);
        let length = thigh.length() + shin.length();
        let current_distance = (self.end - self.root).length();
        let distance = soft_reach((target - self.root).length(), current_distance, length);
        let Some(axis) = self.bend_axis(thigh, shin) else {
            return Reach { upper: Quat::IDENTITY, lower: Quat::IDENTITY };
        };

        // |thigh + shin turned by φ about the axis|² = distance²  ⇔  cos(φ − φ₀) = c / radius; fold_angle is the
        // angle φ − φ₀. The leg is straightest at φ₀.
        let axial_shin = axis * shin.dot(axis);
        let (a, b) = (thigh.dot(shin - axial_shin), thigh.dot(axis.cross(shin)));
        let radius = a.hypot(b).max(1e-12);
        let fold_angle = |distance: f32| {
            let c =
                (distance * distance - thigh.length_squared() - shin.length_squared()) / 2.0 - thigh.dot(axial_shin);
            (c / radius).clamp(-1.0, 1.0).acos()
        };
        // A knee bent backwards has a negative fold angle. It counts as positive while the correction is small, so that
        // the knee stays bent backwards, and becomes negative as the correction grows, so that the knee flips forwards.
        let is_backwards = axis.dot(thigh.cross(shin)) < 0.0;
        let flip = ((target - self.end).length() / (FLIP_DISTANCE * length)).min(1.0);
        let current_fold = if is_backwards {
            fold_angle(current_distance) * (1.0 - 2.0 * smoothstep(flip))
        } else {
            fold_angle(current_distance)
        };
        let lower = Quat::from_axis_angle(axis, fold_angle(distance) - current_fold);
        let hip_to_ankle = thigh + lower * shin;
        let upper = match (hip_to_ankle.try_normalize(), (target - self.root).try_normalize()) {
            (Some(from), Some(to)) => Quat::from_rotation_arc(from, to),
            _ => Quat::IDENTITY,
        };
        Reach { upper, lower }
    }

    /// Returns the axis of the knee: the axis of its current bend, blended towards `hinge` where the leg is nearly
    /// straight.
    fn bend_axis(&self, thigh: Vec3, shin: Vec3) -> Option<Vec3> {
        let cross = thigh.cross(shin) / (thigh.length() * shin.length()).max(1e-12);
        let hinge = self.hinge.try_normalize();
        let sign = hinge.map_or(1.0, |hinge| if cross.dot(hinge) < 0.0 { -1.0 } else { 1.0 });
        let sine = cross.length();
        let weight = ((sine - 0.1) / 0.25).clamp(0.0, 1.0);
        let current_axis = cross.try_normalize().map(|axis| axis * sign);
        match (current_axis, hinge) {
            (Some(current_axis), Some(hinge)) => hinge.lerp(current_axis, smoothstep(weight)).try_normalize(),
            (current_axis, hinge) => current_axis.or(hinge),
        }
    }
}

/// Limits the wanted `distance` from hip to ankle softly, metres.
fn soft_reach(distance: f32, current_distance: f32, length: f32) -> f32 {
    let soft = (SOFT_REACH * length).max(current_distance);
    let full = (FULL_REACH * length).max(current_distance);
    let room = full - soft;
    let reached = if distance <= soft {
        distance
    } else if room < 1e-6 {
        soft
    } else {
        soft + room * (1.0 - (-(distance - soft) / room).exp())
    };
    reached.max((MIN_REACH * length).min(current_distance))
}
