//! Default placement of a clip after inserted frames: where the previous clip arrives if its motion over the ground
//! continues during these frames.

use crate::motion::clip::Clip;
use crate::motion::ease::smoothstep;
use crate::motion::gait::Gait;
use crate::motion::root::{GroundTransform, Root, RootPose, wrap};
use glam::Quat;

/// The body turns at most as far as in this time at its mean turning rate, seconds.
const TURN_SECS: f64 = 1.0;

/// Computes the transform that brings frame `first` of `next` to the extrapolated position of `previous` after its frame
/// `last`, with `frames` frames between the two, see [`placement_between`].
pub fn extrapolate_placement(
    previous: &Clip,
    last: usize,
    next: &Clip,
    first: usize,
    root: &Root,
    frames: usize,
) -> GroundTransform {
    let gaits = [Gait::before(previous, root, last), Gait::after(next, root, first)];
    let ends = [root.pose(previous, last), root.pose(next, first)];
    placement_between(ends, gaits, root, frames, previous.fps())
}

/// Computes the transform of the second of two poses after `frames` frames. Between the two, the velocity changes
/// smoothly from that of the first gait to that of the second. The body turns by the mean of both turning rates times
/// the duration, at most [`TURN_SECS`], slowly at first and at the end. `fps`: frame rate, frames per second.
pub fn placement_between(
    [last, first]: [RootPose; 2],
    [before, after]: [Gait; 2],
    root: &Root,
    frames: usize,
    fps: f64,
) -> GroundTransform {
    let steps = frames + 1;
    let turn_frames = steps.min((TURN_SECS * fps) as usize);
    let total_turn = (before.turn_rate + after.turn_rate) / 2.0 * turn_frames as f32;
    let mut position = last.world_position;
    for step in 1..=steps {
        let weight = smoothstep(step as f32 / steps as f32);
        let yaw = before.heading + total_turn * weight;
        position += Quat::from_rotation_y(yaw) * before.velocity.lerp(after.velocity, weight);
    }
    let yaw = Gait::alignment([before, after], &last, &first, root) + total_turn;
    GroundTransform::from_points(first.world_position, position, wrap(yaw))
}
