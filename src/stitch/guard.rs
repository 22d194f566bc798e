//! Checks that a refined seam is not worse than its draft: which seams a refiner may change, and which edits are
//! rejected.
//!
//! The method "auto" does not need these checks, because its judge compares the draft too. Calls that name the refiner
//! do, because they compare nothing else.

use crate::metrics::{jerk, steps};
use crate::motion::clip::Clip;
use glam::Vec3;
use std::ops::Range;

/// Number of rows before and after a seam that a refiner reads.
pub const AROUND: usize = 30;
/// Height of the hips over the ground in the refiner's training data, metres, for the canonical leg length of 0.86 m.
const HIPS: Range<f32> = 0.6..1.4;
/// Smallest upward component of the trunk's up axis: within 60° of upright.
const UPRIGHT: f32 = 0.5;
/// Edits with a peak jerk or largest step above this multiple of the draft's are rejected.
const WORSE: f32 = 1.1;
/// Number of frames before and after an edit in which its peaks are measured: the reach of differences.
const REACH: usize = 2;

/// Reason why a seam keeps its draft.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Rejection {
    /// The body lies, crawls, hangs or climbs around the seam; the refiner's training data has upright motion only.
    Unlike,
    /// The refined motion has more jerk.
    Jerk,
    /// The refined motion has larger jumps between frames.
    Pop,
}

impl Rejection {
    /// The reason as the end of a sentence: "left as drafted: …".
    pub fn reason(self) -> &'static str {
        match self {
            Rejection::Unlike => "the body lies, crawls or climbs there, and the refiner knows upright motion only",
            Rejection::Jerk => "refined, it would jerk more",
            Rejection::Pop => "refined, it would jump",
        }
    }
}

/// Returns whether the body is upright and on the ground in some frames of a canonical clip, as in the refiner's
/// training data. `ground`: height of the ground, metres.
pub fn is_upright(clip: &Clip, mut frames: Range<usize>, ground: f32) -> bool {
    frames.all(|frame| {
        let (hips, up) = (clip.frame_translations(frame)[0].y - ground, clip.frame_rotations(frame)[0] * Vec3::Y);
        HIPS.contains(&hips) && up.y > UPRIGHT
    })
}

/// Returns why an edit of `frames` makes a clip worse than its draft; `None` if it does not.
pub fn worse(draft: &Clip, refined: &Clip, frames: &Range<usize>) -> Option<Rejection> {
    let around = frames.start.saturating_sub(REACH)..(frames.end + REACH).min(draft.frames());
    let exceeds = |measure: fn(&Clip) -> Vec<f32>| {
        let [old, new] = [draft, refined].map(|clip| measure(clip)[around.clone()].iter().copied().fold(0.0, f32::max));
        new > WORSE * old
    };
    if exceeds(jerk) {
        return Some(Rejection::Jerk);
    }
    exceeds(steps).then_some(Rejection::Pop)
}
