//! Trials of joins: each is applied to the motion around a seam and scored.

use super::auto::AutoOptions;
use super::cut::SeamChoice;
use super::{Input, Insert, JoinOptions, MIN_FRAMES, Prepared, StitchOptions, composed};
use crate::body::canonical::Fit;
use crate::error::Result;
use crate::judge::score::{AROUND_SECS, Measures, own_jerk};
use crate::method::Join;
use crate::method::lscore::Cut;
use crate::method::lscore::seam::cut_frames;
use crate::motion::clip::Clip;
use crate::motion::contact::detect_contacts;
use crate::motion::rig::RigKind;
use crate::progress::Progress;

/// Longest blend to try, seconds.
pub(super) const LONGEST_SECS: f64 = 1.0;
/// Duration of motion on both sides of a cut that a trial uses, seconds: a blend and the scored frames beyond it.
const CONTEXT_SECS: f64 = AROUND_SECS + LONGEST_SECS;

/// A tried join with its score.
#[derive(Debug, Clone, PartialEq)]
pub struct Trial {
    /// The join, with the cut that was found.
    pub options: JoinOptions,
    /// Rule that found the cut: "keep", "best" or "phase".
    pub rule: &'static str,
    /// Number of inserted frames.
    pub inserted: usize,
    /// Score, lower is more natural.
    pub score: f32,
    /// Foot slide around the seam, metres per frame.
    pub foot_skate: f32,
    /// Largest joint jerk around the seam, m/s³.
    pub peak_jerk: f32,
    /// Duration of the trial, milliseconds; 0 until the caller, who has a clock, sets it.
    pub milliseconds: f64,
}

/// Arguments of a call of [`super::Auto`].
#[derive(Clone, Copy)]
pub(super) struct Call<'a> {
    pub first: &'a Input<'a>,
    pub options: &'a StitchOptions,
    pub auto: &'a AutoOptions<'a>,
}

impl Call<'_> {
    pub fn is_biped(&self) -> bool {
        self.first.rig.kind == RigKind::Biped
    }

    /// Options for two pieces alone.
    fn piece(&self, join: JoinOptions) -> StitchOptions {
        let StitchOptions { lscore, foot_lock, .. } = self.options.clone();
        StitchOptions { lscore, foot_lock, seams: vec![Some(join)], ..Default::default() }
    }

    fn inputs<'a>(&'a self, clips: &'a [Clip; 2]) -> [Input<'a>; 2] {
        clips.each_ref().map(|clip| Input { clip, rig: self.first.rig })
    }
}

/// The adjacent ends of two clips, as long as cuts may reach.
pub(super) struct Ends {
    pub clips: [Clip; 2],
    /// First frame of each piece in its prepared clip.
    starts: [usize; 2],
    /// First frame of the first piece that the seam before leaves.
    from: usize,
    measures: Measures,
}

impl Ends {
    /// The ends of two prepared clips, of the first one from frame `from` on; and the cuts to search, with the names of
    /// their rules.
    pub fn of(a: &Clip, b: &Clip, from: usize, call: &Call) -> Result<(Self, Vec<(SeamChoice, &'static str)>)> {
        let most = if call.auto.keep { 0 } else { cut_frames(call.auto.max_cut_secs, a.fps())? };
        let reach = context(a).saturating_add(most);
        let start = from.max(a.frames().saturating_sub(reach));
        // Pieces of one motion that overlap are taken whole, so that the search sees that they are the same.
        let is_same = start < reach && a.rotations() == b.rotations() && a.translations() == b.translations();
        let (starts, end) = if is_same { ([0, 0], b.frames()) } else { ([start, 0], reach.min(b.frames())) };
        let clips = [a.trimmed(starts[0]..a.frames())?, b.trimmed(0..end)?];
        // The rest of a clip must still be a clip and serve the next seam.
        let spare = |frames: usize| frames.saturating_sub(2 * MIN_FRAMES);
        let max_cut_secs = most.min(spare(a.frames() - start)).min(spare(b.frames()) / 2) as f64 / a.fps();
        let measures = Measures {
            jerk: own_jerk([&clips[0], &clips[1]]),
            fit: call.is_biped().then(|| Fit::new(&clips[0], call.first.rig).ok()).flatten(),
            ground: detect_contacts(&clips[0], call.first.rig).world_ground[1],
        };
        let mut rules = vec![(SeamChoice::Keep, "keep")];
        if max_cut_secs > 0.0 {
            rules.push((SeamChoice::Best { max_cut_secs }, "best"));
            rules.push((SeamChoice::Phase { max_cut_secs }, "phase"));
        }
        Ok((Self { clips, starts, from: start - starts[0], measures }, rules))
    }

    /// Search for a cut by a rule.
    pub fn search(&self, rule: SeamChoice, call: &Call) -> Result<Prepared> {
        // With this join every cut is scored, even that of whole clips.
        let join = JoinOptions::blend(rule, Join::Lscore, 0.0);
        Prepared::new(&call.inputs(&self.clips), &call.piece(join), &mut Progress::silent())
    }

    /// A cut of [`Ends::search`], converted from frames of the pieces to frames of the prepared clips.
    pub fn in_clips(&self, cut: Cut) -> Cut {
        Cut { takeoff: cut.takeoff + self.starts[0], landing: cut.landing + self.starts[1], ..cut }
    }

    /// Longest blend at a cut that leaves half of each clip to its other seam, seconds.
    pub fn longest_blend(&self, cut: &Cut) -> f64 {
        let [a, b] = &self.clips;
        let left = (cut.takeoff + 1 - self.starts[0] - self.from).min(b.frames() - (cut.landing - self.starts[1]));
        (left.saturating_sub(2) / 2) as f64 / a.fps()
    }

    /// Joins the motion around a cut by one set of options and scores the result; `None` if its network changed nothing.
    pub fn trial(&self, join: &JoinOptions, rule: &'static str, call: &Call) -> Result<Option<Trial>> {
        let SeamChoice::At(cut) = join.cut else { return Ok(None) };
        let (takeoff, landing) = (cut.takeoff - self.starts[0], cut.landing - self.starts[1]);
        let [a, b] = &self.clips;
        let reach = context(a);
        let before = (takeoff + 1).saturating_sub(reach).max(self.from)..takeoff + 1;
        let pieces = [a.trimmed(before)?, b.trimmed(landing..(landing + reach).min(b.frames()))?];
        let local = SeamChoice::At(Cut { takeoff: pieces[0].frames() - 1, landing: 0, ..cut });
        let options = call.piece(JoinOptions { cut: local, ..join.clone() });
        // The stages of a trial are not stages of the whole computation.
        let (mut quiet, auto) = (Progress::silent(), call.auto);
        let stitched = composed(&call.inputs(&pieces), &options, auto.networks, auto.refiner, &mut quiet)?;
        let Some(seam) = stitched.seams.first() else { return Ok(None) };
        // A rejected refinement equals the draft, which is tried anyway.
        if seam.refinement.is_some_and(|report| report.fallback_reason.is_some()) {
            return Ok(None);
        }
        let slide = seam.foot_skate * stitched.clip.fps() as f32;
        let edited = seam.edited_range.start.min(seam.frame)..seam.edited_range.end.max(seam.frame);
        let score = auto.scoring.score(&stitched.clip, &edited, [slide, seam.peak_jerk], &self.measures)?;
        let (inserted, foot_skate, peak_jerk) = (seam.inserted, seam.foot_skate, seam.peak_jerk);
        Ok(Some(Trial { options: join.clone(), rule, inserted, score, foot_skate, peak_jerk, milliseconds: 0.0 }))
    }
}

/// Number of frames on both sides of a cut that a trial uses.
fn context(clip: &Clip) -> usize {
    (CONTEXT_SECS * clip.fps()).ceil() as usize + MIN_FRAMES
}

impl JoinOptions {
    /// A blend at a cut, nothing inserted.
    pub(super) fn blend(cut: SeamChoice, join: Join, blend_secs: f64) -> Self {
        Self { cut, join, blend_secs, insert: Insert::None, filler: Self::FILLER, refine: false }
    }
}
