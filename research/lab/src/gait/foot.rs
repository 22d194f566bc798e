//! One foot through a cycle: it rolls over heel and ball during stance, and swings from footprint to footprint.

use crate::curve::{radians, smooth};
use crate::gaits::Step;
use crate::pose::{Foot, yaw_pitch_roll};
use glam::{Quat, Vec3};

/// A foot at rest on the ground, metres.
#[derive(Debug, Clone, Copy)]
pub struct Shape {
    /// Height of the ankle above the ground.
    pub ankle_height: f32,
    /// Vector from the ankle to the ball of the foot.
    pub to_ball: Vec3,
    /// Distance from the ball to the tip of the toes.
    pub toe_length: f32,
    /// Distance from the ankle back to the heel; `None` for animals that walk on their toes.
    pub heel: Option<f32>,
}

/// A footprint: ground point below the ankle, and heading in radians.
#[derive(Debug, Clone, Copy)]
pub struct Footprint {
    pub ground: Vec3,
    pub heading: f32,
}

/// Returns the ankle position of a planted foot at a pitch, metres. The foot rotates about the heel when the toes are
/// up, and about the ball when the heel is up, so neither point slides.
pub fn planted(shape: Shape, footprint: Footprint, pitch: f32) -> Vec3 {
    let yaw = Quat::from_rotation_y(footprint.heading);
    let ankle = Vec3::new(0.0, shape.ankle_height, 0.0);
    let pivot = match shape.heel {
        Some(heel) if pitch <= 0.0 => Vec3::new(0.0, 0.0, -heel),
        _ => ankle + shape.to_ball,
    };
    footprint.ground + yaw * (pivot + Quat::from_rotation_x(pitch) * (ankle - pivot))
}

/// Returns the targets of the foot at `phase` (0..1) of a cycle. The cycle starts with contact on the footprint
/// `current` and ends with contact on `next`. `scale`: leg length relative to [`crate::gaits::REFERENCE_LEG`].
pub fn foot(shape: Shape, step: &Step, scale: f32, current: Footprint, next: Footprint, phase: f32) -> Foot {
    let pitch = radians(step.foot_pitch, phase);
    let (world_ankle, heading) = if phase <= step.stance {
        (planted(shape, current, pitch), current.heading)
    } else {
        let u = (phase - step.stance) / (1.0 - step.stance);
        let heading = current.heading + (next.heading - current.heading) * smooth(u);
        (swing(shape, step, scale, current, next, u), heading)
    };
    let world_rotation = yaw_pitch_roll(heading, pitch, 0.0);
    // The height of the ball limits the pitch of the toes: their tip stays above the ground.
    let ball = world_ankle + world_rotation * shape.to_ball;
    let rest = shape.ankle_height + shape.to_ball.y;
    let max_toe_pitch = ((ball.y - rest) / shape.toe_length).clamp(0.0, 1.0).asin();
    let toe_pitch = if pitch > 0.0 { soft_min(pitch, max_toe_pitch) } else { shape.heel.map_or(0.0, |_| pitch) };
    Foot { world_ankle, world_rotation, world_toes: yaw_pitch_roll(heading, toe_pitch, 0.0) }
}

/// Smooth minimum of two angles in 0..π/2.
fn soft_min(a: f32, b: f32) -> f32 {
    let width = 0.15;
    let overlap = (width - (a - b).abs()).max(0.0) / width;
    (a.min(b) - overlap * overlap * width * 0.25).max(0.0)
}

/// Returns the ankle position during swing, metres. `u`: finished fraction of the swing, 0..1. The velocity at lift-off
/// is that of the rolling foot; at landing, [`Step::landing`] is added to that velocity.
fn swing(shape: Shape, step: &Step, scale: f32, current: Footprint, next: Footprint, u: f32) -> Vec3 {
    let rolling = |footprint: Footprint, phase: f32| planted(shape, footprint, radians(step.foot_pitch, phase));
    // Step of the finite differences, cycles. The velocities at start and end are in metres per swing.
    let instant = 0.004;
    let span = 1.0 - step.stance;
    let start = rolling(current, step.stance);
    let end = rolling(next, 0.0);
    let start_velocity = (start - rolling(current, step.stance - instant)) * (span / instant);
    let swing_secs = span * step.cycle_frames as f32 / 30.0;
    let [forward, down] = step.landing;
    let landing_velocity = Quat::from_rotation_y(next.heading) * Vec3::new(0.0, -down, forward * step.speed);
    let end_velocity = (rolling(next, instant) - end) * (span / instant) + landing_velocity * (scale * swing_secs);
    // Quintic Hermite with zero acceleration at both ends.
    let (u2, u3) = (u * u, u * u * u);
    let blend = u3 * (10.0 - 15.0 * u + 6.0 * u2);
    let start_slope = u - u3 * (6.0 - 8.0 * u + 3.0 * u2);
    let end_slope = u3 * (-4.0 + 7.0 * u - 3.0 * u2);
    let (lift, peak) = step.lift;
    // u^a (1−u)^b has its peak at a / (a + b).
    let (a, b) = (2.0, 2.0 * (1.0 - peak) / peak);
    let bump = u.powf(a) * (1.0 - u).powf(b) / (peak.powf(a) * (1.0 - peak).powf(b));
    start * (1.0 - blend)
        + end * blend
        + start_velocity * start_slope
        + end_velocity * end_slope
        + Vec3::Y * (lift * scale * bump)
}
