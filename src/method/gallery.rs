//! Trajectory gallery: Chu and Yang 2024, *Real-time Diverse Motion In-betweening with Space-time Control*, section 4. Ways over the
//! ground from one pose to another, as somebody who was recorded went: several for the same two poses, and each takes its own time.
//!
//! An atomic trajectory is the root's way over 15 to 150 frames ([`file`]); those that lead as far as asked, and begin and end
//! facing as asked, are found by a k-d tree ([`index`]). Where there are too few, ways are put together of several, at random
//! distances, by Algorithm 1 ([`search`]).
//!
//! Beyond the paper: what is found is ranked by how well its speed goes on from the first pose and into the second ([`join`] carries
//! what is left in), and the answers are chosen to be far apart, not at random ([`Gallery::candidates`]). Where nothing lies within
//! α, α and the tolerance grow: some way is always better than none, and its error is told.

pub mod file;
pub mod index;
pub mod join;
pub mod pace;
pub mod search;

use crate::error::Result;
use crate::method::random::Random;
use crate::motion::way::{Stand, Way};
use file::Stored;
use index::{Ends, Index};
use pace::{Pace, grouped};
use search::{Found, Search, split};

/// Ways that are looked at for each one that is asked for, and at least.
const POOL: [usize; 2] = [4, 32];
/// Direct candidates looked at at most.
const MOST_DIRECT: usize = 96;
/// α grows by this where too little is found, so many times, and the tolerance by as much as it was.
const GROWTH: f32 = 2.0;
const GROWTHS: usize = 4;
/// What counts against a way, as much as a radian of its error: a metre a second of speed that does not go on, another trajectory
/// in it, a factor of e in scale or in time.
const SPEED_COST: f32 = 0.3;
const PART_COST: f32 = 0.15;
const SCALE_COST: f32 = 1.0;
/// As much as a radian of its error: a factor of e between its speed and that of its ends, where that is faster than a stroll, metres a
/// second.
const PACE_COST: f32 = 1.0;
const STROLL: f32 = 0.4;
/// As much as a radian of its error: a way twice as long as the straight one.
const DETOUR_COST: f32 = 0.5;
const TIME_COST: f32 = 2.0;
/// Metres between ways that a factor of e in time counts as much as.
const TIME_APART: f32 = 0.25;
/// Metres between ways that a radian of cost counts as much as.
const COST_APART: f32 = 0.5;

/// Atomic trajectories, ready to be searched.
#[derive(Clone)]
pub struct Gallery {
    stored: Stored,
    index: Index,
}

/// What ways are to be like.
#[derive(Debug, Clone, Default)]
pub struct Wanted<'a> {
    /// How many, at most.
    pub count: usize,
    /// Each finds others.
    pub seed: u64,
    /// Only these.
    pub pace: Option<Pace>,
    /// All take this time exactly, steps of 30 a second.
    pub steps: Option<usize>,
    /// Of recordings in this style, where the gallery has it.
    pub style: Option<&'a str>,
    /// As fast as the ends are, but no slower than the one and no faster than the other, metres a second.
    pub speeds: Option<[f32; 2]>,
    /// The nearest to this one, instead of those far apart.
    pub like: Option<&'a Way>,
    /// How they are searched.
    pub search: Search,
}

/// A way that somebody might go.
#[derive(Debug, Clone, PartialEq)]
pub struct Candidate {
    /// The way, 30 steps a second.
    pub way: Way,
    /// How long it takes among all that were found.
    pub pace: Pace,
    /// How far the trajectories were from facing as asked (eq. 7), radians.
    pub error: f32,
    /// How many trajectories it is put together of.
    pub parts: usize,
}

struct Ranked {
    candidate: Candidate,
    cost: f32,
}

impl Gallery {
    /// Reads a gallery's file.
    ///
    /// # Errors
    /// Those of [`Stored::read`].
    pub fn read(bytes: &[u8]) -> Result<Self> {
        Stored::read(bytes).map(Self::of)
    }

    /// Of what a file would hold; it must be as [`Stored::read`] leaves it.
    pub fn of(stored: Stored) -> Self {
        Self { index: Index::new(&stored), stored }
    }

    /// Names of the styles it has trajectories of.
    pub fn styles(&self) -> &[String] {
        &self.stored.styles
    }

    /// Number of atomic trajectories, mirrored ones included.
    pub fn len(&self) -> usize {
        self.index.atoms.len()
    }

    /// Whether it has none.
    pub fn is_empty(&self) -> bool {
        self.index.atoms.is_empty()
    }

    /// Ways from one stand to another, the best first, the others far from it and from each other. Speeds of the stands are metres
    /// in a thirtieth of a second. Empty only where the gallery is.
    pub fn candidates(&self, from: Stand, to: Stand, wanted: &Wanted) -> Vec<Candidate> {
        let mut random = Random::new(wanted.seed);
        let (ends, direction) = Ends::of([from.place, to.place], [from.heading, to.heading]);
        let style =
            wanted.style.and_then(|name| self.stored.styles.iter().position(|style| style.eq_ignore_ascii_case(name)));
        let mut pool: Vec<Ranked> = self
            .found(ends, wanted, style, &mut random)
            .iter()
            .map(|found| self.ranked(found, direction, from, to, wanted))
            .collect();
        let durations: Vec<usize> = pool.iter().map(|ranked| ranked.candidate.way.steps()).collect();
        for (ranked, pace) in pool.iter_mut().zip(grouped(&durations)) {
            ranked.candidate.pace = pace;
        }
        if let Some(pace) = wanted.pace {
            pool.retain(|ranked| ranked.candidate.pace == pace);
        }
        if let Some(steps) = wanted.steps {
            for ranked in &mut pool {
                ranked.candidate.way = ranked.candidate.way.resampled(steps);
                join::fit(&mut ranked.candidate.way, from, to);
            }
        }
        pool.sort_by(|a, b| a.cost.total_cmp(&b.cost));
        if wanted.like.is_some() {
            pool.truncate(wanted.count);
        }
        spread(pool, wanted.count)
    }

    /// Steps that ways over `length` metres take, from slow to fast, `count` of them, all of one pace where that is asked for.
    pub fn durations(&self, length: f32, pace: Option<Pace>, count: usize) -> Vec<(usize, Pace)> {
        let ends = Ends { distance: length, off: [0.0; 2] };
        let search = Search::default();
        let grown = (0..=GROWTHS)
            .map(|growth| self.index.direct(ends, search.tolerance * (growth + 1) as f32, 1.0 + growth as f32));
        let near = grown.into_iter().find(|found| found.len() >= 3 * count.max(4)).unwrap_or_default();
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
        // The middles of as many equal parts.
        (0..count.min(known.len()))
            .map(|index| known[(2 * index + 1) * known.len() / (2 * count.min(known.len()))])
            .collect()
    }

    /// Enough for a choice, by Algorithm 1, with an α that grows as long as there is not.
    fn found(&self, ends: Ends, wanted: &Wanted, style: Option<usize>, random: &mut Random) -> Vec<Found> {
        let pool = (POOL[0] * wanted.count).max(POOL[1]);
        let mut found: Vec<Found> = Vec::new();
        // Where a style has too few trajectories those of others follow.
        for style in [style, None] {
            for growth in 0..=GROWTHS {
                let alpha = wanted.search.alpha * GROWTH.powi(growth as i32);
                let tolerance = wanted.search.tolerance * (growth + 1) as f32;
                let search = Search { alpha, tolerance, ..wanted.search };
                let takes = |atom: usize| style.is_none_or(|style| self.index.atoms[atom].style == style);
                self.gather(ends, &search, &takes, pool, &mut found, random);
                if found.len() >= pool {
                    return found;
                }
            }
            if found.len() >= wanted.count {
                break;
            }
        }
        found
    }

    /// Direct candidates, then composed ones, until there are `pool`.
    fn gather(
        &self,
        ends: Ends,
        search: &Search,
        takes: &impl Fn(usize) -> bool,
        pool: usize,
        found: &mut Vec<Found>,
        random: &mut Random,
    ) {
        let mut direct = self.index.direct(ends, search.tolerance, search.alpha);
        direct.retain(|&(atom, _)| takes(atom));
        // Some of many, so that another seed finds others.
        let most = pool.max(2 * direct.len() / 3).min(MOST_DIRECT.max(pool));
        while direct.len() > most {
            direct.swap_remove(random.below(direct.len()));
        }
        let new = |found: &[Found], atoms: &[usize]| found.iter().all(|other| other.atoms != atoms);
        for (atom, error) in direct {
            if new(found, &[atom]) {
                found.push(Found { atoms: vec![atom], error });
            }
        }
        for _ in found.len()..pool {
            if let Some(other) =
                split(&self.index, ends, search, takes, random).filter(|other| new(found, &other.atoms))
            {
                found.push(other);
            }
        }
    }

    fn ranked(&self, found: &Found, direction: f32, from: Stand, to: Stand, wanted: &Wanted) -> Ranked {
        let still = |stand: Stand| Stand { velocity: None, ..stand };
        let (own, scale) = join::joined(&self.stored, &self.index, found, direction, still(from), still(to));
        let last = own.steps();
        let off = |stand: Stand, step: usize| {
            stand.velocity.map_or(0.0, |velocity| 30.0 * velocity.distance(own.places[step + 1] - own.places[step]))
        };
        let speed = if last > 0 { off(from, 0) + off(to, last - 1) } else { 0.0 };
        let parts = found.atoms.len();
        // How fast it is against how fast it should be: as the body is at its ends, where it is on its way at both.
        let mean = (30.0 * own.length() / last.max(1) as f32).max(0.1);
        let ends = from.velocity.zip(to.velocity).map(|(start, end)| 15.0 * (start.length() + end.length()));
        let usual = ends.filter(|speed| *speed > STROLL).unwrap_or(mean);
        let right = wanted.speeds.map_or(usual, |[slow, fast]| usual.max(slow).min(fast.max(0.1)));
        let unlike = (mean / right).ln().abs();
        let mut cost = found.error
            + SPEED_COST * speed
            + PART_COST * (parts - 1) as f32
            + SCALE_COST * scale.ln().abs()
            + PACE_COST * unlike;
        let straight = from.place.distance(to.place).max(index::NO_DIRECTION);
        cost += DETOUR_COST * (own.length() / straight).max(1.0).log2();
        if let Some(steps) = wanted.steps {
            cost += TIME_COST * (last as f32 / steps as f32).ln().abs();
        }
        let mut way = own;
        join::fit(&mut way, from, to);
        if let Some(like) = wanted.like {
            cost = way.apart(like) + TIME_APART * (way.steps() as f32 / like.steps().max(1) as f32).ln().abs();
        }
        Ranked { candidate: Candidate { way, pace: Pace::Medium, error: found.error, parts }, cost }
    }
}

/// The first, then again and again the one that is farthest from all that were taken, as far as it is a good one.
fn spread(mut pool: Vec<Ranked>, count: usize) -> Vec<Candidate> {
    let mut chosen: Vec<Candidate> = Vec::with_capacity(count);
    let mut nearest = vec![f32::MAX; pool.len()];
    let apart =
        |a: &Way, b: &Way| a.apart(b) + TIME_APART * (a.steps().max(1) as f32 / b.steps().max(1) as f32).ln().abs();
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
