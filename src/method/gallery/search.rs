//! Trajectory candidate search: Algorithm 1.
//!
//! "The same distance" is a tolerance here ([`Search::tolerance`]), since no two recordings lead equally far. A trajectory that was
//! found is scaled and turned onto the query, so it ends where it must.

use super::index::{Ends, Index, NO_DIRECTION};
use crate::method::random::Random;
use crate::motion::root::wrap;

/// Trajectories looked at for one distance of a split.
const NEIGHBOURS: usize = 12;
/// Splits tried at most in one search: a query that cannot be met must not take forever.
const MOST_SPLITS: usize = 160;

/// How Algorithm 1 searches.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Search {
    /// A trajectory leads as far as asked within a ratio of 1 ± this.
    pub tolerance: f32,
    /// α: the error of eq. 7 may be no larger, radians.
    pub alpha: f32,
    /// k: branches that each split keeps.
    pub branches: usize,
    /// Rounds of splitting.
    pub rounds: usize,
}

impl Default for Search {
    fn default() -> Self {
        Self { tolerance: 0.1, alpha: 0.5, branches: 6, rounds: 5 }
    }
}

/// Trajectories, one behind the other, that lead from a query's start to its end.
#[derive(Debug, Clone, PartialEq)]
pub struct Found {
    /// Indices of the atoms.
    pub atoms: Vec<usize>,
    /// Eq. 7, radians.
    pub error: f32,
}

/// One run of Algorithm 1. `wanted` says which atoms may be taken at all.
pub fn split(
    index: &Index,
    query: Ends,
    search: &Search,
    wanted: &impl Fn(usize) -> bool,
    random: &mut Random,
) -> Option<Found> {
    let mut left = MOST_SPLITS;
    round(index, query, search, search.alpha, search.rounds, wanted, random, &mut left)
}

#[allow(clippy::too_many_arguments)]
fn round(
    index: &Index,
    query: Ends,
    search: &Search,
    alpha: f32,
    rounds: usize,
    wanted: &impl Fn(usize) -> bool,
    random: &mut Random,
    left: &mut usize,
) -> Option<Found> {
    let mut direct = index.direct(query, search.tolerance, alpha);
    direct.retain(|&(atom, _)| wanted(atom));
    if !direct.is_empty() {
        let (atom, error) = direct[random.below(direct.len())];
        return Some(Found { atoms: vec![atom], error });
    }
    if rounds == 0 || query.distance < 2.0 * NO_DIRECTION {
        return None;
    }
    for _ in 0..search.branches {
        *left = left.checked_sub(1)?;
        // A distance at random, short of the query's (lines 17 and 30).
        let distance = query.distance * (0.1 + 0.8 * random.uniform());
        let mut begun = index.beginning(query, distance, NEIGHBOURS);
        begun.retain(|&(atom, error)| {
            let ends = index.atoms[atom].ends;
            let within = (NO_DIRECTION..query.distance - 0.5 * NO_DIRECTION).contains(&ends.distance);
            error <= alpha && within && wanted(atom)
        });
        if begun.is_empty() {
            continue;
        }
        let (atom, error) = begun[random.below(begun.len())];
        let ends = index.atoms[atom].ends;
        let mut rest = Ends { distance: query.distance - ends.distance, off: [ends.off[1], query.off[1]] };
        if rest.distance < NO_DIRECTION {
            rest.off = [0.0, wrap(rest.off[1] - rest.off[0])];
        }
        if let Some(mut found) = round(index, rest, search, alpha - error, rounds - 1, wanted, random, left) {
            found.atoms.insert(0, atom);
            found.error += error;
            return Some(found);
        }
    }
    None
}
