//! Cuts between clips in step: the feet are at the same position of their cycle and have the same speed.
//!
//! Cost of a cut: for each foot, the squared distance of the phase vectors (eq. 8) over the sum of their squares, 0
//! to 2, averaged over feet; plus the squared windowed distance of the poses relative to that of random cuts, since
//! feet in step may have different positions. Comparison with other rules and weights: docs/notes/phases.md.

use super::Limb;
use crate::method::lscore::map::{Cheapest, Frames, Scan};
use glam::Vec2;
use std::ops::Range;

/// Weight of the pose distance.
const POSE: f32 = 4.0;
/// A squared speed, (m/s)², far below that of a step; shorter vectors count as rest.
const REST: f32 = 0.01;
/// Number of cuts along each side of the grid that is sampled for the mean pose distance.
const SAMPLES: usize = 16;

/// Take-off and landing of the cheapest cut within the ranges; `None` where one of them is empty. `limbs`:
/// [`super::phases`] of the first and the second motion of the scan.
pub fn best(
    scan: &Scan,
    limbs: [&[Limb]; 2],
    takeoffs: Range<usize>,
    landings: Range<usize>,
) -> Option<(usize, usize)> {
    let (rows, columns) = (Frames::every(1, takeoffs.clone()), Frames::every(1, landings.clone()));
    let costs = Costs::new(scan, limbs, takeoffs, landings)?;
    let mut cheapest = Cheapest::new(1);
    costs.offer(scan, limbs, &rows, &columns, &mut cheapest);
    cheapest.cuts().first().map(|&(_, takeoff, landing)| (takeoff, landing))
}

/// Cost function of the cuts between two motions.
#[derive(Debug, Clone)]
pub struct Costs {
    /// Pairs of equal limbs of the first and the second motion.
    pairs: Vec<(usize, usize)>,
    pose_weight: f32,
}

impl Costs {
    /// Costs of the cuts within the ranges; `None` where one of them is empty. `limbs`: [`super::phases`] of the first
    /// and the second motion of the scan; limbs without a counterpart are ignored.
    pub fn new(scan: &Scan, limbs: [&[Limb]; 2], takeoffs: Range<usize>, landings: Range<usize>) -> Option<Self> {
        if takeoffs.is_empty() || landings.is_empty() {
            return None;
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
        Some(Self { pairs, pose_weight })
    }

    /// Offers the cuts between take-offs and landings to `cheapest`. The arguments are those of [`Costs::new`].
    pub fn offer(
        &self,
        scan: &Scan,
        limbs: [&[Limb]; 2],
        takeoffs: &Frames,
        landings: &Frames,
        cheapest: &mut Cheapest,
    ) {
        let tracks: Vec<(&[Vec2], &[Vec2])> =
            self.pairs.iter().map(|&(a, b)| (&limbs[0][a].vectors[..], &limbs[1][b].vectors[..])).collect();
        for takeoff in (0..takeoffs.count).map(|index| takeoffs.at(index)) {
            for landing in (0..landings.count).map(|index| landings.at(index)) {
                // The landing replaces the frame after the take-off.
                let apart = |&(a, b): &(&[Vec2], &[Vec2])| {
                    let (a, b) = (a[(takeoff + 1).min(a.len() - 1)], b[landing]);
                    a.distance_squared(b) / (a.length_squared() + b.length_squared() + REST)
                };
                let cost = tracks.iter().map(apart).sum::<f32>() / tracks.len().max(1) as f32;
                if cost < cheapest.bound() {
                    let cost = cost + self.pose_weight * scan.euclidean(takeoff, landing).powi(2);
                    cheapest.offer(cost, takeoff, landing);
                }
            }
        }
    }
}
