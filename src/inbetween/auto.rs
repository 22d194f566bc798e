//! The most natural filler of each gap, of all that there are.
//!
//! Every filler makes the whole motion, and each of its gaps is scored ([`Scoring`]); in the end each gap is filled
//! by the filler that did best there. The same keys, options and networks give the same motion. One step tries one
//! filler, so that an abort is heard in between.

use super::session::Session;
use super::{Inbetween, feet};
use crate::error::{Error, Result};
use crate::judge::score::{Measures, Scoring};
use crate::method::filler::Filler;
use crate::method::registry::Fillers;
use crate::progress::{Progress, Stage};

/// A filler that was tried in a gap, and how good it was.
#[derive(Debug, Clone, PartialEq)]
pub struct Attempt {
    /// Its name.
    pub method: &'static str,
    /// Score, lower is more natural.
    pub score: f32,
    /// Horizontal foot travel while in contact, metres a frame.
    pub foot_skate: f32,
    /// Largest joint jerk, both ends included, m/s³.
    pub peak_jerk: f32,
    /// Time that the whole motion took, milliseconds; 0 until the caller, who has a clock, says so.
    pub milliseconds: f64,
}

/// The search for the best filler of each gap: [`Auto::advance`] until it says 1, then [`Auto::finish`].
#[derive(Debug, Clone)]
pub struct Auto {
    /// Names of the fillers, and how many of them were tried.
    names: Vec<&'static str>,
    done: usize,
    /// Of each gap.
    tried: Vec<Vec<Attempt>>,
}

impl Auto {
    /// Tries all of `fillers` with their default options; networks for bipeds alone.
    pub fn new(session: &Session, fillers: &Fillers) -> Self {
        let is_plain = |name: &&str| fillers.networks().all(|network| network != *name);
        let names = fillers.names().filter(|name| session.fit.is_ok() || is_plain(name)).collect();
        Self { names, done: 0, tried: vec![Vec::new(); session.keys() - 1] }
    }

    /// Tries one filler; returns the part that is done, 1 where [`Auto::finish`] comes next.
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
        let Some(&name) = self.names.get(self.done) else { return Ok(1.0) };
        let filler = fillers.get(&name.into())?;
        // The stages of a trial are no stages of the whole.
        let made = session.solve(filler.as_ref(), &mut Progress::silent())?;
        let scores = session.scores(&made, scoring)?;
        for ((gap, score), tried) in made.gaps.iter().zip(scores).zip(&mut self.tried) {
            // If a network's motion was rejected, the gap holds that of the default filler, which has a trial of its own.
            if gap.method == name {
                let (foot_skate, peak_jerk) = (gap.foot_skate, gap.peak_jerk);
                tried.push(Attempt { method: name, score, foot_skate, peak_jerk, milliseconds: 0.0 });
            }
        }
        self.done += 1;
        let part = self.done as f32 / self.names.len() as f32;
        progress.at(Stage::Scan, part)?;
        Ok(part)
    }

    /// The time that the last filler took, for its entries in [`super::Gap::tried`].
    pub fn took(&mut self, milliseconds: f64) {
        let last = self.done.checked_sub(1).and_then(|at| self.names.get(at));
        let attempts = self.tried.iter_mut().filter_map(|tried| tried.last_mut());
        attempts
            .filter(|attempt| Some(&attempt.method) == last)
            .for_each(|attempt| attempt.milliseconds = milliseconds);
    }

    /// The motion, each gap filled by what did best there; of equals the first of the list.
    ///
    /// # Errors
    /// Those of [`Session::solve`].
    pub fn finish(mut self, session: &Session, fillers: &Fillers, progress: &mut Progress) -> Result<Inbetween> {
        self.tried.iter_mut().for_each(|tried| tried.sort_by(|a, b| a.score.total_cmp(&b.score)));
        let best = self.tried.iter().map(|tried| {
            // Fillers without a network are believed.
            let first = tried.first().ok_or(Error::Aborted)?;
            fillers.get(&first.method.into())
        });
        let best = best.collect::<Result<Vec<Box<dyn Filler>>>>()?;
        let each: Vec<&dyn Filler> = best.iter().map(|filler| filler.as_ref()).collect();
        let mut made = session.solve_each(&each, progress)?;
        for (gap, tried) in made.gaps.iter_mut().zip(self.tried) {
            gap.tried = tried;
        }
        Ok(made)
    }
}

impl Session {
    /// Score of each gap of a motion through these keys; lower is more natural.
    ///
    /// # Errors
    /// Those of [`Scoring`]'s canonical body.
    pub fn scores(&self, made: &Inbetween, scoring: Scoring) -> Result<Vec<f32>> {
        // Keys that stand still say nothing of how much a motion may jerk.
        let jerk = if self.roughest < 1.0 { f32::MAX } else { self.roughest };
        let measures = Measures { jerk, fit: self.fit.as_ref().ok().cloned(), ground: feet::ground(&self.pieces)[1] };
        let score = |gap: &super::Gap| {
            let slide = gap.foot_skate * made.clip.fps() as f32;
            scoring.score(&made.clip, &gap.edited, [slide, gap.peak_jerk], &measures)
        };
        made.gaps.iter().map(score).collect()
    }
}
