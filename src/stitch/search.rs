//! Search for the cut of one seam in small steps, so that an abort takes effect between them.
//!
//! A small number of cuts is scored completely. A large number, as between long clips, is searched in two stages: a
//! grid with one cut per 0.1 s, then all cuts around the cheapest ones of the grid. The grid has a limited number of
//! cuts, so the time of the search does not grow with the square of the clips' length.

use super::{MIN_FRAMES, SeamChoice};
use crate::error::Result;
use crate::method::lscore::map::{CheapestCuts, Frames, Scan};
use crate::method::lscore::{Cut, seam};
use crate::method::phase::Limb;
use crate::method::phase::seam::Costs;
use crate::progress::{Progress, Stage};
use std::ops::Range;

/// Side length of a piece scored in one step, cells: some hundredths of a second.
const PIECE: usize = 192;
/// Largest number of cuts that is scored completely: two clips of 6 s at 60 frames per second.
const ALL: usize = 1 << 17;
/// Spacing of the grid of the first stage, seconds; larger where the grid would exceed [`COARSE`] cuts.
const COARSE_SECS: f64 = 0.1;
/// Largest number of cuts in the grid.
const COARSE: usize = 1 << 20;
/// Number of cuts of the grid whose neighbours the second stage scores.
const BASINS: usize = 32;

/// Shortest period of a cyclic motion, seconds.
pub(super) const SHORTEST_CYCLE_SECS: f64 = 0.4;

/// Two clips of a stitch, and their used frames.
#[derive(Debug)]
pub(super) struct Pair {
    pub scan: Scan,
    /// Frames of each clip that other seams leave.
    pub used: [Range<usize>; 2],
    /// Smallest number of frames of each clip that must remain.
    pub min_frames: [usize; 2],
    /// Whether both clips are the same motion, frame by frame. The cut then leads to its next cycle.
    pub is_same: bool,
}

/// State of a search.
#[derive(Debug)]
pub(super) enum Search {
    /// The ends of the clips meet.
    Ends,
    /// Cuts are scored in stages.
    Cuts(Stages),
}

/// Search in one or two stages.
#[derive(Debug)]
pub(super) struct Stages {
    /// Cost by the phases of feet; `None` for the elastic L-score.
    in_step: Option<Costs>,
    takeoffs: Range<usize>,
    landings: Range<usize>,
    /// Spacing of the frames in this stage.
    step: usize,
    /// Pieces that are not scored yet, the next one last.
    open: Vec<(Frames, Frames)>,
    /// Number of cells of all pieces of this stage.
    cells: usize,
    /// Shortest cycle between the frames of a cut within one motion, frames.
    apart: Option<usize>,
    cheapest: CheapestCuts,
    is_second: bool,
}

impl Search {
    /// Creates a search. `limbs`: limbs of both clips, used by [`SeamChoice::Phase`].
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
        takeoffs.start = takeoffs.start.max((a.start + pair.min_frames[0]).min(a.end) - 1);
        landings.end = landings.end.min((b.end + 1).saturating_sub(pair.min_frames[1]).max(b.start + 1));
        let in_step = match choice {
            SeamChoice::Phase { .. } => {
                let costs = Costs::new(&pair.scan, limbs, takeoffs.clone(), landings.clone());
                let Some(costs) = costs else { return Ok(Self::Ends) };
                Some(costs)
            }
            _ => None,
        };
        pair.scan.check(&takeoffs, &landings)?;
        let apart = pair.is_same.then(|| (SHORTEST_CYCLE_SECS * fps).round() as usize);
        Ok(Self::Cuts(Stages::new([takeoffs, landings], in_step, apart, fps)))
    }

    /// Scores one piece. Returns the completed fraction, 1 at the end.
    pub fn advance(&mut self, pair: &Pair, limbs: [&[Limb]; 2], progress: &mut Progress) -> Result<f32> {
        let done = match self {
            Self::Ends => 1.0,
            Self::Cuts(stages) => stages.advance(pair, limbs, progress)?,
        };
        progress.at(Stage::Scan, done)?;
        Ok(done)
    }

    /// Returns the cheapest scored cut, or the ends of the clips if there was no choice.
    pub fn cut(self, Pair { scan, used: [a, b], .. }: &Pair) -> Result<Cut> {
        let cheapest = match self {
            Self::Ends => None,
            Self::Cuts(stages) => stages.cheapest.cuts().first().copied(),
        };
        let (takeoff, landing) = cheapest.map_or((a.end - 1, b.start), |(_, takeoff, landing)| (takeoff, landing));
        scan.cut(takeoff, landing)
    }
}

impl Stages {
    fn new([takeoffs, landings]: [Range<usize>; 2], in_step: Option<Costs>, apart: Option<usize>, fps: f64) -> Self {
        let cells = takeoffs.len() * landings.len();
        let step = match cells <= ALL {
            true => 1,
            false => ((COARSE_SECS * fps).round() as usize).max((cells as f64 / COARSE as f64).sqrt().ceil() as usize),
        };
        let cheapest = CheapestCuts::new(if step > 1 { BASINS } else { 1 }).with_min_cycle(apart);
        let mut stages = Self {
            in_step,
            takeoffs,
            landings,
            step: step.max(1),
            open: Vec::new(),
            cells: 0,
            apart,
            cheapest,
            is_second: false,
        };
        stages.open(&[(stages.takeoffs.clone(), stages.landings.clone())]);
        stages
    }

    /// Sets the rectangles of cuts to score, in order.
    fn open(&mut self, rectangles: &[(Range<usize>, Range<usize>)]) {
        let step = self.step;
        let pieces_of = |range: &Range<usize>| Frames::every(step, range.clone()).chunks(PIECE).collect::<Vec<_>>();
        let pieces = rectangles.iter().flat_map(|(takeoffs, landings)| {
            let landings = pieces_of(landings);
            pieces_of(takeoffs)
                .into_iter()
                .flat_map(move |rows| landings.clone().into_iter().map(move |columns| (rows.clone(), columns)))
        });
        self.open = pieces.collect();
        self.open.reverse();
        self.cells = self.left();
    }

    /// Returns the number of cells that are not scored yet.
    fn left(&self) -> usize {
        self.open.iter().map(|(rows, columns)| rows.count * columns.count).sum()
    }

    fn advance(&mut self, pair: &Pair, limbs: [&[Limb]; 2], progress: &mut Progress) -> Result<f32> {
        let now = self.done();
        if let Some((rows, columns)) = self.open.pop() {
            match &self.in_step {
                Some(costs) => costs.offer(&pair.scan, limbs, &rows, &columns, &mut self.cheapest),
                None => pair.scan.offer(&rows, &columns, &mut self.cheapest, &mut progress.part(now..now))?,
            }
        }
        if self.open.is_empty() && self.step > 1 {
            self.second_stage();
        }
        Ok(self.done())
    }

    fn done(&self) -> f32 {
        if self.open.is_empty() {
            return 1.0;
        }
        let done = 1.0 - self.left() as f32 / self.cells.max(1) as f32;
        // Of two stages the first takes nearly all of the time.
        match (self.step > 1, self.is_second) {
            (true, _) => 0.95 * done,
            (false, true) => 0.95 + 0.04 * done,
            (false, false) => done,
        }
    }

    /// Starts the second stage: all cuts around the cheapest ones of the first stage.
    fn second_stage(&mut self) {
        let reach = self.step - 1;
        let around = |frame: usize, within: &Range<usize>| {
            frame.saturating_sub(reach).max(within.start)..(frame + reach + 1).min(within.end)
        };
        let basins = self.cheapest.cuts().iter();
        let rectangles: Vec<_> =
            basins.map(|&(_, a, b)| (around(a, &self.takeoffs), around(b, &self.landings))).collect();
        let best = self.cheapest.cuts().first().copied();
        (self.step, self.is_second, self.cheapest) = (1, true, CheapestCuts::new(1).with_min_cycle(self.apart));
        best.into_iter().for_each(|(cost, takeoff, landing)| self.cheapest.offer(cost, takeoff, landing));
        self.open(&rectangles);
    }
}

/// Returns the smallest number of frames that must remain of a clip. A clip between two others also needs a window of
/// the L-score at each end.
pub(super) fn min_frames(is_between: bool, window: usize) -> usize {
    if is_between { MIN_FRAMES.max(2 * window) } else { MIN_FRAMES }
}
