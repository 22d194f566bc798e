//! Checks whether a seam may be refined, and whether the refined motion is worse than its draft.
//!
//! These checks are for calls that name the refiner. The method "auto" does not need them, because its judge also
//! scores the draft.

use super::Rejection;
use crate::metrics::{jerk, steps};
use crate::motion::clip::Clip;
use glam::Vec3;
use std::ops::Range;

/// Number of rows before and after a seam in which the body must be upright: those that the refiner reads.
pub const AROUND: usize = 30;
/// Height of the hips over the ground in the refiner's training data, metres, for the canonical leg length of 0.86 m.
const HIPS_HEIGHT: Range<f32> = 0.6..1.4;
/// Smallest vertical component of the hips' up axis: within 60° of upright.
const MIN_UP: f32 = 0.5;
/// Edits are rejected if their peak jerk or their largest displacement per frame exceeds that of the draft by this
/// factor.
const MAX_RATIO: f32 = 1.1;
/// Number of frames before and after an edit in which its peaks are measured: the reach of finite differences.
const REACH: usize = 2;

impl Rejection {
    /// Returns the reason as the end of a sentence: "seam 1 was not refined: …".
    pub fn reason(self) -> &'static str {
        match self {
            Rejection::NotUpright => {
                "the body is not upright there, and the refiner was trained on upright motion only"
            }
            Rejection::Jerk => "the refined motion would have more jerk",
            Rejection::Pop => "the refined motion would have larger jumps between frames",
        }
    }
}

/// Returns whether the body is upright, with its hips at the height of a standing person, in all of the given frames of
/// a canonical clip. `ground`: height of the ground, metres.
pub fn is_upright(clip: &Clip, mut frames: Range<usize>, ground: f32) -> bool {
    frames.all(|frame| {
        let (hips, up) = (clip.frame_translations(frame)[0].y - ground, clip.frame_rotations(frame)[0] * Vec3::Y);
        HIPS_HEIGHT.contains(&hips) && up.y > MIN_UP
    })
}

/// Returns the reason to reject an edit of `frames`: the edited motion is worse than the draft. `None` if it is not.
pub fn find_rejection(draft: &Clip, refined: &Clip, frames: &Range<usize>) -> Option<Rejection> {
    let around = frames.start.saturating_sub(REACH)..(frames.end + REACH).min(draft.frames());
    let is_worse = |measure: fn(&Clip) -> Vec<f32>| {
        let [draft, refined] =
            [draft, refined].map(|clip| measure(clip)[around.clone()].iter().copied().fold(0.0, f32::max));
        refined > MAX_RATIO * draft
    };
    if is_worse(jerk) {
        return Some(Rejection::Jerk);
    }
    is_worse(steps).then_some(Rejection::Pop)
}
