//! Smoothness: jerk, jumps between frames, and errors of bone lengths.

use crate::body::to_canonical;
use crate::motion::clip::Clip;
use crate::motion::fk::world_positions;
use crate::motion::resample::resample;
use crate::motion::rig::Rig;
use glam::Vec3;
use std::ops::Range;

/// Returns the largest joint jerk of every frame, `[frames]`, m/s³: the third difference of the world positions over
/// the frames t − 2 .. t + 1. It is zero for the first two frames and the last.
pub fn jerk(clip: &Clip) -> Vec<f32> {
    let positions = world_positions(clip);
    let (joints, fps_cubed) = (clip.joints(), clip.fps().powi(3) as f32);
    let row = |frame: usize| &positions[frame * joints..][..joints];
    let mut jerks = vec![0.0; clip.frames()];
    for frame in 2..clip.frames().saturating_sub(1) {
        let [a, b, c, d] = [row(frame - 2), row(frame - 1), row(frame), row(frame + 1)];
        let third = (0..joints).map(|j| ((d[j] - a[j]) - (c[j] - b[j]) * 3.0).length());
        jerks[frame] = third.fold(0.0, f32::max) * fps_cubed;
    }
    jerks
}

/// Rate at which speeds and jerk are measured that are shown to people, frames per second. Jerk grows with the cube of
/// the rate, because the noise of a capture does not depend on it.
pub const SHOWN_FPS: f64 = 30.0;

/// Returns the largest joint jerk around every frame, `[frames]`, m/s³: measured at [`SHOWN_FPS`] on the canonical body,
/// so that motions of any rate and size compare; on the clip's own joints if it has no such body.
pub fn shown_jerk(clip: &Clip, rig: &Rig) -> Vec<f32> {
    let body = to_canonical(clip, rig).map_or_else(|_| clip.clone(), |canonical| canonical.clip);
    let Ok(body) = resample(&body, SHOWN_FPS) else { return vec![0.0; clip.frames()] };
    let jerks = jerk(&body);
    let Some(last) = jerks.len().checked_sub(1) else { return vec![0.0; clip.frames()] };
    let step = SHOWN_FPS / clip.fps();
    (0..clip.frames()).map(|frame| jerks[((frame as f64 * step).round() as usize).min(last)]).collect()
}

/// Returns the largest joint jerk of a range of frames, see [`shown_jerk`]; 0 for an empty range.
pub fn shown_peak_jerk(clip: &Clip, rig: &Rig, frames: Range<usize>) -> f32 {
    clip.trimmed(frames).map_or(0.0, |part| shown_jerk(&part, rig).into_iter().fold(0.0, f32::max))
}

/// Returns the largest joint jerk of each of `frames`, m/s³. Jerk outside of them counts for the nearest of them.
/// `frames` must not be empty.
pub(crate) fn jerk_within(clip: &Clip, frames: Range<usize>) -> Vec<f32> {
    let mut within = vec![0.0_f32; frames.len()];
    for (frame, jerk) in jerk(clip).into_iter().enumerate() {
        let frame = frame.saturating_sub(frames.start).min(frames.len() - 1);
        within[frame] = within[frame].max(jerk);
    }
    within
}

/// Returns the largest world displacement of any joint since the frame before, `[frames]`, metres; zero for the first
/// frame.
pub fn steps(clip: &Clip) -> Vec<f32> {
    let positions = world_positions(clip);
    let joints = clip.joints();
    let step = |frame: usize| {
        let (previous, current) =
            (&positions[(frame - 1) * joints..][..joints], &positions[frame * joints..][..joints]);
        previous.iter().zip(current).map(|(a, b)| a.distance(*b)).fold(0.0, f32::max)
    };
    (0..clip.frames()).map(|frame| if frame == 0 { 0.0 } else { step(frame) }).collect()
}

/// Returns the largest world displacement of any joint between two consecutive frames, metres; see [`steps`].
pub fn largest_step(clip: &Clip) -> f32 {
    steps(clip).into_iter().fold(0.0, f32::max)
}

/// Returns the mean absolute deviation of bones from their rest lengths, metres, for predicted world positions
/// [frames × joints]. `parents` and `lengths` are `[joints]`; joints without a parent are left out.
pub fn bone_length_error(world_positions: &[Vec3], parents: &[Option<usize>], lengths: &[f32]) -> f32 {
    let (mut sum, mut count) = (0.0_f64, 0_usize);
    for pose in world_positions.chunks_exact(parents.len()) {
        for ((joint, parent), length) in parents.iter().enumerate().zip(lengths) {
            if let Some(parent) = *parent {
                sum += f64::from((pose[joint].distance(pose[parent]) - length).abs());
                count += 1;
            }
        }
    }
    (sum / count.max(1) as f64) as f32
}
