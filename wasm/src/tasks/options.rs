//! JavaScript options of scores, cuts and loops, with the defaults of the crate. Options of `stitch` are those of the
//! contract.

use kinestitch::method::lscore::LscoreOptions;
use kinestitch::method::lscore::seam::CutOptions;
use kinestitch::stitch::cycle::{LoopOptions, Pick};
use serde::{Deserialize, Serialize};
use std::ops::Range;

/// Frames `from` (inclusive) to `to` (exclusive), in options and reports.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct FrameRange {
    pub from: u32,
    pub to: u32,
}

impl From<&Range<usize>> for FrameRange {
    fn from(frames: &Range<usize>) -> Self {
        Self { from: frames.start as u32, to: frames.end as u32 }
    }
}

/// Parameters of the L-score.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(super) struct ScoreFields {
    window: u32,
    min_inject: u32,
    max_inject: u32,
}

impl Default for ScoreFields {
    fn default() -> Self {
        Self::of(&LscoreOptions::default())
    }
}

impl ScoreFields {
    fn of(options: &LscoreOptions) -> Self {
        let &LscoreOptions { window, min_inject, max_inject, .. } = options;
        Self { window: window as u32, min_inject: min_inject as u32, max_inject: max_inject as u32 }
    }

    pub(super) fn options(self) -> LscoreOptions {
        LscoreOptions {
            window: self.window as usize,
            min_inject: self.min_inject as usize,
            max_inject: self.max_inject as usize,
            ..Default::default()
        }
    }
}

/// Options of `loop` that are not those of `stitch`.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(super) struct LoopFields {
    cycle: CycleField,
    min_seconds: f64,
    #[serde(skip_serializing)]
    max_seconds: Option<f64>,
    #[serde(skip_serializing)]
    max_turn: Option<f64>,
    in_place: bool,
}

#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum CycleField {
    Shortest,
    Longest,
}

impl Default for LoopFields {
    fn default() -> Self {
        let LoopOptions { min_secs, max_secs, max_turn, in_place, .. } = LoopOptions::default();
        Self { cycle: CycleField::Shortest, min_seconds: min_secs, max_seconds: max_secs, max_turn, in_place }
    }
}

impl LoopFields {
    pub(super) fn options(self) -> LoopOptions {
        let pick = match self.cycle {
            CycleField::Shortest => Pick::Shortest,
            CycleField::Longest => Pick::Longest,
        };
        let Self { min_seconds: min_secs, max_seconds: max_secs, max_turn, in_place, .. } = self;
        LoopOptions { pick, min_secs, max_secs, in_place, max_turn }
    }
}

/// Options of the selection of cuts from a seam map: see [`CutOptions`].
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(super) struct CutFields {
    pub count: u32,
    pub apart: u32,
    pub max_cut: f64,
}

impl Default for CutFields {
    fn default() -> Self {
        let CutOptions { count, min_distance, max_cut_secs } = CutOptions::default();
        Self { count: count as u32, apart: min_distance as u32, max_cut: max_cut_secs }
    }
}
