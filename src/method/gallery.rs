//! Trajectory gallery: Chu and Yang 2024, *Real-time Diverse Motion In-betweening with Space-time Control*, section 4.
//! Returns recorded paths over the ground from one pose to another: several for the same two poses, with different
//! durations.
//!
//! An atomic trajectory is a path of the root over 15 to 150 frames ([`mod@file`]). A k-d tree finds trajectories with
//! the requested distance and the requested headings at both ends ([`index`]). If there are too few, Algorithm 1
//! composes paths of several trajectories ([`search`]).
//!
//! Not in the paper: paths are ranked by a cost that includes the difference between their speed and the speed of both
//! poses, and [`join`] removes this difference at the ends. Paths of bodies whose hips are about as high as in both
//! poses are preferred: a body on hands and knees moves differently from one that stands. Candidates are chosen far
//! apart instead of at random ([`Gallery::candidates`]). If no path has an error below α, then α and the tolerance grow:
//! any path is better than none, and its error is returned.

pub mod file;
pub mod index;
pub mod join;
pub mod pace;
pub mod search;

use crate::error::Result;
use crate::method::random::Random;
use crate::motion::ground_path::{GroundPath, GroundState};
use file::Contents;
use index::{Atom, Ends, Index};
use pace::{Pace, classify};
use search::{Pool, Search, Sequence, find_sequence};

/// Number of steps of a path per second.
const STEPS_PER_SEC: f32 = 30.0;
/// Number of paths examined per requested candidate.
const POOL_PER_CANDIDATE: usize = 4;
/// Smallest number of paths examined.
const MIN_POOL: usize = 32;
/// Largest number of examined paths that consist of a single trajectory, unless the pool of paths is larger.
const MAX_MATCHES: usize = 96;
/// Factor by which α grows if too few paths are found. The tolerance grows by its initial value each time.
const ALPHA_GROWTH: f32 = 2.0;
/// Number of times that α grows.
const MAX_GROWTHS: usize = 4;
/// Number of times that α grows while only trajectories with the heights of the poses are searched. It is smaller,
/// because trajectories of other heights may have better ends.
const MAX_GROWTHS_AT_HEIGHT: usize = 1;
/// Cost, in radians, of one metre per second of speed difference at the ends of a path.
const SPEED_COST: f32 = 0.3;
/// Cost, in radians, of each trajectory of a path after the first.
const TRAJECTORY_COST: f32 = 0.15;
/// Cost, in radians, of scaling a path by a factor of e.
const SCALE_COST: f32 = 1.0;
/// Cost, in radians, of a factor of e between the speed of a path and the speed of the body at its ends.
const PACE_COST: f32 = 1.0;
/// Speed above which the body counts as moving at the ends of a path, metres per second.
const MOVING_SPEED: f32 = 0.4;
/// Cost, in radians, of hips one metre higher or lower than those of a pose at the end of a path.
const HEIGHT_COST: f32 = 3.0;
/// Largest height of the hips of a preferred path above the higher pose, or below the lower one, metres.
const HEIGHT_TOLERANCE: f32 = 0.12;
/// Cost, in radians, of a path that is twice as long as the straight line.
const DETOUR_COST: f32 = 0.5;
/// Cost, in radians, of a factor of e between the duration of a path and the requested duration.
const TIME_COST: f32 = 2.0;
/// Distance between two paths that is equivalent to a factor of e between their durations, metres.
const TIME_DISTANCE: f32 = 0.25;
/// Distance between two paths that is equivalent to one radian of cost, metres.
const COST_DISTANCE: f32 = 0.5;

/// Atomic trajectories with their search index.
#[derive(Clone)]
pub struct Gallery {
    contents: Contents,
    index: Index,
}

/// Request for candidates.
#[derive(Debug, Clone, Default)]
pub struct Request<'a> {
    /// Largest number of candidates.
    pub count: usize,
    /// Seed of the search; different seeds can find different candidates.
    pub seed: u64,
    /// If given, only candidates of this pace.
    pub pace: Option<Pace>,
    /// If given, duration of all candidates, steps of 1/30 s.
    pub steps: Option<usize>,
    /// If given, prefers recordings of this style, if the gallery has it.
    pub style: Option<&'a str>,
    /// If given, heights of the hips over the ground at both ends, metres: prefers recordings with such heights.
    pub heights: Option<[f32; 2]>,
    /// If given, the speed of the body at the ends is clamped to this range for the ranking, metres per second.
    pub speed_range: Option<[f32; 2]>,
    /// If given, chooses the paths nearest to this path, instead of paths far apart.
    pub similar_to: Option<&'a GroundPath>,
    /// Search parameters.
    pub search: Search,
}

/// A candidate path.
#[derive(Debug, Clone, PartialEq)]
pub struct Candidate {
    /// The path, 30 steps per second.
    pub path: GroundPath,
    /// Duration class relative to all paths of the search.
    pub pace: Pace,
    /// Heading error of the trajectories (eq. 7), radians.
    pub error: f32,
    /// Number of trajectories that the path is composed of.
    pub trajectories: usize,
}

/// A candidate with its cost in the ranking.
struct RankedCandidate {
    candidate: Candidate,
    /// Cost in radians; with [`Request::similar_to`], distance from that path in metres. Lower is better.
    cost: f32,
}

impl Gallery {
    /// Reads a gallery file.
    ///
    /// # Errors
    /// The errors of [`Contents::read`].
    pub fn read(bytes: &[u8]) -> Result<Self> {
        Contents::read(bytes).map(Self::new)
    }

    /// Creates a gallery from the contents of a file, which must satisfy the checks of [`Contents::read`].
    pub fn new(contents: Contents) -> Self {
        Self { index: Index::new(&contents), contents }
    }

    /// Returns the names of the styles.
    pub fn styles(&self) -> &[String] {
        &self.contents.styles
    }

    /// Returns the number of atomic trajectories; each counts twice, as recorded and mirrored.
    pub fn len(&self) -> usize {
        self.index.atoms.len()
    }

    /// Whether the gallery has no trajectories.
    pub fn is_empty(&self) -> bool {
        self.index.atoms.is_empty()
    }

    /// Returns candidate paths from one ground state to another: the best path first, then paths far from it and from
    /// each other. Velocities of the states are in metres per 1/30 s. The result is empty if no path satisfies the
    /// request.
    pub fn candidates(&self, from: GroundState, to: GroundState, request: &Request) -> Vec<Candidate> {
        let mut random = Random::new(request.seed);
        let (ends, direction) = Ends::new([from.position, to.position], [from.heading, to.heading]);
        let style = request
            .style
            .and_then(|name| self.contents.styles.iter().position(|style| style.eq_ignore_ascii_case(name)));
        let mut ranked: Vec<RankedCandidate> = self
            .sequences(ends, request, style, &mut random)
            .iter()
            .map(|sequence| self.rank(sequence, direction, from, to, request))
            .collect();
        let durations: Vec<usize> = ranked.iter().map(|entry| entry.candidate.path.steps()).collect();
        for (entry, pace) in ranked.iter_mut().zip(classify(&durations)) {
            entry.candidate.pace = pace;
        }
        if let Some(pace) = request.pace {
            ranked.retain(|entry| entry.candidate.pace == pace);
        }
        if let Some(steps) = request.steps {
            for entry in &mut ranked {
                entry.candidate.path = entry.candidate.path.resampled(steps);
                join::fit(&mut entry.candidate.path, from, to);
            }
        }
        ranked.sort_by(|a, b| a.cost.total_cmp(&b.cost));
        if request.similar_to.is_some() {
            ranked.truncate(request.count);
        }
        choose_diverse(ranked, request.count)
    }

    /// Returns up to `count` typical durations of paths of `length` metres, from slow to fast, with their paces.
    /// Durations are in steps of 1/30 s. If a pace is given, all durations have this pace. If the gallery has too few
    /// trajectories of this length, the durations are those of the nearest ones at their speed. Empty if the gallery is
    /// empty, or has no trajectory of the pace.
    pub fn durations(&self, length: f32, pace: Option<Pace>, count: usize) -> Vec<(usize, Pace)> {
        let ends = Ends { distance: length, angles: [0.0; 2] };
        let search = Search::default();
        let searches = (0..=MAX_GROWTHS)
            .map(|growth| self.index.find_matches(ends, search.tolerance * (growth + 1) as f32, 1.0 + growth as f32));
        let needed = 3 * count.max(4);
        let matches = searches.into_iter().find(|matches| matches.len() >= needed);
        let matches = matches.unwrap_or_else(|| self.index.find_nearest(ends, needed));
        let duration = |&(atom, _): &(usize, f32)| {
            let atom = &self.index.atoms[atom];
            let exact =
                (join::STEPS_PER_SAMPLE * atom.segment.steps as usize) as f32 * length / atom.ends.distance.max(0.01);
            (exact as usize).max(1)
        };
        let mut steps: Vec<usize> = matches.iter().map(duration).collect();
        steps.sort_unstable_by(|a, b| b.cmp(a));
        let mut durations: Vec<(usize, Pace)> = steps.iter().copied().zip(classify(&steps)).collect();
        if let Some(pace) = pace {
            durations.retain(|&(_, duration_pace)| duration_pace == pace);
        }
        // The middles of `count` equal ranges.
        (0..count.min(durations.len()))
            .map(|index| durations[(2 * index + 1) * durations.len() / (2 * count.min(durations.len()))])
            .collect()
    }

    /// Searches paths by Algorithm 1. α grows until there are enough paths.
    fn sequences(&self, ends: Ends, request: &Request, style: Option<usize>, random: &mut Random) -> Vec<Sequence> {
        let mut pool = Pool { size: (POOL_PER_CANDIDATE * request.count).max(MIN_POOL), sequences: Vec::new() };
        // If too few trajectories have the heights and the style, others of any height follow, then others of any style.
        let passes =
            [(request.heights, style, MAX_GROWTHS_AT_HEIGHT), (None, style, MAX_GROWTHS), (None, None, MAX_GROWTHS)];
        for (heights, style, max_growths) in passes {
            for growth in 0..=max_growths {
                let alpha = request.search.alpha * ALPHA_GROWTH.powi(growth as i32);
                let tolerance = request.search.tolerance * (growth + 1) as f32;
                let search = Search { alpha, tolerance, ..request.search };
                let filter = |atom: usize| {
                    let Atom { style: atom_style, heights: atom_heights, .. } = self.index.atoms[atom];
                    style.is_none_or(|style| style == atom_style)
                        && heights.is_none_or(|heights| are_between(atom_heights, heights))
                };
                self.gather(ends, &search, &filter, &mut pool, random);
                if pool.is_full() {
                    return pool.sequences;
                }
            }
            if heights.is_none() && pool.sequences.len() >= request.count {
                break;
            }
        }
        pool.sequences
    }

    /// Adds paths of a single trajectory, then composed paths, until the pool is full. `filter` selects atoms by
    /// their index.
    fn gather(
        &self,
        ends: Ends,
        search: &Search,
        filter: &impl Fn(usize) -> bool,
        pool: &mut Pool,
        random: &mut Random,
    ) {
        let mut matches = self.index.find_matches(ends, search.tolerance, search.alpha);
        matches.retain(|&(atom, _)| filter(atom));
        // Keeps a random subset, so that different seeds find different paths.
        let subset_size = pool.size.max(2 * matches.len() / 3).min(MAX_MATCHES.max(pool.size));
        while matches.len() > subset_size {
            matches.swap_remove(random.below(matches.len()));
        }
        matches.into_iter().for_each(|(atom, error)| pool.add(Sequence { atoms: vec![atom], error }));
        for _ in pool.sequences.len()..pool.size {
            if let Some(sequence) = find_sequence(&self.index, ends, search, filter, random) {
                pool.add(sequence);
            }
        }
    }

    /// Converts a sequence to a path from one state to the other, and computes its cost.
    fn rank(
        &self,
        sequence: &Sequence,
        direction: f32,
        from: GroundState,
        to: GroundState,
        request: &Request,
    ) -> RankedCandidate {
        let without_velocity = |state: GroundState| GroundState { velocity: None, ..state };
        let (from_position, to_position) = (without_velocity(from), without_velocity(to));
        let (mut path, scale) =
            join::connect(&self.contents, &self.index, sequence, direction, from_position, to_position);
        let last = path.steps();
        // Difference between the velocities of the body and of the path at an end, metres per second.
        let velocity_error = |state: GroundState, step: usize| {
            let path_velocity = path.positions[step + 1] - path.positions[step];
            state.velocity.map_or(0.0, |velocity| STEPS_PER_SEC * velocity.distance(path_velocity))
        };
        let speed_error = if last > 0 { velocity_error(from, 0) + velocity_error(to, last - 1) } else { 0.0 };
        let trajectories = sequence.atoms.len();
        // The speed of the path should be the mean speed of the body at both ends, if the body moves.
        let path_speed = (STEPS_PER_SEC * path.length() / last.max(1) as f32).max(0.1);
        let end_speed = from.velocity.zip(to.velocity);
        let end_speed = end_speed.map(|(start, end)| STEPS_PER_SEC / 2.0 * (start.length() + end.length()));
        let target_speed = end_speed.filter(|speed| *speed > MOVING_SPEED).unwrap_or(path_speed);
        let target_speed =
            request.speed_range.map_or(target_speed, |[slow, fast]| target_speed.max(slow).min(fast.max(0.1)));
        let pace_error = (path_speed / target_speed).ln().abs();
        let mut cost = sequence.error
            + SPEED_COST * speed_error
            + TRAJECTORY_COST * (trajectories - 1) as f32
            + SCALE_COST * scale.ln().abs()
            + PACE_COST * pace_error;
        if let (Some([start, end]), [first, .., last] | [first @ last]) = (request.heights, &sequence.atoms[..]) {
            let [first, last] = [first, last].map(|atom| self.index.atoms[*atom].heights);
            cost += HEIGHT_COST * ((first[0] - start).abs() + (last[1] - end).abs());
        }
        let straight_distance = from.position.distance(to.position).max(index::MIN_DISTANCE);
        cost += DETOUR_COST * (path.length() / straight_distance).max(1.0).log2();
        if let Some(steps) = request.steps {
            cost += TIME_COST * (last as f32 / steps as f32).ln().abs();
        }
        join::fit(&mut path, from, to);
        if let Some(similar_to) = request.similar_to {
            let time_ratio = path.steps() as f32 / similar_to.steps().max(1) as f32;
            cost = path.mean_distance(similar_to) + TIME_DISTANCE * time_ratio.ln().abs();
        }
        let candidate = Candidate { path, pace: Pace::Medium, error: sequence.error, trajectories };
        RankedCandidate { candidate, cost }
    }
}

/// Returns whether both heights of an atom are between those of the poses, or nearly so.
fn are_between(atom: [f32; 2], [start, end]: [f32; 2]) -> bool {
    let range = start.min(end) - HEIGHT_TOLERANCE..=start.max(end) + HEIGHT_TOLERANCE;
    atom.iter().all(|height| range.contains(height))
}

/// Chooses `count` candidates: the first of `ranked`, then repeatedly the candidate with the largest distance to the
/// nearest chosen candidate, minus its cost times [`COST_DISTANCE`].
fn choose_diverse(mut ranked: Vec<RankedCandidate>, count: usize) -> Vec<Candidate> {
    let mut chosen: Vec<Candidate> = Vec::with_capacity(count);
    let mut nearest = vec![f32::MAX; ranked.len()];
    let distance = |a: &GroundPath, b: &GroundPath| {
        a.mean_distance(b) + TIME_DISTANCE * (a.steps().max(1) as f32 / b.steps().max(1) as f32).ln().abs()
    };
    let mut next = 0;
    while chosen.len() < count && !ranked.is_empty() {
        let choice = ranked.swap_remove(next);
        nearest.swap_remove(next);
        for (nearest, other) in nearest.iter_mut().zip(&ranked) {
            *nearest = nearest.min(distance(&other.candidate.path, &choice.candidate.path));
        }
        let value = |index: usize| nearest[index] - COST_DISTANCE * ranked[index].cost;
        next = (0..ranked.len()).max_by(|&a, &b| value(a).total_cmp(&value(b))).unwrap_or(0);
        chosen.push(choice.candidate);
    }
    chosen
}
