//! The best cuts of a map, and the ranges of possible cuts.

use super::Cut;
use super::map::{Map, Scan};
use crate::error::{Error, Result, quoted};
use std::ops::Range;

/// Selection of cuts from a map.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CutOptions {
    /// Largest number of cuts.
    pub count: usize,
    /// Smallest distance between two cuts, frames, in both clips.
    pub apart: usize,
    /// Largest part of each clip that may be cut away, seconds.
    pub max_cut_secs: f64,
}

/// Default of the largest part of a clip that a stitch cuts away, seconds.
pub const MAX_CUT_SECS: f64 = 0.5;

/// Number of frames of the largest part to cut away.
///
/// # Errors
/// [`Error::Option`] for a negative number of seconds or one that is not a number; infinity means the whole clip.
pub fn cut_frames(max_cut_secs: f64, fps: f64) -> Result<usize> {
    if max_cut_secs.is_nan() || max_cut_secs < 0.0 {
        let message = format!("a number of seconds from 0, not {max_cut_secs}");
        return Err(Error::Option { option: "maxCut", message });
    }
    // Saturates, which is more than any clip has.
    Ok((max_cut_secs * fps).round() as usize)
}

impl Default for CutOptions {
    fn default() -> Self {
        Self { count: 5, apart: 10, max_cut_secs: 2.0 }
    }
}

/// The `count` cheapest cells, cheapest first, with at least `apart` frames between any two in both directions:
/// neighbours of a good cut are also good, but no alternative.
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

/// Ranges of take-offs and landings where the frames `a` and `b` of the two clips are used and at most `max_cut`
/// frames of each may be cut away ([`cut_frames`]). Both windows stay within those frames.
///
/// # Errors
/// [`Error::Option`] for frames outside the clips, [`Error::TooShort`] for fewer frames than a window.
pub fn ranges(scan: &Scan, a: Range<usize>, b: Range<usize>, max_cut: usize) -> Result<(Range<usize>, Range<usize>)> {
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
    let takeoffs = (a.start + window - 1).max((a.end - 1).saturating_sub(max_cut))..a.end;
    let landings = b.start..b.start.saturating_add(max_cut).saturating_add(1).min(b.end + 1 - window);
    Ok((takeoffs, landings))
}
