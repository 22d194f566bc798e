//! Never worse than the draft: which seams a refiner may touch, and which of its edits are taken back.

use crate::metrics::{jerk, steps};
use crate::motion::clip::Clip;
use glam::Vec3;
use std::ops::Range;

/// Rows before and after a seam that a refiner sees.
pub const AROUND: usize = 30;
/// Hips of the motion that refiners are trained on, metres over the ground at the canonical leg length of 0.86.
const HIPS: Range<f32> = 0.6..1.4;
/// Least share of the trunk's up that points up: within 60° of upright.
const UPRIGHT: f32 = 0.5;
/// An edit whose peak jerk or largest step exceeds the draft's by more than this factor is taken back.
const WORSE: f32 = 1.1;
/// Frames before and after an edit that its peaks are looked for in: differences reach as far.
const REACH: usize = 2;

/// Why a seam stays as drafted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kept {
    /// The body lies, crawls, hangs or climbs around it: motion unlike what the refiner was trained on.
    Unlike,
    /// Refined it jerks more.
    Jerk,
    /// Refined it jumps further from one frame to the next.
    Pop,
}

impl Kept {
    /// The reason as a sentence's end: "left as drafted: …".
    pub fn reason(self) -> &'static str {
        match self {
            Kept::Unlike => "the body lies, crawls or climbs there, and the refiner knows upright motion only",
            Kept::Jerk => "refined, it would jerk more",
            Kept::Pop => "refined, it would jump",
        }
    }
}

/// Whether frames of a biped's canonical clip are like what refiners are trained on: upright, on the ground.
pub fn is_upright(clip: &Clip, mut frames: Range<usize>, ground: f32) -> bool {
    frames.all(|frame| {
        let (hips, up) = (clip.frame_translations(frame)[0].y - ground, clip.frame_rotations(frame)[0] * Vec3::Y);
        HIPS.contains(&hips) && up.y > UPRIGHT
    })
}

/// Whether an edit of `frames` makes a clip worse than its draft, and in what.
pub fn worse(draft: &Clip, refined: &Clip, frames: &Range<usize>) -> Option<Kept> {
    let around = frames.start.saturating_sub(REACH)..(frames.end + REACH).min(draft.frames());
    let exceeds = |measure: fn(&Clip) -> Vec<f32>| {
        let [old, new] = [draft, refined].map(|clip| measure(clip)[around.clone()].iter().copied().fold(0.0, f32::max));
        new > WORSE * old
    };
    if exceeds(jerk) {
        return Some(Kept::Jerk);
    }
    exceeds(steps).then_some(Kept::Pop)
}
