//! Number of frames inserted between two clips.

use crate::error::{Error, Result};
use crate::method::interpolate::GAP_FRAMES;
use crate::method::lscore::Cut;
use crate::motion::clip::Clip;
use crate::motion::fk::Pose;
use crate::motion::root::Root;
use glam::{Quat, Vec3};

/// The clips' own speed is averaged over this duration to both sides of a seam, seconds.
const PACE_SECS: f64 = 0.5;
/// Smallest assumed speed of joints, metres per second, for clips that stand still.
const LEAST_PACE: f32 = 0.3;
/// Longest insertion, seconds.
const LONGEST_SECS: f64 = 2.0;

/// Frames inserted between two clips, interpolated with the velocities of both; see
/// [`crate::method::interpolate::insert`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Insert {
    /// None: clips are joined by [`super::StitchOptions::join`].
    #[default]
    None,
    /// A fixed number at every seam, at the result's rate.
    Frames(usize),
    /// At each seam the number that the cheapest cut injects ([`crate::method::lscore`]), or the number that the
    /// clips need between the two poses at their own speed, whichever is more.
    Auto,
}

impl Insert {
    pub(super) fn check(self) -> Result<()> {
        match self {
            Insert::Frames(frames) if !GAP_FRAMES.contains(&frames) => {
                let (least, most) = (GAP_FRAMES.start(), GAP_FRAMES.end());
                let message = format!("{least} to {most} frames can be put between two clips, not {frames}");
                Err(Error::Option { option: "gap", message })
            }
            _ => Ok(()),
        }
    }

    /// Number of frames between the end of `a` and the beginning of `b`.
    pub(super) fn frames(self, a: &Clip, b: &Clip, root: &Root, cut: Option<&Cut>) -> usize {
        match self {
            Insert::None => 0,
            Insert::Frames(frames) => frames,
            Insert::Auto => way(a, b, root).max(cut.map_or(0, |cut| cut.inject)).max(1),
        }
    }
}

/// Number of frames that the joints need from the last pose of `a` to the first of `b` at the clips' own speed. Poses
/// are compared relative to their own root and heading, since the placement is not given.
fn way(a: &Clip, b: &Clip, root: &Root) -> usize {
    let joints = |clip: &Clip, frame: usize| -> Vec<Vec3> {
        let standing = root.pose(clip, frame);
        let back = Quat::from_rotation_y(-standing.heading());
        let places = Pose::from_clip(clip, frame).world_positions.into_iter();
        places.map(|place| back * (place - standing.world_position.with_y(0.0))).collect()
    };
    let distance =
        |a: &[Vec3], b: &[Vec3]| a.iter().zip(b).map(|(a, b)| a.distance(*b)).sum::<f32>() / a.len().max(1) as f32;
    let window = ((PACE_SECS * a.fps()) as usize).max(1);
    let pace = |clip: &Clip, from: usize, to: usize| {
        let frames: Vec<Vec<Vec3>> = (from..=to).map(|frame| joints(clip, frame)).collect();
        frames.windows(2).map(|pair| distance(&pair[0], &pair[1])).sum::<f32>() / (to - from).max(1) as f32
    };
    let end = a.frames() - 1;
    let own = (pace(a, end.saturating_sub(window), end) + pace(b, 0, window.min(b.frames() - 1))) / 2.0;
    let steps = distance(&joints(a, end), &joints(b, 0)) / own.max(LEAST_PACE / a.fps() as f32);
    let most = (LONGEST_SECS * a.fps()) as usize;
    (steps.ceil() as usize).saturating_sub(1).min(most.max(1))
}
