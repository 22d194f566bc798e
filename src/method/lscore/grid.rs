//! The map of scores, the cells that remain to be scored, and the list of the cheapest cuts.
//!
//! A cell of the map is one pair of a take-off and a landing. L* is the lowest L-score of the cell, and k_opt is the
//! number of injected frames that gives it.

use std::ops::Range;

/// L* and k_opt of all cells, [takeoffs × landings].
#[derive(Debug, Clone, PartialEq)]
pub struct Map {
    /// Take-off frames of the first clip, one per row.
    pub takeoffs: Range<usize>,
    /// Landing frames of the second clip, one per column.
    pub landings: Range<usize>,
    /// L* of each cell.
    pub scores: Vec<f32>,
    /// k_opt of each cell.
    pub injects: Vec<u8>,
}

impl Map {
    /// Creates a map without scores.
    pub(super) fn empty(takeoffs: Range<usize>, landings: Range<usize>) -> Self {
        Self::with_bound(f32::INFINITY, takeoffs, landings)
    }

    /// Creates a map that accepts only scores below a bound.
    pub(super) fn with_bound(bound: f32, takeoffs: Range<usize>, landings: Range<usize>) -> Self {
        let cells = takeoffs.len() * landings.len();
        Self { takeoffs, landings, scores: vec![bound; cells], injects: vec![0; cells] }
    }

    /// Returns (L*, k_opt) of a cell, by frames of the two clips; `None` outside the map.
    pub fn at(&self, takeoff: usize, landing: usize) -> Option<(f32, usize)> {
        let is_inside = self.takeoffs.contains(&takeoff) && self.landings.contains(&landing);
        let cell = is_inside.then(|| self.cell(takeoff, landing))?;
        Some((self.scores[cell], usize::from(self.injects[cell])))
    }

    /// Returns the index of a cell.
    fn cell(&self, takeoff: usize, landing: usize) -> usize {
        (takeoff - self.takeoffs.start) * self.landings.len() + landing - self.landings.start
    }

    /// Copies the cells of two ranges from another map.
    pub(super) fn copy(&mut self, source: &Map, takeoffs: Range<usize>, landings: Range<usize>) {
        for takeoff in takeoffs {
            let (to, from) = (self.cell(takeoff, landings.start), source.cell(takeoff, landings.start));
            self.scores[to..][..landings.len()].copy_from_slice(&source.scores[from..][..landings.len()]);
            self.injects[to..][..landings.len()].copy_from_slice(&source.injects[from..][..landings.len()]);
        }
    }
}

/// A rectangle of cells that are not yet scored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Strip {
    /// Rows of the cells.
    pub takeoffs: Range<usize>,
    /// Columns of the cells.
    pub landings: Range<usize>,
}

impl Strip {
    /// Returns the number of cells.
    pub fn cells(&self) -> usize {
        self.takeoffs.len() * self.landings.len()
    }

    /// Splits the rectangle into tiles of at most `side` × `side` cells.
    pub fn tiles(&self, side: usize) -> impl Iterator<Item = Strip> + '_ {
        let ranges = move |range: &Range<usize>| {
            let end = range.end;
            range.clone().step_by(side).map(move |start| start..end.min(start + side))
        };
        let columns = move || ranges(&self.landings);
        ranges(&self.takeoffs)
            .flat_map(move |takeoffs| columns().map(move |landings| Strip { takeoffs: takeoffs.clone(), landings }))
    }
}

/// Frames of a clip at equal intervals.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Frames {
    /// First frame.
    pub start: usize,
    /// Number of frames.
    pub count: usize,
    /// Interval between two consecutive frames of the selection, frames.
    pub step: usize,
}

impl Frames {
    /// Selects every `step`-th frame of a range, beginning with the first.
    pub fn every(step: usize, range: Range<usize>) -> Self {
        Self { start: range.start, count: range.len().div_ceil(step), step }
    }

    /// Returns the frame with an index from 0 to `count` − 1.
    pub fn at(&self, index: usize) -> usize {
        self.start + index * self.step
    }

    /// Splits the frames into chunks of at most `size`.
    pub fn chunks(&self, size: usize) -> impl Iterator<Item = Self> + use<> {
        let Self { start, count, step } = *self;
        (0..count).step_by(size).map(move |first| Self {
            start: start + first * step,
            count: size.min(count - first),
            step,
        })
    }
}

/// List of the cheapest of all offered cuts: (cost, take-off, landing), the cheapest first.
#[derive(Debug, Clone)]
pub struct CheapestCuts {
    capacity: usize,
    /// Smallest number of frames from a landing to the frame after the take-off; `None` allows all cuts.
    min_cycle: Option<usize>,
    cuts: Vec<(f32, usize, usize)>,
}

impl CheapestCuts {
    /// Creates an empty list for at most `capacity` cuts.
    pub fn new(capacity: usize) -> Self {
        Self { capacity, min_cycle: None, cuts: Vec::new() }
    }

    /// Accepts only cuts that close a cycle within one motion: the landing is at least `frames` frames before the frame
    /// after the take-off.
    #[must_use]
    pub fn with_min_cycle(mut self, frames: Option<usize>) -> Self {
        self.min_cycle = frames;
        self
    }

    /// Returns the bound below which the cost of a new cut must lie; a list without capacity takes no cut.
    pub fn bound(&self) -> f32 {
        let Some(last) = self.capacity.checked_sub(1) else { return f32::NEG_INFINITY };
        self.cuts.get(last).map_or(f32::INFINITY, |cut| cut.0)
    }

    /// Adds a cut if its cost is below [`CheapestCuts::bound`]. Cuts of equal cost keep the order in which they were
    /// offered.
    pub fn offer(&mut self, cost: f32, takeoff: usize, landing: usize) {
        let is_allowed = self.min_cycle.is_none_or(|frames| landing + frames <= takeoff + 1);
        if is_allowed && cost < self.bound() {
            let index = self.cuts.partition_point(|cut| cut.0 <= cost);
            self.cuts.insert(index, (cost, takeoff, landing));
            self.cuts.truncate(self.capacity);
        }
    }

    /// Returns the cuts, the cheapest first.
    pub fn cuts(&self) -> &[(f32, usize, usize)] {
        &self.cuts
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chunks_contain_each_frame_once() {
        let frames = Frames::every(6, 10..100);
        assert_eq!((frames.at(0), frames.at(14), frames.count), (10, 94, 15));
        let chunks: Vec<Frames> = frames.chunks(4).collect();
        let chunked: Vec<usize> =
            chunks.iter().flat_map(|chunk| (0..chunk.count).map(|index| chunk.at(index))).collect();
        assert_eq!(chunked, (10..100).step_by(6).collect::<Vec<_>>());
    }

    #[test]
    fn the_cheapest_are_kept_in_order() {
        let mut cheapest = CheapestCuts::new(2);
        [(3.0, 1, 1), (1.0, 2, 2), (1.0, 3, 3), (2.0, 4, 4)]
            .into_iter()
            .for_each(|(cost, a, b)| cheapest.offer(cost, a, b));
        assert_eq!(cheapest.cuts(), [(1.0, 2, 2), (1.0, 3, 3)]);
        assert_eq!(cheapest.bound(), 1.0);
        let mut none = CheapestCuts::new(0);
        none.offer(f32::MIN, 1, 1);
        assert!(none.cuts().is_empty());
    }

    #[test]
    fn tiles_contain_each_cell_once() {
        let strip = Strip { takeoffs: 4..300, landings: 7..140 };
        let tiles: Vec<Strip> = strip.tiles(64).collect();
        assert!(tiles.iter().all(|tile| tile.takeoffs.len() <= 64 && tile.landings.len() <= 64));
        assert_eq!(tiles.iter().map(Strip::cells).sum::<usize>(), strip.cells());
        for cell in [(4, 7), (299, 139), (67, 71), (68, 70)] {
            let contains = |tile: &&Strip| tile.takeoffs.contains(&cell.0) && tile.landings.contains(&cell.1);
            assert_eq!(tiles.iter().filter(contains).count(), 1, "{cell:?}");
        }
    }
}
