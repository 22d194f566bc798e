//! How natural a joined motion is around its seam: lower is better.
//!
//! A judge of recorded motion scores the canonical body where there is one ([`Scoring::naturalness`]). Where there is none, or
//! the body is no biped, foot slide and jerk beside the clips' own have to do.

use crate::body::Poses;
use crate::body::canonical::Fit;
use crate::body::poses::FPS;
use crate::error::Result;
use crate::metrics;
use crate::motion::clip::Clip;
use crate::motion::resample::resample;
use std::fmt;
use std::ops::Range;

/// Motion on both sides of a seam that counts, seconds.
pub(super) const AROUND_SECS: f64 = 1.0;
/// Frames whose mean is a seam's score, the worst of those around it: a fifth of two seconds at 30 frames a second.
const WORST: usize = 12;
/// A slide of feet on the ground that counts as much as one unit of naturalness, metres a second.
const SLIDE: f32 = 0.4;
/// Jerk beyond the clips' own, as a multiple of it, that counts as much as one unit of naturalness.
const JERK: f32 = 1.0;

/// Scores of the frames of a canonical biped's motion at [`FPS`], [frames], and the height of its ground, metres; 0 is
/// recorded motion, 1 is as rare as one recorded frame in fifty.
pub type Naturalness<'a> = &'a dyn Fn(&Poses, f32) -> Vec<f32>;

/// What ways of joining two clips are compared by.
#[derive(Clone, Copy, Default)]
pub struct Scoring<'a> {
    /// Judge of recorded motion; `None` compares foot slide and jerk alone.
    pub naturalness: Option<Naturalness<'a>>,
}

impl fmt::Debug for Scoring<'_> {
    fn fmt(&self, out: &mut fmt::Formatter) -> fmt::Result {
        write!(out, "Scoring {{ naturalness: {} }}", self.naturalness.is_some())
    }
}

/// What the two clips of a seam have by themselves, and how their body is read.
pub(super) struct Measures {
    /// Peak joint jerk of the clips, m/s³.
    pub jerk: f32,
    /// How the rig sits on the canonical body; `None` where it does not.
    pub fit: Option<Fit>,
    /// Height that feet stand on, metres.
    pub ground: f32,
}

impl Scoring<'_> {
    /// Score of a motion around its seam: the frames `edited` and a second to both sides. `slide` in metres a second, `jerk`
    /// m/s³, both measured around the seam.
    ///
    /// # Errors
    /// Those of [`Fit::canonical`] and [`resample`].
    pub(super) fn score(
        &self,
        clip: &Clip,
        edited: &Range<usize>,
        [slide, jerk]: [f32; 2],
        measures: &Measures,
    ) -> Result<f32> {
        let plain = slide / SLIDE + (jerk / measures.jerk.max(1.0) - 1.0).max(0.0) / JERK;
        let (Some(naturalness), Some(fit)) = (self.naturalness, &measures.fit) else { return Ok(plain) };
        let reach = (AROUND_SECS * clip.fps()).round() as usize;
        let around = edited.start.saturating_sub(reach)..(edited.end + reach).min(clip.frames());
        let body = resample(&fit.canonical(&clip.trimmed(around)?)?, FPS)?;
        let mut scores = naturalness(&Poses::of(&body, 0..body.frames()), measures.ground * fit.scale);
        scores.sort_unstable_by(|a, b| b.total_cmp(a));
        let worst = &scores[..WORST.min(scores.len())];
        Ok(worst.iter().sum::<f32>() / worst.len().max(1) as f32 + plain)
    }
}

/// Largest jerk of two clips that meet, over the motion that the seam's score looks at, m/s³.
pub(super) fn own_jerk(clips: [&Clip; 2]) -> f32 {
    clips.into_iter().flat_map(metrics::jerk).fold(0.0, f32::max)
}
