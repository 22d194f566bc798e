//! Trajectory candidate search: Algorithm 1.
//!
//! Where the algorithm demands the same distance, distances may differ here by a tolerance ([`Search::tolerance`]),
//! because no two recordings have equal distances. The result is scaled and rotated to the query, so its end is exact.

use super::index::{Ends, Index, MIN_DISTANCE};
use crate::method::random::Random;
use crate::motion::root::wrap;

/// Number of trajectories examined in each split.
const NEIGHBOURS: usize = 12;
/// Largest number of splits in one search, so that impossible queries end.
const MAX_SPLITS: usize = 160;

/// Parameters of Algorithm 1.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Search {
    /// Largest relative difference between the distance of a trajectory and the requested distance.
    pub tolerance: f32,
    /// α: largest error of eq. 7, radians.
    pub alpha: f32,
    /// k: number of branches that each split tries.
    pub branches: usize,
    /// Largest number of consecutive splits.
    pub depth: usize,
}

impl Default for Search {
    fn default() -> Self {
        Self { tolerance: 0.1, alpha: 0.5, branches: 6, depth: 5 }
    }
}

/// Consecutive trajectories from a query's start to its end.
#[derive(Debug, Clone, PartialEq)]
pub struct Sequence {
    /// Indices of the atoms.
    pub atoms: Vec<usize>,
    /// Error (eq. 7), radians.
    pub error: f32,
}

/// Different paths between the same two states.
pub struct Pool {
    /// Number of paths to find.
    pub size: usize,
    /// Paths found so far.
    pub sequences: Vec<Sequence>,
}

impl Pool {
    /// Returns whether there are as many paths as requested, or more.
    pub fn is_full(&self) -> bool {
        self.sequences.len() >= self.size
    }

    /// Adds a path, unless the pool has a path of the same atoms.
    pub fn add(&mut self, sequence: Sequence) {
        if self.sequences.iter().all(|other| other.atoms != sequence.atoms) {
            self.sequences.push(sequence);
        }
    }
}

/// Searches one path by Algorithm 1; `None` if the search fails. `filter` selects atoms by their index.
pub fn find_sequence(
    index: &Index,
    query: Ends,
    search: &Search,
    filter: &impl Fn(usize) -> bool,
    random: &mut Random,
) -> Option<Sequence> {
    let mut state = SequenceSearch { index, search, filter, random, remaining_splits: MAX_SPLITS };
    state.run(query, search.alpha, search.depth)
}

/// State of one search.
struct SequenceSearch<'a, F> {
    index: &'a Index,
    search: &'a Search,
    filter: &'a F,
    random: &'a mut Random,
    remaining_splits: usize,
}

impl<F: Fn(usize) -> bool> SequenceSearch<'_, F> {
    /// Searches a path with an error of at most `alpha`, by at most `depth` consecutive splits.
    fn run(&mut self, query: Ends, alpha: f32, depth: usize) -> Option<Sequence> {
        let mut matches = self.index.find_matches(query, self.search.tolerance, alpha);
        matches.retain(|&(atom, _)| (self.filter)(atom));
        if !matches.is_empty() {
            let (atom, error) = matches[self.random.below(matches.len())];
            return Some(Sequence { atoms: vec![atom], error });
        }
        if depth == 0 || query.distance < 2.0 * MIN_DISTANCE {
            return None;
        }
        for _ in 0..self.search.branches {
            self.remaining_splits = self.remaining_splits.checked_sub(1)?;
            // A random distance, shorter than the distance of the query (lines 17 and 30).
            let distance = query.distance * (0.1 + 0.8 * self.random.uniform());
            let mut starts = self.index.find_starts(query, distance, NEIGHBOURS);
            starts.retain(|&(atom, error)| {
                let ends = self.index.atoms[atom].ends;
                let is_shorter = (MIN_DISTANCE..query.distance - 0.5 * MIN_DISTANCE).contains(&ends.distance);
                error <= alpha && is_shorter && (self.filter)(atom)
            });
            if starts.is_empty() {
                continue;
            }
            let (atom, error) = starts[self.random.below(starts.len())];
            let ends = self.index.atoms[atom].ends;
            let distance = query.distance - ends.distance;
            let mut remainder = Ends { distance, angles: [ends.angles[1], query.angles[1]] };
            if remainder.distance < MIN_DISTANCE {
                remainder.angles = [0.0, wrap(remainder.angles[1] - remainder.angles[0])];
            }
            if let Some(mut sequence) = self.run(remainder, alpha - error, depth - 1) {
                sequence.atoms.insert(0, atom);
                sequence.error += error;
                return Some(sequence);
            }
        }
        None
    }
}
