//! Where to cut from one clip to another in step: where the feet are at one place of their cycle, and go at one speed.
//!
//! A cut costs the squared distance of the phase vectors (eq. 8) of all feet, over their mean square; and, lightly, the squared
//! windowed distance of the poses, over that of random cuts: among the cuts in step, the one whose pose fits best.

use super::Limb;
use crate::error::{Error, Result};
use crate::method::lscore::map::{MAX_CELLS, Scan};
use crate::progress::{Progress, Stage};
use glam::Vec2;
use std::ops::Range;

/// Weight of the pose.
const POSE: f32 = 0.3;
/// Cuts along each side of the grid whose poses tell what a usual distance is.
const SAMPLES: usize = 16;

/// Take-off and landing of the cheapest cut within the ranges; `None` where one is empty. `limbs`: [`super::phases`] of the first and the
/// second motion of the scan; limbs that only one of them has do not count.
///
/// # Errors
/// [`Error::Limit`] for more than [`MAX_CELLS`] cuts, [`Error::Aborted`] where `progress` says so.
pub fn best(
    scan: &Scan,
    limbs: [&[Limb]; 2],
    takeoffs: Range<usize>,
    landings: Range<usize>,
    progress: &mut Progress,
) -> Result<Option<(usize, usize)>> {
    if takeoffs.is_empty() || landings.is_empty() {
        return Ok(None);
    }
    let cells = takeoffs.len() as u64 * landings.len() as u64;
    if cells > MAX_CELLS {
        return Err(Error::Limit { what: "cuts to score", found: cells, limit: MAX_CELLS });
    }
    let pair = |limb: &'_ Limb| limbs[1].iter().position(|other| other.joint == limb.joint);
    let pairs: Vec<(&[Vec2], &[Vec2])> =
        limbs[0].iter().filter_map(|limb| Some((&limb.vectors[..], &limbs[1][pair(limb)?].vectors[..]))).collect();
    let square = |vectors: &[Vec2], frames: &Range<usize>| {
        vectors[frames.clone()].iter().map(|vector| vector.length_squared()).sum::<f32>() / frames.len() as f32
    };
    let energy: f32 = pairs.iter().map(|(a, b)| square(a, &takeoffs) + square(b, &landings)).sum();
    let phase_weight = if energy > 1e-6 { 1.0 / energy } else { 0.0 };
    let grid = |frames: &Range<usize>| {
        let (start, length) = (frames.start, frames.len());
        (0..SAMPLES).map(move |sample| start + sample * length / SAMPLES)
    };
    let pose = |takeoff, landing| scan.euclidean(takeoff, landing).powi(2);
    let usual: f32 = grid(&takeoffs).flat_map(|a| grid(&landings).map(move |b| (a, b))).map(|(a, b)| pose(a, b)).sum();
    let pose_weight = POSE / (usual / (SAMPLES * SAMPLES) as f32).max(1e-12);

    let mut best = (f32::INFINITY, (takeoffs.start, landings.start));
    let rows = takeoffs.len() as f32;
    for (row, takeoff) in takeoffs.enumerate() {
        for landing in landings.clone() {
            // The landing stands where the frame after the take-off would have.
            let apart = |&(a, b): &(&[Vec2], &[Vec2])| a[(takeoff + 1).min(a.len() - 1)].distance_squared(b[landing]);
            let cost = phase_weight * pairs.iter().map(apart).sum::<f32>();
            if cost < best.0 {
                let cost = cost + pose_weight * pose(takeoff, landing);
                if cost < best.0 {
                    best = (cost, (takeoff, landing));
                }
            }
        }
        progress.at(Stage::Scan, (row + 1) as f32 / rows)?;
    }
    Ok(Some(best.1))
}
