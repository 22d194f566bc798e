//! Inertialization: an offset, with the velocity it starts with, that decays to nothing.
//!
//! D. Bollo, "Inertialization: High-Performance Animation Transitions in Gears of War", GDC 2018 (and 2016). At the
//! transition the difference x₀ between where the body is and where the new clip wants it, and the rate v₀ at which that
//! difference changes, are measured once; from then on only the new clip is played, plus a quintic that starts at x₀, v₀
//! and reaches zero value, velocity and acceleration after the blend.
//!
//! Ours differs in one thing. Bollo projects the velocity onto the offset's own axis, clamps it where it points away, and
//! drops the rest; a joint that swings across its offset then loses its speed in one frame. Here the part of v₀ that
//! points towards zero goes into Bollo's quintic, with his shortened duration against overshoot (but no shorter than
//! [`LEAST_PART`] of the blend); the rest decays as
//! v t (1 − t/T)³ over a short time T of its own, bounded so that it never carries the joint far.

use crate::motion::quat::log;
use glam::{Quat, Vec3};

/// The sideways and outward velocity is braked within this many seconds at most …
pub const BRAKE_SECS: f32 = 0.35;
/// … and carries a joint no farther than this: radians for rotations, metres for translations.
pub const BRAKE_REACH: f32 = 0.3;
/// An offset takes at least this part of the blend to vanish.
pub const LEAST_PART: f32 = 0.5;
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
    /// `offset` at time 0, `velocity` a frame, gone after `frames`. `brake_frames` is [`BRAKE_SECS`] in frames.
    pub fn new(offset: Vec3, velocity: Vec3, frames: f32, brake_frames: f32) -> Self {
        let x0 = offset.length();
        let direction = if x0 > 1e-9 { offset / x0 } else { Vec3::ZERO };
        // No more than brings the offset to zero within a part of the blend; the rest is braked.
        let fastest = -5.0 * x0 / (LEAST_PART * frames).max(1e-6);
        let v0 = velocity.dot(direction).clamp(fastest, 0.0);
        let (quintic, quintic_frames) = quintic(x0, v0, frames);
        let brake_velocity = velocity - v0 * direction;
        let reach = brake_velocity.length() * BRAKE_PEAK;
        let longest = if reach > 1e-9 { BRAKE_REACH / reach } else { frames };
        let brake_frames = brake_frames.min(longest).max(2.0).min(frames);
        Self { direction, quintic, quintic_frames, brake_velocity, brake_frames }
    }

    /// The offset at a time in frames; exactly zero from the end on.
    pub fn at(&self, time: f32) -> Vec3 {
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

/// Bollo's quintic for x₀ ≥ 0 and v₀ ≤ 0: its coefficients, t⁵ first, and its duration, cut to −5 x₀ / v₀ so that the
/// offset does not pass through zero.
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

/// Decay of a rotation: from what the old motion does (`old` at times −1 and 0) to what the new clip does (`new`, likewise).
/// Apply as `exp(decay.at(t)) * new(t)`.
pub fn rotation_decay(old: [Quat; 2], new: [Quat; 2], frames: f32, brake_frames: f32) -> Decay {
    let now = log(old[1] * new[1].conjugate());
    let mut before = log(old[0] * new[0].conjugate());
    // Two vectors of the same rotation differ by a whole turn about the axis; take the one near `now`.
    if before.dot(now) < 0.0 && before.length() > std::f32::consts::FRAC_PI_2 {
        before -= before.normalize() * std::f32::consts::TAU;
    }
    Decay::new(now, now - before, frames, brake_frames)
}

/// Decay of a translation, metres; arguments as in [`rotation_decay`].
pub fn translation_decay(old: [Vec3; 2], new: [Vec3; 2], frames: f32, brake_frames: f32) -> Decay {
    let (before, now) = (old[0] - new[0], old[1] - new[1]);
    Decay::new(now, now - before, frames, brake_frames)
}
