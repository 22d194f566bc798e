//! Two-bone inverse kinematics: a leg (or arm) reaches a point by turning its knee and hip; joints above do not move.
//!
//! The knee turns about its own hinge, so its direction of bending is kept; then the hip swings the whole leg by the
//! shortest rotation. Two measures keep knees from popping. First, a leg is not stretched completely, because near
//! full length a small step of the foot needs a large one of the knee: beyond [`SOFT_REACH`] the reach approaches the
//! limit softly. A leg that is straighter than that in the motion is never straightened further. Second, an
//! over-extended knee (in some recordings, and in blends) is turned to bend forwards in proportion to the correction,
//! without a jump.

use crate::motion::ease::smoothstep;
use glam::{Quat, Vec3};

/// Fraction of the full length up to which a leg follows its target exactly.
pub const SOFT_REACH: f32 = 0.97;
/// Fraction of the full length that is never exceeded, unless the motion itself exceeds it.
pub const FULL_REACH: f32 = 0.995;
/// Correction, as a fraction of the leg length, at which a knee bent backwards is turned completely forwards.
pub const TURN_OVER: f32 = 0.03;
/// Smallest distance from hip to ankle, as a fraction of the leg length.
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
    /// Unit axis that the knee bends about (positive folds the leg); used when the leg is too straight to show its
    /// axis.
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
    /// Brings the ankle to `target`, or as near as the soft limits allow.
    pub fn reach(&self, target: Vec3) -> Reach {
        let (thigh, shin) = (self.middle - self.root, self.end - self.middle);
        let length = thigh.length() + shin.length();
        let now = (self.end - self.root).length();
        let distance = soft_reach((target - self.root).length(), now, length);
        let Some(axis) = self.bend_axis(thigh, shin) else {
            return Reach { upper: Quat::IDENTITY, lower: Quat::IDENTITY };
        };

        // |thigh + shin turned by φ about the axis|² = distance²  ⇔  cos(φ − straight) = fold(distance).
        let along = axis * shin.dot(axis);
        let (a, b) = (thigh.dot(shin - along), thigh.dot(axis.cross(shin)));
        let radius = a.hypot(b).max(1e-12);
        let fold = |distance: f32| {
            let c = (distance * distance - thigh.length_squared() - shin.length_squared()) / 2.0 - thigh.dot(along);
            (c / radius).clamp(-1.0, 1.0).acos()
        };
        // The angle of a knee bent backwards becomes negative as the correction grows, so that the knee turns
        // forwards; with almost no correction it stays.
        let backwards = axis.dot(thigh.cross(shin)) < 0.0;
        let moved = ((target - self.end).length() / (TURN_OVER * length)).min(1.0);
        let bent_now = if backwards { fold(now) * (1.0 - 2.0 * smoothstep(moved)) } else { fold(now) };
        let lower = Quat::from_axis_angle(axis, fold(distance) - bent_now);
        let bent = thigh + lower * shin;
        let upper = match (bent.try_normalize(), (target - self.root).try_normalize()) {
            (Some(from), Some(to)) => Quat::from_rotation_arc(from, to),
            _ => Quat::IDENTITY,
        };
        Reach { upper, lower }
    }

    /// Axis of the knee: its present axis, blended towards the given hinge where the leg is nearly straight.
    fn bend_axis(&self, thigh: Vec3, shin: Vec3) -> Option<Vec3> {
        let cross = thigh.cross(shin) / (thigh.length() * shin.length()).max(1e-12);
        let hinge = self.hinge.try_normalize();
        let side = hinge.map_or(1.0, |hinge| if cross.dot(hinge) < 0.0 { -1.0 } else { 1.0 });
        let sine = cross.length();
        let trust = ((sine - 0.1) / 0.25).clamp(0.0, 1.0);
        let shown = cross.try_normalize().map(|axis| axis * side);
        match (shown, hinge) {
            (Some(shown), Some(hinge)) => hinge.lerp(shown, smoothstep(trust)).try_normalize(),
            (shown, hinge) => shown.or(hinge),
        }
    }
}

/// Limits the distance from hip to ankle softly, metres.
fn soft_reach(wanted: f32, now: f32, length: f32) -> f32 {
    let soft = (SOFT_REACH * length).max(now);
    let full = (FULL_REACH * length).max(now);
    let room = full - soft;
    let reached = if wanted <= soft {
        wanted
    } else if room < 1e-6 {
        soft
    } else {
        soft + room * (1.0 - (-(wanted - soft) / room).exp())
    };
    reached.max((MIN_REACH * length).min(now))
}
