//! Search index of atomic trajectories: two k-d trees.
//!
//! A trajectory is found by three numbers: the straight distance from its start to its end, and the headings at the
//! start and at the end relative to that straight line. They do not change if the trajectory is rotated to a query
//! (Algorithm 1, Rotate).

use super::file::{Contents, Segment, Track};
use crate::motion::root::wrap;
use glam::Vec2;
use kiddo::SquaredEuclidean;
use kiddo::immutable::float::kdtree::ImmutableKdTree;
use std::num::NonZero;

/// Shortest distance at which a path has a direction, metres; the direction of shorter paths is the heading at the
/// start.
pub const MIN_DISTANCE: f32 = 0.15;
/// Added to distances before the logarithm, metres: below it, distances are compared by difference, above it by ratio.
const DISTANCE_OFFSET: f32 = 0.1;
/// Angle that is equivalent to a ratio of e between distances, radians.
pub const RATIO_ANGLE: f32 = 4.0;

/// Distance and headings of a path.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Ends {
    /// Straight distance from start to end, metres.
    pub distance: f32,
    /// Headings at the start and at the end, relative to the straight line from start to end, radians.
    pub angles: [f32; 2],
}

impl Ends {
    /// Computes the ends of a path between two positions with headings, and its direction, radians about +Y.
    pub fn new(positions: [Vec2; 2], headings: [f32; 2]) -> (Self, f32) {
        let chord = positions[1] - positions[0];
        let distance = chord.length();
        let direction = if distance < MIN_DISTANCE { headings[0] } else { chord.x.atan2(chord.y) };
        (Self { distance, angles: headings.map(|heading| wrap(heading - direction)) }, direction)
    }

    /// Returns the logarithm of the distance: equal ratios of distances have equal differences.
    pub fn log_distance(self) -> f32 {
        (self.distance + DISTANCE_OFFSET).ln()
    }

    /// Returns the coordinates in the tree of whole paths.
    fn path_key(self) -> [f32; 5] {
        let [start, end] = self.angles;
        [RATIO_ANGLE * self.log_distance(), start.sin(), start.cos(), end.sin(), end.cos()]
    }

    /// Returns the coordinates in the tree of path starts.
    fn start_key(self) -> [f32; 3] {
        [RATIO_ANGLE * self.log_distance(), self.angles[0].sin(), self.angles[0].cos()]
    }
}

/// An atomic trajectory in the index.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Atom {
    /// Segment of a track.
    pub segment: Segment,
    /// Whether the segment is mirrored.
    pub is_mirrored: bool,
    /// Style of the track.
    pub style: usize,
    /// Distance and headings.
    pub ends: Ends,
    /// Heights of the hips over the ground at start and end, metres.
    pub heights: [f32; 2],
    /// Direction of the straight line from start to end in the track, or in the mirrored track, radians.
    pub direction: f32,
}

/// All atoms, with their search trees.
#[derive(Clone)]
pub struct Index {
    /// Each segment, followed by its mirror image.
    pub atoms: Vec<Atom>,
    paths: ImmutableKdTree<f32, u32, 5, 32>,
    starts: ImmutableKdTree<f32, u32, 3, 32>,
}

/// Returns position and heading of a sample of a track, or of the mirrored track.
pub fn sample(track: &Track, index: usize, is_mirrored: bool) -> (Vec2, f32) {
    let (position, heading) = (track.positions[index], track.headings[index]);
    if is_mirrored { (Vec2::new(-position.x, position.y), -heading) } else { (position, heading) }
}

impl Index {
    /// Builds the index of a checked file.
    pub fn new(contents: &Contents) -> Self {
        let mut atoms = Vec::with_capacity(2 * contents.segments.len());
        for &segment in &contents.segments {
            let track = &contents.tracks[segment.track as usize];
            let samples = [segment.start, segment.start + segment.steps].map(|index| index as usize);
            let heights = samples.map(|index| track.heights[index]);
            for is_mirrored in [false, true] {
                let [first, last] = samples.map(|index| sample(track, index, is_mirrored));
                let (ends, direction) = Ends::new([first.0, last.0], [first.1, last.1]);
                atoms.push(Atom { segment, is_mirrored, style: track.style, ends, heights, direction });
            }
        }
        let paths: Vec<[f32; 5]> = atoms.iter().map(|atom| atom.ends.path_key()).collect();
        let starts: Vec<[f32; 3]> = atoms.iter().map(|atom| atom.ends.start_key()).collect();
        let (paths, starts) = (ImmutableKdTree::new_from_slice(&paths), ImmutableKdTree::new_from_slice(&starts));
        Self { atoms, paths, starts }
    }

    /// Finds atoms whose [`Ends::log_distance`] differs from that of the query by at most `tolerance`, and whose error
    /// (eq. 7) is at most `alpha`, radians. Returns indices and errors, the smallest error first.
    pub fn find_matches(&self, query: Ends, tolerance: f32, alpha: f32) -> Vec<(usize, f32)> {
        if self.atoms.is_empty() || alpha <= 0.0 {
            return Vec::new();
        }
        // Sines and cosines of an angle differ by the chord, which is never longer than the arc.
        let squared_radius = alpha * alpha + (RATIO_ANGLE * tolerance).powi(2);
        let near = self.paths.within_unsorted::<SquaredEuclidean>(&query.path_key(), squared_radius);
        let mut matches: Vec<(usize, f32)> =
            near.into_iter().map(|near| near.item as usize).map(|atom| (atom, self.error(atom, query))).collect();
        matches.retain(|&(atom, error)| {
            error <= alpha && (self.atoms[atom].ends.log_distance() - query.log_distance()).abs() <= tolerance
        });
        matches.sort_by(|a, b| a.1.total_cmp(&b.1).then(a.0.cmp(&b.0)));
        matches
    }

    /// Finds the `count` atoms nearest to the query in distance and headings, however far they are. Returns indices and
    /// errors (eq. 7), radians.
    pub fn find_nearest(&self, query: Ends, count: usize) -> Vec<(usize, f32)> {
        let (Some(count), false) = (NonZero::new(count), self.atoms.is_empty()) else { return Vec::new() };
        let near = self.paths.nearest_n::<SquaredEuclidean>(&query.path_key(), count);
        near.into_iter().map(|near| near.item as usize).map(|atom| (atom, self.error(atom, query))).collect()
    }

    /// Finds `count` atoms that begin like the query and cover about `distance` metres. Returns indices and errors at
    /// the start (StartingError), radians, the nearest atom first.
    pub fn find_starts(&self, query: Ends, distance: f32, count: usize) -> Vec<(usize, f32)> {
        let (Some(count), false) = (NonZero::new(count), self.atoms.is_empty()) else { return Vec::new() };
        let start = Ends { distance, ..query };
        let near = self.starts.nearest_n::<SquaredEuclidean>(&start.start_key(), count);
        near.into_iter()
            .map(|near| near.item as usize)
            .map(|atom| (atom, wrap(self.atoms[atom].ends.angles[0] - query.angles[0]).abs()))
            .collect()
    }

    /// Computes the sum of the heading errors at both ends (eq. 7), radians.
    fn error(&self, atom: usize, query: Ends) -> f32 {
        let angles = self.atoms[atom].ends.angles;
        wrap(angles[0] - query.angles[0]).abs() + wrap(angles[1] - query.angles[1]).abs()
    }
}
