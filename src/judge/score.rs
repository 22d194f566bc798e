//! Score of a motion around a seam or a gap: lower is more natural.
//!
//! The score is the sum of the foot slide, of the jerk in excess of that of the clips, and of the distance by which the
//! body sinks lower or floats higher than in the clips. If there is a judge of recorded motion ([`Scoring::judge`]) and
//! the body is a biped, the judge's score of the canonical body is added.

use super::Judge;
use super::heights::Heights;
use crate::body::Poses;
use crate::body::canonical::Fit;
use crate::body::poses::FPS;
use crate::error::Result;
use crate::metrics;
use crate::motion::clip::Clip;
use crate::motion::resample::resample;
use std::ops::Range;

/// Duration of motion on both sides of a seam that is scored, seconds.
pub(crate) const AROUND_SECS: f64 = 1.0;
/// Number of worst frames whose mean is the score of a seam: a fifth of two seconds at 30 frames per second.
const WORST_FRAMES: usize = 12;
/// Foot slide equivalent to one unit of naturalness, metres per second.
const SLIDE_UNIT: f32 = 1.0;
/// Jerk in excess of that of the clips, as a multiple of the latter, equivalent to one unit of naturalness.
const JERK_UNIT: f32 = 1.0;
/// Distance of the lowest joint from the heights that it has in the clips, equivalent to one unit of naturalness,
/// metres.
const HEIGHT_UNIT: f32 = 0.1;

/// Criteria by which joins of two clips, and motions in a gap, are compared.
#[derive(Debug, Clone, Copy, Default)]
pub struct Scoring<'a> {
    /// Judge of recorded motion, whose score is added for bipeds; `None` compares only foot slide and jerk.
    pub judge: Option<&'a Judge>,
}

/// Properties of the clips at a seam, or of the keys of a motion.
pub(crate) struct SourceMeasures {
    /// Largest joint jerk of the clips, m/s³.
    pub jerk: f32,
    /// Fit of the rig to the canonical body; `None` if the rig does not fit it.
    pub fit: Option<Fit>,
    /// Height of the ground, metres.
    pub ground: f32,
    /// Heights of the lowest joint.
    pub heights: Heights,
}

impl Scoring<'_> {
    /// Scores a motion around its seam: the frames `edited_range` and one second before and after them. `slide` is in
    /// metres per second, `jerk` in m/s³; both are measured around the seam.
    ///
    /// # Errors
    /// The errors of [`Fit::convert`] and [`resample`].
    pub(crate) fn score(
        &self,
        clip: &Clip,
        edited_range: &Range<usize>,
        [slide, jerk]: [f32; 2],
        measures: &SourceMeasures,
    ) -> Result<f32> {
        let reach = (AROUND_SECS * clip.fps()).round() as usize;
        let scored_range = edited_range.start.saturating_sub(reach)..(edited_range.end + reach).min(clip.frames());
        let scored = clip.trimmed(scored_range)?;
        let metrics_score = slide / SLIDE_UNIT
            + (jerk / measures.jerk.max(1.0) - 1.0).max(0.0) / JERK_UNIT
            + measures.heights.excess(&scored) / HEIGHT_UNIT;
        let (Some(judge), Some(fit)) = (self.judge, &measures.fit) else { return Ok(metrics_score) };
        let body = resample(&fit.convert(&scored)?, FPS)?;
        let mut scores = judge.scores(&Poses::from_clip(&body, 0..body.frames()), measures.ground * fit.scale);
        scores.sort_unstable_by(|a, b| b.total_cmp(a));
        let worst = &scores[..WORST_FRAMES.min(scores.len())];
        Ok(worst.iter().sum::<f32>() / worst.len().max(1) as f32 + metrics_score)
    }
}

/// Returns the largest joint jerk of two clips, m/s³.
pub(crate) fn max_jerk(clips: [&Clip; 2]) -> f32 {
    clips.into_iter().flat_map(metrics::jerk).fold(0.0, f32::max)
}
