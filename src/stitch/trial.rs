//! Trials of joins: each is applied to the motion around a seam and scored.

use super::insert::transition_frames;
use super::join::{join_prepared, prepare_inputs};
use super::plan::Planned;
use super::{
    Cut, Ground, Input, Join, JoinChoice, MIN_FRAMES, Networks, Prepared, ScoredCut, StitchOptions, Transition, Trial,
    complete, faults,
};
use crate::body::canonical::Fit;
use crate::contract::INSERTED_FRAMES;
use crate::error::Result;
use crate::judge::faults::Reference;
use crate::judge::heights::Heights;
use crate::judge::score::{AROUND_SECS, SourceMeasures, max_jerk};
use crate::method::lscore::LscoreOptions;
use crate::method::lscore::feature::Measure;
use crate::method::lscore::map::Scan;
use crate::method::lscore::seam::cut_frames;
use crate::metrics;
use crate::motion::clip::Clip;
use crate::motion::contact::detect_contacts;
use crate::motion::rig::RigKind;
use crate::motion::root::Root;
use crate::progress::Progress;
use std::ops::RangeInclusive;

/// Longest blend that is tried, seconds.
const MAX_TRIED_SECS: f64 = 1.2;
/// Duration of motion beyond a cut from which the gait at the cut is measured, seconds: a stride.
const BEYOND_SECS: f64 = 1.75;
/// Duration of motion on each side of a cut that a trial uses, seconds: a blend and the scored frames beyond it.
const CONTEXT_SECS: f64 = AROUND_SECS + MAX_TRIED_SECS;

/// Rule of a cut to search.
#[derive(Debug, Clone, Copy)]
pub(super) struct Rule {
    /// The rule as in the options.
    pub requested: Cut,
    /// The rule with the limits of the pieces.
    limited: Cut,
}

/// Arguments of a call of [`super::Auto`].
#[derive(Clone, Copy)]
pub(super) struct Call<'a> {
    pub first: &'a Input<'a>,
    pub options: &'a StitchOptions,
    pub networks: &'a Networks<'a>,
}

impl Call<'_> {
    pub fn is_biped(&self) -> bool {
        self.first.rig.kind == RigKind::Biped
    }

    /// Returns whether every frame of every clip is kept.
    pub fn keeps_all_frames(&self) -> bool {
        matches!(self.options.join, JoinChoice::Auto { keep_all_frames: true, .. })
    }

    /// Returns the longest time that may be cut away from each clip, seconds.
    fn max_cut_secs(&self) -> f64 {
        match self.options.join {
            JoinChoice::Auto { keep_all_frames: false, max_cut } => max_cut,
            _ => 0.0,
        }
    }

    /// Returns the options of two pieces.
    fn piece_options(&self) -> StitchOptions {
        // The pieces already stand on one floor.
        let StitchOptions { foot_lock, heading, .. } = *self.options;
        StitchOptions { foot_lock, heading, ground: Ground::AsInFile, ..Join::default().into() }
    }

    fn inputs<'a>(&'a self, clips: &'a [Clip; 2]) -> [Input<'a>; 2] {
        clips.each_ref().map(|clip| Input { clip, rig: self.first.rig })
    }
}

/// The end of one clip and the start of the next, as far as cuts and their trials reach.
pub(super) struct Ends {
    /// The two pieces.
    pub clips: [Clip; 2],
    /// First frame of each piece in its prepared clip.
    starts: [usize; 2],
    /// First frame of the first piece that the previous seam did not cut away.
    first_frame: usize,
    /// End of the second piece that the next seam does not cut away.
    end_frame: usize,
    /// Largest number of frames that a cut removes from each piece.
    max_cut: usize,
    measures: SourceMeasures,
    reference: Reference,
}

impl Ends {
    /// Takes the ends of two prepared clips, of the first one from frame `first_frame` on, of the second one up to
    /// `end_frame`. Also returns the rules of the cuts to search: only the given one if there is one; `at`: its frames.
    pub fn new(
        [a, b]: [&Clip; 2],
        [first_frame, end_frame]: [usize; 2],
        (given, at): (Option<Cut>, Option<[usize; 2]>),
        call: &Call,
    ) -> Result<(Self, Vec<Rule>)> {
        let max_cut = match (given, at) {
            (_, Some([takeoff, landing])) => landing.max(a.frames().saturating_sub(takeoff)),
            (Some(Cut::Best { max_cut } | Cut::Phase { max_cut }), _) => cut_frames(max_cut, a.fps())?,
            (Some(_), _) => 0,
            (None, _) => cut_frames(call.max_cut_secs(), a.fps())?,
        };
        let reach = context_frames(a).saturating_add(max_cut);
        let start = first_frame.max(a.frames().saturating_sub(reach));
        // Overlapping pieces of the same motion are taken whole, so that the search recognises the motion as the same.
        let overlaps = start < reach.min(a.frames());
        let is_same = overlaps && a.rotations() == b.rotations() && a.translations() == b.translations();
        let (starts, end) = if is_same { ([0, 0], b.frames()) } else { ([start, 0], reach.min(end_frame)) };
        let clips = [a.trimmed(starts[0]..a.frames())?, b.trimmed(0..end)?];
        // The remaining frames must still be a clip, and suffice for the next seam.
        let removable = |frames: usize| frames.saturating_sub(2 * MIN_FRAMES);
        let max_frames = max_cut.min(removable(a.frames() - start)).min(removable(end_frame) / 2);
        let reference = Reference::new(clips.each_ref(), call.first.rig);
        let measures = SourceMeasures {
            jerk: max_jerk([&clips[0], &clips[1]]),
            fit: call.is_biped().then(|| Fit::new(&clips[0], call.first.rig).ok()).flatten(),
            ground: detect_contacts(&clips[0], call.first.rig).world_ground[1],
            heights: Heights::new(&clips.each_ref(), call.first.rig),
        };
        let rules = rules(call, given, at.map(|[takeoff, landing]| [takeoff.saturating_sub(starts[0]), landing]));
        let limited = rules.into_iter().map(|rule| rule.within(max_frames as f64 / a.fps()));
        let rules = limited.filter(|rule| max_frames > 0 || !rule.is_search()).collect();
        let (first_frame, end_frame) = (start - starts[0], end.min(end_frame));
        Ok((Self { clips, starts, first_frame, end_frame, max_cut: max_frames, measures, reference }, rules))
    }

    /// Prepares the search for a cut by a rule.
    pub fn prepare_search(&self, rule: &Rule, call: &Call) -> Result<Prepared> {
        // With this transition every cut is scored, even the cut between whole clips.
        let join = Join { cut: rule.limited, transition: Transition::lscore(), refine: false };
        Prepared::new(
            &call.inputs(&self.clips),
            &StitchOptions { join: join.into(), ..call.piece_options() },
            &mut Progress::silent(),
        )
    }

    /// Converts a cut of [`Ends::prepare_search`] from frames of the pieces to frames of the prepared clips.
    pub fn to_clip_frames(&self, cut: ScoredCut) -> ScoredCut {
        ScoredCut { takeoff: cut.takeoff + self.starts[0], landing: cut.landing + self.starts[1], ..cut }
    }

    /// Returns the frames at which a cut may end the first prepared clip.
    pub fn takeoffs(&self) -> RangeInclusive<usize> {
        let last = self.starts[0] + self.clips[0].frames() - 1;
        last - self.max_cut.min(last)..=last
    }

    /// Returns the frames at which a cut may begin the second prepared clip.
    pub fn landings(&self) -> RangeInclusive<usize> {
        self.starts[1]..=self.starts[1] + self.max_cut
    }

    /// Scores a cut by the L-score.
    pub fn score_cut(&self, cut: &ScoredCut, call: &Call) -> Result<ScoredCut> {
        let measure = Measure::new(&self.clips[0], call.first.rig);
        let [a, b] = [measure.features(&self.clips[0])?, measure.features(&self.clips[1])?];
        let scan = Scan::new(a, b, &LscoreOptions::default())?;
        Ok(self.to_clip_frames(scan.cut(cut.takeoff - self.starts[0], cut.landing - self.starts[1])?))
    }

    /// Returns the number of frames in which the joints move over a cut at the mean speed of the clips; `None` if the cut
    /// leaves too little of them.
    pub fn transition_frames(&self, cut: &ScoredCut, call: &Call) -> Option<usize> {
        let [a, b] = &self.clips;
        let a = a.trimmed(0..cut.takeoff - self.starts[0] + 1).ok()?;
        let b = b.trimmed(cut.landing - self.starts[1]..b.frames()).ok()?;
        let root = Root::new(a.skeleton(), &[&a, &b], call.first.rig);
        Some(transition_frames(&a, &b, &root).clamp(*INSERTED_FRAMES.start(), *INSERTED_FRAMES.end()))
    }

    /// Returns the longest blend at a cut that leaves half of each clip to its other seam, seconds.
    pub fn longest_blend(&self, cut: &ScoredCut) -> f64 {
        let before = cut.takeoff + 1 - self.starts[0] - self.first_frame;
        let available = before.min(self.end_frame.saturating_sub(cut.landing - self.starts[1]));
        (available.saturating_sub(2) / 2) as f64 / self.clips[0].fps()
    }

    /// Joins the motion around a cut and scores the result; `None` if the refinement was rejected.
    pub fn try_join(&self, planned: &Planned, call: &Call) -> Result<Option<Trial>> {
        let Some(cut) = planned.cut else { return Ok(None) };
        let (takeoff, landing) = (cut.takeoff - self.starts[0], cut.landing - self.starts[1]);
        let [a, b] = &self.clips;
        let reach = context_frames(a);
        // Frames beyond the cut show the gait at the cut.
        let beyond = (BEYOND_SECS * a.fps()).ceil() as usize;
        let first_piece =
            (takeoff + 1).saturating_sub(reach).max(self.first_frame)..(takeoff + 1 + beyond).min(a.frames());
        let second_piece = landing.saturating_sub(beyond)..(landing + reach).min(self.end_frame);
        let (takeoff, landing) = (takeoff - first_piece.start, landing - second_piece.start);
        let pieces = [a.trimmed(first_piece)?, b.trimmed(second_piece)?];
        let cut_in_pieces = ScoredCut { takeoff, landing, ..cut };
        let plan = vec![Planned::at_cut(planned.join.clone(), cut_in_pieces)];
        let (inputs, options) = (call.inputs(&pieces), call.piece_options());
        // The stages of a trial are not stages of the whole computation.
        let mut silent = Progress::silent();
        let prepared = Prepared::planned(prepare_inputs(&inputs, &options, &mut silent)?, call.first.rig, plan)?;
        let joined = join_prepared(prepared, &inputs, &options, &mut silent)?;
        let stitched = complete(joined, &options, call.networks, &mut silent)?;
        let Some(seam) = stitched.seam_reports.first() else { return Ok(None) };
        // A rejected refinement equals the blend, which is tried anyway.
        if seam.refinement.is_some_and(|report| report.rejected.is_some()) {
            return Ok(None);
        }
        let slide = seam.foot_skate * stitched.clip.fps() as f32;
        let edited_range = seam.edited_range.start.min(seam.frame)..seam.edited_range.end.max(seam.frame);
        // At the clip's own rate, as that of the clips that it is compared with.
        let measured = stitched.clip.trimmed(seam.measured_range.clone())?;
        let jerk = metrics::jerk(&measured).into_iter().fold(0.0, f32::max);
        let scoring = call.networks.scoring;
        let score = scoring.score(&stitched.clip, &edited_range, [slide, jerk], &self.measures)?;
        let placed = [&stitched.aligned[0], &stitched.aligned[1]];
        let starts = [stitched.starts[0], stitched.starts[1]];
        let dwell = faults::dwell(seam, placed, call.first.rig);
        let measures = self.reference.measure(&stitched.clip, placed, starts, dwell);
        Ok(Some(Trial {
            made: planned.join.clone(),
            cut_at: cut,
            inserted: seam.inserted,
            score: score + measures.cost(),
            measures,
            foot_skate: seam.foot_skate,
            peak_jerk: seam.peak_jerk,
            milliseconds: 0.0,
        }))
    }
}

/// Returns the rules to search: the given one, or all within the limit of the call.
fn rules(call: &Call, given: Option<Cut>, at: Option<[usize; 2]>) -> Vec<Rule> {
    let rule = |requested: Cut| Rule { requested, limited: requested };
    match (given, at) {
        (Some(requested), Some([takeoff, landing])) => {
            let [takeoff, landing] = [takeoff, landing].map(|frame| u32::try_from(frame).unwrap_or(u32::MAX));
            vec![Rule { requested, limited: Cut::At { takeoff, landing } }]
        }
        (Some(requested), None) => vec![rule(requested)],
        (None, _) => {
            let max_cut = call.max_cut_secs();
            vec![rule(Cut::Keep), rule(Cut::Best { max_cut }), rule(Cut::Phase { max_cut })]
        }
    }
}

impl Rule {
    /// Returns the rule with a limit of what may be cut away, seconds.
    fn within(self, max_cut: f64) -> Self {
        let limited = match self.limited {
            Cut::Best { .. } => Cut::Best { max_cut },
            Cut::Phase { .. } => Cut::Phase { max_cut },
            other => other,
        };
        Self { limited, ..self }
    }

    fn is_search(&self) -> bool {
        matches!(self.limited, Cut::Best { .. } | Cut::Phase { .. })
    }
}

/// Returns the number of frames on each side of a cut that a trial uses.
fn context_frames(clip: &Clip) -> usize {
    (CONTEXT_SECS * clip.fps()).ceil() as usize + MIN_FRAMES
}
