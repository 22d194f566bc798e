//! Extrapolation of a motion over the ground: the default placement of the next clip when frames are inserted between
//! two clips.

use crate::motion::clip::Clip;
use crate::motion::ease::smoothstep;
use crate::motion::root::{GroundTransform, Root, wrap};
use glam::{Quat, Vec3};
use std::ops::Range;

/// Velocities and turning rates are averaged over this time, seconds: half a stride.
const PACE_SECS: f64 = 0.5;
/// Longest time for which turning continues, seconds.
const TURN_SECS: f64 = 1.0;
/// Turning rates below this are the swing of hips and shoulders, radians per second.
const FEIGNED_TURN: f32 = 0.2;

/// Velocity of a body over the ground.
struct Pace {
    /// Metres per frame, in the frame of its heading.
    step: Vec3,
    /// Radians per frame.
    turn: f32,
}

/// Computes the transform that brings frame `first` of `next` to the extrapolated position of `placed`, `frames` frames
/// after its frame `last`. Velocity and turning rate change along the path from those of `placed` to those of `next`.
pub fn extrapolate_placement(
    placed: &Clip,
    last: usize,
    next: &Clip,
    first: usize,
    root: &Root,
    frames: usize,
) -> GroundTransform {
    let window = ((PACE_SECS * placed.fps()) as usize).max(1);
    let from = match last {
        0 => 0..window.min(placed.frames() - 1),
        _ => last.saturating_sub(window)..last,
    };
    let ahead = first..(first + window).min(next.frames() - 1);
    let ahead = if ahead.is_empty() { first.saturating_sub(window)..first } else { ahead };
    let (a, b) = (pace(placed, root, from), pace(next, root, ahead));

    let steps = frames + 1;
    let turning = steps.min((TURN_SECS * placed.fps()) as usize);
    let turned = (a.turn + b.turn) / 2.0 * turning as f32;
    let now = root.pose(placed, last);
    let mut place = now.world_position;
    for step in 1..=steps {
        let part = smoothstep(step as f32 / steps as f32);
        let yaw = now.heading() + turned * part;
        place += Quat::from_rotation_y(yaw) * a.step.lerp(b.step, part);
    }
    let there = root.pose(next, first);
    GroundTransform::from_points(there.world_position, place, wrap(now.heading() + turned - there.heading()))
}

fn pace(clip: &Clip, root: &Root, frames: Range<usize>) -> Pace {
    if frames.is_empty() {
        return Pace { step: Vec3::ZERO, turn: 0.0 };
    }
    let (from, to) = (root.pose(clip, frames.start), root.pose(clip, frames.end));
    let count = frames.len() as f32;
    let turn = from.turn_to(&to) / count;
    let feigned = FEIGNED_TURN / clip.fps() as f32;
    // The chord of the path has the heading of the middle of the turn.
    let middle = Quat::from_rotation_y(-from.heading() - turn * count / 2.0);
    Pace {
        step: middle * (to.world_position - from.world_position).with_y(0.0) / count,
        turn: turn - turn.clamp(-feigned, feigned),
    }
}
