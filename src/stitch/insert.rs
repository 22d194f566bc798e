//! Number of frames inserted between two clips.

use super::{InsertedFrames, ScoredCut};
use crate::contract::INSERTED_FRAMES;
use crate::motion::clip::Clip;
use crate::motion::fk::Pose;
use crate::motion::root::Root;
use glam::{Quat, Vec3};

/// Time at the end of the first clip and at the start of the second over which the speed of the joints, relative to the
/// root, is averaged, seconds.
const SPEED_SECS: f64 = 0.5;
/// Smallest assumed speed of the joints, metres per second, in case both clips stand still.
const MIN_SPEED: f32 = 0.3;
/// Largest time that the distance of the poses alone gives, seconds.
const MAX_SECS: f64 = 2.0;

impl InsertedFrames {
    /// Returns the number of frames to insert between the end of `a` and the beginning of `b`.
    pub(super) fn count(self, a: &Clip, b: &Clip, root: &Root, cut: Option<&ScoredCut>) -> usize {
        match self {
            InsertedFrames::Count(frames) => frames,
            InsertedFrames::Auto => {
                let frames = transition_frames(a, b, root).max(cut.map_or(0, |cut| cut.inject));
                frames.clamp(*INSERTED_FRAMES.start(), *INSERTED_FRAMES.end())
            }
        }
    }
}

/// Returns the number of frames between the last pose of `a` and the first pose of `b` if the joints move from one to
/// the other at the mean speed of both clips. Each pose is taken relative to its root, in the same alignment, because
/// the clips are not placed yet.
pub(super) fn transition_frames(a: &Clip, b: &Clip, root: &Root) -> usize {
    let end = a.frames() - 1;
    let reference = root.pose(a, end);
    let joints = |clip: &Clip, frame: usize| -> Vec<Vec3> {
        let root_pose = root.pose(clip, frame);
        let rotation = Quat::from_rotation_y(root_pose.alignment_to(&reference));
        let positions = Pose::from_clip(clip, frame).world_positions.into_iter();
        positions.map(|position| rotation * (position - root_pose.world_position.with_y(0.0))).collect()
    };
    let distance =
        |a: &[Vec3], b: &[Vec3]| a.iter().zip(b).map(|(a, b)| a.distance(*b)).sum::<f32>() / a.len().max(1) as f32;
    let speed_frames = ((SPEED_SECS * a.fps()) as usize).max(1);
    let mean_speed = |clip: &Clip, from: usize, to: usize| {
        let frames: Vec<Vec<Vec3>> = (from..=to).map(|frame| joints(clip, frame)).collect();
        frames.windows(2).map(|pair| distance(&pair[0], &pair[1])).sum::<f32>() / (to - from).max(1) as f32
    };
    let speed_a = mean_speed(a, end.saturating_sub(speed_frames), end);
    let speed_b = mean_speed(b, 0, speed_frames.min(b.frames() - 1));
    let speed = ((speed_a + speed_b) / 2.0).max(MIN_SPEED / a.fps() as f32);
    // n intervals have n − 1 frames between the poses.
    let intervals = distance(&joints(a, end), &joints(b, 0)) / speed;
    let max_frames = (MAX_SECS * a.fps()) as usize;
    (intervals.ceil() as usize).saturating_sub(1).min(max_frames.max(1))
}
