//! Finds cuts between clips at which the feet are in step: at the same phase of their cycle, with the same speed.
//!
//! The cost of a cut has two terms. The first is the squared distance of the two phase vectors of a foot (eq. 8 of
//! [`crate::method::phase`]), divided by the sum of their squared lengths: 0 to 2, averaged over feet. The second is
//! the squared distance of the poses in a window around the cut ([`Scan::euclidean`]), divided by its mean over a
//! sample of cuts and multiplied by `POSE_WEIGHT`; it is needed because feet that are in step may stand far apart.
//! Comparison with other rules and weights: research/notes/phases.md.

use crate::method::lscore::map::{CheapestCuts, Frames, Scan};
use crate::method::phase::Limb;
use glam::Vec2;
use std::ops::Range;

/// Weight of the squared pose distance.
const POSE_WEIGHT: f32 = 4.0;
/// Added to the denominator of the first term, so that small differences between slow feet cost little; (m/s)², because
/// the length of a phase vector is a speed. It is far below the squared speed of a step.
const MIN_SQUARED_SPEED: f32 = 0.01;
/// The mean squared pose distance is measured between this number of take-offs and the same number of landings.
const SAMPLES: usize = 16;

/// Finds take-off and landing of the cheapest cut within the ranges; `None` if a range is empty. `limbs`:
/// [`phases`](crate::method::phase::phases) of the first and of the second motion of the scan, both at its frame rate.
pub fn find_cut(
    scan: &Scan,
    limbs: [&[Limb]; 2],
    takeoffs: Range<usize>,
    landings: Range<usize>,
) -> Option<(usize, usize)> {
    let (all_takeoffs, all_landings) = (Frames::every(1, takeoffs.clone()), Frames::every(1, landings.clone()));
    let costs = Costs::new(scan, limbs, takeoffs, landings)?;
    let mut cheapest = CheapestCuts::new(1);
    costs.offer(scan, limbs, &all_takeoffs, &all_landings, &mut cheapest);
    cheapest.cuts().first().map(|&(_, takeoff, landing)| (takeoff, landing))
}

/// Cost function of cuts between two motions.
#[derive(Debug, Clone)]
pub struct Costs {
    /// Indices of each limb in the lists of the first and of the second motion.
    pairs: Vec<(usize, usize)>,
    /// [`POSE_WEIGHT`], divided by the mean squared pose distance.
    pose_weight: f32,
}

impl Costs {
    /// Creates the cost function of cuts within the ranges; `None` if a range is empty. `limbs`: as in [`find_cut`];
    /// limbs without a counterpart are ignored.
    pub fn new(scan: &Scan, limbs: [&[Limb]; 2], takeoffs: Range<usize>, landings: Range<usize>) -> Option<Self> {
        if takeoffs.is_empty() || landings.is_empty() {
            return None;
        }
        let counterpart = |limb: &Limb| limbs[1].iter().position(|other| other.joint == limb.joint);
        let pairs = limbs[0].iter().enumerate().filter_map(|(index, limb)| Some((index, counterpart(limb)?))).collect();
        let grid = |frames: &Range<usize>| {
            let (start, length) = (frames.start, frames.len());
            (0..SAMPLES).map(move |sample| start + sample * length / SAMPLES)
        };
        let squared_sum: f32 = grid(&takeoffs)
            .flat_map(|a| grid(&landings).map(move |b| (a, b)))
            .map(|(a, b)| scan.euclidean(a, b).powi(2))
            .sum();
        let pose_weight = POSE_WEIGHT / (squared_sum / (SAMPLES * SAMPLES) as f32).max(1e-12);
        Some(Self { pairs, pose_weight })
    }

    /// Offers all cuts between `takeoffs` and `landings` to `cheapest`. `scan` and `limbs` are those of [`Costs::new`].
    pub fn offer(
        &self,
        scan: &Scan,
        limbs: [&[Limb]; 2],
        takeoffs: &Frames,
        landings: &Frames,
        cheapest: &mut CheapestCuts,
    ) {
        let vector_pairs: Vec<(&[Vec2], &[Vec2])> =
            self.pairs.iter().map(|&(a, b)| (&limbs[0][a].vectors[..], &limbs[1][b].vectors[..])).collect();
        for takeoff in (0..takeoffs.count).map(|index| takeoffs.at(index)) {
            for landing in (0..landings.count).map(|index| landings.at(index)) {
                // The landing replaces the frame after the take-off.
                let distance = |&(a, b): &(&[Vec2], &[Vec2])| {
                    let (a, b) = (a[(takeoff + 1).min(a.len() - 1)], b[landing]);
                    a.distance_squared(b) / (a.length_squared() + b.length_squared() + MIN_SQUARED_SPEED)
                };
                let cost = vector_pairs.iter().map(distance).sum::<f32>() / vector_pairs.len().max(1) as f32;
                if cost < cheapest.bound() {
                    let cost = cost + self.pose_weight * scan.euclidean(takeoff, landing).powi(2);
                    cheapest.offer(cost, takeoff, landing);
                }
            }
        }
    }
}
