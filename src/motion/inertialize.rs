//! Inertialization: an offset that decays to zero, starting with its own velocity.
//!
//! D. Bollo, "Inertialization: High-Performance Animation Transitions in Gears of War", GDC 2018. At the
//! transition, the offset x₀ from the new clip's pose to the old pose, and its rate of change v₀, are measured once.
//! From then on the new clip is played, plus an offset: a quintic that starts with x₀ and v₀ and has zero value,
//! velocity and acceleration at the end of the blend.
//!
//! One difference from the paper: Bollo uses only the component of v₀ that points from the offset towards zero, and
//! drops the rest, so a joint that swings across its offset loses its velocity in one frame. Here the component towards
//! zero goes into Bollo's quintic, with his shortened duration against overshoot (but at least [`MIN_DECAY_FRACTION`]
//! of the blend). The rest of the velocity, v, is braked: it adds the offset v t (1 − t/T)³ over a short time T,
//! bounded so that the joint does not move far.

use crate::motion::quat::log;
use glam::{Quat, Vec3};

/// Longest time T in which sideways and outward velocity is braked, seconds.
pub const BRAKE_SECS: f32 = 0.35;
/// Largest offset that the braked velocity may add: radians for rotations, metres for translations. T is shortened to
/// keep it, but not below two frames.
pub const BRAKE_REACH: f32 = 0.3;
/// Shortest decay time of an offset, as a fraction of the blend.
pub const MIN_DECAY_FRACTION: f32 = 0.5;
/// Peak of t (1 − t)³, reached at t = ¼.
const BRAKE_PEAK: f32 = 27.0 / 256.0;

/// A decaying offset of three components: a rotation vector (radians) or a translation (metres). Time in frames.
#[derive(Debug, Clone, Copy, Default)]
pub struct Decay {
    direction: Vec3,
    /// Coefficients of t⁵ … t⁰ along `direction`.
    quintic: [f32; 6],
    quintic_frames: f32,
    brake_velocity: Vec3,
    brake_frames: f32,
}

impl Decay {
    /// Creates a decay from `offset`, with `velocity` per frame, at time 0 to zero after `frames`. `brake_frames` is
    /// [`BRAKE_SECS`] in frames.
    pub fn new(offset: Vec3, velocity: Vec3, frames: f32, brake_frames: f32) -> Self {
        let x0 = offset.length();
        let direction = if x0 > 1e-9 { offset / x0 } else { Vec3::ZERO };
        // Limited so that the offset reaches zero no sooner than `MIN_DECAY_FRACTION` of the blend; the rest is braked.
        let min_v0 = -5.0 * x0 / (MIN_DECAY_FRACTION * frames).max(1e-6);
        let v0 = velocity.dot(direction).clamp(min_v0, 0.0);
        let (quintic, quintic_frames) = quintic(x0, v0, frames);
        let brake_velocity = velocity - v0 * direction;
        let offset_per_frame = brake_velocity.length() * BRAKE_PEAK;
        let max_brake_frames = if offset_per_frame > 1e-9 { BRAKE_REACH / offset_per_frame } else { frames };
        let brake_frames = brake_frames.min(max_brake_frames).max(2.0).min(frames);
        Self { direction, quintic, quintic_frames, brake_velocity, brake_frames }
    }

    /// Returns the offset at a time in frames; exactly zero after the end.
    pub fn offset_at(&self, time: f32) -> Vec3 {
        let mut offset = Vec3::ZERO;
        if time < self.quintic_frames {
            offset = self.direction * self.quintic.iter().fold(0.0, |sum, coefficient| sum * time + coefficient);
        }
        if time < self.brake_frames {
            offset += self.brake_velocity * (time * (1.0 - time / self.brake_frames).powi(3));
        }
        offset
    }
}

/// Computes Bollo's quintic for x₀ ≥ 0 and v₀ ≤ 0: its coefficients, t⁵ first, and its duration, which is at most
/// −5 x₀ / v₀ so that the offset does not cross zero.
fn quintic(x0: f32, v0: f32, frames: f32) -> ([f32; 6], f32) {
    let t1 = if v0 < 0.0 { frames.min(-5.0 * x0 / v0) } else { frames };
    if x0 <= 1e-9 || t1 < 1e-3 {
        return ([0.0; 6], 0.0);
    }
    let (t2, t3) = (t1 * t1, t1 * t1 * t1);
    let a0 = ((-8.0 * v0 * t1 - 20.0 * x0) / t2).max(0.0);
    let a = -(a0 * t2 + 6.0 * v0 * t1 + 12.0 * x0) / (2.0 * t2 * t3);
    let b = (3.0 * a0 * t2 + 16.0 * v0 * t1 + 30.0 * x0) / (2.0 * t2 * t2);
    let c = -(3.0 * a0 * t2 + 12.0 * v0 * t1 + 20.0 * x0) / (2.0 * t3);
    ([a, b, c, a0 / 2.0, v0, x0], t1)
}

/// Computes the decay of the rotation between the old motion (`old`, at times −1 and 0) and the new clip (`new`, at the
/// same times). Apply it as `exp(decay.offset_at(t)) * new(t)`.
pub fn rotation_decay(old: [Quat; 2], new: [Quat; 2], frames: f32, brake_frames: f32) -> Decay {
    let current = log(old[1] * new[1].conjugate());
    let mut previous = log(old[0] * new[0].conjugate());
    // Two rotation vectors of one rotation differ by a full turn about the axis; use the one nearer to `current`.
    let other = previous - previous.normalize_or_zero() * std::f32::consts::TAU;
    if other.distance_squared(current) < previous.distance_squared(current) {
        previous = other;
    }
    Decay::new(current, current - previous, frames, brake_frames)
}

/// Computes the decay of a translation, metres; arguments as in [`rotation_decay`].
pub fn translation_decay(old: [Vec3; 2], new: [Vec3; 2], frames: f32, brake_frames: f32) -> Decay {
    let (previous, current) = (old[0] - new[0], old[1] - new[1]);
    Decay::new(current, current - previous, frames, brake_frames)
}
