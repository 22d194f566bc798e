//! Small changes of a join: cut, length of the blend, number of inserted frames.

use crate::stitch::plan::Planned;
use crate::stitch::{InsertedFrames, Join, ScoredCut, Transition};
use std::ops::RangeInclusive;

/// Range of the length of a blend, seconds.
const BLEND_SECS: [f64; 2] = [0.2, 1.2];
/// Factors of durations in each round.
const FACTORS: [f64; 2] = [1.5, 1.2];
/// Factor of the number of inserted frames.
const INSERT_FACTOR: f64 = 1.4;
/// Steps of cuts in each round, seconds.
const CUT_STEPS_SECS: [f64; 2] = [0.1, 0.04];

/// Limits of the changes.
pub struct Limits {
    /// Frame rate, frames per second.
    pub fps: f64,
    /// Frames at which the first clip may end.
    pub takeoffs: RangeInclusive<usize>,
    /// Frames at which the second clip may begin.
    pub landings: RangeInclusive<usize>,
    /// Range of inserted time, seconds.
    pub inserted_secs: [f64; 2],
    /// Whether cuts stay.
    pub keeps_cut: bool,
    /// Whether the transition stays.
    pub keeps_transition: bool,
}

/// Returns the changes of a join that are tried in a round of local search.
pub fn changes(planned: &Planned, limits: &Limits, round: usize) -> Vec<Planned> {
    let with =
        |transition: Transition| Planned { join: Join { transition, ..planned.join.clone() }, ..planned.clone() };
    let mut joins = match &planned.join.transition {
        Transition::Insert { frames: InsertedFrames::Count(frames), filler } if !limits.keeps_transition => {
            // Gap fillers are slow: only the best join gets other numbers of frames.
            if round == 0 {
                return Vec::new();
            }
            let factors = [INSERT_FACTOR, 1.0 / INSERT_FACTOR];
            let [shortest, longest] = limits.inserted_secs.map(|secs| (secs * limits.fps).round() as usize);
            let count =
                |factor: f64| ((*frames as f64 * factor).round() as usize).clamp(shortest.max(1), longest.max(*frames));
            return factors.map(|factor| with(Transition::insert(count(factor), filler.clone()))).to_vec();
        }
        Transition::Blend { blend, seconds } if !limits.keeps_transition => {
            let factors = [FACTORS[round], 1.0 / FACTORS[round]];
            let changed = |factor: f64| (seconds * factor).clamp(BLEND_SECS[0], BLEND_SECS[1]);
            factors.map(|factor| with(Transition::Blend { blend: *blend, seconds: changed(factor) })).to_vec()
        }
        Transition::Insert { .. } | Transition::Blend { .. } | Transition::Lscore { .. } => Vec::new(),
    };
    if let (Some(cut), false) = (planned.cut, limits.keeps_cut) {
        joins.extend(moved_cuts(&cut, limits, round).map(|cut| Planned { cut: Some(cut), ..planned.clone() }));
    }
    joins
}

/// Returns a cut with each of its frames earlier and later, within the limits.
fn moved_cuts<'a>(cut: &'a ScoredCut, limits: &'a Limits, round: usize) -> impl Iterator<Item = ScoredCut> + 'a {
    let step = ((CUT_STEPS_SECS[round] * limits.fps).round() as isize).max(1);
    let moves = [(-step, 0), (step, 0), (0, -step), (0, step)];
    moves.into_iter().filter_map(move |(takeoff, landing)| {
        let takeoff = cut.takeoff.checked_add_signed(takeoff).filter(|frame| limits.takeoffs.contains(frame))?;
        let landing = cut.landing.checked_add_signed(landing).filter(|frame| limits.landings.contains(frame))?;
        Some(ScoredCut { takeoff, landing, ..*cut })
    })
}
