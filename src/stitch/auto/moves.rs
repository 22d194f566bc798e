//! Small changes of a join: cut, length of the blend, number of inserted frames.

use crate::method::lscore::Cut;
use crate::stitch::cut::SeamChoice;
use crate::stitch::{Insert, JoinOptions};
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
    pub keep: bool,
}

/// Returns the changes of a join that are tried in a round of local search.
pub fn changes(join: &JoinOptions, limits: &Limits, round: usize) -> Vec<JoinOptions> {
    let factors = [FACTORS[round], 1.0 / FACTORS[round]];
    if let Insert::Frames(frames) = join.insert {
        // Gap fillers are slow: only the best join gets other numbers of frames.
        if round == 0 {
            return Vec::new();
        }
        let factors = [INSERT_FACTOR, 1.0 / INSERT_FACTOR];
        let [shortest, longest] = limits.inserted_secs.map(|secs| (secs * limits.fps).round() as usize);
        let insert = |factor: f64| {
            Insert::Frames(((frames as f64 * factor).round() as usize).clamp(shortest.max(1), longest.max(frames)))
        };
        return factors.map(|factor| JoinOptions { insert: insert(factor), ..join.clone() }).to_vec();
    }
    let blend_secs = |factor: f64| (join.blend_secs * factor).clamp(BLEND_SECS[0], BLEND_SECS[1]);
    let mut joins = factors.map(|factor| JoinOptions { blend_secs: blend_secs(factor), ..join.clone() }).to_vec();
    if let (SeamChoice::At(cut), false) = (join.cut, limits.keep) {
        joins.extend(
            moved_cuts(&cut, limits, round).map(|cut| JoinOptions { cut: SeamChoice::At(cut), ..join.clone() }),
        );
    }
    joins
}

/// Returns a cut with each of its frames earlier and later, within the limits.
fn moved_cuts<'a>(cut: &'a Cut, limits: &'a Limits, round: usize) -> impl Iterator<Item = Cut> + 'a {
    let step = ((CUT_STEPS_SECS[round] * limits.fps).round() as isize).max(1);
    let moves = [(-step, 0), (step, 0), (0, -step), (0, step)];
    moves.into_iter().filter_map(move |(takeoff, landing)| {
        let takeoff = cut.takeoff.checked_add_signed(takeoff).filter(|frame| limits.takeoffs.contains(frame))?;
        let landing = cut.landing.checked_add_signed(landing).filter(|frame| limits.landings.contains(frame))?;
        Some(Cut { takeoff, landing, ..*cut })
    })
}
