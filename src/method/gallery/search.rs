//! Trajectory candidate search: Algorithm 1.
//!
//! "The same distance" is a tolerance here ([`Search::tolerance`]), since no two recordings have equal distances. A
//! found trajectory is scaled and rotated to the query, so its end is exact.

use super::index::{Ends, Index, NO_DIRECTION};
use crate::method::random::Random;
use crate::motion::root::wrap;

/// Number of trajectories examined per distance of a split.
const NEIGHBOURS: usize = 12;
/// Largest number of splits in one search, so that impossible queries end.
const MOST_SPLITS: usize = 160;

/// Parameters of Algorithm 1.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Search {
    /// A trajectory's distance may differ by a ratio of 1 ± this.
    pub tolerance: f32,
    /// α: largest error of eq. 7, radians.
    pub alpha: f32,
    /// k: number of branches that each split keeps.
    pub branches: usize,
    /// Number of rounds of splitting.
    pub rounds: usize,
}

impl Default for Search {
    fn default() -> Self {
        Self { tolerance: 0.1, alpha: 0.5, branches: 6, rounds: 5 }
    }
}

/// Consecutive trajectories from a query's start to its end.
#[derive(Debug, Clone, PartialEq)]
pub struct Sequence {
    /// Indices of the atoms.
    pub atoms: Vec<usize>,
    /// Eq. 7, radians.
    pub error: f32,
}

/// One run of Algorithm 1. `filter` selects atoms by their index.
pub fn split(
    index: &Index,
    query: Ends,
    search: &Search,
    filter: &impl Fn(usize) -> bool,
    random: &mut Random,
) -> Option<Sequence> {
    let mut left = MOST_SPLITS;
    round(index, query, search, search.alpha, search.rounds, filter, random, &mut left)
}

#[allow(clippy::too_many_arguments)]
fn round(
    index: &Index,
    query: Ends,
    search: &Search,
    alpha: f32,
    rounds: usize,
    filter: &impl Fn(usize) -> bool,
    random: &mut Random,
    left: &mut usize,
) -> Option<Sequence> {
    let mut direct = index.direct(query, search.tolerance, alpha);
    direct.retain(|&(atom, _)| filter(atom));
    if !direct.is_empty() {
        let (atom, error) = direct[random.below(direct.len())];
        return Some(Sequence { atoms: vec![atom], error });
    }
    if rounds == 0 || query.distance < 2.0 * NO_DIRECTION {
        return None;
    }
    for _ in 0..search.branches {
        *left = left.checked_sub(1)?;
        // A random distance, shorter than the query's (lines 17 and 30).
        let distance = query.distance * (0.1 + 0.8 * random.uniform());
        let mut begun = index.beginning(query, distance, NEIGHBOURS);
        begun.retain(|&(atom, error)| {
            let ends = index.atoms[atom].ends;
            let within = (NO_DIRECTION..query.distance - 0.5 * NO_DIRECTION).contains(&ends.distance);
            error <= alpha && within && filter(atom)
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
        if let Some(mut found) = round(index, rest, search, alpha - error, rounds - 1, filter, random, left) {
            found.atoms.insert(0, atom);
            found.error += error;
            return Some(found);
        }
    }
    None
}
