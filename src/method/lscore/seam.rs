//! Selects the best cuts of a map, and computes the ranges of possible cuts.

use super::ScoredCut;
use super::map::{Map, Scan};
use crate::error::{Error, Result, quoted};
use std::ops::Range;

/// Options of a search for the best cuts of two clips.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CutOptions {
    /// Largest number of cuts.
    pub count: usize,
    /// Two cuts differ by at least this number of frames in the take-off or in the landing.
    pub min_distance: usize,
    /// Longest time of each clip that may be cut away, seconds.
    pub max_cut_secs: f64,
}

/// Converts the longest time that may be cut away to frames. Infinity means the whole clip.
///
/// # Errors
/// [`Error::Option`] for a negative time or one that is not a number.
pub fn cut_frames(max_cut_secs: f64, fps: f64) -> Result<usize> {
    if max_cut_secs.is_nan() || max_cut_secs < 0.0 {
        let message = format!("a number of seconds from 0, not {max_cut_secs}");
        return Err(Error::Option { option: "maxCut", message });
    }
    // The conversion saturates at more frames than any clip has.
    Ok((max_cut_secs * fps).round() as usize)
}

impl Default for CutOptions {
    fn default() -> Self {
        Self { count: 5, min_distance: 10, max_cut_secs: 2.0 }
    }
}

/// Selects the `count` cheapest cells, the cheapest first. In at least one of the clips, any two of them are
/// `min_distance` or more frames apart: neighbours of a good cut are also good, but they are not alternatives.
pub fn select_cuts(scan: &Scan, map: &Map, count: usize, min_distance: usize) -> Vec<ScoredCut> {
    let width = map.landings.len();
    let mut cells: Vec<u32> = (0..map.scores.len() as u32).collect();
    cells.sort_unstable_by(|&x, &y| map.scores[x as usize].total_cmp(&map.scores[y as usize]).then(x.cmp(&y)));
    let mut cuts: Vec<ScoredCut> = Vec::new();
    for cell in cells {
        if cuts.len() == count {
            break;
        }
        let cell = cell as usize;
        let (takeoff, landing) = (map.takeoffs.start + cell / width, map.landings.start + cell % width);
        let is_near = |cut: &ScoredCut| {
            cut.takeoff.abs_diff(takeoff) < min_distance && cut.landing.abs_diff(landing) < min_distance
        };
        if !cuts.iter().any(is_near) {
            let (score, inject) = (map.scores[cell], usize::from(map.injects[cell]));
            cuts.push(ScoredCut { takeoff, landing, inject, score, euclidean: scan.euclidean(takeoff, landing) });
        }
    }
    cuts
}

/// Checks that `trim` is a range of frames of a clip that has `frames` frames.
///
/// # Errors
/// [`Error::Option`] if it is not.
pub fn check_trim(trim: &Range<usize>, clip: &str, frames: usize) -> Result<()> {
    if trim.start <= trim.end && trim.end <= frames {
        return Ok(());
    }
    let message = format!(
        "frames {} to {} (excluded) are not a range of clip {}, which has {frames} frames",
        trim.start,
        trim.end,
        quoted(clip)
    );
    Err(Error::Option { option: "trim", message })
}

/// Computes the ranges of possible take-offs and landings. `a`, `b`: used frames of the two clips; both windows of the
/// score lie within them. `max_cut`: largest number of frames that may be removed from the end of `a` and from the
/// start of `b` ([`cut_frames`]).
///
/// # Errors
/// [`Error::Option`] for frames outside the clips, [`Error::TooShort`] for fewer frames than a window.
pub fn ranges(scan: &Scan, a: Range<usize>, b: Range<usize>, max_cut: usize) -> Result<(Range<usize>, Range<usize>)> {
    let window = scan.options().window;
    for (range, features) in [(&a, scan.first()), (&b, scan.second())] {
        let (clip, frames) = (features.name.clone(), features.frames());
        check_trim(range, &clip, frames)?;
        if range.len() < window {
            return Err(Error::TooShort { clip, frames: range.len(), needed: window });
        }
    }
    let takeoffs = (a.start + window - 1).max((a.end - 1).saturating_sub(max_cut))..a.end;
    let landings = b.start..b.start.saturating_add(max_cut).saturating_add(1).min(b.end + 1 - window);
    Ok((takeoffs, landings))
}
