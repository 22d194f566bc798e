//! Trajectory gallery: Chu and Yang 2024, *Real-time Diverse Motion In-betweening with Space-time Control*, section
//! 4. Recorded paths over the ground from one pose to another: several for the same two poses, each with its own
//! duration.
//!
//! An atomic trajectory is a path of the root over 15 to 150 frames ([`file`]). A k-d tree finds those with the
//! requested distance and the requested headings at both ends ([`index`]). Where there are too few, paths are
//! composed of several at random distances by Algorithm 1 ([`search`]).
//!
//! Not in the paper: results are ranked by how well their speed matches that of both poses ([`join`] blends in the
//! difference), and candidates are chosen to be far apart instead of at random ([`Gallery::candidates`]). Where
//! nothing is found within α, α and the tolerance grow: any path is better than none, and its error is returned.

pub mod file;
pub mod index;
pub mod join;
pub mod pace;
pub mod search;

use crate::error::Result;
use crate::method::random::Random;
use crate::motion::ground_path::{GroundPath, GroundState};
use file::Stored;
use index::{Ends, Index};
use pace::{Pace, grouped};
use search::{Search, Sequence, split};

/// Number of paths examined per requested one, and at least.
const POOL: [usize; 2] = [4, 32];
/// Largest number of direct candidates examined.
const MOST_DIRECT: usize = 96;
/// Factor by which α grows where too few paths are found, and the number of repetitions; the tolerance grows by its
/// first value each time.
const GROWTH: f32 = 2.0;
const GROWTHS: usize = 4;
/// Costs of a path, in radians of its error: per metre per second of speed difference at its ends, per additional
/// trajectory, per factor of e in scale or duration.
const SPEED_COST: f32 = 0.3;
const PART_COST: f32 = 0.15;
const SCALE_COST: f32 = 1.0;
/// Cost in radians of a factor of e between its speed and that of its ends, where that is above a stroll, metres a
/// second.
const PACE_COST: f32 = 1.0;
const STROLL: f32 = 0.4;
/// Cost in radians of a path twice as long as the straight one.
const DETOUR_COST: f32 = 0.5;
const TIME_COST: f32 = 2.0;
/// Distance in metres that a factor of e in duration is equivalent to.
const TIME_APART: f32 = 0.25;
/// Distance in metres that a radian of cost is equivalent to.
const COST_APART: f32 = 0.5;

/// Atomic trajectories with their search index.
#[derive(Clone)]
pub struct Gallery {
    stored: Stored,
    index: Index,
}

/// Request for candidates.
#[derive(Debug, Clone, Default)]
pub struct Request<'a> {
    /// Largest number of candidates.
    pub count: usize,
    /// Different seeds find different candidates.
    pub seed: u64,
    /// Only candidates of this pace.
    pub pace: Option<Pace>,
    /// Duration of all candidates, steps of 1/30 s.
    pub steps: Option<usize>,
    /// Only recordings of this style, if the gallery has it.
    pub style: Option<&'a str>,
    /// Range of speeds, metres per second, to which the speed of the ends is clamped.
    pub speeds: Option<[f32; 2]>,
    /// Prefer the paths nearest to this one, instead of paths far apart.
    pub like: Option<&'a GroundPath>,
    /// Search parameters.
    pub search: Search,
}

/// A candidate path.
#[derive(Debug, Clone, PartialEq)]
pub struct Candidate {
    /// The path, 30 steps a second.
    pub way: GroundPath,
    /// Its duration class among all paths found.
    pub pace: Pace,
    /// Heading error of its trajectories (eq. 7), radians.
    pub error: f32,
    /// Number of trajectories it is composed of.
    pub parts: usize,
}

struct Ranked {
    candidate: Candidate,
    cost: f32,
}

impl Gallery {
    /// Reads a gallery file.
    ///
    /// # Errors
    /// Those of [`Stored::read`].
    pub fn read(bytes: &[u8]) -> Result<Self> {
        Stored::read(bytes).map(Self::of)
    }

    /// A gallery of a file's contents, which must satisfy the checks of [`Stored::read`].
    pub fn of(stored: Stored) -> Self {
        Self { index: Index::new(&stored), stored }
    }

    /// Names of its styles.
    pub fn styles(&self) -> &[String] {
        &self.stored.styles
    }

    /// Number of atomic trajectories, mirrored ones included.
    pub fn len(&self) -> usize {
        self.index.atoms.len()
    }

    /// Whether it is empty.
    pub fn is_empty(&self) -> bool {
        self.index.atoms.is_empty()
    }

    /// Candidate paths from one ground state to another: the best first, then paths far from it and from each other.
    /// Velocities of the states are metres per thirtieth of a second. Empty only if the gallery is.
    pub fn candidates(&self, from: GroundState, to: GroundState, request: &Request) -> Vec<Candidate> {
        let mut random = Random::new(request.seed);
        let (ends, direction) = Ends::of([from.place, to.place], [from.heading, to.heading]);
        let style =
            request.style.and_then(|name| self.stored.styles.iter().position(|style| style.eq_ignore_ascii_case(name)));
        let mut pool: Vec<Ranked> = self
            .sequences(ends, request, style, &mut random)
            .iter()
            .map(|sequence| self.ranked(sequence, direction, from, to, request))
            .collect();
        let durations: Vec<usize> = pool.iter().map(|ranked| ranked.candidate.way.steps()).collect();
        for (ranked, pace) in pool.iter_mut().zip(grouped(&durations)) {
            ranked.candidate.pace = pace;
        }
        if let Some(pace) = request.pace {
            pool.retain(|ranked| ranked.candidate.pace == pace);
        }
        if let Some(steps) = request.steps {
            for ranked in &mut pool {
                ranked.candidate.way = ranked.candidate.way.resampled(steps);
                join::fit(&mut ranked.candidate.way, from, to);
            }
        }
        pool.sort_by(|a, b| a.cost.total_cmp(&b.cost));
        if request.like.is_some() {
            pool.truncate(request.count);
        }
        spread(pool, request.count)
    }

    /// Durations, in steps, for paths of `length` metres, from slow to fast, `count` of them; all of one pace if
    /// given.
    pub fn durations(&self, length: f32, pace: Option<Pace>, count: usize) -> Vec<(usize, Pace)> {
        let ends = Ends { distance: length, off: [0.0; 2] };
        let search = Search::default();
        let grown = (0..=GROWTHS)
            .map(|growth| self.index.direct(ends, search.tolerance * (growth + 1) as f32, 1.0 + growth as f32));
        let near = grown.into_iter().find(|matches| matches.len() >= 3 * count.max(4)).unwrap_or_default();
        let steps_of = |&(atom, _): &(usize, f32)| {
            let atom = &self.index.atoms[atom];
            let exact = (join::STEPS * atom.piece.steps as usize) as f32 * length / atom.ends.distance.max(0.01);
            (exact as usize).max(1)
        };
        let mut steps: Vec<usize> = near.iter().map(steps_of).collect();
        steps.sort_unstable_by(|a, b| b.cmp(a));
        let mut known: Vec<(usize, Pace)> = steps.iter().copied().zip(grouped(&steps)).collect();
        if let Some(pace) = pace {
            known.retain(|&(_, own)| own == pace);
        }
        // Middles of `count` equal parts.
        (0..count.min(known.len()))
            .map(|index| known[(2 * index + 1) * known.len() / (2 * count.min(known.len()))])
            .collect()
    }

    /// Enough results for a choice, by Algorithm 1; α grows until there are enough.
    fn sequences(&self, ends: Ends, request: &Request, style: Option<usize>, random: &mut Random) -> Vec<Sequence> {
        let pool = (POOL[0] * request.count).max(POOL[1]);
        let mut results: Vec<Sequence> = Vec::new();
        // Where a style has too few trajectories, those of other styles follow.
        for style in [style, None] {
            for growth in 0..=GROWTHS {
                let alpha = request.search.alpha * GROWTH.powi(growth as i32);
                let tolerance = request.search.tolerance * (growth + 1) as f32;
                let search = Search { alpha, tolerance, ..request.search };
                let takes = |atom: usize| style.is_none_or(|style| self.index.atoms[atom].style == style);
                self.gather(ends, &search, &takes, pool, &mut results, random);
                if results.len() >= pool {
                    return results;
                }
            }
            if results.len() >= request.count {
                break;
            }
        }
        results
    }

    /// Direct candidates, then composed ones, until there are `pool`.
    fn gather(
        &self,
        ends: Ends,
        search: &Search,
        takes: &impl Fn(usize) -> bool,
        pool: usize,
        results: &mut Vec<Sequence>,
        random: &mut Random,
    ) {
        let mut direct = self.index.direct(ends, search.tolerance, search.alpha);
        direct.retain(|&(atom, _)| takes(atom));
        // A subset of many, so that another seed finds others.
        let most = pool.max(2 * direct.len() / 3).min(MOST_DIRECT.max(pool));
        while direct.len() > most {
            direct.swap_remove(random.below(direct.len()));
        }
        let new = |results: &[Sequence], atoms: &[usize]| results.iter().all(|other| other.atoms != atoms);
        for (atom, error) in direct {
            if new(results, &[atom]) {
                results.push(Sequence { atoms: vec![atom], error });
            }
        }
        for _ in results.len()..pool {
            if let Some(other) =
                split(&self.index, ends, search, takes, random).filter(|other| new(results, &other.atoms))
            {
                results.push(other);
            }
        }
    }

    /// A sequence as a path from one state to the other, with its cost.
    fn ranked(
        &self,
        sequence: &Sequence,
        direction: f32,
        from: GroundState,
        to: GroundState,
        request: &Request,
    ) -> Ranked {
        let still = |stand: GroundState| GroundState { velocity: None, ..stand };
        let (own, scale) = join::joined(&self.stored, &self.index, sequence, direction, still(from), still(to));
        let last = own.steps();
        let off = |stand: GroundState, step: usize| {
            stand.velocity.map_or(0.0, |velocity| 30.0 * velocity.distance(own.places[step + 1] - own.places[step]))
        };
        let speed = if last > 0 { off(from, 0) + off(to, last - 1) } else { 0.0 };
        let parts = sequence.atoms.len();
        // Its speed relative to the speed of the body at its ends, where the body moves at both.
        let mean = (30.0 * own.length() / last.max(1) as f32).max(0.1);
        let ends = from.velocity.zip(to.velocity).map(|(start, end)| 15.0 * (start.length() + end.length()));
        let usual = ends.filter(|speed| *speed > STROLL).unwrap_or(mean);
        let right = request.speeds.map_or(usual, |[slow, fast]| usual.max(slow).min(fast.max(0.1)));
        let unlike = (mean / right).ln().abs();
        let mut cost = sequence.error
            + SPEED_COST * speed
            + PART_COST * (parts - 1) as f32
            + SCALE_COST * scale.ln().abs()
            + PACE_COST * unlike;
        let straight = from.place.distance(to.place).max(index::NO_DIRECTION);
        cost += DETOUR_COST * (own.length() / straight).max(1.0).log2();
        if let Some(steps) = request.steps {
            cost += TIME_COST * (last as f32 / steps as f32).ln().abs();
        }
        let mut way = own;
        join::fit(&mut way, from, to);
        if let Some(like) = request.like {
            cost = way.apart(like) + TIME_APART * (way.steps() as f32 / like.steps().max(1) as f32).ln().abs();
        }
        Ranked { candidate: Candidate { way, pace: Pace::Medium, error: sequence.error, parts }, cost }
    }
}

/// The first result, then repeatedly the one farthest from all chosen ones, weighted by its cost.
fn spread(mut pool: Vec<Ranked>, count: usize) -> Vec<Candidate> {
    let mut chosen: Vec<Candidate> = Vec::with_capacity(count);
    let mut nearest = vec![f32::MAX; pool.len()];
    let apart = |a: &GroundPath, b: &GroundPath| {
        a.apart(b) + TIME_APART * (a.steps().max(1) as f32 / b.steps().max(1) as f32).ln().abs()
    };
    let mut next = 0;
    while chosen.len() < count && !pool.is_empty() {
        let taken = pool.swap_remove(next);
        nearest.swap_remove(next);
        for (distance, other) in nearest.iter_mut().zip(&pool) {
            *distance = distance.min(apart(&other.candidate.way, &taken.candidate.way));
        }
        let worth = |index: usize| nearest[index] - COST_APART * pool[index].cost;
        next = (0..pool.len()).max_by(|&a, &b| worth(a).total_cmp(&worth(b))).unwrap_or(0);
        chosen.push(taken.candidate);
    }
    chosen
}
