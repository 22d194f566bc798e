//! The search for the cut of one seam, piece by piece: whoever waits for it can be heard in between.

use super::{MIN_FRAMES, SeamChoice};
use crate::error::Result;
use crate::method::lscore::map::{Map, Scan, Strip};
use crate::method::lscore::{Cut, seam};
use crate::method::phase::Limb;
use crate::method::phase::seam::Search as InStep;
use crate::progress::{Progress, Stage};
use std::ops::Range;

/// Cells to a side of what is scored at once: some hundredths of a second.
const PIECE: usize = 192;

/// Two clips of a stitch, and what of them is used.
#[derive(Debug)]
pub(super) struct Pair {
    pub scan: Scan,
    /// Frames used of either.
    pub used: [Range<usize>; 2],
    /// Frames that must be left of either.
    pub least: [usize; 2],
}

/// What is left to be scored.
#[derive(Debug)]
pub(super) enum Search {
    /// The pair's ends meet.
    Ends,
    /// The elastic L-score: the map, and the pieces still open, the next one last, of so many cells at first.
    Best { map: Map, open: Vec<Strip>, cells: usize },
    /// The phases of feet.
    Phase(InStep),
}

impl Search {
    /// Nothing scored yet. `limbs` are those of both clips where the choice is [`SeamChoice::Phase`].
    pub fn new(pair: &Pair, choice: SeamChoice, fps: f64, limbs: [&[Limb]; 2]) -> Result<Self> {
        let max_cut = match choice {
            SeamChoice::Keep | SeamChoice::At(_) => return Ok(Self::Ends),
            SeamChoice::Best { max_cut_secs } | SeamChoice::Phase { max_cut_secs } => {
                seam::cut_frames(max_cut_secs, fps)?
            }
        };
        let [a, b] = pair.used.clone();
        let (mut takeoffs, mut landings) = seam::ranges(&pair.scan, a.clone(), b.clone(), max_cut)?;
        // What is left must still be clips.
        takeoffs.start = takeoffs.start.max((a.start + pair.least[0]).min(a.end) - 1);
        landings.end = landings.end.min((b.end + 1).saturating_sub(pair.least[1]).max(b.start + 1));
        if let SeamChoice::Phase { .. } = choice {
            return Ok(InStep::new(&pair.scan, limbs, takeoffs, landings)?.map_or(Self::Ends, Self::Phase));
        }
        let (map, strips) = pair.scan.carry_over(None, takeoffs, landings)?;
        let mut open: Vec<Strip> = strips.iter().flat_map(|strip| strip.pieces(PIECE)).collect();
        open.reverse();
        let cells = open.iter().map(Strip::cells).sum();
        Ok(Self::Best { map, open, cells })
    }

    /// Scores one piece; returns the part that is done, 1 at the end.
    pub fn advance(&mut self, pair: &Pair, limbs: [&[Limb]; 2], progress: &mut Progress) -> Result<f32> {
        let done = match self {
            Self::Ends => 1.0,
            Self::Best { map, open, cells } => {
                let done = |open: &[Strip]| 1.0 - open.iter().map(Strip::cells).sum::<usize>() as f32 / *cells as f32;
                let before = done(open);
                if let Some(piece) = open.pop() {
                    pair.scan.fill(map, &piece, &mut progress.part(before..done(open)))?;
                }
                return Ok(if open.is_empty() { 1.0 } else { done(open) });
            }
            Self::Phase(search) => search.advance(&pair.scan, limbs, PIECE * PIECE),
        };
        progress.at(Stage::Scan, done)?;
        Ok(done)
    }

    /// The cheapest cut of what was scored; the ends where there was nothing to choose.
    pub fn cut(self, Pair { scan, used: [a, b], .. }: &Pair) -> Result<Cut> {
        let found = match self {
            Self::Ends => None,
            Self::Best { map, .. } => seam::best(scan, &map, 1, 1).first().copied(),
            Self::Phase(search) => {
                let (takeoff, landing) = search.best();
                Some(scan.cut(takeoff, landing)?)
            }
        };
        found.map_or_else(|| scan.cut(a.end - 1, b.start), Ok)
    }
}

/// Frames that must be left of a clip: a clip, and of one between two others a window for either.
pub(super) fn least(is_between: bool, window: usize) -> usize {
    if is_between { MIN_FRAMES.max(2 * window) } else { MIN_FRAMES }
}
