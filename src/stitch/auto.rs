//! Automatic choice of the most natural join for each seam.
//!
//! Only the end of one clip and the beginning of the next matter at a seam. These two pieces are joined several times,
//! each time with other options. The cut is at their ends, at the lowest L-score, or where the feet are in step. The
//! transition is a blend, a refined blend, or frames inserted by a gap filler. Each result is scored
//! ([`crate::judge::score`]); the best join wins. After the search for cuts there are two rounds of trials: all cuts
//! with the same transition, then all transitions at the best cuts.
//!
//! The same clips, options and networks give the same motion. One step continues a cut search or tries one join, so
//! that an abort takes effect between steps.

use super::cut::{Cutter, SeamChoice};
use super::join::prepare_inputs;
use super::trial::{Call, Ends, MAX_TRIED_SECS, Trial};
use super::{Input, Insert, JoinOptions, Prepared, StitchOptions, Stitched, stitch_with_networks};
use crate::error::Result;
use crate::judge::score::Scoring;
use crate::method::Join;
use crate::method::lscore::Cut;
use crate::method::lscore::seam::MAX_CUT_SECS;
use crate::method::registry::{Fillers, NO_NETWORKS};
use crate::method::rmr::PackedRmr;
use crate::motion::clip::Clip;
use crate::progress::{Progress, Stage};

/// Lengths of the blends that are tried, seconds; the first one ranks the cuts.
const TRIED_BLENDS_SECS: [f64; 2] = [MAX_TRIED_SECS, 0.5];
/// Duration of inserted motion that is tried, seconds. Half a second was the most natural in only 2 of 120 validation
/// pairs.
const INSERTED_SECS: f64 = 1.0;
/// Where the poses are far apart, such as one that lies and one that stands, [`Insert::Auto`] is tried too: if its
/// duration exceeds this one, seconds.
const MIN_LONG_SECS: f64 = 1.25;
/// Largest number of cuts at which all transitions are tried.
const MAX_CUTS: usize = 2;

/// Options and networks of [`Auto`].
#[derive(Debug, Clone, Copy)]
pub struct AutoOptions<'a> {
    /// Largest part of each clip that may be cut away at a seam, seconds.
    pub max_cut_secs: f64,
    /// Keeps every frame of every clip: no cut, and no blend that mixes two clips.
    pub keep: bool,
    /// Gap fillers to try.
    pub networks: &'a Fillers,
    /// The refiner; `None` tries no refinement.
    pub refiner: Option<&'a PackedRmr>,
    /// Criteria by which joins are compared.
    pub scoring: Scoring<'a>,
}

impl Default for AutoOptions<'_> {
    fn default() -> Self {
        let (networks, scoring) = (&NO_NETWORKS, Scoring::default());
        Self { max_cut_secs: MAX_CUT_SECS, keep: false, networks, refiner: None, scoring }
    }
}

/// An automatic stitch in progress: call [`Auto::advance`] until it returns 1, then [`Auto::finish`].
pub struct Auto {
    inputs: Vec<Clip>,
    /// First frame of each prepared clip that the previous seam did not cut away.
    first_frames: Vec<usize>,
    /// Trials at each finished seam.
    trials: Vec<Vec<Trial>>,
    /// Join of each finished seam.
    joins: Vec<JoinOptions>,
    search: Option<SeamSearch>,
    /// Search for the cut that a seam's own options request.
    cutter: Option<Cutter>,
}

impl Auto {
    /// Trims the clips, resamples them to one rate and retargets them to the first one's skeleton.
    ///
    /// # Errors
    /// Those of [`super::stitch`].
    pub fn new(clips: &[Input], options: &StitchOptions, progress: &mut Progress) -> Result<Self> {
        options.check(clips.len())?;
        let (inputs, _) = prepare_inputs(clips, options, progress)?;
        let (first_frames, trials, joins) = (vec![0; inputs.len()], Vec::new(), Vec::new());
        Ok(Self { inputs, first_frames, trials, joins, search: None, cutter: None })
    }

    /// Continues a cut search or tries one join. Returns the completed fraction, 1 when [`Auto::finish`] comes next.
    ///
    /// # Errors
    /// Those of [`super::stitch`]; a join that fails is skipped.
    pub fn advance(
        &mut self,
        first: &Input,
        options: &StitchOptions,
        auto: &AutoOptions,
        progress: &mut Progress,
    ) -> Result<f32> {
        let (index, seams) = (self.trials.len(), self.inputs.len() - 1);
        if index == seams {
            return Ok(1.0);
        }
        if let Some(own) = own_join(options, index) {
            return self.advance_own_cut(own, first, options, progress);
        }
        let call = Call { first, options, auto };
        let mut search = match self.search.take() {
            Some(search) => search,
            None => {
                let clips = [&self.inputs[index], &self.inputs[index + 1]];
                SeamSearch::new(clips, [self.first_frames[index], self.end_frame(index + 1, options)], &call)?
            }
        };
        let (tried, start) = (search.trials.len(), progress.now());
        search.step(&call);
        let milliseconds = progress.now() - start;
        search.trials[tried..].iter_mut().for_each(|trial| trial.milliseconds = milliseconds);
        let fraction = search.completed_fraction();
        progress.at(Stage::Scan, (index as f32 + fraction) / seams as f32)?;
        if fraction < 1.0 {
            self.search = Some(search);
            return Ok((index as f32 + fraction) / seams as f32);
        }
        // Of equal scores the first tried wins.
        let best = search.trials.iter().min_by(|a, b| a.score.total_cmp(&b.score));
        // If no join succeeded, the clips are not cut: a search by the general options would not know the cuts of the
        // other seams.
        let keep = || JoinOptions { cut: SeamChoice::Keep, ..options.for_seam(index) };
        let join = best.map_or_else(keep, |trial| trial.options.clone());
        let landing = if let SeamChoice::At(cut) = join.cut { cut.landing } else { 0 };
        self.finish_seam(join, landing, search.trials);
        Ok((index + 1) as f32 / seams as f32)
    }

    fn finish_seam(&mut self, join: JoinOptions, landing: usize, trials: Vec<Trial>) {
        self.trials.push(trials);
        self.joins.push(join);
        self.first_frames[self.joins.len()] = landing;
    }

    /// Continues the search for the cut of a seam with its own options; the next seam must not take off before its
    /// landing. Returns the completed fraction of all seams.
    fn advance_own_cut(
        &mut self,
        own: &JoinOptions,
        first: &Input,
        options: &StitchOptions,
        progress: &mut Progress,
    ) -> Result<f32> {
        let (index, seams) = (self.joins.len(), self.inputs.len() - 1);
        let is_next_automatic = index + 1 < seams && own_join(options, index + 1).is_none();
        let landing = match own.cut {
            SeamChoice::At(cut) => cut.landing,
            // Own cuts of consecutive seams are found by one search.
            cut if cut.is_scored() && is_next_automatic => {
                let mut cutter = match self.cutter.take() {
                    Some(cutter) => cutter,
                    None => self.cutter(own, first, options)?,
                };
                let fraction = cutter.advance(&mut Progress::silent())?;
                let Some(cut) = cutter.cut(index) else {
                    let fraction = (index as f32 + fraction.min(0.99)) / seams as f32;
                    progress.at(Stage::Scan, fraction)?;
                    self.cutter = Some(cutter);
                    return Ok(fraction);
                };
                cut.landing
            }
            _ => 0,
        };
        self.finish_seam(own.clone(), landing, Vec::new());
        progress.at(Stage::Scan, (index + 1) as f32 / seams as f32)?;
        Ok((index + 1) as f32 / seams as f32)
    }

    /// Returns the search of [`stitch_with_networks`] for the cut of the next seam, whose join is `own`.
    fn cutter(&self, own: &JoinOptions, first: &Input, options: &StitchOptions) -> Result<Cutter> {
        // Later seams have no influence on this cut.
        let keep = JoinOptions { cut: SeamChoice::Keep, ..own.clone() };
        let mut joins: Vec<JoinOptions> = self.joins.iter().chain([own]).cloned().collect();
        joins.resize(self.inputs.len() - 1, keep);
        let options = StitchOptions { seams: joins.into_iter().map(Some).collect(), ..options.clone() };
        Cutter::new(self.inputs.clone(), first.rig, &options)
    }

    /// Returns the frame of a clip at which the next seam cuts it, if that seam has a given cut; else its length.
    fn end_frame(&self, clip: usize, options: &StitchOptions) -> usize {
        let frames = self.inputs[clip].frames();
        match own_join(options, clip) {
            Some(JoinOptions { cut: SeamChoice::At(cut), .. }) => frames.min(cut.takeoff.saturating_add(1)),
            _ => frames,
        }
    }

    /// Makes the motion, with the best join that the search found for each seam.
    ///
    /// # Errors
    /// Those of [`super::stitch`].
    pub fn finish(
        mut self,
        clips: &[Input],
        options: &StitchOptions,
        auto: &AutoOptions,
        progress: &mut Progress,
    ) -> Result<Stitched> {
        // The sort is stable: the first trial of the seam is the chosen one.
        self.trials.iter_mut().for_each(|trials| trials.sort_by(|a, b| a.score.total_cmp(&b.score)));
        let options = StitchOptions { seams: self.joins.into_iter().map(Some).collect(), ..options.clone() };
        let mut stitched = stitch_with_networks(clips, &options, auto.networks, auto.refiner, progress)?;
        for (seam, trials) in stitched.seams.iter_mut().zip(self.trials) {
            seam.trials = trials;
        }
        Ok(stitched)
    }
}

/// Returns the own options of a seam, if it has any.
fn own_join(options: &StitchOptions, seam: usize) -> Option<&JoinOptions> {
    options.seams.get(seam).and_then(Option::as_ref)
}

/// Search for the best join of two clips at one seam.
struct SeamSearch {
    ends: Ends,
    /// Rules whose cuts have not been searched yet, with their names, the next one last.
    remaining_rules: Vec<(SeamChoice, &'static str)>,
    /// Cut search in progress.
    prepared: Option<Prepared>,
    /// Cuts found, each with the name of its rule.
    cuts: Vec<(Cut, &'static str)>,
    /// Joins not tried yet, each with the name of the rule of its cut, the next one last.
    untried_joins: Vec<(JoinOptions, &'static str)>,
    /// Number of rules or joins at the beginning of this round.
    round_total: usize,
    trials: Vec<Trial>,
    round: Round,
}

/// Rounds of a search, in order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Round {
    CutSearch,
    CutTrials,
    TransitionTrials,
}

impl SeamSearch {
    /// `limits`: the first frame of the first clip and the end of the second clip that the seams around leave.
    fn new(clips: [&Clip; 2], limits: [usize; 2], call: &Call) -> Result<Self> {
        let (ends, mut rules) = Ends::new(clips, limits, call)?;
        rules.reverse();
        Ok(Self {
            ends,
            round_total: rules.len(),
            remaining_rules: rules,
            prepared: None,
            cuts: Vec::new(),
            untried_joins: Vec::new(),
            trials: Vec::new(),
            round: Round::CutSearch,
        })
    }

    fn completed_fraction(&self) -> f32 {
        let fraction = |remaining: usize| 1.0 - remaining as f32 / self.round_total.max(1) as f32;
        match self.round {
            Round::CutSearch => 0.1 * fraction(self.remaining_rules.len()),
            Round::CutTrials => 0.1 + 0.1 * fraction(self.untried_joins.len()),
            Round::TransitionTrials => 0.2 + 0.8 * fraction(self.untried_joins.len()),
        }
    }

    /// Continues the search for a cut, or tries the next join.
    fn step(&mut self, call: &Call) {
        if self.round == Round::CutSearch {
            return self.search_cut(call);
        }
        if let Some((join, rule)) = self.untried_joins.pop() {
            // Some joins fail for some bodies.
            self.trials.extend(self.ends.try_join(&join, rule, call).ok().flatten());
        }
        if self.untried_joins.is_empty() && self.round == Round::CutTrials {
            self.begin_round(Round::TransitionTrials, self.transitions_to_try(call));
        }
    }

    fn begin_round(&mut self, round: Round, mut joins: Vec<(JoinOptions, &'static str)>) {
        // In short clips blends of two lengths may become equal.
        joins.dedup();
        joins.retain(|(join, _)| self.trials.iter().all(|trial| trial.options != *join));
        joins.reverse();
        (self.round, self.round_total, self.untried_joins) = (round, joins.len(), joins);
    }

    /// Continues the search for the next cut; begins the first round of trials after the last one.
    fn search_cut(&mut self, call: &Call) {
        let Some(&(rule, name)) = self.remaining_rules.last() else {
            let blend = |&(cut, rule): &(Cut, _)| (self.blend(cut, Join::Inertialize, TRIED_BLENDS_SECS[0]), rule);
            return self.begin_round(Round::CutTrials, self.cuts.iter().map(blend).collect());
        };
        let mut prepared = self.prepared.take().or_else(|| self.ends.prepare_search(rule, call).ok());
        let fraction = prepared.as_mut().map(|prepared| prepared.advance(&mut Progress::silent()));
        if matches!(fraction, Some(Ok(fraction)) if fraction < 1.0) {
            self.prepared = prepared;
            return;
        }
        self.remaining_rules.pop();
        let cut = prepared.and_then(|prepared| prepared.cut(&mut Progress::silent()).ok());
        if let Some(cut) = cut.map(|cut| self.ends.to_clip_frames(cut)).filter(|cut| !self.has_cut(cut)) {
            self.cuts.push((cut, name));
        }
    }

    /// Returns the options of a blend at a cut, shortened if the clips are too short.
    fn blend(&self, cut: Cut, join: Join, secs: f64) -> JoinOptions {
        JoinOptions::blend_at(SeamChoice::At(cut), join, secs.min(self.ends.longest_blend(&cut)))
    }

    fn has_cut(&self, cut: &Cut) -> bool {
        self.cuts.iter().any(|(found, _)| (found.takeoff, found.landing) == (cut.takeoff, cut.landing))
    }

    /// Returns the transitions to try at the best cuts.
    fn transitions_to_try(&self, call: &Call) -> Vec<(JoinOptions, &'static str)> {
        let auto = call.auto;
        let mut ranked: Vec<&Trial> = self.trials.iter().collect();
        ranked.sort_by(|a, b| a.score.total_cmp(&b.score));
        let mut joins = Vec::new();
        for trial in ranked.into_iter().take(MAX_CUTS) {
            let (SeamChoice::At(cut), rule) = (trial.options.cut, trial.rule) else { continue };
            let short_blend = self.blend(cut, Join::Inertialize, TRIED_BLENDS_SECS[1]);
            let mut add = |join: JoinOptions| joins.push((join, rule));
            add(short_blend.clone());
            if !auto.keep {
                TRIED_BLENDS_SECS.into_iter().for_each(|secs| add(self.blend(cut, Join::Crossfade, secs)));
            }
            if auto.refiner.is_some() && call.is_biped() {
                add(JoinOptions { refine: true, ..short_blend.clone() });
            }
            let names = auto.networks.networks().filter(|_| call.is_biped());
            let inserts: Vec<Insert> = self.inserts_to_try(&cut, call).collect();
            for filler in std::iter::once(JoinOptions::FILLER).chain(names) {
                for &insert in &inserts {
                    add(JoinOptions { insert, filler, ..short_blend.clone() });
                }
            }
        }
        joins
    }

    /// Returns the numbers of frames to insert at a cut.
    fn inserts_to_try(&self, cut: &Cut, call: &Call) -> impl Iterator<Item = Insert> {
        let fps = self.ends.clips[0].fps();
        let one = ((INSERTED_SECS * fps).round() as usize).max(1);
        let long = self.ends.transition_frames(cut, call).filter(|&frames| frames as f64 >= MIN_LONG_SECS * fps);
        std::iter::once(one).chain(long).map(Insert::Frames)
    }
}
