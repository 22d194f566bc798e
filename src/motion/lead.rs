//! Where a motion leads: where the next one stands when frames are put between two, and nobody says.

use crate::motion::clip::Clip;
use crate::motion::ease::smoothstep;
use crate::motion::root::{Placement, Root, wrap};
use glam::{Quat, Vec3};
use std::ops::Range;

/// Speeds and turning rates are averaged over this long, seconds: half a stride.
const PACE_SECS: f64 = 0.5;
/// Turning is carried on for this long at most, seconds; one who turns goes straight again.
const TURN_SECS: f64 = 1.0;
/// Turning rates below this are the swing of hips and shoulders, radians a second.
const FEIGNED_TURN: f32 = 0.2;

/// How a body moves over the ground.
struct Pace {
    /// Metres a frame, in its own heading.
    step: Vec3,
    /// Radians a frame.
    turn: f32,
}

/// Brings frame `first` of `next` to where the motion leads from frame `last` of `placed` with `frames` frames in between:
/// along a path whose speed and turning pass from the one's to the other's.
pub fn led(placed: &Clip, last: usize, next: &Clip, first: usize, root: &Root, frames: usize) -> Placement {
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
    let now = root.standing(placed, last);
    let mut place = now.world_position;
    for step in 1..=steps {
        let part = smoothstep(step as f32 / steps as f32);
        let yaw = now.heading() + turned * part;
        place += Quat::from_rotation_y(yaw) * a.step.lerp(b.step, part);
    }
    let there = root.standing(next, first);
    Placement::bringing(there.world_position, place, wrap(now.heading() + turned - there.heading()))
}

fn pace(clip: &Clip, root: &Root, frames: Range<usize>) -> Pace {
    if frames.is_empty() {
        return Pace { step: Vec3::ZERO, turn: 0.0 };
    }
    let (from, to) = (root.standing(clip, frames.start), root.standing(clip, frames.end));
    let count = frames.len() as f32;
    let turn = from.turn_to(&to) / count;
    let feigned = FEIGNED_TURN / clip.fps() as f32;
    // The way's chord points along the middle of the turn.
    let middle = Quat::from_rotation_y(-from.heading() - turn * count / 2.0);
    Pace {
        step: middle * (to.world_position - from.world_position).with_y(0.0) / count,
        turn: turn - turn.clamp(-feigned, feigned),
    }
}
