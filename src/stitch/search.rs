//! Search for the cut of one seam in small steps, so that an abort takes effect between them.
//!
//! A small number of cuts is scored completely. A large number, as between long clips, is searched in two stages: a
//! grid with one cut per 0.1 s, then all cuts around the cheapest ones of the grid. The grid has a limited number of
//! cuts, so the time of the search does not grow with the square of the clips' length.

use super::phase_cut::Costs;
use super::plan::Planned;
use super::{Cut, MIN_FRAMES, ScoredCut};
use crate::error::{Error, Result, quoted};
use crate::method::lscore::map::{CheapestCuts, Frames, Scan};
use crate::method::lscore::seam;
use crate::method::phase::Limb;
use crate::progress::{Progress, Stage};
use std::ops::Range;

/// Side length of a piece that is scored in one step, cells; a piece takes some hundredths of a second.
const PIECE_SIDE: usize = 192;
/// Largest number of cuts for which one stage, without a grid, is enough: two clips of 6 s at 60 frames per second.
const MAX_SINGLE_STAGE: usize = 1 << 17;
/// Spacing of the grid of the first stage, seconds; larger if the grid would exceed [`MAX_GRID`] cuts.
const GRID_SECS: f64 = 0.1;
/// Largest number of cuts in the grid.
const MAX_GRID: usize = 1 << 20;
/// Number of cuts of the grid whose neighbourhood the second stage scores.
const REFINED_CUTS: usize = 32;

/// Shortest period of a cyclic motion, seconds.
pub(super) const MIN_CYCLE_SECS: f64 = 0.4;

/// Two adjacent clips of a stitch, and their frames that a cut may still use.
#[derive(Debug)]
pub(super) struct Pair {
    pub scan: Scan,
    /// Frames of each clip that earlier seams did not cut away.
    pub remaining: [Range<usize>; 2],
    /// Smallest number of frames of each clip that must remain.
    pub min_frames: [usize; 2],
    /// Whether both clips are the same motion, frame by frame. The cut then leads to the next cycle of that motion.
    pub is_same: bool,
}

/// State of a search.
#[derive(Debug)]
pub(super) enum Search {
    /// No search: the last remaining frame of one clip meets the first of the next.
    KeepEnds,
    /// No search: this take-off and this landing.
    Given(usize, usize),
    /// Cuts are scored in stages.
    Cuts(Stages),
}

/// Search in one or two stages.
#[derive(Debug)]
pub(super) struct Stages {
    /// Costs by the phases of the feet; `None` for the elastic L-score.
    phase_costs: Option<Costs>,
    takeoffs: Range<usize>,
    landings: Range<usize>,
    /// Spacing of the frames in this stage.
    step: usize,
    /// Pieces that are not scored yet, the next one last.
    pending: Vec<(Frames, Frames)>,
    /// Number of cells of all pieces of this stage.
    stage_cells: usize,
    /// Smallest number of frames between take-off and landing if both clips are the same motion; otherwise `None`.
    min_cycle: Option<usize>,
    cheapest: CheapestCuts,
    is_second_stage: bool,
}

impl Search {
    /// Creates a search. `limbs`: limbs of both clips, used by [`Cut::Phase`].
    pub fn new(pair: &Pair, planned: &Planned, fps: f64, limbs: [&[Limb]; 2]) -> Result<Self> {
        if let Some([takeoff, landing]) = planned.at {
            return Ok(Self::Given(takeoff, landing));
        }
        let max_cut = match planned.join.cut {
            Cut::Keep | Cut::At { .. } => return Ok(Self::KeepEnds),
            Cut::Best { max_cut } | Cut::Phase { max_cut } => seam::cut_frames(max_cut, fps)?,
        };
        let [a, b] = pair.remaining.clone();
        let (mut takeoffs, mut landings) = seam::ranges(&pair.scan, a.clone(), b.clone(), max_cut)?;
        // Enough frames of each clip must remain.
        takeoffs.start = takeoffs.start.max((a.start + pair.min_frames[0]).min(a.end) - 1);
        landings.end = landings.end.min((b.end + 1).saturating_sub(pair.min_frames[1]).max(b.start + 1));
        let phase_costs = match planned.join.cut {
            Cut::Phase { .. } => {
                let costs = Costs::new(&pair.scan, limbs, takeoffs.clone(), landings.clone());
                let Some(costs) = costs else { return Ok(Self::KeepEnds) };
                Some(costs)
            }
            _ => None,
        };
        pair.scan.check(&takeoffs, &landings)?;
        let min_cycle = pair.is_same.then(|| (MIN_CYCLE_SECS * fps).round() as usize);
        Ok(Self::Cuts(Stages::new([takeoffs, landings], phase_costs, min_cycle, fps)))
    }

    /// Scores one piece. Returns the completed fraction, 1 at the end.
    pub fn advance(&mut self, pair: &Pair, limbs: [&[Limb]; 2], progress: &mut Progress) -> Result<f32> {
        let fraction = match self {
            Self::KeepEnds | Self::Given(..) => 1.0,
            Self::Cuts(stages) => stages.advance(pair, limbs, progress)?,
        };
        progress.at(Stage::Scan, fraction)?;
        Ok(fraction)
    }

    /// Returns the cheapest scored cut, or the ends of the clips if there was no choice.
    pub fn cut(self, Pair { scan, remaining: [a, b], .. }: &Pair) -> Result<ScoredCut> {
        let cheapest = match self {
            Self::KeepEnds => None,
            Self::Given(takeoff, landing) => {
                check_given(scan, [a, b], takeoff, landing)?;
                return scan.cut(takeoff, landing);
            }
            Self::Cuts(stages) => stages.cheapest.cuts().first().copied(),
        };
        let (takeoff, landing) = cheapest.map_or((a.end - 1, b.start), |(_, takeoff, landing)| (takeoff, landing));
        scan.cut(takeoff, landing)
    }
}

/// Checks that a given cut is within the remaining frames and leaves enough of both clips.
fn check_given(scan: &Scan, [a, b]: [&Range<usize>; 2], takeoff: usize, landing: usize) -> Result<()> {
    let frames = [("takeoff", takeoff, a, scan.first()), ("landing", landing, b, scan.second())];
    for (option, frame, range, features) in frames {
        let Range { start, end } = *range;
        if !range.contains(&frame) {
            let message =
                format!("frame {frame} of clip {}: its frames {start} to {} are left", quoted(&features.name), end - 1);
            return Err(Error::Option { option, message });
        }
        let frames = if option == "takeoff" { frame + 1 - start } else { end - frame };
        if frames < MIN_FRAMES {
            return Err(Error::TooShort { clip: features.name.clone(), frames, needed: MIN_FRAMES });
        }
    }
    Ok(())
}

impl Stages {
    fn new(
        [takeoffs, landings]: [Range<usize>; 2],
        phase_costs: Option<Costs>,
        min_cycle: Option<usize>,
        fps: f64,
    ) -> Self {
        let cells = takeoffs.len() * landings.len();
        let step = match cells <= MAX_SINGLE_STAGE {
            true => 1,
            false => ((GRID_SECS * fps).round() as usize).max((cells as f64 / MAX_GRID as f64).sqrt().ceil() as usize),
        };
        let cheapest = CheapestCuts::new(if step > 1 { REFINED_CUTS } else { 1 }).with_min_cycle(min_cycle);
        let mut stages = Self {
            phase_costs,
            takeoffs,
            landings,
            step,
            pending: Vec::new(),
            stage_cells: 0,
            min_cycle,
            cheapest,
            is_second_stage: false,
        };
        stages.set_rectangles(&[(stages.takeoffs.clone(), stages.landings.clone())]);
        stages
    }

    /// Sets the rectangles of cuts to score, in order.
    fn set_rectangles(&mut self, rectangles: &[(Range<usize>, Range<usize>)]) {
        let step = self.step;
        let split = |range: &Range<usize>| Frames::every(step, range.clone()).chunks(PIECE_SIDE).collect::<Vec<_>>();
        let pieces = rectangles.iter().flat_map(|(takeoffs, landings)| {
            let landings = split(landings);
            split(takeoffs)
                .into_iter()
                .flat_map(move |rows| landings.clone().into_iter().map(move |columns| (rows.clone(), columns)))
        });
        self.pending = pieces.collect();
        self.pending.reverse();
        self.stage_cells = self.pending_cells();
    }

    /// Returns the number of cells that are not scored yet.
    fn pending_cells(&self) -> usize {
        self.pending.iter().map(|(rows, columns)| rows.count * columns.count).sum()
    }

    fn advance(&mut self, pair: &Pair, limbs: [&[Limb]; 2], progress: &mut Progress) -> Result<f32> {
        let fraction = self.completed_fraction();
        if let Some((rows, columns)) = self.pending.pop() {
            match &self.phase_costs {
                Some(costs) => costs.offer(&pair.scan, limbs, &rows, &columns, &mut self.cheapest),
                None => pair.scan.offer(&rows, &columns, &mut self.cheapest, &mut progress.part(fraction..fraction))?,
            }
        }
        if self.pending.is_empty() && self.step > 1 {
            self.begin_second_stage();
        }
        Ok(self.completed_fraction())
    }

    fn completed_fraction(&self) -> f32 {
        if self.pending.is_empty() {
            return 1.0;
        }
        let fraction = 1.0 - self.pending_cells() as f32 / self.stage_cells.max(1) as f32;
        // Of two stages the first takes nearly all of the time.
        match (self.step > 1, self.is_second_stage) {
            (true, _) => 0.95 * fraction,
            (false, true) => 0.95 + 0.04 * fraction,
            (false, false) => fraction,
        }
    }

    /// Starts the second stage: all cuts around the cheapest ones of the first stage.
    fn begin_second_stage(&mut self) {
        let reach = self.step - 1;
        let neighbourhood = |frame: usize, limits: &Range<usize>| {
            frame.saturating_sub(reach).max(limits.start)..(frame + reach + 1).min(limits.end)
        };
        let grid_cuts = self.cheapest.cuts().iter();
        let rectangles: Vec<_> = grid_cuts
            .map(|&(_, takeoff, landing)| {
                (neighbourhood(takeoff, &self.takeoffs), neighbourhood(landing, &self.landings))
            })
            .collect();
        let best = self.cheapest.cuts().first().copied();
        (self.step, self.is_second_stage, self.cheapest) =
            (1, true, CheapestCuts::new(1).with_min_cycle(self.min_cycle));
        best.into_iter().for_each(|(cost, takeoff, landing)| self.cheapest.offer(cost, takeoff, landing));
        self.set_rectangles(&rectangles);
    }
}

/// Returns the smallest number of frames that must remain of a clip. `windows`: windows of the L-score at its seams; a
/// clip between two others also needs a window at each end.
pub(super) fn min_frames(windows: impl Iterator<Item = usize>) -> usize {
    let windows: Vec<usize> = windows.collect();
    if windows.len() > 1 { MIN_FRAMES.max(windows.iter().sum()) } else { MIN_FRAMES }
}
