//! Automatic choice of the most natural filler for each gap.
//!
//! Every available filler makes the whole motion, and each of its gaps is scored ([`Scoring`]), except the gaps that
//! are too long for the filler. In the result each gap is filled by the filler that scored best in it. The same keys,
//! options and networks give the same motion. One step tries one filler, so that an abort takes effect between steps.

use super::gap::{measured_frames, peak_jerk};
use super::session::Session;
use super::{Inbetween, feet, transfer};
use crate::error::Result;
use crate::judge::score::{Scoring, SourceMeasures};
use crate::method::DEFAULT;
use crate::method::filler::Filler;
use crate::method::registry::{Fillers, fills_gap};
use crate::progress::{Progress, Stage};

/// A filler that was tried in a gap, with its score.
#[derive(Debug, Clone, PartialEq)]
pub struct GapTrial {
    /// Name of the filler.
    pub method: &'static str,
    /// Score, lower is more natural.
    pub score: f32,
    /// Mean horizontal foot travel during ground contact, metres per frame.
    pub foot_skate: f32,
    /// Largest joint jerk in the gap and at its transitions to both keys, m/s³.
    pub peak_jerk: f32,
    /// Duration of the trial of the whole motion, milliseconds, by the clock of [`Progress`].
    pub milliseconds: f64,
}

/// The search for the best filler of each gap: call [`Auto::advance`] until it returns 1, then [`Auto::finish`].
#[derive(Debug, Clone)]
pub struct Auto {
    /// Names of the fillers to try.
    names: Vec<&'static str>,
    /// Number of fillers already tried.
    tried: usize,
    /// Trials of each gap.
    trials: Vec<Vec<GapTrial>>,
}

impl Auto {
    /// Prepares to try all of `fillers` with their default options; networks are tried for bipeds only, and only in
    /// gaps that are not too long for them.
    pub fn new(session: &Session, fillers: &Fillers) -> Self {
        let needs_no_network = |name: &&str| fillers.networks().all(|network| network != *name);
        let fills_any_gap = |name: &&str| (0..session.gaps()).any(|gap| session.can_fill(gap, name));
        let names = fillers.names().filter(|name| session.fit.is_ok() || needs_no_network(name));
        let names = names.filter(fills_any_gap).collect();
        Self { names, tried: 0, trials: vec![Vec::new(); session.gaps()] }
    }

    /// Tries one filler. Returns the completed fraction, 1 when [`Auto::finish`] comes next.
    ///
    /// # Errors
    /// Those of [`Session::solve`].
    pub fn advance(
        &mut self,
        session: &Session,
        fillers: &Fillers,
        scoring: Scoring,
        progress: &mut Progress,
    ) -> Result<f32> {
        let Some(&name) = self.names.get(self.tried) else { return Ok(1.0) };
        let [filler, default] = [fillers.get(&name.into())?, fillers.get(&DEFAULT.name.into())?];
        let start = progress.now();
        let gap_filler = |gap| if session.can_fill(gap, name) { filler.as_ref() } else { default.as_ref() };
        let gap_fillers: Vec<&dyn Filler> = (0..session.gaps()).map(gap_filler).collect();
        // The stages of a trial are not stages of the whole computation.
        let motion = session.solve_each(&gap_fillers, &mut Progress::silent())?;
        let scores = session.scores(&motion, scoring)?;
        let milliseconds = progress.now() - start;
        for ((gap, score), trials) in motion.gaps.iter().zip(scores).zip(&mut self.trials) {
            // Where a network's motion was rejected, or the gap is too long for it, the gap has the motion of the
            // default filler, which is tried anyway.
            if gap.method == name {
                let (foot_skate, peak_jerk) = (gap.foot_skate, gap.peak_jerk);
                trials.push(GapTrial { method: name, score, foot_skate, peak_jerk, milliseconds });
            }
        }
        self.tried += 1;
        let fraction = self.tried as f32 / self.names.len() as f32;
        progress.at(Stage::Scan, fraction)?;
        Ok(fraction)
    }

    /// Makes the motion, with each gap filled by the filler with the best score; of equal scores the first tried wins.
    /// A gap without trials gets the default filler.
    ///
    /// # Errors
    /// Those of [`Session::solve`].
    pub fn finish(mut self, session: &Session, fillers: &Fillers, progress: &mut Progress) -> Result<Inbetween> {
        self.trials.iter_mut().for_each(|trials| trials.sort_by(|a, b| a.score.total_cmp(&b.score)));
        let best_name = |trials: &Vec<GapTrial>| trials.first().map_or(DEFAULT.name, |best| best.method);
        let best_fillers = self.trials.iter().map(|trials| fillers.get(&best_name(trials).into()));
        let best_fillers = best_fillers.collect::<Result<Vec<Box<dyn Filler>>>>()?;
        let best_fillers: Vec<&dyn Filler> = best_fillers.iter().map(|filler| filler.as_ref()).collect();
        let mut motion = session.solve_each(&best_fillers, progress)?;
        for (gap, trials) in motion.gaps.iter_mut().zip(self.trials) {
            gap.trials = trials;
        }
        Ok(motion)
    }
}

impl Session {
    /// Whether the filler with this name can fill a gap, by the gap's length.
    fn can_fill(&self, gap: usize, name: &str) -> bool {
        fills_gap(name, transfer::count_rows(self.frames[gap], self.pieces[0].clip.fps()).0)
    }

    fn gaps(&self) -> usize {
        self.frames.len()
    }

    /// Scores each gap of a motion through these keys; lower is more natural.
    ///
    /// # Errors
    /// The errors of the conversion to the canonical body.
    pub fn scores(&self, motion: &Inbetween, scoring: Scoring) -> Result<Vec<f32>> {
        // Jerk is not compared with that of keys that stand still: every motion has more.
        let jerk = if self.peak_jerk < 1.0 { f32::MAX } else { self.peak_jerk };
        let measures = SourceMeasures {
            jerk,
            fit: self.fit.as_ref().ok().cloned(),
            ground: feet::resting_heights(&self.pieces)[1],
            heights: self.heights.clone(),
        };
        let score = |gap: &super::Gap| {
            let slide = gap.foot_skate * motion.clip.fps() as f32;
            // At the clip's own rate, as that of the keys.
            let jerk = motion.clip.trimmed(measured_frames(gap, &motion.clip)).map_or(0.0, |part| peak_jerk(&part));
            scoring.score(&motion.clip, &gap.range, [slide, jerk], &measures)
        };
        motion.gaps.iter().map(score).collect()
    }
}
