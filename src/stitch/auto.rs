//! Automatic choice of the most natural join for each seam.
//!
//! Only the end of one clip and the beginning of the next matter at a seam. These two pieces are joined many times, each
//! time with other options ([`search`]). Each result is scored: by the judge of recorded motion
//! ([`crate::judge::score`]) and by the faults that an eye sees ([`crate::judge::faults`]). The best join wins. An entry
//! of [`StitchOptions::seams`] fixes the parts of the join that it names.
//!
//! The same clips, options and networks give the same motion. One step continues a cut search or tries one join, so
//! that an abort takes effect between steps.

mod moves;
mod search;

use super::cut::Cutter;
use super::join::{join_prepared, prepare_inputs};
use super::plan::{Planned, plan};
use super::trial::Call;
use super::{
    Cut, Input, Join, JoinChoice, Networks, PartialJoin, Prepared, StitchOptions, Stitched, Trial, finish_with_networks,
};
use crate::error::Result;
use crate::motion::clip::Clip;
use crate::progress::{Progress, Stage};
use search::SeamSearch;

/// An automatic stitch in progress: call [`Auto::advance`] until it returns 1, then [`Auto::finish`].
pub struct Auto {
    inputs: Vec<Clip>,
    /// Warnings of the preparation.
    warnings: Vec<String>,
    /// First frame of each prepared clip that the previous seam did not cut away.
    first_frames: Vec<usize>,
    /// The given parts of each seam's join; parts that are not given have their defaults.
    given: Vec<Planned>,
    /// Trials at each finished seam.
    trials: Vec<Vec<Trial>>,
    /// Join of each finished seam.
    joins: Vec<Planned>,
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
        let (first_frames, given) = (vec![0; inputs.len()], plan(clips, options)?);
        let (trials, joins) = (Vec::new(), Vec::new());
        Ok(Self { inputs, warnings, first_frames, given, trials, joins, search: None, cutter: None })
    }

    /// Continues a cut search or tries one join. Returns the completed fraction, 1 when [`Auto::finish`] comes next.
    ///
    /// # Errors
    /// Those of [`super::stitch`]; a join that fails is skipped.
    pub fn advance(
        &mut self,
        first: &Input,
        options: &StitchOptions,
        networks: &Networks,
        progress: &mut Progress,
    ) -> Result<f32> {
        let (index, seams) = (self.trials.len(), self.inputs.len() - 1);
        if index == seams {
            return Ok(1.0);
        }
        if own_join(options, index).is_some() {
            return self.advance_own_cut(first, options, progress);
        }
        let call = Call { first, options, networks };
        let mut search = match self.search.take() {
            Some(search) => search,
            None => {
                let clips = [&self.inputs[index], &self.inputs[index + 1]];
                let limits = [self.first_frames[index], self.end_frame(index + 1)];
                let fixed = options.seams.get(index).cloned().flatten().unwrap_or_default();
                SeamSearch::new(clips, limits, (fixed, self.given[index].at), &call)?
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
        let join = match best {
            Some(trial) => Planned::at_cut(trial.made.clone(), trial.cut_at),
            None => Planned::uncut(options.for_seam(index)),
        };
        let landing = join.cut.map_or(0, |cut| cut.landing);
        self.finish_seam(join, landing, search.trials);
        Ok((index + 1) as f32 / seams as f32)
    }

    fn finish_seam(&mut self, join: Planned, landing: usize, trials: Vec<Trial>) {
        self.trials.push(trials);
        self.joins.push(join);
        self.first_frames[self.joins.len()] = landing;
    }

    /// Continues the search for the cut of a seam with its own options; the next seam must not take off before its
    /// landing. Returns the completed fraction of all seams.
    fn advance_own_cut(&mut self, first: &Input, options: &StitchOptions, progress: &mut Progress) -> Result<f32> {
        let (index, seams) = (self.joins.len(), self.inputs.len() - 1);
        let own = self.given[index].clone();
        let is_next_automatic = index + 1 < seams && own_join(options, index + 1).is_none();
        let landing = match (own.at, own.join.cut) {
            (Some([_, landing]), _) => landing,
            // Own cuts of consecutive seams are found by one search.
            (None, Cut::Best { .. } | Cut::Phase { .. }) if is_next_automatic => {
                let mut cutter = match self.cutter.take() {
                    Some(cutter) => cutter,
                    None => self.cutter(&own, first)?,
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
        self.finish_seam(own, landing, Vec::new());
        progress.at(Stage::Scan, (index + 1) as f32 / seams as f32)?;
        Ok((index + 1) as f32 / seams as f32)
    }

    /// Returns the search of [`Auto::finish`] for the cut of the next seam, whose join is `own`.
    fn cutter(&self, own: &Planned, first: &Input) -> Result<Cutter> {
        // Later seams have no influence on this cut.
        let mut joins: Vec<Planned> = self.joins.iter().chain([own]).cloned().collect();
        joins.resize(self.inputs.len() - 1, Planned::uncut(own.join.clone()));
        Cutter::new(self.inputs.clone(), first.rig, joins)
    }

    /// Returns the frame of a clip at which the next seam cuts it, if that seam has a given cut; else its length.
    fn end_frame(&self, clip: usize) -> usize {
        let frames = self.inputs[clip].frames();
        match self.given.get(clip).and_then(|given| given.at) {
            Some([takeoff, _]) => frames.min(takeoff.saturating_add(1)),
            None => frames,
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
        networks: &Networks,
        progress: &mut Progress,
    ) -> Result<Stitched> {
        // The sort is stable: the first trial of the seam is the chosen one.
        self.trials.iter_mut().for_each(|trials| trials.sort_by(|a, b| a.score.total_cmp(&b.score)));
        let prepared = Prepared::planned((self.inputs, self.warnings), clips[0].rig, self.joins)?;
        let joined = join_prepared(prepared, clips, options, progress)?;
        let mut stitched = finish_with_networks(joined, options, networks, progress)?;
        for (seam, trials) in stitched.seam_reports.iter_mut().zip(self.trials) {
            seam.trials = trials;
        }
        Ok(stitched)
    }
}

/// Returns the join of a seam, if the options determine it.
fn own_join(options: &StitchOptions, seam: usize) -> Option<Join> {
    match options.join {
        JoinChoice::With(_) => Some(options.for_seam(seam)),
        JoinChoice::Auto { .. } => options.seams.get(seam)?.as_ref().and_then(PartialJoin::complete),
    }
}
