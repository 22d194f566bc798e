//! Cells of a map: their ranges, and those still to be scored.

use std::ops::Range;

/// L* and k_opt of every cell, [takeoffs × landings].
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
    pub(super) fn empty(takeoffs: Range<usize>, landings: Range<usize>) -> Self {
        Self::below(f32::INFINITY, takeoffs, landings)
    }

    /// A map that keeps only scores below a bound.
    pub(super) fn below(bound: f32, takeoffs: Range<usize>, landings: Range<usize>) -> Self {
        let cells = takeoffs.len() * landings.len();
        Self { takeoffs, landings, scores: vec![bound; cells], injects: vec![0; cells] }
    }

    /// (L*, k_opt) of a cell, by frames of the two clips; `None` outside the map.
    pub fn at(&self, takeoff: usize, landing: usize) -> Option<(f32, usize)> {
        let inside = self.takeoffs.contains(&takeoff) && self.landings.contains(&landing);
        let cell = inside.then(|| self.cell(takeoff, landing))?;
        Some((self.scores[cell], usize::from(self.injects[cell])))
    }

    fn cell(&self, takeoff: usize, landing: usize) -> usize {
        (takeoff - self.takeoffs.start) * self.landings.len() + landing - self.landings.start
    }

    pub(super) fn copy(&mut self, from: &Map, takeoffs: Range<usize>, landings: Range<usize>) {
        for takeoff in takeoffs {
            let (to, start) = (self.cell(takeoff, landings.start), from.cell(takeoff, landings.start));
            self.scores[to..][..landings.len()].copy_from_slice(&from.scores[start..][..landings.len()]);
            self.injects[to..][..landings.len()].copy_from_slice(&from.injects[start..][..landings.len()]);
        }
    }
}

/// Cells of a map that are not scored yet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Strip {
    /// Their rows.
    pub takeoffs: Range<usize>,
    /// Their columns.
    pub landings: Range<usize>,
}

impl Strip {
    /// Number of cells.
    pub fn cells(&self) -> usize {
        self.takeoffs.len() * self.landings.len()
    }

    /// The same cells in pieces of at most `side` × `side`.
    pub fn pieces(&self, side: usize) -> impl Iterator<Item = Strip> + '_ {
        let cuts = move |whole: &Range<usize>| {
            let end = whole.end;
            whole.clone().step_by(side).map(move |start| start..end.min(start + side))
        };
        let columns = move || cuts(&self.landings);
        cuts(&self.takeoffs)
            .flat_map(move |takeoffs| columns().map(move |landings| Strip { takeoffs: takeoffs.clone(), landings }))
    }
}

/// Frames at equal distances.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Frames {
    /// First frame.
    pub start: usize,
    /// Number of frames.
    pub count: usize,
    /// Distance between neighbours, frames.
    pub step: usize,
}

impl Frames {
    /// Every `step`-th frame of a range, beginning with its first.
    pub fn every(step: usize, range: Range<usize>) -> Self {
        Self { start: range.start, count: range.len().div_ceil(step), step }
    }

    /// The frame with an index from 0 to `count` − 1.
    pub fn at(&self, index: usize) -> usize {
        self.start + index * self.step
    }

    /// The same frames in pieces of at most `most`.
    pub fn pieces(&self, most: usize) -> impl Iterator<Item = Self> + use<> {
        let Self { start, count, step } = *self;
        (0..count).step_by(most).map(move |first| Self {
            start: start + first * step,
            count: most.min(count - first),
            step,
        })
    }
}

/// The cheapest of all offered cuts: (cost, take-off, landing), cheapest first.
#[derive(Debug, Clone)]
pub struct Cheapest {
    most: usize,
    /// Smallest number of frames from a landing to the frame after the take-off; `None` allows every cut.
    apart: Option<usize>,
    cuts: Vec<(f32, usize, usize)>,
}

impl Cheapest {
    /// An empty list of at most `most` cuts.
    pub fn new(most: usize) -> Self {
        Self { most, apart: None, cuts: Vec::new() }
    }

    /// Accepts only cuts within one motion to its next cycle: the landing is at least `frames` before the successor of
    /// the take-off.
    #[must_use]
    pub fn apart(mut self, frames: Option<usize>) -> Self {
        self.apart = frames;
        self
    }

    /// Upper bound of the cost of a cut that would still be added.
    pub fn bound(&self) -> f32 {
        self.cuts.get(self.most - 1).map_or(f32::INFINITY, |cut| cut.0)
    }

    /// Adds a cut if its cost is below [`Cheapest::bound`]. Cuts of equal cost keep the order in which they were
    /// offered.
    pub fn offer(&mut self, cost: f32, takeoff: usize, landing: usize) {
        let is_apart = self.apart.is_none_or(|apart| landing + apart <= takeoff + 1);
        if is_apart && cost < self.bound() {
            let place = self.cuts.partition_point(|cut| cut.0 <= cost);
            self.cuts.insert(place, (cost, takeoff, landing));
            self.cuts.truncate(self.most);
        }
    }

    /// The cuts, cheapest first.
    pub fn cuts(&self) -> &[(f32, usize, usize)] {
        &self.cuts
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frames_at_equal_distances_come_in_pieces() {
        let frames = Frames::every(6, 10..100);
        assert_eq!((frames.at(0), frames.at(14), frames.count), (10, 94, 15));
        let pieces: Vec<Frames> = frames.pieces(4).collect();
        let all: Vec<usize> = pieces.iter().flat_map(|piece| (0..piece.count).map(|index| piece.at(index))).collect();
        assert_eq!(all, (10..100).step_by(6).collect::<Vec<_>>());
    }

    #[test]
    fn the_cheapest_are_kept_in_order() {
        let mut cheapest = Cheapest::new(2);
        [(3.0, 1, 1), (1.0, 2, 2), (1.0, 3, 3), (2.0, 4, 4)]
            .into_iter()
            .for_each(|(cost, a, b)| cheapest.offer(cost, a, b));
        assert_eq!(cheapest.cuts(), [(1.0, 2, 2), (1.0, 3, 3)]);
        assert_eq!(cheapest.bound(), 1.0);
    }

    #[test]
    fn pieces_hold_every_cell_once() {
        let strip = Strip { takeoffs: 4..300, landings: 7..140 };
        let pieces: Vec<Strip> = strip.pieces(64).collect();
        assert!(pieces.iter().all(|piece| piece.takeoffs.len() <= 64 && piece.landings.len() <= 64));
        assert_eq!(pieces.iter().map(Strip::cells).sum::<usize>(), strip.cells());
        for cell in [(4, 7), (299, 139), (67, 71), (68, 70)] {
            let holds = |piece: &&Strip| piece.takeoffs.contains(&cell.0) && piece.landings.contains(&cell.1);
            assert_eq!(pieces.iter().filter(holds).count(), 1, "{cell:?}");
        }
    }
}
