//! Where to cut from one clip to another in step: where the feet are at one place of their cycle, and go at one speed.
//!
//! A cut costs, for each foot, the squared distance of the phase vectors (eq. 8) over the sum of their squares, 0 to 2, mean over
//! feet; and the squared windowed distance of the poses over that of random cuts. Sixty pairs each of walks and runs
//! (Bandai-Namco) and of a walk, a dance, obstacles and pushes (LAFAN1), inertialized without foot lock (`bench lscore`):
//!
//! | cut | foot skate, eq. 15 | peak jerk, m/s³ |
//! |---|---|---|
//! | last frame to first | .798, .960 | 2225, 1460 |
//! | least Euclidean distance | .480, .709 | 2086, 1457 |
//! | least elastic L-score | .943, .856 | 2047, 1307 |
//! | in step | .508, .824 | 2011, 1425 |
//!
//! So in gaits it skates nearly as little as Euclidean cuts and jerks less than any; where steps are irregular, as in the second
//! set, the others are better.
//!
//! Phases alone do not find the best cut, feet in step may still stand apart: on thirty of these pairs the pose weighing .3, 1
//! and 4 gave .643, .484, .389 and 2140, 2169, 2157; distances of phases over their mean over all frames were worse (.723 and
//! 2237, .447 and 2222 with the pose weighing .3 and 2).

use super::Limb;
use crate::error::{Error, Result};
use crate::method::lscore::map::{MAX_CELLS, Scan};
use crate::progress::{Progress, Stage};
use glam::Vec2;
use std::ops::Range;

/// Weight of the pose.
const POSE: f32 = 4.0;
/// A squared speed, (m/s)², far under that of a step: vectors shorter than it count as rest.
const REST: f32 = 0.01;
/// Cuts along each side of the grid whose poses tell what a usual distance is.
const SAMPLES: usize = 16;

/// Take-off and landing of the cheapest cut within the ranges; `None` where one is empty. `limbs`: [`super::phases`] of the
/// first and the second motion of the scan; limbs that only one of them has do not count.
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
            let apart = |&(a, b): &(&[Vec2], &[Vec2])| {
                let (a, b) = (a[(takeoff + 1).min(a.len() - 1)], b[landing]);
                a.distance_squared(b) / (a.length_squared() + b.length_squared() + REST)
            };
            let cost = pairs.iter().map(apart).sum::<f32>() / pairs.len().max(1) as f32;
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
