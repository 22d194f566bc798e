//! Reports on seams.

use super::Join;
use super::frames::{self, FrameRange};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::ops::Range;

/// Report on one seam of a stitched motion.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SeamReport {
    /// First frame of the incoming clip, in frames of the result.
    pub frame: usize,
    /// The join that was made. If it was chosen automatically, this is the join of the best trial.
    pub made: Join,
    /// Number of frames inserted between the clips.
    pub inserted: usize,
    /// The cut between the clips, in frames of the input files; absent if the whole clips were used and nothing was
    /// scored.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cut_at: Option<ScoredCut>,
    /// Frames of the result that differ from the aligned inputs because of the blend or the refinement, or that were
    /// inserted.
    #[serde(with = "frames::range")]
    #[schemars(with = "FrameRange")]
    pub edited_range: Range<usize>,
    /// Frames of the result in which `footSkate` and `peakJerk` are measured: one second to both sides of `frame`,
    /// within the result.
    #[serde(with = "frames::range")]
    #[schemars(with = "FrameRange")]
    pub measured_range: Range<usize>,
    /// Mean horizontal foot travel during ground contact; 0 unless the body is a person's.
    #[schemars(extend("x-unit" = "m/frame"))]
    pub foot_skate: f32,
    /// Largest joint jerk.
    #[schemars(extend("x-unit" = "m/s³"))]
    pub peak_jerk: f32,
    /// Measured properties that an eye sees.
    pub measures: Measures,
    /// Report on the refinement; absent if none was requested.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub refinement: Option<Refinement>,
    /// Joins that "auto" tried, best first; empty if the options determine the join.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub trials: Vec<Trial>,
}

/// Measured properties of a seam.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Measures {
    /// Frames of the motion that differ from both clips.
    #[serde(with = "frames::range")]
    #[schemars(with = "FrameRange")]
    pub frames: Range<usize>,
    /// Lowest speed of the hips, relative to the slower side; `None` unless both sides travel.
    pub stall: Option<f32>,
    /// Mean speed of standing feet, metres per second.
    pub slide: f32,
    /// The same, relative to the clips.
    pub slide_ratio: f32,
    /// Depth of a foot below its floor, metres.
    pub sink: f32,
    /// Largest acceleration, relative to the clips.
    pub pop: f32,
    /// Angle between the directions before and after, degrees; `None` unless both clips go straight.
    pub turn: Option<f32>,
    /// Seconds inserted beyond those that the distance between the poses asks for.
    pub dwell: f32,
}

/// A cut between two clips with its cost.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ScoredCut {
    /// Last frame of the first clip that is used.
    pub takeoff: usize,
    /// First frame of the second clip that is used.
    pub landing: usize,
    /// Number of frames to inject between the two that costs least.
    pub inject: usize,
    /// L-score for this number: physical work, in (leg lengths)² per frame².
    pub score: f32,
    /// Windowed Euclidean distance between the two frames.
    #[schemars(extend("x-unit" = "leg lengths"))]
    pub euclidean: f32,
}

/// Report on the refinement of a seam.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Refinement {
    /// Largest distance, in the edited frames, between the path of the unrefined motion and the path that the network
    /// predicts. The result keeps the path of the unrefined motion.
    #[schemars(extend("x-unit" = "cm"))]
    pub drift_cm: f32,
    /// Reason why the network's edit was rejected; absent if it was accepted.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub rejected: Option<Rejection>,
}

/// Reason why a seam keeps its unrefined motion.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Rejection {
    /// The body lies, crawls, hangs or climbs around the seam; the refiner's training data has upright motion only.
    NotUpright,
    /// The refined motion has more jerk.
    Jerk,
    /// The refined motion has larger jumps between frames.
    Pop,
}

/// A join that "auto" tried at a seam.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Trial {
    /// The join; as the option `join`, or as an entry of `seams`, it reproduces the trial.
    pub made: Join,
    /// The cut that the rule of the join found, in frames of the trimmed clips at the result's rate.
    pub cut_at: ScoredCut,
    /// Number of inserted frames.
    pub inserted: usize,
    /// Score of the motion around the seam; lower is more natural. Only scores of the same seam are comparable.
    pub score: f32,
    /// As in [`SeamReport::foot_skate`].
    #[schemars(extend("x-unit" = "m/frame"))]
    pub foot_skate: f32,
    /// As in [`SeamReport::peak_jerk`].
    #[schemars(extend("x-unit" = "m/s³"))]
    pub peak_jerk: f32,
    /// Measured properties that an eye sees; their cost is part of `score`.
    pub measures: Measures,
    /// Duration of the trial, by the clock of the caller; 0 without a clock.
    #[schemars(extend("x-unit" = "ms"))]
    pub milliseconds: f64,
}
