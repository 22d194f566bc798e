//! Joins of two clips: cut, transition and refinement.

use super::FillerChoice;
use crate::error::{Error, Result};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::ops::RangeInclusive;

/// Longest blend, seconds.
pub const MAX_BLEND_SECS: f64 = 60.0;
/// Default of the longest time that may be cut away from a clip at a seam, seconds.
pub const MAX_CUT_SECS: f64 = 0.5;
/// Default length of a blend, seconds.
pub const BLEND_SECS: f64 = 2.0 / 3.0;
/// Duration of blends in the refiner's training data, seconds.
pub const REFINED_SECS: f64 = 0.5;
/// Possible numbers of frames in a gap.
pub const INSERTED_FRAMES: RangeInclusive<usize> = 1..=480;
/// Largest window of the L-score on each side of a cut, frames.
pub const MAX_WINDOW: usize = 30;
/// Largest number of frames that a join by L-score injects, because the path of a free particle in longer gaps is not a
/// plausible motion.
pub const MAX_INJECT: usize = 120;

/// How clips are joined: the most natural join of each seam, or one given join.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "camelCase", rename_all_fields = "camelCase", deny_unknown_fields)]
#[schemars(extend("x-words" = {
    "auto": { "kind": "auto" },
    "inertialize": { "transition": "inertialize" },
    "crossfade": { "transition": "crossfade" },
    "lscore": { "transition": "lscore" },
    "rmr": { "transition": "inertialize:0.5", "refine": true },
}))]
pub enum JoinChoice {
    /// Tries many joins at each seam and keeps the most natural one.
    Auto {
        /// Longest time that may be cut away at the end of one clip and at the beginning of the next.
        #[serde(default = "default::max_cut")]
        #[schemars(range(min = 0), extend("x-unit" = "s"))]
        max_cut: f64,
        /// Keeps every frame of every clip: no cut, and no blend that mixes two clips.
        #[serde(default)]
        keep_all_frames: bool,
    },
    /// One join for all seams.
    #[serde(untagged)]
    With(Join),
}

impl Default for JoinChoice {
    fn default() -> Self {
        Self::Auto { max_cut: default::max_cut(), keep_all_frames: false }
    }
}

impl From<Join> for JoinChoice {
    fn from(join: Join) -> Self {
        Self::With(join)
    }
}

/// A join of two clips: where they are cut, the transition, and its refinement.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default, rename_all = "camelCase", deny_unknown_fields)]
pub struct Join {
    /// Rule that chooses the frames where two clips meet.
    pub cut: Cut,
    /// The transition from one clip to the next.
    pub transition: Transition,
    /// Whether the network RMR refines the motion around the seam. It was trained on inertialization over half a
    /// second. People only.
    pub refine: bool,
}

/// Changes of a [`Join`] at one seam; an omitted part stays.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default, rename_all = "camelCase", deny_unknown_fields)]
pub struct PartialJoin {
    /// See [`Join::cut`].
    pub cut: Option<Cut>,
    /// See [`Join::transition`].
    pub transition: Option<Transition>,
    /// See [`Join::refine`].
    pub refine: Option<bool>,
}

/// Rule that chooses the frames where two clips meet.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "camelCase", rename_all_fields = "camelCase", deny_unknown_fields)]
#[schemars(extend(
    "x-words" = {
        "keep": { "kind": "keep" },
        "best": { "kind": "best" },
        "phase": { "kind": "phase" },
        "at": { "kind": "at" },
    },
    "x-parameters" = { "best": ["maxCut"], "phase": ["maxCut"], "at": ["takeoff", "landing"] },
))]
pub enum Cut {
    /// The last frame of one clip and the first frame of the next: every frame is kept.
    #[default]
    Keep,
    /// The cheapest cut by the elastic L-score, whatever the transition.
    Best {
        /// Longest time that may be cut away at the end of one clip and at the beginning of the next.
        #[serde(default = "default::max_cut")]
        #[schemars(range(min = 0), extend("x-unit" = "s"))]
        max_cut: f64,
    },
    /// The cut at which the feet are in step.
    Phase {
        /// Longest time that may be cut away at the end of one clip and at the beginning of the next.
        #[serde(default = "default::max_cut")]
        #[schemars(range(min = 0), extend("x-unit" = "s"))]
        max_cut: f64,
    },
    /// Given frames.
    At {
        /// Last frame of the first clip that is used, in frames of that clip.
        #[schemars(extend("x-unit" = "frames"))]
        takeoff: u32,
        /// First frame of the second clip that is used, in frames of that clip.
        #[schemars(extend("x-unit" = "frames"))]
        landing: u32,
    },
}

/// The transition from one clip to the next.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "camelCase", rename_all_fields = "camelCase", deny_unknown_fields)]
#[schemars(extend(
    "x-words" = {
        "inertialize": { "kind": "blend", "blend": "inertialize" },
        "crossfade": { "kind": "blend", "blend": "crossfade" },
        "lscore": { "kind": "lscore" },
        "insert": { "kind": "insert" },
    },
    "x-parameters" = { "inertialize": ["seconds"], "crossfade": ["seconds"], "insert": ["frames", "filler"] },
))]
pub enum Transition {
    /// A blend.
    Blend {
        /// Kind of the blend.
        #[serde(default)]
        blend: BlendKind,
        /// Length of the blend; it is shortened, with a warning, if a clip is too short.
        #[serde(default = "default::blend")]
        #[schemars(range(min = 0, max = MAX_BLEND_SECS), extend("x-unit" = "s"))]
        seconds: f64,
    },
    /// Injects as many frames as give the least physical work (the elastic L-score), and smooths the motion around
    /// them. The same parameters score the cuts of this join.
    Lscore {
        /// Number of frames that are scored and smoothed on each side of the cut.
        #[serde(default = "default::window")]
        #[schemars(range(min = 3, max = MAX_WINDOW), extend("x-unit" = "frames"))]
        window: usize,
        /// Smallest number of injected frames.
        #[serde(default)]
        #[schemars(range(min = 0, max = MAX_INJECT), extend("x-unit" = "frames"))]
        min_inject: usize,
        /// Largest number of injected frames.
        #[serde(default = "default::max_inject")]
        #[schemars(range(min = 0, max = MAX_INJECT), extend("x-unit" = "frames"))]
        max_inject: usize,
    },
    /// Inserts frames, which a gap filler makes.
    Insert {
        /// Number of inserted frames.
        #[serde(default)]
        frames: InsertedFrames,
        /// The gap filler.
        #[serde(default)]
        filler: FillerChoice,
    },
}

impl Default for Transition {
    fn default() -> Self {
        Self::Blend { blend: BlendKind::default(), seconds: default::blend() }
    }
}

impl Transition {
    /// Returns the transition that smooths by the elastic L-score, with the paper's parameters.
    pub fn lscore() -> Self {
        Self::Lscore { window: default::window(), min_inject: 0, max_inject: default::max_inject() }
    }

    /// Returns an inertialization.
    pub fn inertialize(seconds: f64) -> Self {
        Self::Blend { blend: BlendKind::Inertialize, seconds }
    }

    /// Returns a crossfade.
    pub fn crossfade(seconds: f64) -> Self {
        Self::Blend { blend: BlendKind::Crossfade, seconds }
    }

    /// Returns the insertion of frames that a gap filler makes.
    pub fn insert(frames: usize, filler: impl Into<FillerChoice>) -> Self {
        Self::Insert { frames: InsertedFrames::Count(frames), filler: filler.into() }
    }
}

/// Kind of a blend.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum BlendKind {
    /// Starts the next clip at once and adds a decaying offset to it. Keeps every frame of both clips.
    #[default]
    Inertialize,
    /// Mixes the end of one clip with the beginning of the next. The blended frames are used once, so the result is
    /// shorter than both clips together.
    Crossfade,
}

impl Transition {
    /// Returns the word of the transition, for tables and messages; see `x-words`.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Blend { blend: BlendKind::Crossfade, .. } => "crossfade",
            Self::Blend { blend: BlendKind::Inertialize, .. } => "inertialize",
            Self::Lscore { .. } => "lscore",
            Self::Insert { .. } => "insert",
        }
    }
}

/// Number of frames inserted between two clips, at the result's rate.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum InsertedFrames {
    /// The larger of two numbers: the frames that the L-score injects at the cut, and the frames in which the joints,
    /// at the mean speed of the clips, move from one pose to the other.
    #[default]
    Auto,
    /// A fixed number.
    #[serde(untagged)]
    Count(
        #[schemars(range(min = *INSERTED_FRAMES.start(), max = *INSERTED_FRAMES.end()), extend("x-unit" = "frames"))]
        usize,
    ),
}

/// Defaults of options in choices.
mod default {
    pub fn max_cut() -> f64 {
        super::MAX_CUT_SECS
    }
    pub fn blend() -> f64 {
        super::BLEND_SECS
    }
    pub fn window() -> usize {
        5
    }
    pub fn max_inject() -> usize {
        15
    }
}

impl Join {
    /// Returns this join with the changes of a seam.
    #[must_use]
    pub fn changed(&self, changes: Option<&PartialJoin>) -> Self {
        let Some(PartialJoin { cut, transition, refine }) = changes else { return self.clone() };
        Self {
            cut: cut.unwrap_or(self.cut),
            transition: transition.clone().unwrap_or_else(|| self.transition.clone()),
            refine: refine.unwrap_or(self.refine),
        }
    }

    /// Returns an inertialization of the length in the refiner's training data, refined.
    pub fn refined(cut: Cut) -> Self {
        Self { cut, transition: Transition::inertialize(REFINED_SECS), refine: true }
    }

    /// Checks that the options are in range.
    ///
    /// # Errors
    /// [`Error::Option`] with the name and the range of the option.
    pub fn check(&self) -> Result<()> {
        let fail = |option, message| Err(Error::Option { option, message });
        match self.transition {
            Transition::Blend { seconds, .. } if !(0.0..=MAX_BLEND_SECS).contains(&seconds) => {
                fail("seconds", format!("from 0 to {MAX_BLEND_SECS} seconds, not {seconds}"))
            }
            Transition::Insert { frames: InsertedFrames::Count(frames), .. } if !INSERTED_FRAMES.contains(&frames) => {
                let (min, max) = (INSERTED_FRAMES.start(), INSERTED_FRAMES.end());
                fail("frames", format!("{min} to {max} frames can be inserted between two clips, not {frames}"))
            }
            Transition::Lscore { window, .. } if !(3..=MAX_WINDOW).contains(&window) => {
                fail("window", format!("from 3 to {MAX_WINDOW} frames, not {window}"))
            }
            Transition::Lscore { min_inject, max_inject, .. } if min_inject > max_inject => {
                fail("maxInject", format!("the range of injected frames, {min_inject} to {max_inject}, is empty"))
            }
            Transition::Lscore { max_inject, .. } if max_inject > MAX_INJECT => {
                fail("maxInject", format!("at most {MAX_INJECT} frames, not {max_inject}"))
            }
            _ => match self.cut {
                Cut::Best { max_cut } | Cut::Phase { max_cut } if max_cut.is_nan() || max_cut < 0.0 => {
                    fail("maxCut", format!("a number of seconds from 0, not {max_cut}"))
                }
                _ => Ok(()),
            },
        }
    }
}

impl From<Join> for PartialJoin {
    fn from(Join { cut, transition, refine }: Join) -> Self {
        Self { cut: Some(cut), transition: Some(transition), refine: Some(refine) }
    }
}

impl PartialJoin {
    /// Returns the join if every part is fixed.
    pub fn complete(&self) -> Option<Join> {
        Some(Join { cut: self.cut?, transition: self.transition.clone()?, refine: self.refine? })
    }
}

impl From<Transition> for Join {
    fn from(transition: Transition) -> Self {
        Self { transition, ..Self::default() }
    }
}
