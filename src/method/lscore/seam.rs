//! The best cuts of a map, and where cuts may lie.

use super::Cut;
use super::map::{Map, Scan};
use crate::error::{Error, Result, quoted};
use std::ops::Range;

/// Which cuts of a map are looked at, and how many of them are listed.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CutOptions {
    /// How many are listed.
    pub count: usize,
    /// Frames, in both clips, that a listed cut is away from better ones.
    pub apart: usize,
    /// Largest part, 0 to 1, of each clip that may be cut away.
    pub max_cut: f64,
}

impl Default for CutOptions {
    fn default() -> Self {
        Self { count: 5, apart: 10, max_cut: 0.5 }
    }
}

/// The `count` cheapest cells no two of which are nearer than `apart` frames in both directions, cheapest first: the
/// neighbours of a good cut are good too, and choosing among them is no choice.
pub fn best(scan: &Scan, map: &Map, count: usize, apart: usize) -> Vec<Cut> {
    let width = map.landings.len();
    let mut cells: Vec<u32> = (0..map.scores.len() as u32).collect();
    cells.sort_unstable_by(|&x, &y| map.scores[x as usize].total_cmp(&map.scores[y as usize]).then(x.cmp(&y)));
    let mut cuts: Vec<Cut> = Vec::new();
    for cell in cells {
        if cuts.len() == count {
            break;
        }
        let cell = cell as usize;
        let (takeoff, landing) = (map.takeoffs.start + cell / width, map.landings.start + cell % width);
        let near = |cut: &Cut| cut.takeoff.abs_diff(takeoff) < apart && cut.landing.abs_diff(landing) < apart;
        if !cuts.iter().any(near) {
            let (score, inject) = (map.scores[cell], usize::from(map.injects[cell]));
            cuts.push(Cut { takeoff, landing, inject, score, euclidean: scan.euclidean(takeoff, landing) });
        }
    }
    cuts
}

/// Take-offs and landings when the frames `a` and `b` of the two clips are used and at most the part `max_cut` (0 to 1)
/// of each may be cut away. Both windows stay within those frames.
///
/// # Errors
/// [`Error::Option`] for a part outside 0 to 1 or frames the clips do not have, [`Error::TooShort`] for fewer
/// frames than a window.
pub fn ranges(scan: &Scan, a: Range<usize>, b: Range<usize>, max_cut: f64) -> Result<(Range<usize>, Range<usize>)> {
    if !(0.0..=1.0).contains(&max_cut) {
        return Err(Error::Option { option: "maxCut", message: format!("from 0 to 1, not {max_cut}") });
    }
    let window = scan.options().window;
    for (used, features) in [(&a, scan.first()), (&b, scan.second())] {
        let (clip, have) = (features.name.clone(), features.frames());
        if used.start > used.end || used.end > have {
            let message = format!("frames {}..{} of clip {}, which has {have}", used.start, used.end, quoted(&clip));
            return Err(Error::Option { option: "trim", message });
        }
        if used.len() < window {
            return Err(Error::TooShort { clip, frames: used.len(), needed: window });
        }
    }
    let part = |used: &Range<usize>| (used.len() as f64 * max_cut) as usize;
    let takeoffs = (a.start + window - 1).max((a.end - 1).saturating_sub(part(&a)))..a.end;
    let landings = b.start..(b.start + part(&b) + 1).min(b.end + 1 - window);
    Ok((takeoffs, landings))
}
