//! One foot through a cycle: it rolls over heel and ball during stance, and swings from footprint to footprint.

use crate::curve::{radians, smooth};
use crate::pose::{Foot, turned};
use crate::style::Step;
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
pub struct Print {
    pub ground: Vec3,
    pub heading: f32,
}

/// Ankle of a planted foot at a pitch. The foot rotates about the heel when the toes are up, and about the ball when
/// the heel is up, so neither point slides.
pub fn planted(shape: Shape, print: Print, pitch: f32) -> Vec3 {
    let yaw = Quat::from_rotation_y(print.heading);
    let ankle = Vec3::new(0.0, shape.ankle_height, 0.0);
    let pivot = match shape.heel {
        Some(heel) if pitch <= 0.0 => Vec3::new(0.0, 0.0, -heel),
        _ => ankle + shape.to_ball,
    };
    print.ground + yaw * (pivot + Quat::from_rotation_x(pitch) * (ankle - pivot))
}

/// Foot at `phase` (0..1) of the cycle that starts with contact on `here` and ends on `next`.
pub fn foot(shape: Shape, step: &Step, scale: f32, here: Print, next: Print, phase: f32) -> Foot {
    let pitch = radians(step.foot_pitch, phase);
    let (world_ankle, heading) = if phase <= step.stance {
        (planted(shape, here, pitch), here.heading)
    } else {
        let u = (phase - step.stance) / (1.0 - step.stance);
        let heading = here.heading + (next.heading - here.heading) * smooth(u);
        (swing(shape, step, scale, here, next, u), heading)
    };
    let world_rotation = turned(heading, pitch, 0.0);
    // Toes stay flat until the ball is high enough for them to follow the foot.
    let ball = world_ankle + world_rotation * shape.to_ball;
    let rest = shape.ankle_height + shape.to_ball.y;
    let room = ((ball.y - rest) / shape.toe_length).clamp(0.0, 1.0).asin();
    let toe_pitch = if pitch > 0.0 { soft_min(pitch, room) } else { shape.heel.map_or(0.0, |_| pitch) };
    Foot { world_ankle, world_rotation, world_toes: turned(heading, toe_pitch, 0.0) }
}

/// Smooth minimum of two angles in 0..π/2.
fn soft_min(a: f32, b: f32) -> f32 {
    let round = 0.15;
    let gap = (round - (a - b).abs()).max(0.0) / round;
    (a.min(b) - gap * gap * round * 0.25).max(0.0)
}

/// Ankle during swing, u in 0..1. Velocities at lift-off and landing match those of the rolling foot.
fn swing(shape: Shape, step: &Step, scale: f32, here: Print, next: Print, u: f32) -> Vec3 {
    let rolling = |print: Print, phase: f32| planted(shape, print, radians(step.foot_pitch, phase));
    let instant = 0.004;
    let span = 1.0 - step.stance;
    let start = rolling(here, step.stance);
    let end = rolling(next, 0.0);
    let leave = (start - rolling(here, step.stance - instant)) * (span / instant);
    let swing_secs = span * step.cycle_frames as f32 / 30.0;
    let [forward, down] = step.landing;
    let landing = Quat::from_rotation_y(next.heading) * Vec3::new(0.0, -down, forward * step.speed);
    let meet = (rolling(next, instant) - end) * (span / instant) + landing * (scale * swing_secs);
    // Quintic Hermite with zero acceleration at both ends.
    let (u2, u3) = (u * u, u * u * u);
    let rise = u3 * (10.0 - 15.0 * u + 6.0 * u2);
    let from = u - u3 * (6.0 - 8.0 * u + 3.0 * u2);
    let to = u3 * (-4.0 + 7.0 * u - 3.0 * u2);
    let (lift, peak) = step.lift;
    // u^a (1−u)^b has its peak at a / (a + b).
    let (a, b) = (2.0, 2.0 * (1.0 - peak) / peak);
    let bump = u.powf(a) * (1.0 - u).powf(b) / (peak.powf(a) * (1.0 - peak).powf(b));
    start * (1.0 - rise) + end * rise + leave * from + meet * to + Vec3::Y * (lift * scale * bump)
}
