//! Default placement of a clip after inserted frames: where the previous clip arrives if its motion over the ground
//! continues during these frames.

use crate::motion::clip::Clip;
use crate::motion::ease::smoothstep;
use crate::motion::root::{GroundTransform, Root, wrap};
use glam::{Quat, Vec3};
use std::ops::Range;

/// Time over which velocities and turning rates are averaged, seconds: half a stride.
const PACE_SECS: f64 = 0.5;
/// The body turns at most as far as in this time at its mean turning rate, seconds.
const TURN_SECS: f64 = 1.0;
/// Part of a turning rate that is the sway of hips and shoulders, not a turn of the body, and is subtracted; radians per
/// second.
pub(crate) const SWAY_RATE: f32 = 0.2;

/// Velocity and turning rate of a body over the ground.
struct Pace {
    /// Metres per frame, in axes aligned with the heading: z is forwards.
    velocity: Vec3,
    /// Radians per frame.
    turn_rate: f32,
}

/// Computes the transform that brings frame `first` of `next` to the extrapolated position of `previous` after its frame
/// `last`, with `frames` frames between the two. Between the two frames, the velocity changes smoothly from that of
/// `previous` to that of `next`. The body turns by the mean of both turning rates times the duration, at most
/// [`TURN_SECS`], slowly at first and at the end.
pub fn extrapolate_placement(
    previous: &Clip,
    last: usize,
    next: &Clip,
    first: usize,
    root: &Root,
    frames: usize,
) -> GroundTransform {
    let window = ((PACE_SECS * previous.fps()) as usize).max(1);
    let frames_before = match last {
        0 => 0..window.min(previous.frames() - 1),
        _ => last.saturating_sub(window)..last,
    };
    let frames_after = first..(first + window).min(next.frames() - 1);
    let frames_after = if frames_after.is_empty() { first.saturating_sub(window)..first } else { frames_after };
    let (pace_before, pace_after) = (pace(previous, root, frames_before), pace(next, root, frames_after));

    let steps = frames + 1;
    let turn_frames = steps.min((TURN_SECS * previous.fps()) as usize);
    let total_turn = (pace_before.turn_rate + pace_after.turn_rate) / 2.0 * turn_frames as f32;
    let last_pose = root.pose(previous, last);
    let mut position = last_pose.world_position;
    for step in 1..=steps {
        let weight = smoothstep(step as f32 / steps as f32);
        let yaw = last_pose.heading() + total_turn * weight;
        position += Quat::from_rotation_y(yaw) * pace_before.velocity.lerp(pace_after.velocity, weight);
    }
    let first_pose = root.pose(next, first);
    GroundTransform::from_points(
        first_pose.world_position,
        position,
        wrap(first_pose.alignment_to(&last_pose) + total_turn),
    )
}

/// Measures the mean pace from the pose at the start of `frames` to the pose at its end.
fn pace(clip: &Clip, root: &Root, frames: Range<usize>) -> Pace {
    if frames.is_empty() {
        return Pace { velocity: Vec3::ZERO, turn_rate: 0.0 };
    }
    let (from, to) = (root.pose(clip, frames.start), root.pose(clip, frames.end));
    let count = frames.len() as f32;
    let turn_rate = from.turn_to(&to) / count;
    let sway = SWAY_RATE / clip.fps() as f32;
    // The straight line between the ends of a curved path has the heading of the middle of the turn.
    let to_mid_turn = Quat::from_rotation_y(-from.heading() - turn_rate * count / 2.0);
    Pace {
        velocity: to_mid_turn * (to.world_position - from.world_position).with_y(0.0) / count,
        turn_rate: turn_rate - turn_rate.clamp(-sway, sway),
    }
}
