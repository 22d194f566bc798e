//! Automatic choice of the most natural way for each seam.
//!
//! Only the end of one clip and the beginning of the next matter at a seam. These two pieces are joined in one way
//! after the other: with the cut at their ends, the cut with the least work, and the cut with the feet in step;
//! blended, refined, or with frames inserted by each available gap filler. Each result is scored ([`crate::judge::score`]);
//! the best way wins. Ways are tried in two rounds: first the cuts, all with the same join, then the transitions at
//! the best cuts.
//!
//! The same clips, options and networks give the same motion. Each step tries one way, so that an abort takes effect
//! between steps.

use super::cut::SeamChoice;
use super::join::prepared_inputs;
use super::{Input, Insert, MIN_FRAMES, Prepared, StitchOptions, Stitched, Way, composed};
use crate::body::canonical::Fit;
use crate::error::{Error, Result};
use crate::judge::score::{AROUND_SECS, Measures, Scoring, own_jerk};
use crate::method::Join;
use crate::method::lscore::Cut;
use crate::method::lscore::seam::{MAX_CUT_SECS, cut_frames};
use crate::method::registry::{Fillers, NO_NETWORKS};
use crate::method::rmr::PackedRmr;
use crate::motion::clip::Clip;
use crate::motion::contact::contacts;
use crate::motion::rig::RigKind;
use crate::progress::{Progress, Stage};
use std::ops::Range;

/// Blend lengths to try, seconds.
const BLENDS: [f64; 2] = [0.5, 0.25];
/// Durations of inserted motion to try, seconds, in addition to the duration that follows from the clips' own speed.
const INSERTED_SECS: [f64; 2] = [0.25, 0.5];
/// Number of cuts in the second round.
const CUTS: usize = 2;
/// Duration of motion beyond the longest cut that is used, seconds: by scores and by fillers.
const CONTEXT_SECS: f64 = AROUND_SECS + 0.5;

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
    /// How ways are compared.
    pub scoring: Scoring<'a>,
}

impl Default for AutoOptions<'_> {
    fn default() -> Self {
        let (networks, scoring) = (&NO_NETWORKS, Scoring::default());
        Self { max_cut_secs: MAX_CUT_SECS, keep: false, networks, refiner: None, scoring }
    }
}

/// A tried way with its score.
#[derive(Debug, Clone, PartialEq)]
pub struct Trial {
    /// The way, with the cut that was found.
    pub way: Way,
    /// Rule that found the cut: "keep", "best" or "phase".
    pub rule: &'static str,
    /// Number of inserted frames.
    pub inserted: usize,
    /// Score, lower is more natural.
    pub score: f32,
    /// Foot slide around the seam, metres a frame.
    pub foot_skate: f32,
    /// Largest joint jerk around the seam, m/s³.
    pub peak_jerk: f32,
    /// Duration of the trial, milliseconds; 0 until the caller, who has a clock, sets it.
    pub milliseconds: f64,
}

/// The adjacent ends of two clips.
struct Pair {
    clips: [Clip; 2],
    /// First frame of each piece in its prepared clip.
    starts: [usize; 2],
    measures: Measures,
}

/// The search for the best way of one seam.
struct Search {
    pair: Pair,
    /// Ways not tried yet, the next one last.
    open: Vec<(Way, &'static str)>,
    /// Initial number of ways.
    total: usize,
    trials: Vec<Trial>,
    is_second_round: bool,
}

/// An automatic stitch in progress: call [`Auto::advance`] until it returns 1, then [`Auto::finish`].
pub struct Auto {
    inputs: Vec<Clip>,
    /// First remaining frame of each prepared clip.
    from: Vec<usize>,
    found: Vec<Vec<Trial>>,
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
        Ok(Self { from: vec![0; inputs.len()], inputs, found: Vec::new(), search: None })
    }

    /// Tries one way. Returns the completed fraction, 1 when [`Auto::finish`] comes next.
    ///
    /// # Errors
    /// Those of [`super::stitch`]; a way that fails is skipped.
    pub fn advance(
        &mut self,
        first: &Input,
        options: &StitchOptions,
        auto: &AutoOptions,
        progress: &mut Progress,
    ) -> Result<f32> {
        let (index, seams) = (self.found.len(), self.inputs.len() - 1);
        if index == seams {
            return Ok(1.0);
        }
        if options.ways.get(index).is_some_and(Option::is_some) {
            self.found.push(Vec::new());
            return Ok((index + 1) as f32 / seams as f32);
        }
        let mut search = match self.search.take() {
            Some(search) => search,
            None => self.search_at(index, first, options, auto, progress)?,
        };
        search.step(first, options, auto, progress)?;
        let done = search.done();
        progress.at(Stage::Scan, (index as f32 + done) / seams as f32)?;
        if done < 1.0 {
            self.search = Some(search);
            return Ok((index as f32 + done) / seams as f32);
        }
        let best = search.trials.iter().min_by(|a, b| a.score.total_cmp(&b.score));
        if let Some(Trial { way: Way { cut: SeamChoice::At(cut), .. }, .. }) = best {
            self.from[index + 1] = cut.landing;
        }
        self.found.push(search.trials);
        Ok((index + 1) as f32 / seams as f32)
    }

    /// Sets the duration of the last trial, for its entry in [`super::Seam::tried`].
    pub fn took(&mut self, milliseconds: f64) {
        let trials = self.search.as_mut().map(|search| &mut search.trials).or(self.found.last_mut());
        if let Some(trial) = trials.and_then(|trials| trials.last_mut()) {
            trial.milliseconds += milliseconds;
        }
    }

    /// The motion, with each seam joined in the way found for it.
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
        self.found.iter_mut().for_each(|trials| trials.sort_by(|a, b| a.score.total_cmp(&b.score)));
        let best = |(seam, trials): (usize, &Vec<Trial>)| {
            let given = options.ways.get(seam).cloned().flatten();
            Some(given.or_else(|| trials.first().map(|trial| trial.way.clone())).unwrap_or_else(|| options.way(seam)))
        };
        let ways = self.found.iter().enumerate().map(best).collect();
        let options = StitchOptions { ways, ..options.clone() };
        let mut stitched = composed(clips, &options, auto.networks, auto.refiner, progress)?;
        for (seam, trials) in stitched.seams.iter_mut().zip(self.found) {
            seam.tried = trials;
        }
        Ok(stitched)
    }

    /// The two pieces at a seam, and the first round of ways.
    fn search_at(
        &self,
        index: usize,
        first: &Input,
        options: &StitchOptions,
        auto: &AutoOptions,
        progress: &mut Progress,
    ) -> Result<Search> {
        let [a, b] = [&self.inputs[index], &self.inputs[index + 1]];
        let most = if auto.keep { 0 } else { cut_frames(auto.max_cut_secs, a.fps())? };
        let reach = ((CONTEXT_SECS * a.fps()).ceil() as usize + MIN_FRAMES).saturating_add(most);
        let starts = [self.from[index].max(a.frames().saturating_sub(reach)), 0];
        let clips = [a.trimmed(starts[0]..a.frames())?, b.trimmed(0..reach.min(b.frames()))?];
        // The rest of a clip must still be a clip and serve the next seam.
        let spare = |clip: &Clip| clip.frames().saturating_sub(2 * MIN_FRAMES);
        let most_secs = most.min(spare(&clips[0])).min(spare(b) / 2) as f64 / a.fps();
        let is_biped = first.rig.kind == RigKind::Biped;
        let measures = Measures {
            jerk: own_jerk([&clips[0], &clips[1]]),
            fit: is_biped.then(|| Fit::of(&clips[0], first.rig).ok()).flatten(),
            ground: contacts(&clips[0], first.rig).world_ground[1],
        };
        let pair = Pair { clips, starts, measures };
        let mut cuts = vec![(pair.cut(first, options, SeamChoice::Keep, progress)?, "keep")];
        if most_secs > 0.0 {
            for (rule, name) in [
                (SeamChoice::Best { max_cut_secs: most_secs }, "best"),
                (SeamChoice::Phase { max_cut_secs: most_secs }, "phase"),
            ] {
                match pair.cut(first, options, rule, progress) {
                    Ok(cut) if !cuts.iter().any(|(other, _)| is_same(other, &cut)) => cuts.push((cut, name)),
                    Err(Error::Aborted) => return Err(Error::Aborted),
                    _ => {}
                }
            }
        }
        let way = |(cut, rule)| (blend(SeamChoice::At(cut), Join::Inertialize, BLENDS[0]), rule);
        let open: Vec<_> = cuts.into_iter().rev().map(way).collect();
        Ok(Search { pair, total: open.len(), open, trials: Vec::new(), is_second_round: false })
    }
}

fn is_same(a: &Cut, b: &Cut) -> bool {
    (a.takeoff, a.landing) == (b.takeoff, b.landing)
}

fn blend(cut: SeamChoice, join: Join, blend_secs: f64) -> Way {
    Way { cut, join, blend_secs, insert: Insert::None, filler: Way::FILLER, refine: false }
}

impl Search {
    fn done(&self) -> f32 {
        // The second round has some eight times as many ways as the first.
        let tried = 1.0 - self.open.len() as f32 / self.total.max(1) as f32;
        if self.is_second_round { 0.1 + 0.9 * tried } else { 0.1 * tried.min(0.99) }
    }

    /// Tries the next way.
    fn step(
        &mut self,
        first: &Input,
        options: &StitchOptions,
        auto: &AutoOptions,
        progress: &mut Progress,
    ) -> Result<()> {
        if let Some((way, rule)) = self.open.pop() {
            match self.pair.trial(first, options, auto, way, rule, progress) {
                Ok(trial) => self.trials.extend(trial),
                Err(Error::Aborted) => return Err(Error::Aborted),
                // Some ways fail for some bodies.
                Err(_) => {}
            }
        }
        if self.open.is_empty() && !self.is_second_round {
            self.is_second_round = true;
            self.open = self.second_round(first, auto);
            self.total = self.open.len();
        }
        Ok(())
    }

    /// The transitions to try, at the best cuts of the first round.
    fn second_round(&self, first: &Input, auto: &AutoOptions) -> Vec<(Way, &'static str)> {
        let mut cuts: Vec<&Trial> = self.trials.iter().collect();
        cuts.sort_by(|a, b| a.score.total_cmp(&b.score));
        let is_biped = first.rig.kind == RigKind::Biped;
        let fps = self.pair.clips[0].fps();
        let mut ways = Vec::new();
        for trial in cuts.into_iter().take(CUTS) {
            let (cut, rule) = (trial.way.cut, trial.rule);
            let plain = blend(cut, Join::Inertialize, BLENDS[0]);
            let mut add = |way: Way| ways.push((way, rule));
            add(blend(cut, Join::Inertialize, BLENDS[1]));
            if !auto.keep {
                BLENDS.into_iter().for_each(|secs| add(blend(cut, Join::Crossfade, secs)));
            }
            if auto.refiner.is_some() && is_biped {
                add(Way { refine: true, ..plain.clone() });
            }
            let names = auto.networks.networks().filter(|_| is_biped);
            let lengths = INSERTED_SECS.map(|secs| Insert::Frames(((secs * fps).round() as usize).max(1)));
            for filler in std::iter::once(Way::FILLER).chain(names) {
                lengths.into_iter().for_each(|insert| add(Way { insert, filler, ..plain.clone() }));
            }
        }
        ways.reverse();
        ways
    }
}

impl Pair {
    fn inputs<'a>(&'a self, first: &Input<'a>) -> [Input<'a>; 2] {
        self.clips.each_ref().map(|clip| Input { clip, rig: first.rig })
    }

    /// Options for the two pieces alone.
    fn options(&self, options: &StitchOptions, way: Way) -> StitchOptions {
        let StitchOptions { lscore, foot_lock, .. } = options.clone();
        StitchOptions { lscore, foot_lock, ways: vec![Some(way)], ..Default::default() }
    }

    /// The cut of a rule, in frames of the prepared clips.
    fn cut(&self, first: &Input, options: &StitchOptions, rule: SeamChoice, progress: &mut Progress) -> Result<Cut> {
        // With this join every cut is scored, even that of whole clips.
        let options = self.options(options, blend(rule, Join::Lscore, 0.0));
        let mut quiet = Progress::silent();
        let search = Prepared::new(&self.inputs(first), &options, &mut quiet)?;
        progress.at(Stage::Scan, 0.0)?;
        let cut = search.cut(&mut quiet)?;
        Ok(Cut { takeoff: cut.takeoff + self.starts[0], landing: cut.landing + self.starts[1], ..cut })
    }

    /// Joins the two pieces in one way and scores the result; `None` where its network changed nothing.
    fn trial(
        &self,
        first: &Input,
        options: &StitchOptions,
        auto: &AutoOptions,
        way: Way,
        rule: &'static str,
        progress: &mut Progress,
    ) -> Result<Option<Trial>> {
        let SeamChoice::At(cut) = way.cut else { return Ok(None) };
        let local = Cut { takeoff: cut.takeoff - self.starts[0], landing: cut.landing - self.starts[1], ..cut };
        let options = self.options(options, Way { cut: SeamChoice::At(local), ..way.clone() });
        // The stages of a trial are not stages of the whole computation.
        let mut quiet = Progress::silent();
        let stitched = composed(&self.inputs(first), &options, auto.networks, auto.refiner, &mut quiet)?;
        progress.at(Stage::Scan, 0.0)?;
        let Some(seam) = stitched.seams.first() else { return Ok(None) };
        // A rejected refinement equals the draft, which is tried anyway.
        if seam.refined.is_some_and(|refined| refined.kept.is_some()) {
            return Ok(None);
        }
        let slide = seam.foot_skate * stitched.clip.fps() as f32;
        let edited: Range<usize> = seam.edited.start.min(seam.frame)..seam.edited.end.max(seam.frame);
        let score = auto.scoring.score(&stitched.clip, &edited, [slide, seam.peak_jerk], &self.measures)?;
        let (inserted, foot_skate, peak_jerk) = (seam.inserted, seam.foot_skate, seam.peak_jerk);
        Ok(Some(Trial { way, rule, inserted, score, foot_skate, peak_jerk, milliseconds: 0.0 }))
    }
}
