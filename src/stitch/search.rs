//! Search for the cut of one seam in small steps, so that an abort takes effect between them.

use super::{MIN_FRAMES, SeamChoice};
use crate::error::Result;
use crate::method::lscore::map::{Map, Scan, Strip};
use crate::method::lscore::{Cut, seam};
use crate::method::phase::Limb;
use crate::method::phase::seam::Search as InStep;
use crate::progress::{Progress, Stage};
use std::ops::Range;

/// Side length of a piece scored in one step, cells: some hundredths of a second.
const PIECE: usize = 192;

/// A motion takes longer than this to return to itself, seconds.
pub(super) const SHORTEST_CYCLE_SECS: f64 = 0.4;

/// Two clips of a stitch, and their used frames.
#[derive(Debug)]
pub(super) struct Pair {
    pub scan: Scan,
    /// Used frames of each.
    pub used: [Range<usize>; 2],
    /// Smallest number of frames that must remain of each.
    pub least: [usize; 2],
    /// Both are the same motion: its own next frame is no cut.
    pub is_same: bool,
}

/// State of a search.
#[derive(Debug)]
pub(super) enum Search {
    /// The ends of the clips meet.
    Ends,
    /// The elastic L-score: the map, the open pieces with the next one last, and the initial number of cells.
    Best { map: Map, open: Vec<Strip>, cells: usize },
    /// The phases of feet.
    Phase(InStep),
}

impl Search {
    /// A new search. `limbs`: those of both clips where the choice is [`SeamChoice::Phase`].
    pub fn new(pair: &Pair, choice: SeamChoice, fps: f64, limbs: [&[Limb]; 2]) -> Result<Self> {
        let max_cut = match choice {
            SeamChoice::Keep | SeamChoice::At(_) => return Ok(Self::Ends),
            SeamChoice::Best { max_cut_secs } | SeamChoice::Phase { max_cut_secs } => {
                seam::cut_frames(max_cut_secs, fps)?
            }
        };
        let [a, b] = pair.used.clone();
        let (mut takeoffs, mut landings) = seam::ranges(&pair.scan, a.clone(), b.clone(), max_cut)?;
        // The remaining frames must still be clips.
        takeoffs.start = takeoffs.start.max((a.start + pair.least[0]).min(a.end) - 1);
        landings.end = landings.end.min((b.end + 1).saturating_sub(pair.least[1]).max(b.start + 1));
        if let SeamChoice::Phase { .. } = choice {
            let search = InStep::new(&pair.scan, limbs, takeoffs, landings)?;
            let apart = (SHORTEST_CYCLE_SECS * fps).round() as usize;
            let search = search.map(|search| if pair.is_same { search.apart(apart) } else { search });
            return Ok(search.map_or(Self::Ends, Self::Phase));
        }
        let (map, strips) = pair.scan.carry_over(None, takeoffs, landings)?;
        let mut open: Vec<Strip> = strips.iter().flat_map(|strip| strip.pieces(PIECE)).collect();
        open.reverse();
        let cells = open.iter().map(Strip::cells).sum();
        Ok(Self::Best { map, open, cells })
    }

    /// Scores one piece. Returns the completed fraction, 1 at the end.
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

    /// The cheapest scored cut; the ends of the clips where there was no choice.
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

/// Smallest number of frames that must remain of a clip: a clip, and for one between two others a window for each
/// side.
pub(super) fn least(is_between: bool, window: usize) -> usize {
    if is_between { MIN_FRAMES.max(2 * window) } else { MIN_FRAMES }
}
