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
        let cells = takeoffs.len() * landings.len();
        Self { takeoffs, landings, scores: vec![f32::INFINITY; cells], injects: vec![0; cells] }
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

#[cfg(test)]
mod tests {
    use super::*;

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
