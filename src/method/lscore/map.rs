//! Computes the map: L* and k_opt for all take-offs and landings.
//!
//! Two clips of 300 frames with 22 joints and k from 0 to 15 have 87,616 cells and 509 million terms |Δp̂ · â|. The
//! parts of take-off and landing are computed once per frame ([`super::parts`]). They are added in blocks of 4 × 4
//! cells, with one vector lane per landing, for one k at a time. The sum of a block ends early, as soon as no cell can
//! have a lower score than with the k tried before. The largest k is tried first, because it is the best in most cells.
//! Other variants and their times: research/notes/lscore.md.
//!
//! After a frame is added at an end of a clip, [`Scan::update`] computes only one row or column.

use super::feature::{Features, Measure, euclidean};
pub use super::grid::{CheapestCuts, Frames, Map, Strip};
use super::parts::{LANES, Lanes, Parts, Side, Track, WIDTH, pair_order};
use super::smoother::Smoother;
use super::{LscoreOptions, ScoredCut};
use crate::error::{Error, Result, quoted};
use crate::motion::clip::Clip;
use crate::motion::resample::resample;
use crate::motion::retarget::retarget;
use crate::motion::rig::Rig;
use crate::progress::{Progress, Stage};
use glam::{DVec3, Vec3};
use std::ops::Range;

/// Largest number of cells of a map. Two clips of two minutes at 60 frames per second have fewer.
pub const MAX_CELLS: u64 = 1 << 26;

/// Two motions prepared for scoring.
#[derive(Debug, Clone)]
pub struct Scan {
    options: LscoreOptions,
    smoothers: Vec<Smoother>,
    /// Features of the outgoing clip.
    a: Features,
    /// Features of the incoming clip.
    b: Features,
    track_a: Track,
    track_b: Track,
}

impl Scan {
    /// Prepares two clips. If they differ, `b` is resampled to the frame rate of `a` and retargeted to the skeleton of
    /// `a`. Frames of `b` are then frames of the resampled clip.
    ///
    /// # Errors
    /// The errors of [`Scan::new`]; [`Error::Rig`] if the skeletons differ and retargeting fails.
    pub fn from_clips(a: &Clip, a_rig: &Rig, b: &Clip, b_rig: &Rig, options: &LscoreOptions) -> Result<Self> {
        check_input(options, [a, b].map(|clip| (clip.name.as_str(), clip.frames())))?;
        let b = retarget(&resample(b, a.fps())?, b_rig, a, a_rig)?;
        let measure = Measure::new(a, a_rig);
        Self::new(measure.features(a)?, measure.features(&b)?, options)
    }

    /// Prepares two motions from their features.
    ///
    /// # Errors
    /// [`Error::Option`] for invalid options, [`Error::TooShort`] for a clip shorter than the window, [`Error::Clip`]
    /// if the motions have different numbers of joints.
    pub fn new(a: Features, b: Features, options: &LscoreOptions) -> Result<Self> {
        check_input(options, [&a, &b].map(|features| (features.name.as_str(), features.frames())))?;
        if a.joints() != b.joints() {
            let message =
                format!("it has {} joints to compare, but {} has {}", b.joints(), quoted(&a.name), a.joints());
            return Err(Error::Clip { clip: b.name.clone(), message });
        }
        let origin: Vec<f32> = (0..a.joints()).flat_map(|joint| a.at(0, joint).to_array()).collect();
        let (track_a, track_b) = (Track::new(&a, &origin), Track::new(&b, &origin));
        let smoothers = (options.min_inject..=options.max_inject).map(|k| Smoother::new(options, k)).collect();
        Ok(Self { options: options.clone(), smoothers, a, b, track_a, track_b })
    }

    /// Returns the features of the first clip.
    pub fn first(&self) -> &Features {
        &self.a
    }

    /// Returns the features of the second clip, at the frame rate of the first.
    pub fn second(&self) -> &Features {
        &self.b
    }

    /// Returns the options of the score.
    pub fn options(&self) -> &LscoreOptions {
        &self.options
    }

    /// Returns the possible take-offs: frames of the first clip from w − 1 on, which end a complete window.
    pub fn takeoffs(&self) -> Range<usize> {
        self.options.window - 1..self.a.frames()
    }

    /// Returns the possible landings: frames of the second clip that start a complete window.
    pub fn landings(&self) -> Range<usize> {
        0..self.b.frames() + 1 - self.options.window
    }

    /// Computes L_k of one pair of frames for each k of the options.
    ///
    /// # Errors
    /// [`Error::Option`] if a frame has no complete window.
    pub fn curve(&self, takeoff: usize, landing: usize) -> Result<Vec<f32>> {
        self.check(&(takeoff..takeoff + 1), &(landing..landing + 1))?;
        let [takeoffs, landings] = [takeoff, landing].map(|start| Frames { start, count: 1, step: 1 });
        let mut curve = Vec::with_capacity(self.smoothers.len());
        let (mut parts_a, mut parts_b) = (Parts::default(), Parts::default());
        for smoother in &self.smoothers {
            let order = pair_order(smoother.frames());
            parts_a.set(&self.track_a, Side::Takeoff, &takeoffs, smoother, &order);
            parts_b.set(&self.track_b, Side::Landing, &landings, smoother, &order);
            let mut sums = [[0.0; LANES]; LANES];
            add_work(parts_a.chunk(0), parts_b.chunk(0), &mut sums);
            curve.push(sums[0][0]);
        }
        Ok(curve)
    }

    /// Computes the cut at one pair of frames, with the best k.
    ///
    /// # Errors
    /// The errors of [`Scan::curve`].
    pub fn cut(&self, takeoff: usize, landing: usize) -> Result<ScoredCut> {
        let curve = self.curve(takeoff, landing)?;
        let best_index = curve.iter().enumerate().min_by(|x, y| x.1.total_cmp(y.1)).map_or(0, |(index, _)| index);
        let inject = self.options.min_inject + best_index;
        let euclidean = euclidean(&self.a, &self.b, takeoff, landing, self.options.window);
        Ok(ScoredCut { takeoff, landing, inject, score: curve[best_index], euclidean })
    }

    /// Computes the windowed Euclidean distance between two frames, in the unit of the features ([`euclidean`]).
    pub fn euclidean(&self, takeoff: usize, landing: usize) -> f32 {
        euclidean(&self.a, &self.b, takeoff, landing, self.options.window)
    }

    /// Computes the smoothed trajectory p̂ through a cut, [frames × joints]: 2w + `inject` frames, with the injected
    /// frames in the middle.
    ///
    /// # Errors
    /// [`Error::Option`] if a frame has no complete window, or `inject` is outside the range of the options.
    pub fn path(&self, takeoff: usize, landing: usize, inject: usize) -> Result<Vec<Vec3>> {
        self.check(&(takeoff..takeoff + 1), &(landing..landing + 1))?;
        let Some(smoother) = inject.checked_sub(self.options.min_inject).and_then(|k| self.smoothers.get(k)) else {
            let (min, max) = (self.options.min_inject, self.options.max_inject);
            return Err(Error::Option { option: "inject", message: format!("from {min} to {max}, not {inject}") });
        };
        let window = self.options.window;
        let mut path = Vec::with_capacity(smoother.frames() * self.a.joints());
        for frame in 0..smoother.frames() {
            for joint in 0..self.a.joints() {
                let observed = (0..window).map(|i| self.a.at(takeoff + 1 + i - window, joint));
                let observed = observed.chain((0..window).map(|i| self.b.at(landing + i, joint)));
                let sum: DVec3 = smoother.row(frame).iter().zip(observed).map(|(s, y)| s.x * y.as_dvec3()).sum();
                path.push(sum.as_vec3());
            }
        }
        Ok(path)
    }

    /// Scores all pairs of take-offs and landings in two ranges.
    ///
    /// # Errors
    /// [`Error::Option`] for a range that is empty or has frames without a complete window, [`Error::Limit`] for more
    /// than [`MAX_CELLS`] cells, [`Error::Aborted`] if `progress` aborts.
    pub fn map(&self, takeoffs: Range<usize>, landings: Range<usize>, progress: &mut Progress) -> Result<Map> {
        self.fill_strips(self.carry_over(None, takeoffs, landings)?, progress)
    }

    /// Computes the map of other ranges from an existing map. A cell depends only on its two windows, so only new rows
    /// and columns are scored.
    ///
    /// # Errors
    /// The errors of [`Scan::map`].
    pub fn update(
        &self,
        old: &Map,
        takeoffs: Range<usize>,
        landings: Range<usize>,
        progress: &mut Progress,
    ) -> Result<Map> {
        self.fill_strips(self.carry_over(Some(old), takeoffs, landings)?, progress)
    }

    /// Creates the map of two ranges, and copies the cells that `old` also has. Returns the map, and the strips of
    /// cells that remain to be scored.
    ///
    /// # Errors
    /// The errors of [`Scan::map`], except [`Error::Aborted`].
    pub fn carry_over(
        &self,
        old: Option<&Map>,
        takeoffs: Range<usize>,
        landings: Range<usize>,
    ) -> Result<(Map, Vec<Strip>)> {
        self.check(&takeoffs, &landings)?;
        let cells = takeoffs.len() as u64 * landings.len() as u64;
        if cells > MAX_CELLS {
            return Err(Error::Limit { what: "cuts to score", found: cells, limit: MAX_CELLS });
        }
        let mut map = Map::empty(takeoffs.clone(), landings.clone());
        let Some(old) = old else { return Ok((map, vec![Strip { takeoffs, landings }])) };
        let common_takeoffs = takeoffs.start.max(old.takeoffs.start)..takeoffs.end.min(old.takeoffs.end);
        let common_landings = landings.start.max(old.landings.start)..landings.end.min(old.landings.end);
        if common_takeoffs.is_empty() || common_landings.is_empty() {
            return Ok((map, vec![Strip { takeoffs, landings }]));
        }
        map.copy(old, common_takeoffs.clone(), common_landings.clone());
        let missing = [
            (takeoffs.start..common_takeoffs.start, landings.clone()),
            (common_takeoffs.end..takeoffs.end, landings.clone()),
            (common_takeoffs.clone(), landings.start..common_landings.start),
            (common_takeoffs, common_landings.end..landings.end),
        ];
        let strips = missing.into_iter().map(|(takeoffs, landings)| Strip { takeoffs, landings });
        Ok((map, strips.filter(|strip| strip.cells() > 0).collect()))
    }

    /// Scores the strips of a map.
    fn fill_strips(&self, (mut map, strips): (Map, Vec<Strip>), progress: &mut Progress) -> Result<Map> {
        let cells = strips.iter().map(Strip::cells).sum::<usize>() as f32;
        let mut done = 0.0;
        for strip in &strips {
            let fraction = strip.cells() as f32 / cells;
            self.fill(&mut map, strip, &mut progress.part(done..done + fraction))?;
            done += fraction;
        }
        Ok(map)
    }

    /// Scores the cells of a strip inside the map.
    ///
    /// # Errors
    /// [`Error::Aborted`] if `progress` aborts.
    pub fn fill(&self, map: &mut Map, strip: &Strip, progress: &mut Progress) -> Result<()> {
        let Strip { takeoffs, landings } = strip.clone();
        let mut strip_map = Map::empty(takeoffs.clone(), landings.clone());
        self.score(&mut strip_map, &Frames::every(1, takeoffs.clone()), &Frames::every(1, landings.clone()), progress)?;
        map.copy(&strip_map, takeoffs, landings);
        Ok(())
    }

    /// Scores all cuts between take-offs and landings, and offers them to `cheapest`. All frames must have complete
    /// windows ([`Scan::check`]).
    ///
    /// # Errors
    /// [`Error::Aborted`] if `progress` aborts.
    pub fn offer(
        &self,
        takeoffs: &Frames,
        landings: &Frames,
        cheapest: &mut CheapestCuts,
        progress: &mut Progress,
    ) -> Result<()> {
        let mut map = Map::with_bound(cheapest.bound(), 0..takeoffs.count, 0..landings.count);
        self.score(&mut map, takeoffs, landings, progress)?;
        for (cell, score) in map.scores.into_iter().enumerate() {
            cheapest.offer(score, takeoffs.at(cell / landings.count), landings.at(cell % landings.count));
        }
        Ok(())
    }

    /// Scores all cells of a map whose rows are `takeoffs` and whose columns are `landings`.
    fn score(&self, map: &mut Map, takeoffs: &Frames, landings: &Frames, progress: &mut Progress) -> Result<()> {
        let (mut parts_a, mut parts_b) = (Parts::default(), Parts::default());
        // The largest k is scored first: it is the best in most cells, so other k are abandoned early.
        let bands: Vec<Frames> = takeoffs.chunks(BAND).collect();
        let tiles: Vec<Frames> = landings.chunks(TILE).collect();
        let steps = (bands.len() * self.smoothers.len() * tiles.len()) as f32;
        let mut done = 0.0;
        for (band, takeoffs) in bands.iter().enumerate() {
            for (index, smoother) in self.smoothers.iter().enumerate().rev() {
                let pairs = pair_order(smoother.frames());
                parts_a.set(&self.track_a, Side::Takeoff, takeoffs, smoother, &pairs);
                let inject = (self.options.min_inject + index) as u8;
                // The parts of a tile of landings stay in the second-level cache while all take-offs are read once.
                for (tile, landings) in tiles.iter().enumerate() {
                    parts_b.set(&self.track_b, Side::Landing, landings, smoother, &pairs);
                    for row in 0..takeoffs.count.div_ceil(LANES) {
                        for column in 0..landings.count.div_ceil(LANES) {
                            let (first_row, first_column) = (band * BAND + row * LANES, tile * TILE + column * LANES);
                            let block = Block { row: first_row, column: first_column, inject };
                            block.score(map, parts_a.chunk(row), parts_b.chunk(column), self.a.joints());
                        }
                    }
                    done += 1.0;
                    progress.at(Stage::Scan, done / steps)?;
                }
            }
        }
        Ok(())
    }

    /// Checks that two ranges are not empty and that all their frames have complete windows.
    ///
    /// # Errors
    /// [`Error::Option`] for an empty range, or a frame without a complete window.
    pub fn check(&self, takeoffs: &Range<usize>, landings: &Range<usize>) -> Result<()> {
        let frames = [
            ("takeoff", takeoffs, self.takeoffs(), &self.a.name),
            ("landing", landings, self.landings(), &self.b.name),
        ];
        for (option, requested, allowed, clip) in frames {
            if requested.is_empty() || requested.start < allowed.start || requested.end > allowed.end {
                let message = format!(
                    "frames {}..{} (end excluded) of clip {}; with a window of {} frames they must lie within {}..{}",
                    requested.start,
                    requested.end,
                    quoted(clip),
                    self.options.window,
                    allowed.start,
                    allowed.end
                );
                return Err(Error::Option { option, message });
            }
        }
        Ok(())
    }
}

/// Checks the options, and that both clips (name, number of frames) have at least the frames of a window.
fn check_input(options: &LscoreOptions, clips: [(&str, usize); 2]) -> Result<()> {
    options.check()?;
    match clips.into_iter().find(|(_, frames)| *frames < options.window) {
        Some((clip, frames)) => Err(Error::TooShort { clip: clip.to_owned(), frames, needed: options.window }),
        None => Ok(()),
    }
}

/// Number of landings processed together, a multiple of [`LANES`].
const TILE: usize = 32;

/// Number of take-offs whose parts are in memory at once, a multiple of [`LANES`]. It limits the memory for large maps.
const BAND: usize = 512;

/// A block of LANES × LANES cells for one k.
struct Block {
    /// First row.
    row: usize,
    /// First column.
    column: usize,
    inject: u8,
}

impl Block {
    /// Computes L_k, and stores it in the cells whose stored score is higher. Stops as soon as L_k exceeds the stored
    /// scores of all cells. `a`, `b`: parts of the take-offs and of the landings.
    fn score(&self, map: &mut Map, a: &[Lanes], b: &[Lanes], joints: usize) {
        let width = map.landings.len();
        let rows = LANES.min(map.takeoffs.len() - self.row);
        let columns = LANES.min(width - self.column);
        // Lanes beyond the edge of the map start at −∞, so they never count as improvable.
        let mut best = [[f32::NEG_INFINITY; LANES]; LANES];
        for (row, best) in best.iter_mut().enumerate().take(rows) {
            let start = (self.row + row) * width + self.column;
            best[..columns].copy_from_slice(&map.scores[start..][..columns]);
        }
        let mut sums = [[0.0f32; LANES]; LANES];
        let pair_size = joints * WIDTH;
        for (a, b) in a.chunks_exact(pair_size).zip(b.chunks_exact(pair_size)) {
            add_work(a, b, &mut sums);
            let mut is_improvable = false;
            for (sums, best) in sums.iter().zip(&best) {
                for (sum, best) in sums.iter().zip(best) {
                    is_improvable |= sum <= best;
                }
            }
            if !is_improvable {
                return;
            }
        }
        for (row, (sums, best)) in sums.iter().zip(&best).enumerate().take(rows) {
            for column in 0..columns {
                let cell = (self.row + row) * width + self.column + column;
                let (score, best) = (sums[column], best[column]);
                if score < best || (score == best && self.inject < map.injects[cell]) {
                    map.scores[cell] = score;
                    map.injects[cell] = self.inject;
                }
            }
        }
    }
}

/// Adds Σ |(Δp_a + Δp_b) · (a_a + a_b)| over joints and pairs of consecutive frames, for each of LANES take-offs (rows
/// of `sums`) and LANES landings.
#[inline(always)]
fn add_work(a: &[Lanes], b: &[Lanes], sums: &mut [Lanes; LANES]) {
    let mut total = *sums;
    for (a, b) in a.as_chunks::<WIDTH>().0.iter().zip(b.as_chunks::<WIDTH>().0) {
        for (row, total) in total.iter_mut().enumerate() {
            for lane in 0..LANES {
                let work = (a[0][row] + b[0][lane]) * (a[3][row] + b[3][lane])
                    + (a[1][row] + b[1][lane]) * (a[4][row] + b[4][lane])
                    + (a[2][row] + b[2][lane]) * (a[5][row] + b[5][lane]);
                total[lane] += work.abs();
            }
        }
    }
    *sums = total;
}
