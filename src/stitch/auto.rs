//! Automatic choice of the most natural join for each seam.
//!
//! Only the end of one clip and the beginning of the next matter at a seam. These two pieces are joined many times, each
//! time with other options ([`search`]). Each result is scored: by the judge of recorded motion
//! ([`crate::judge::score`]) and by the faults that an eye sees ([`crate::judge::faults`]). The best join wins.
//!
//! The same clips, options and networks give the same motion. One step continues a cut search or tries one join, so
//! that an abort takes effect between steps.

mod moves;
mod search;

use super::cut::{Cutter, SeamChoice};
use super::join::prepare_inputs;
use super::trial::{Call, Trial};
use super::{Input, JoinOptions, Prepared, StitchOptions, Stitched, complete, faults, join_prepared};
use crate::error::Result;
use crate::judge::score::Scoring;
use crate::method::lscore::seam::MAX_CUT_SECS;
use crate::method::registry::{Fillers, NO_NETWORKS};
use crate::method::rmr::PackedRmr;
use crate::motion::clip::Clip;
use crate::progress::{Progress, Stage};
use search::SeamSearch;

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
    /// Warnings of the preparation of the inputs.
    warnings: Vec<String>,
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
        let (inputs, warnings) = prepare_inputs(clips, options, progress)?;
        let (first_frames, trials, joins) = (vec![0; inputs.len()], Vec::new(), Vec::new());
        Ok(Self { inputs, warnings, first_frames, trials, joins, search: None, cutter: None })
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
        search.score_best_cut(&call);
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
        let prepared = Prepared::from_inputs(self.inputs, self.warnings, clips[0].rig, &options)?;
        let joined = join_prepared(prepared, clips, &options, progress)?;
        let mut stitched = complete(joined, clips, &options, auto, progress)?;
        faults::measure(&mut stitched, clips[0].rig);
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
