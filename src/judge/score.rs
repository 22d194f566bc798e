//! Score of a motion around a seam or a gap: lower is more natural.
//!
//! The score is a sum of foot slide and of jerk beyond that of the clips. If there is a judge of recorded motion
//! ([`Scoring::judge`]) and the body is a biped, the judge's score of the canonical body is added.

use super::Judge;
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
const WORST: usize = 12;
/// Foot slide equivalent to one unit of naturalness, metres per second.
const SLIDE: f32 = 1.0;
/// Jerk beyond the clips' own, as a multiple of it, equivalent to one unit of naturalness.
const JERK: f32 = 1.0;

/// Criteria by which joins of two clips, and motions in a gap, are compared.
#[derive(Debug, Clone, Copy, Default)]
pub struct Scoring<'a> {
    /// Judge of recorded motion, whose score is added for bipeds; `None` compares only foot slide and jerk.
    pub judge: Option<&'a Judge>,
}

/// Properties of the two clips of a seam.
pub(crate) struct Measures {
    /// Peak joint jerk of the clips, m/s³.
    pub jerk: f32,
    /// Fit of the rig to the canonical body; `None` if the rig does not fit it.
    pub fit: Option<Fit>,
    /// Height of the ground, metres.
    pub ground: f32,
}

impl Scoring<'_> {
    /// Scores a motion around its seam: the frames `edited` and one second before and after them. `slide` is in metres
    /// per second, `jerk` in m/s³; both are measured around the seam.
    ///
    /// # Errors
    /// Those of [`Fit::canonical`] and [`resample`].
    pub(crate) fn score(
        &self,
        clip: &Clip,
        edited: &Range<usize>,
        [slide, jerk]: [f32; 2],
        measures: &Measures,
    ) -> Result<f32> {
        let plain = slide / SLIDE + (jerk / measures.jerk.max(1.0) - 1.0).max(0.0) / JERK;
        let (Some(judge), Some(fit)) = (self.judge, &measures.fit) else { return Ok(plain) };
        let reach = (AROUND_SECS * clip.fps()).round() as usize;
        let around = edited.start.saturating_sub(reach)..(edited.end + reach).min(clip.frames());
        let body = resample(&fit.convert(&clip.trimmed(around)?)?, FPS)?;
        let mut scores = judge.scores(&Poses::from_clip(&body, 0..body.frames()), measures.ground * fit.scale);
        scores.sort_unstable_by(|a, b| b.total_cmp(a));
        let worst = &scores[..WORST.min(scores.len())];
        Ok(worst.iter().sum::<f32>() / worst.len().max(1) as f32 + plain)
    }
}

/// Returns the largest jerk of two adjacent clips, over the motion that is scored at the seam, m/s³.
pub(crate) fn own_jerk(clips: [&Clip; 2]) -> f32 {
    clips.into_iter().flat_map(metrics::jerk).fold(0.0, f32::max)
}
