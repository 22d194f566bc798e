//! Closed loops: clips whose last pose leads to their first.

use crate::motion::clip::Clip;
use crate::motion::fk::Pose;
use crate::motion::root::{GroundTransform, Root};
use glam::Vec3;

/// A clip is a loop if its ends differ by at most this multiple of its mean movement per frame …
const MAX_STEPS: f32 = 2.5;
/// … or by at most this fraction of the body's size (idle clips hardly move).
const MAX_DISTANCE: f32 = 0.01;
/// The last frame repeats the first if they differ by at most this fraction of the mean movement per frame.
const REPEATED: f32 = 0.35;
/// Shortest loop, frames.
const MIN_FRAMES: usize = 8;

/// Returns the number of frames of one period if a clip is a closed loop, without a last frame that repeats the first;
/// `None` if it is not.
pub fn period(clip: &Clip, root: &Root) -> Option<usize> {
    let frames = clip.frames();
    if frames < MIN_FRAMES {
        return None;
    }
    let poses: Vec<Vec<Vec3>> = (0..frames).map(|frame| local_positions(clip, root, frame)).collect();
    let distance = |a: usize, b: usize| {
        let (a, b) = (&poses[a], &poses[b]);
        a.iter().zip(b).map(|(a, b)| a.distance(*b)).sum::<f32>() / a.len() as f32
    };
    let step = (1..frames).map(|frame| distance(frame - 1, frame)).sum::<f32>() / (frames - 1) as f32;
    let size = poses[0].iter().map(|position| position.length()).fold(0.0, f32::max);
    let closing = distance(frames - 1, 0);
    if closing > (MAX_STEPS * step).max(MAX_DISTANCE * size) {
        return None;
    }
    Some(if closing <= REPEATED * step { frames - 1 } else { frames })
}

/// Returns the positions of all joints relative to position and heading of the body, metres, `[joints]`.
fn local_positions(clip: &Clip, root: &Root, frame: usize) -> Vec<Vec3> {
    let body = root.pose(clip, frame);
    let to_body = GroundTransform::from_points(body.world_position, Vec3::ZERO, -body.heading());
    Pose::from_clip(clip, frame).world_positions.into_iter().map(|position| to_body.apply(position)).collect()
}
