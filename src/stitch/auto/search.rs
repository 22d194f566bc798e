//! Search for the best join of two clips at one seam, in rounds:
//!
//! 1. cuts are searched: at the ends of the clips, at the lowest L-score, where the feet are in step;
//! 2. all cuts are tried with the same blend;
//! 3. transitions are tried: blends of several lengths at the best two cuts, and, at the best one, frames inserted by
//!    each gap filler, as many as the poses need at the speeds of both sides, and more;
//! 4. the best joins are changed a little: cut, length of the blend, number of inserted frames ([`super::moves`]);
//! 5. the best blend is refined.

use super::moves::{self, Limits};
use crate::contract::DEFAULT_FILLER;
use crate::error::Result;
use crate::motion::clip::Clip;
use crate::progress::Progress;
use crate::stitch::plan::Planned;
use crate::stitch::trial::{Call, Ends, Rule};
use crate::stitch::{BlendKind, Cut, Join, PartialJoin, Prepared, ScoredCut, Transition, Trial};

/// Lengths of the blends that are tried, seconds; the first one ranks the cuts.
const BLENDS_SECS: [f64; 3] = [0.6, 0.3, 1.0];
/// Seconds that are inserted beyond the time that the poses need: they are not seen as a pause, and give the gap filler
/// room.
const EXTRA_SECS: f64 = 0.4;
/// Range of inserted time, seconds.
const INSERTED_SECS: [f64; 2] = [0.2, 2.0];
/// Longest duration to which inserted motion is changed, seconds.
const LONGEST_CHANGED_SECS: f64 = 1.0;
/// Largest number of cuts at which all transitions are tried.
const MAX_CUTS: usize = 2;
/// Numbers of joins that are changed in the rounds of local search.
const CHANGED: [usize; 2] = [2, 1];

/// Rounds of a search, in order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Round {
    CutSearch,
    CutTrials,
    TransitionTrials,
    /// Local search, with its index.
    Changes(usize),
    Refinement,
}

/// Search for the best join of two clips at one seam.
pub(super) struct SeamSearch {
    ends: Ends,
    /// Parts of the join that are given.
    fixed: PartialJoin,
    /// Rules whose cuts have not been searched yet, the next one last.
    remaining_rules: Vec<Rule>,
    /// Cut search in progress.
    prepared: Option<Prepared>,
    /// Cuts found, each with its rule.
    cuts: Vec<(ScoredCut, Rule)>,
    /// Joins not tried yet, the next one last.
    untried_joins: Vec<Planned>,
    /// Number of rules or joins at the beginning of this round.
    round_total: usize,
    pub trials: Vec<Trial>,
    /// Joins that failed or were rejected.
    failed: Vec<Planned>,
    round: Round,
}

impl SeamSearch {
    /// `limits`: the first frame of the first clip and the end of the second clip that the seams around leave. `fixed`:
    /// the given parts of the join, and the frames of a given cut.
    pub fn new(
        clips: [&Clip; 2],
        limits: [usize; 2],
        (fixed, at): (PartialJoin, Option<[usize; 2]>),
        call: &Call,
    ) -> Result<Self> {
        let (ends, mut rules) = Ends::new(clips, limits, (fixed.cut, at), call)?;
        rules.reverse();
        Ok(Self {
            ends,
            fixed,
            round_total: rules.len(),
            remaining_rules: rules,
            prepared: None,
            cuts: Vec::new(),
            untried_joins: Vec::new(),
            trials: Vec::new(),
            failed: Vec::new(),
            round: Round::CutSearch,
        })
    }

    /// Returns the completed fraction, 1 at the end.
    pub fn completed_fraction(&self) -> f32 {
        let fraction = |remaining: usize| 1.0 - remaining as f32 / self.round_total.max(1) as f32;
        let within = |from: f32, to: f32| from + (to - from) * fraction(self.untried_joins.len());
        match self.round {
            Round::CutSearch => 0.1 * fraction(self.remaining_rules.len()),
            Round::CutTrials => within(0.1, 0.2),
            Round::TransitionTrials => within(0.2, 0.6),
            Round::Changes(0) => within(0.6, 0.8),
            Round::Changes(_) => within(0.8, 0.95),
            Round::Refinement => within(0.95, 1.0),
        }
    }

    /// Continues the search for a cut, or tries the next join.
    pub fn step(&mut self, call: &Call) {
        if self.round == Round::CutSearch {
            return self.search_cut(call);
        }
        if let Some(join) = self.untried_joins.pop() {
            // Some joins fail for some bodies.
            match self.ends.try_join(&join, call).ok().flatten() {
                Some(trial) => self.trials.push(trial),
                None => self.failed.push(join),
            }
        }
        while self.untried_joins.is_empty() && self.round != Round::Refinement {
            let (round, joins) = match self.round {
                Round::CutSearch | Round::CutTrials => (Round::TransitionTrials, self.transitions_to_try(call)),
                Round::TransitionTrials => (Round::Changes(0), self.changes_to_try(0, call)),
                Round::Changes(index) if index + 1 < CHANGED.len() => {
                    (Round::Changes(index + 1), self.changes_to_try(index + 1, call))
                }
                Round::Changes(_) | Round::Refinement => (Round::Refinement, self.refinements_to_try(call)),
            };
            self.begin_round(round, joins);
        }
    }

    fn begin_round(&mut self, round: Round, joins: Vec<Planned>) {
        let is_trial = |trial: &Trial, join: &Planned| trial.made == join.join && Some(trial.cut_at) == join.cut;
        let mut untried: Vec<Planned> = Vec::with_capacity(joins.len());
        for join in joins {
            let is_tried = self.trials.iter().any(|trial| is_trial(trial, &join)) || self.failed.contains(&join);
            if !is_tried && !untried.contains(&join) {
                untried.push(join);
            }
        }
        untried.reverse();
        (self.round, self.round_total, self.untried_joins) = (round, untried.len(), untried);
    }

    /// Continues the search for the next cut; begins the first round of trials after the last one.
    fn search_cut(&mut self, call: &Call) {
        let Some(&rule) = self.remaining_rules.last() else {
            let first_trial = |&(cut, rule): &(ScoredCut, Rule)| {
                let transition = self.fixed.transition.clone();
                let transition =
                    transition.unwrap_or_else(|| self.blend(&cut, Transition::inertialize, BLENDS_SECS[0]));
                let refine = self.fixed.refine.unwrap_or(false);
                Planned::at_cut(Join { cut: rule.requested, transition, refine }, cut)
            };
            return self.begin_round(Round::CutTrials, self.cuts.iter().map(first_trial).collect());
        };
        let mut prepared = self.prepared.take().or_else(|| self.ends.prepare_search(&rule, call).ok());
        let fraction = prepared.as_mut().map(|prepared| prepared.advance(&mut Progress::silent()));
        if matches!(fraction, Some(Ok(fraction)) if fraction < 1.0) {
            self.prepared = prepared;
            return;
        }
        self.remaining_rules.pop();
        let cut = prepared.and_then(|prepared| prepared.cut(&mut Progress::silent()).ok());
        if let Some(cut) = cut.map(|cut| self.ends.to_clip_frames(cut)).filter(|cut| !self.has_cut(cut)) {
            self.cuts.push((cut, rule));
        }
    }

    /// Returns a blend at a cut, shortened if the clips are too short.
    fn blend(&self, cut: &ScoredCut, kind: fn(f64) -> Transition, secs: f64) -> Transition {
        kind(secs.min(self.ends.longest_blend(cut)))
    }

    fn has_cut(&self, cut: &ScoredCut) -> bool {
        self.cuts.iter().any(|(found, _)| (found.takeoff, found.landing) == (cut.takeoff, cut.landing))
    }

    /// Returns the trials, the best one first.
    fn ranked(&self) -> Vec<&Trial> {
        let mut ranked: Vec<&Trial> = self.trials.iter().collect();
        ranked.sort_by(|a, b| a.score.total_cmp(&b.score));
        ranked
    }

    /// Returns the transitions to try at the best cuts.
    fn transitions_to_try(&self, call: &Call) -> Vec<Planned> {
        if self.fixed.transition.is_some() {
            return Vec::new();
        }
        let refine = self.fixed.refine.unwrap_or(false);
        let mut joins = Vec::new();
        for (rank, trial) in self.ranked().into_iter().take(MAX_CUTS).enumerate() {
            let cut = &trial.cut_at;
            let mut add = |transition| {
                joins.push(Planned::at_cut(Join { cut: trial.made.cut, transition, refine }, *cut));
            };
            // At the second best cut, fewer transitions.
            let all = rank == 0;
            for &secs in BLENDS_SECS.iter().filter(|&&secs| all || secs > BLENDS_SECS[1]) {
                if all {
                    add(self.blend(cut, Transition::inertialize, secs));
                }
                if !call.keeps_all_frames() {
                    add(self.blend(cut, Transition::crossfade, secs));
                }
            }
            if !all {
                continue;
            }
            let names = call.networks.fillers.networks().filter(|_| call.is_biped());
            if let Some(frames) = self.frames_to_insert(cut, call) {
                for filler in std::iter::once(DEFAULT_FILLER).chain(names) {
                    add(Transition::insert(frames, filler));
                }
            }
        }
        joins
    }

    /// Returns the number of frames to insert at a cut: for the time that the poses need, and [`EXTRA_SECS`].
    fn frames_to_insert(&self, cut: &ScoredCut, call: &Call) -> Option<usize> {
        let fps = self.ends.clips[0].fps();
        let needed = self.ends.transition_frames(cut, call)? as f64 / fps;
        let secs = (needed + EXTRA_SECS).clamp(INSERTED_SECS[0], INSERTED_SECS[1]);
        Some(((secs * fps).round() as usize).max(1))
    }

    /// Returns changes of the best joins.
    fn changes_to_try(&self, round: usize, call: &Call) -> Vec<Planned> {
        let limits = Limits {
            fps: self.ends.clips[0].fps(),
            takeoffs: self.ends.takeoffs(),
            landings: self.ends.landings(),
            inserted_secs: [INSERTED_SECS[0], LONGEST_CHANGED_SECS],
            keeps_cut: call.keeps_all_frames() || matches!(self.fixed.cut, Some(Cut::Keep | Cut::At { .. })),
            keeps_transition: self.fixed.transition.is_some(),
        };
        let changes = |trial: &&Trial| {
            let joins = moves::changes(&Planned::at_cut(trial.made.clone(), trial.cut_at), &limits, round);
            joins.into_iter().map(|join| self.shortened(join)).collect::<Vec<_>>()
        };
        let ranked = self.ranked();
        let mut joins: Vec<_> = ranked.iter().take(CHANGED[round]).flat_map(changes).collect();
        // Gap fillers are slow: only the best insertion is tried at the second best cut.
        if let Some(insertion) = ranked.iter().find(|trial| trial.inserted > 0).filter(|_| round == 0) {
            let is_other = |trial: &&&Trial| trial.made.cut != insertion.made.cut;
            let moved =
                |other: &&Trial| Planned::at_cut(Join { cut: other.made.cut, ..insertion.made.clone() }, other.cut_at);
            joins.extend(ranked.iter().find(is_other).map(moved));
        }
        joins
    }

    /// Returns a join whose blend is not too long for the clips.
    fn shortened(&self, mut join: Planned) -> Planned {
        if let (Transition::Blend { seconds, .. }, Some(cut)) = (&mut join.join.transition, &join.cut)
            && self.fixed.transition.is_none()
        {
            *seconds = seconds.min(self.ends.longest_blend(cut));
        }
        join
    }

    /// Returns the best blend by inertialization, refined.
    fn refinements_to_try(&self, call: &Call) -> Vec<Planned> {
        if call.networks.refiner.is_none() || !call.is_biped() || self.fixed.refine.is_some() {
            return Vec::new();
        }
        let is_blend = |trial: &&&Trial| {
            matches!(trial.made.transition, Transition::Blend { blend: BlendKind::Inertialize, .. })
                || self.fixed.transition.is_some()
        };
        let refined = |trial: &&Trial| Planned::at_cut(Join { refine: true, ..trial.made.clone() }, trial.cut_at);
        self.ranked().iter().find(is_blend).map(refined).into_iter().collect()
    }

    /// Computes the L-score of the cut of the best join, if the search has moved this cut.
    pub fn score_best_cut(&mut self, call: &Call) {
        let ends = &self.ends;
        let Some(best) = self.trials.iter_mut().min_by(|a, b| a.score.total_cmp(&b.score)) else { return };
        let cut = best.cut_at;
        let is_found = |found: &ScoredCut| (found.takeoff, found.landing) == (cut.takeoff, cut.landing);
        if self.cuts.iter().any(|(found, _)| is_found(found)) {
            return;
        }
        if let Ok(scored) = ends.score_cut(&cut, call) {
            best.cut_at = scored;
        }
    }
}
