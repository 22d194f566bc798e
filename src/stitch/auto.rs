//! Automatic choice of the most natural join for each seam.
//!
//! Only the end of one clip and the beginning of the next matter at a seam. These two pieces are joined by one
//! set of options after the other. The cut is at their ends, at the lowest L-score, or where the feet are in step. The
//! transition is a blend, a refined blend, or frames inserted by a gap filler. Each result is scored
//! ([`crate::judge::score`]); the best join wins. After the search for cuts there are two rounds of trials: all cuts with
//! the same transition, then all transitions at the best cuts.
//!
//! The same clips, options and networks give the same motion. One step continues a cut search or tries one join, so
//! that an abort takes effect between steps.

use super::cut::SeamChoice;
use super::join::prepared_inputs;
use super::trial::{Call, Ends, LONGEST_SECS, Trial};
use super::{Input, Insert, JoinOptions, Prepared, StitchOptions, Stitched, composed};
use crate::error::Result;
use crate::judge::score::Scoring;
use crate::method::Join;
use crate::method::lscore::Cut;
use crate::method::lscore::seam::MAX_CUT_SECS;
use crate::method::registry::{Fillers, NO_NETWORKS};
use crate::method::rmr::PackedRmr;
use crate::motion::clip::Clip;
use crate::progress::{Progress, Stage};

/// Blend lengths to try, seconds; the first one ranks the cuts.
const BLENDS: [f64; 2] = [LONGEST_SECS, 0.5];
/// Duration of inserted motion to try, seconds. Half a second was the most natural in 2 of 120 validation pairs.
const INSERTED_SECS: f64 = 1.0;
/// Number of cuts in the second round.
const CUTS: usize = 2;

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
    /// How joins are compared.
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
    /// First remaining frame of each prepared clip.
    from: Vec<usize>,
    /// Trials at each finished seam.
    trials: Vec<Vec<Trial>>,
    search: Option<Search>,
}

impl Auto {
    /// Trims the clips, resamples them to one rate and retargets them to the first one's skeleton.
    ///
    /// # Errors
    /// Those of [`super::stitch`].
    pub fn new(clips: &[Input], options: &StitchOptions, progress: &mut Progress) -> Result<Self> {
        options.check(clips.len())?;
        let inputs = prepared_inputs(clips, options, progress)?;
        Ok(Self { from: vec![0; inputs.len()], inputs, trials: Vec::new(), search: None })
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
        if options.seams.get(index).is_some_and(Option::is_some) {
            self.trials.push(Vec::new());
            return Ok((index + 1) as f32 / seams as f32);
        }
        let call = Call { first, options, auto };
        let mut search = match self.search.take() {
            Some(search) => search,
            None => Search::new(&self.inputs[index], &self.inputs[index + 1], self.from[index], &call)?,
        };
        search.step(&call);
        let done = search.done();
        progress.at(Stage::Scan, (index as f32 + done) / seams as f32)?;
        if done < 1.0 {
            self.search = Some(search);
            return Ok((index as f32 + done) / seams as f32);
        }
        let best = search.trials.iter().min_by(|a, b| a.score.total_cmp(&b.score));
        if let Some(Trial { options: JoinOptions { cut: SeamChoice::At(cut), .. }, .. }) = best {
            self.from[index + 1] = cut.landing;
        }
        self.trials.push(search.trials);
        Ok((index + 1) as f32 / seams as f32)
    }

    /// Sets the duration of the last trial, for its entry in [`super::Seam::trials`].
    pub fn took(&mut self, milliseconds: f64) {
        let trials = self.search.as_mut().map(|search| &mut search.trials).or(self.trials.last_mut());
        if let Some(trial) = trials.and_then(|trials| trials.last_mut()) {
            trial.milliseconds += milliseconds;
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
        // The sort is stable: of equal scores the first tried wins.
        self.trials.iter_mut().for_each(|trials| trials.sort_by(|a, b| a.score.total_cmp(&b.score)));
        let best = |(seam, trials): (usize, &Vec<Trial>)| {
            let join = options.seams.get(seam).cloned().flatten();
            Some(
                join.or_else(|| trials.first().map(|trial| trial.options.clone()))
                    .unwrap_or_else(|| options.for_seam(seam)),
            )
        };
        let joins = self.trials.iter().enumerate().map(best).collect();
        let options = StitchOptions { seams: joins, ..options.clone() };
        let mut stitched = composed(clips, &options, auto.networks, auto.refiner, progress)?;
        for (seam, trials) in stitched.seams.iter_mut().zip(self.trials) {
            seam.trials = trials;
        }
        Ok(stitched)
    }
}

/// Search for the best join of two clips at one seam.
struct Search {
    ends: Ends,
    /// Rules whose cuts have not been searched yet, the next one last.
    rules: Vec<(SeamChoice, &'static str)>,
    /// Cut search in progress.
    prepared: Option<Prepared>,
    cuts: Vec<(Cut, &'static str)>,
    /// Joins not tried yet, the next one last.
    open: Vec<(JoinOptions, &'static str)>,
    /// Initial number of rules or joins of this round.
    total: usize,
    trials: Vec<Trial>,
    round: Round,
}

/// Rounds of a search, in order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Round {
    Cuts,
    First,
    Second,
}

impl Search {
    fn new(a: &Clip, b: &Clip, from: usize, call: &Call) -> Result<Self> {
        let (ends, mut rules) = Ends::of(a, b, from, call)?;
        rules.reverse();
        let (total, round) = (rules.len(), Round::Cuts);
        let (cuts, open, trials) = (Vec::new(), Vec::new(), Vec::new());
        Ok(Self { ends, rules, prepared: None, cuts, open, total, trials, round })
    }

    fn done(&self) -> f32 {
        let done = |left: usize| 1.0 - left as f32 / self.total.max(1) as f32;
        match self.round {
            Round::Cuts => 0.1 * done(self.rules.len()),
            Round::First => 0.1 + 0.1 * done(self.open.len()),
            Round::Second => 0.2 + 0.8 * done(self.open.len()),
        }
    }

    /// Continues the search for a cut, or tries the next join.
    fn step(&mut self, call: &Call) {
        if self.round == Round::Cuts {
            return self.search_cut(call);
        }
        if let Some((join, rule)) = self.open.pop() {
            // Some joins fail for some bodies.
            self.trials.extend(self.ends.trial(&join, rule, call).ok().flatten());
        }
        if self.open.is_empty() && self.round == Round::First {
            self.begin(Round::Second, self.second_round(call));
        }
    }

    fn begin(&mut self, round: Round, mut joins: Vec<(JoinOptions, &'static str)>) {
        // In short clips blends of two lengths may become equal.
        joins.dedup();
        joins.retain(|(join, _)| self.trials.iter().all(|trial| trial.options != *join));
        joins.reverse();
        (self.round, self.total, self.open) = (round, joins.len(), joins);
    }

    /// Continues the search for the next cut; begins the first round of trials after the last one.
    fn search_cut(&mut self, call: &Call) {
        let Some(&(rule, name)) = self.rules.last() else {
            let join = |&(cut, rule): &(Cut, _)| (self.blend(cut, Join::Inertialize, BLENDS[0]), rule);
            return self.begin(Round::First, self.cuts.iter().map(join).collect());
        };
        let mut prepared = self.prepared.take().or_else(|| self.ends.search(rule, call).ok());
        let done = prepared.as_mut().map(|prepared| prepared.advance(&mut Progress::silent()));
        if matches!(done, Some(Ok(done)) if done < 1.0) {
            self.prepared = prepared;
            return;
        }
        self.rules.pop();
        let cut = prepared.and_then(|prepared| prepared.cut(&mut Progress::silent()).ok());
        if let Some(cut) = cut.map(|cut| self.ends.in_clips(cut)).filter(|cut| !self.has(cut)) {
            self.cuts.push((cut, name));
        }
    }

    /// A blend at a cut, as long as the clips allow.
    fn blend(&self, cut: Cut, join: Join, secs: f64) -> JoinOptions {
        JoinOptions::blend(SeamChoice::At(cut), join, secs.min(self.ends.longest_blend(&cut)))
    }

    fn has(&self, cut: &Cut) -> bool {
        self.cuts.iter().any(|(other, _)| (other.takeoff, other.landing) == (cut.takeoff, cut.landing))
    }

    /// The transitions to try, at the best cuts of the first round.
    fn second_round(&self, call: &Call) -> Vec<(JoinOptions, &'static str)> {
        let auto = call.auto;
        let mut cuts: Vec<&Trial> = self.trials.iter().collect();
        cuts.sort_by(|a, b| a.score.total_cmp(&b.score));
        let insert = Insert::Frames(((INSERTED_SECS * self.ends.clips[0].fps()).round() as usize).max(1));
        let mut joins = Vec::new();
        for trial in cuts.into_iter().take(CUTS) {
            let (SeamChoice::At(cut), rule) = (trial.options.cut, trial.rule) else { continue };
            let plain = self.blend(cut, Join::Inertialize, BLENDS[1]);
            let mut add = |join: JoinOptions| joins.push((join, rule));
            add(plain.clone());
            if !auto.keep {
                BLENDS.into_iter().for_each(|secs| add(self.blend(cut, Join::Crossfade, secs)));
            }
            if auto.refiner.is_some() && call.is_biped() {
                add(JoinOptions { refine: true, ..plain.clone() });
            }
            let names = auto.networks.networks().filter(|_| call.is_biped());
            for filler in std::iter::once(JoinOptions::FILLER).chain(names) {
                add(JoinOptions { insert, filler, ..plain.clone() });
            }
        }
        joins
    }
}
