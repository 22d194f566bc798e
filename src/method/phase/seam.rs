//! Cuts between clips in step: the feet are at the same position of their cycle and have the same speed.
//!
//! Cost of a cut: for each foot, the squared distance of the phase vectors (eq. 8) over the sum of their squares, 0
//! to 2, averaged over feet; plus the squared windowed distance of the poses relative to that of random cuts, since
//! feet in step may have different positions. Comparison with other rules and weights: docs/notes/phases.md.

use super::Limb;
use crate::error::{Error, Result};
use crate::method::lscore::map::{MAX_CELLS, Scan};
use glam::Vec2;
use std::ops::Range;

/// Weight of the pose distance.
const POSE: f32 = 4.0;
/// A squared speed, (m/s)², far below that of a step; shorter vectors count as rest.
const REST: f32 = 0.01;
/// Number of cuts along each side of the grid that is sampled for the mean pose distance.
const SAMPLES: usize = 16;

/// Take-off and landing of the cheapest cut within the ranges, searched in one call.
///
/// # Errors
/// Those of [`Search::new`].
pub fn best(
    scan: &Scan,
    limbs: [&[Limb]; 2],
    takeoffs: Range<usize>,
    landings: Range<usize>,
) -> Result<Option<(usize, usize)>> {
    Ok(Search::new(scan, limbs, takeoffs, landings)?.map(|mut search| {
        search.advance(scan, limbs, usize::MAX);
        search.best()
    }))
}

/// The search for the cheapest cut, some rows at a time.
#[derive(Debug, Clone)]
pub struct Search {
    /// Take-offs not tried yet.
    takeoffs: Range<usize>,
    landings: Range<usize>,
    rows: usize,
    /// Pairs of equal limbs of the first and the second motion.
    pairs: Vec<(usize, usize)>,
    pose_weight: f32,
    /// Fewest frames from a landing to the frame after the take-off, where both motions are the same one.
    apart: Option<usize>,
    best: (f32, (usize, usize)),
}

impl Search {
    /// A new search; `None` where a range is empty. `limbs`: [`super::phases`] of the first and the second motion of
    /// the scan; limbs without a counterpart are ignored.
    ///
    /// # Errors
    /// [`Error::Limit`] for more than [`MAX_CELLS`] cuts.
    pub fn new(
        scan: &Scan,
        limbs: [&[Limb]; 2],
        takeoffs: Range<usize>,
        landings: Range<usize>,
    ) -> Result<Option<Self>> {
        if takeoffs.is_empty() || landings.is_empty() {
            return Ok(None);
        }
        let cells = takeoffs.len() as u64 * landings.len() as u64;
        if cells > MAX_CELLS {
            return Err(Error::Limit { what: "cuts to score", found: cells, limit: MAX_CELLS });
        }
        let other = |limb: &Limb| limbs[1].iter().position(|other| other.joint == limb.joint);
        let pairs = limbs[0].iter().enumerate().filter_map(|(index, limb)| Some((index, other(limb)?))).collect();
        let grid = |frames: &Range<usize>| {
            let (start, length) = (frames.start, frames.len());
            (0..SAMPLES).map(move |sample| start + sample * length / SAMPLES)
        };
        let usual: f32 = grid(&takeoffs)
            .flat_map(|a| grid(&landings).map(move |b| (a, b)))
            .map(|(a, b)| scan.euclidean(a, b).powi(2))
            .sum();
        let pose_weight = POSE / (usual / (SAMPLES * SAMPLES) as f32).max(1e-12);
        let best = (f32::INFINITY, (takeoffs.start, landings.start));
        Ok(Some(Self { rows: takeoffs.len(), takeoffs, landings, pairs, pose_weight, apart: None, best }))
    }

    /// The search in one motion for its next cycle: what follows a take-off is no landing of it, and lies at least `frames` before.
    #[must_use]
    pub fn apart(mut self, frames: usize) -> Self {
        self.apart = Some(frames);
        self
    }

    /// Tries at least one take-off with all its landings, and more until `cells` cuts are tried. Returns the
    /// completed fraction, 1 at the end. The arguments are those of [`Search::new`].
    pub fn advance(&mut self, scan: &Scan, limbs: [&[Limb]; 2], cells: usize) -> f32 {
        let tracks: Vec<(&[Vec2], &[Vec2])> =
            self.pairs.iter().map(|&(a, b)| (&limbs[0][a].vectors[..], &limbs[1][b].vectors[..])).collect();
        let rows = cells.div_ceil(self.landings.len());
        for takeoff in self.takeoffs.by_ref().take(rows) {
            let last = self.apart.map_or(usize::MAX, |apart| (takeoff + 2).saturating_sub(apart));
            for landing in self.landings.start..self.landings.end.min(last) {
                // The landing replaces the frame after the take-off.
                let apart = |&(a, b): &(&[Vec2], &[Vec2])| {
                    let (a, b) = (a[(takeoff + 1).min(a.len() - 1)], b[landing]);
                    a.distance_squared(b) / (a.length_squared() + b.length_squared() + REST)
                };
                let cost = tracks.iter().map(apart).sum::<f32>() / tracks.len().max(1) as f32;
                if cost < self.best.0 {
                    let cost = cost + self.pose_weight * scan.euclidean(takeoff, landing).powi(2);
                    if cost < self.best.0 {
                        self.best = (cost, (takeoff, landing));
                    }
                }
            }
        }
        1.0 - self.takeoffs.len() as f32 / self.rows as f32
    }

    /// Take-off and landing of the cheapest cut of those tried.
    pub fn best(&self) -> (usize, usize) {
        self.best.1
    }
}
