//! Search index of atomic trajectories: two k-d trees.
//!
//! Relative to the straight line from its start to its end, a trajectory is a distance and two angles: the heading
//! relative to that line at the start and at the end. Rotating it to a query (Algorithm 1, Rotate) changes none of
//! the three.

use super::file::{Piece, Stored, Track};
use crate::motion::root::wrap;
use glam::Vec2;
use kiddo::SquaredEuclidean;
use kiddo::immutable::float::kdtree::ImmutableKdTree;
use std::num::NonZero;

/// Shorter paths have no direction; the heading at the start is used instead, metres.
pub const NO_DIRECTION: f32 = 0.15;
/// Added to distances before the logarithm: smaller distances compare by difference, larger ones by ratio; metres.
const NEAR: f32 = 0.1;
/// Angle in radians that a ratio of e is equivalent to.
pub const RATIO: f32 = 4.0;

/// Distance and angles of a path.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Ends {
    /// Straight distance from start to end, metres.
    pub distance: f32,
    /// Heading relative to the straight line from start to end, at the start and at the end, radians.
    pub off: [f32; 2],
}

impl Ends {
    /// Ends of a path between two positions with headings, and its direction, radians about +Y.
    pub fn of(places: [Vec2; 2], headings: [f32; 2]) -> (Self, f32) {
        let chord = places[1] - places[0];
        let distance = chord.length();
        let direction = if distance < NO_DIRECTION { headings[0] } else { chord.x.atan2(chord.y) };
        (Self { distance, off: headings.map(|heading| wrap(heading - direction)) }, direction)
    }

    /// Logarithmic distance, in which equal ratios have equal differences.
    pub fn span(self) -> f32 {
        (self.distance + NEAR).ln()
    }

    fn all(self) -> [f32; 5] {
        let [start, end] = self.off;
        [RATIO * self.span(), start.sin(), start.cos(), end.sin(), end.cos()]
    }

    fn start(self) -> [f32; 3] {
        [RATIO * self.span(), self.off[0].sin(), self.off[0].cos()]
    }
}

/// An atomic trajectory in the index.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Atom {
    /// Its range of a track.
    pub piece: Piece,
    /// Whether it is mirrored.
    pub mirrored: bool,
    /// Style of its track.
    pub style: usize,
    /// Its distance and angles.
    pub ends: Ends,
    /// Direction of the straight line in the track, or in the mirrored track.
    pub direction: f32,
}

/// All atoms with the trees.
#[derive(Clone)]
pub struct Index {
    /// Each piece, then its mirror.
    pub atoms: Vec<Atom>,
    all: ImmutableKdTree<f32, u32, 5, 32>,
    starts: ImmutableKdTree<f32, u32, 3, 32>,
}

/// Position and heading of a sample of a track, or of the mirrored track.
pub fn sample(track: &Track, index: usize, mirrored: bool) -> (Vec2, f32) {
    let (place, heading) = (track.places[index], track.headings[index]);
    if mirrored { (Vec2::new(-place.x, place.y), -heading) } else { (place, heading) }
}

impl Index {
    /// Index of a checked file.
    pub fn new(stored: &Stored) -> Self {
        let mut atoms = Vec::with_capacity(2 * stored.pieces.len());
        for &piece in &stored.pieces {
            let track = &stored.tracks[piece.track as usize];
            for mirrored in [false, true] {
                let [first, last] =
                    [piece.start, piece.start + piece.steps].map(|at| sample(track, at as usize, mirrored));
                let (ends, direction) = Ends::of([first.0, last.0], [first.1, last.1]);
                atoms.push(Atom { piece, mirrored, style: track.style, ends, direction });
            }
        }
        let all: Vec<[f32; 5]> = atoms.iter().map(|atom| atom.ends.all()).collect();
        let starts: Vec<[f32; 3]> = atoms.iter().map(|atom| atom.ends.start()).collect();
        let (all, starts) = (ImmutableKdTree::new_from_slice(&all), ImmutableKdTree::new_from_slice(&starts));
        Self { atoms, all, starts }
    }

    /// Atoms whose distance equals the query's within a ratio of 1 ± `tolerance`, and whose total angular error (eq.
    /// 7) is at most `alpha`; with that error.
    pub fn direct(&self, query: Ends, tolerance: f32, alpha: f32) -> Vec<(usize, f32)> {
        if self.atoms.is_empty() || alpha <= 0.0 {
            return Vec::new();
        }
        // A chord is not longer than its arc.
        let reach = alpha * alpha + (RATIO * tolerance).powi(2);
        let near = self.all.within_unsorted::<SquaredEuclidean>(&query.all(), reach);
        let mut matches: Vec<(usize, f32)> =
            near.into_iter().map(|near| near.item as usize).map(|atom| (atom, self.error(atom, query))).collect();
        matches.retain(|&(atom, error)| {
            error <= alpha && (self.atoms[atom].ends.span() - query.span()).abs() <= tolerance
        });
        matches.sort_by(|a, b| a.1.total_cmp(&b.1).then(a.0.cmp(&b.0)));
        matches
    }

    /// Atoms that begin like the query (StartingError) and cover about `distance` metres, nearest first; with that
    /// error.
    pub fn beginning(&self, query: Ends, distance: f32, count: usize) -> Vec<(usize, f32)> {
        let (Some(count), false) = (NonZero::new(count), self.atoms.is_empty()) else { return Vec::new() };
        let part = Ends { distance, ..query };
        let near = self.starts.nearest_n::<SquaredEuclidean>(&part.start(), count);
        near.into_iter()
            .map(|near| near.item as usize)
            .map(|atom| (atom, wrap(self.atoms[atom].ends.off[0] - query.off[0]).abs()))
            .collect()
    }

    /// Eq. 7.
    fn error(&self, atom: usize, query: Ends) -> f32 {
        let off = self.atoms[atom].ends.off;
        wrap(off[0] - query.off[0]).abs() + wrap(off[1] - query.off[1]).abs()
    }
}
