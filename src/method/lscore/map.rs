//! The exhaustive map: L* and k_opt for every take-off and landing.
//!
//! Two clips of 300 frames, 22 joints, k = 0..15 have 87,616 cells and 509 million terms |Δp̂ · â|. Parts of take-off
//! and landing are computed once for each frame ([`super::parts`]) and added in every cell, 4 × 4 cells at a time,
//! one vector lane per landing. A block of cells is abandoned once none of its cells can beat its best k; k is tried
//! from the longest down, because the longest is best in most cells. Other variants and their times:
//! docs/notes/lscore.md.
//!
//! One more frame at an end is one row or column: 4 ms.

use super::feature::{Features, Measure, euclidean};
pub use super::grid::{Cheapest, Frames, Map, Strip};
use super::parts::{LANES, Lanes, Parts, Side, Track, WIDTH, pair_order};
use super::smoother::Smoother;
use super::{Cut, LscoreOptions};
use crate::error::{Error, Result, quoted};
use crate::motion::clip::Clip;
use crate::motion::resample::resample;
use crate::motion::retarget::retarget;
use crate::motion::rig::Rig;
use crate::progress::{Progress, Stage};
use glam::{DVec3, Vec3};
use std::ops::Range;

/// Largest number of cells of a map: two whole clips of two minutes at 60 frames per second, or longer ones trimmed.
pub const MAX_CELLS: u64 = 1 << 26;

/// Two motions prepared for scoring.
#[derive(Debug, Clone)]
pub struct Scan {
    options: LscoreOptions,
    smoothers: Vec<Smoother>,
    a: Features,
    b: Features,
    track_a: Track,
    track_b: Track,
}

impl Scan {
    /// A scan of two clips. `b` is resampled to the rate of `a` and retargeted to its skeleton where they differ.
    /// Frames of `b` are those of the resampled clip.
    ///
    /// # Errors
    /// Those of [`Scan::new`]; [`Error::Rig`] where the skeletons differ and cannot be retargeted.
    pub fn of(a: &Clip, a_rig: &Rig, b: &Clip, b_rig: &Rig, options: &LscoreOptions) -> Result<Self> {
        for clip in [a, b] {
            if clip.frames() < options.window {
                let (clip, frames) = (clip.name.clone(), clip.frames());
                return Err(Error::TooShort { clip, frames, needed: options.window });
            }
        }
        let b = retarget(&resample(b, a.fps())?, b_rig, a, a_rig)?;
        let measure = Measure::of(a, a_rig);
        Self::new(measure.features(a)?, measure.features(&b)?, options)
    }

    /// A scan of two motions given by their features.
    ///
    /// # Errors
    /// [`Error::Option`] for invalid options, [`Error::TooShort`] for a clip shorter than the window, [`Error::Clip`]
    /// where the two have different joints.
    pub fn new(a: Features, b: Features, options: &LscoreOptions) -> Result<Self> {
        options.check()?;
        for features in [&a, &b] {
            if features.frames() < options.window {
                let (clip, frames) = (features.name.clone(), features.frames());
                return Err(Error::TooShort { clip, frames, needed: options.window });
            }
        }
        if a.joints() != b.joints() || a.joints() == 0 {
            let message = format!("it has {} joints to compare, {} has {}", b.joints(), quoted(&a.name), a.joints());
            return Err(Error::Clip { clip: b.name.clone(), message });
        }
        let origin: Vec<f32> = (0..a.joints()).flat_map(|joint| a.at(0, joint).to_array()).collect();
        let (track_a, track_b) = (Track::new(&a, &origin), Track::new(&b, &origin));
        let smoothers = (options.min_inject..=options.max_inject).map(|k| Smoother::new(options, k)).collect();
        Ok(Self { options: options.clone(), smoothers, a, b, track_a, track_b })
    }

    /// Features of the first clip.
    pub fn first(&self) -> &Features {
        &self.a
    }

    /// Features of the second clip, at the rate of the first.
    pub fn second(&self) -> &Features {
        &self.b
    }

    /// The options it was made with.
    pub fn options(&self) -> &LscoreOptions {
        &self.options
    }

    /// Frames with a complete window before them: from w − 1 to the first clip's end.
    pub fn takeoffs(&self) -> Range<usize> {
        self.options.window - 1..self.a.frames()
    }

    /// Frames with a complete window after them.
    pub fn landings(&self) -> Range<usize> {
        0..self.b.frames() + 1 - self.options.window
    }

    /// L_k of one pair of frames, for each k of the options.
    ///
    /// # Errors
    /// [`Error::Option`] where a frame has no complete window.
    pub fn curve(&self, takeoff: usize, landing: usize) -> Result<Vec<f32>> {
        self.check(&(takeoff..takeoff + 1), &(landing..landing + 1))?;
        let [from, to] = [takeoff, landing].map(|start| Frames { start, count: 1, step: 1 });
        let mut curve = Vec::with_capacity(self.smoothers.len());
        let (mut parts_a, mut parts_b) = (Parts::default(), Parts::default());
        for smoother in &self.smoothers {
            let order = pair_order(smoother.frames());
            parts_a.set(&self.track_a, Side::Takeoff, &from, smoother, &order);
            parts_b.set(&self.track_b, Side::Landing, &to, smoother, &order);
            let mut sums = [[0.0; LANES]; LANES];
            add_work(parts_a.chunk(0), parts_b.chunk(0), &mut sums);
            curve.push(sums[0][0]);
        }
        Ok(curve)
    }

    /// The cut at one pair of frames, with the best k.
    ///
    /// # Errors
    /// Those of [`Scan::curve`].
    pub fn cut(&self, takeoff: usize, landing: usize) -> Result<Cut> {
        let curve = self.curve(takeoff, landing)?;
        let best = curve.iter().enumerate().min_by(|x, y| x.1.total_cmp(y.1)).map_or(0, |(index, _)| index);
        let inject = self.options.min_inject + best;
        let euclidean = euclidean(&self.a, &self.b, takeoff, landing, self.options.window);
        Ok(Cut { takeoff, landing, inject, score: curve[best], euclidean })
    }

    /// Windowed Euclidean distance of one pair of frames, in the features' unit ([`euclidean`]).
    pub fn euclidean(&self, takeoff: usize, landing: usize) -> f32 {
        euclidean(&self.a, &self.b, takeoff, landing, self.options.window)
    }

    /// The smoothed trajectory p̂ through a cut: 2w + `inject` frames of all joints, [frames × joints], the injected
    /// ones in the middle.
    ///
    /// # Errors
    /// [`Error::Option`] where a frame has no complete window, or `inject` is outside the options' range.
    pub fn path(&self, takeoff: usize, landing: usize, inject: usize) -> Result<Vec<Vec3>> {
        self.check(&(takeoff..takeoff + 1), &(landing..landing + 1))?;
        let Some(smoother) = inject.checked_sub(self.options.min_inject).and_then(|k| self.smoothers.get(k)) else {
            let (least, most) = (self.options.min_inject, self.options.max_inject);
            return Err(Error::Option { option: "inject", message: format!("from {least} to {most}, not {inject}") });
        };
        let window = self.options.window;
        let mut path = Vec::with_capacity(smoother.frames() * self.a.joints());
        for frame in 0..smoother.frames() {
            for joint in 0..self.a.joints() {
                let seen = (0..window).map(|i| self.a.at(takeoff + 1 + i - window, joint));
                let seen = seen.chain((0..window).map(|i| self.b.at(landing + i, joint)));
                let sum: DVec3 = smoother.row(frame).iter().zip(seen).map(|(s, y)| s.x * y.as_dvec3()).sum();
                path.push(sum.as_vec3());
            }
        }
        Ok(path)
    }

    /// Scores all pairs of two ranges of frames.
    ///
    /// # Errors
    /// [`Error::Option`] for a range that is empty or has frames without a complete window, [`Error::Limit`] over
    /// [`MAX_CELLS`], [`Error::Aborted`].
    pub fn map(&self, takeoffs: Range<usize>, landings: Range<usize>, progress: &mut Progress) -> Result<Map> {
        self.filled(self.carry_over(None, takeoffs, landings)?, progress)
    }

    /// The map of other ranges, made from a computed one. A cell depends on its own two windows only, so only new
    /// rows and columns are scored.
    ///
    /// # Errors
    /// Those of [`Scan::map`].
    pub fn update(
        &self,
        old: &Map,
        takeoffs: Range<usize>,
        landings: Range<usize>,
        progress: &mut Progress,
    ) -> Result<Map> {
        self.filled(self.carry_over(Some(old), takeoffs, landings)?, progress)
    }

    /// The map of two ranges with the cells it has in common with `old`, and the strips that remain to be scored.
    ///
    /// # Errors
    /// Those of [`Scan::map`], except [`Error::Aborted`].
    pub fn carry_over(
        &self,
        old: Option<&Map>,
        takeoffs: Range<usize>,
        landings: Range<usize>,
    ) -> Result<(Map, Vec<Strip>)> {
        self.check(&takeoffs, &landings)?;
        let found = takeoffs.len() as u64 * landings.len() as u64;
        if found > MAX_CELLS {
            return Err(Error::Limit { what: "cuts to score", found, limit: MAX_CELLS });
        }
        let mut map = Map::empty(takeoffs.clone(), landings.clone());
        let Some(old) = old else { return Ok((map, vec![Strip { takeoffs, landings }])) };
        let rows = takeoffs.start.max(old.takeoffs.start)..takeoffs.end.min(old.takeoffs.end);
        let columns = landings.start.max(old.landings.start)..landings.end.min(old.landings.end);
        if rows.is_empty() || columns.is_empty() {
            return Ok((map, vec![Strip { takeoffs, landings }]));
        }
        map.copy(old, rows.clone(), columns.clone());
        let missing = [
            (takeoffs.start..rows.start, landings.clone()),
            (rows.end..takeoffs.end, landings.clone()),
            (rows.clone(), landings.start..columns.start),
            (rows, columns.end..landings.end),
        ];
        let strips = missing.into_iter().map(|(takeoffs, landings)| Strip { takeoffs, landings });
        Ok((map, strips.filter(|strip| strip.cells() > 0).collect()))
    }

    fn filled(&self, (mut map, strips): (Map, Vec<Strip>), progress: &mut Progress) -> Result<Map> {
        let cells = strips.iter().map(Strip::cells).sum::<usize>() as f32;
        let mut done = 0.0;
        for strip in &strips {
            let share = strip.cells() as f32 / cells;
            self.fill(&mut map, strip, &mut progress.part(done..done + share))?;
            done += share;
        }
        Ok(map)
    }

    /// Scores the cells of a strip inside the map.
    ///
    /// # Errors
    /// [`Error::Aborted`] where `progress` aborts.
    pub fn fill(&self, map: &mut Map, strip: &Strip, progress: &mut Progress) -> Result<()> {
        let Strip { takeoffs, landings } = strip.clone();
        let mut part = Map::empty(takeoffs.clone(), landings.clone());
        self.score(&mut part, &Frames::every(1, takeoffs.clone()), &Frames::every(1, landings.clone()), progress)?;
        map.copy(&part, takeoffs, landings);
        Ok(())
    }

    /// Scores the cuts between take-offs and landings, and offers them to `cheapest`. All frames must have a complete
    /// window ([`Scan::check`]).
    ///
    /// # Errors
    /// [`Error::Aborted`] where `progress` aborts.
    pub fn offer(
        &self,
        takeoffs: &Frames,
        landings: &Frames,
        cheapest: &mut Cheapest,
        progress: &mut Progress,
    ) -> Result<()> {
        let mut part = Map::below(cheapest.bound(), 0..takeoffs.count, 0..landings.count);
        self.score(&mut part, takeoffs, landings, progress)?;
        for (cell, score) in part.scores.into_iter().enumerate() {
            cheapest.offer(score, takeoffs.at(cell / landings.count), landings.at(cell % landings.count));
        }
        Ok(())
    }

    /// Scores all cells of a map whose rows are `takeoffs` and whose columns are `landings`.
    fn score(&self, part: &mut Map, takeoffs: &Frames, landings: &Frames, progress: &mut Progress) -> Result<()> {
        let (mut parts_a, mut parts_b) = (Parts::default(), Parts::default());
        // The longest injection first: it is best in most cells, so the others are abandoned early.
        let bands: Vec<Frames> = takeoffs.pieces(BAND).collect();
        let tiles: Vec<Frames> = landings.pieces(TILE).collect();
        let steps = (bands.len() * self.smoothers.len() * tiles.len()) as f32;
        let mut done = 0.0;
        for (band, takeoffs) in bands.iter().enumerate() {
            for (index, smoother) in self.smoothers.iter().enumerate().rev() {
                let pairs = pair_order(smoother.frames());
                parts_a.set(&self.track_a, Side::Takeoff, takeoffs, smoother, &pairs);
                let inject = (self.options.min_inject + index) as u8;
                // Tiles of landings stay in the second-level cache while the take-offs are read once.
                for (tile, landings) in tiles.iter().enumerate() {
                    parts_b.set(&self.track_b, Side::Landing, landings, smoother, &pairs);
                    for row in 0..takeoffs.count.div_ceil(LANES) {
                        for column in 0..landings.count.div_ceil(LANES) {
                            let (row_at, column_at) = (band * BAND + row * LANES, tile * TILE + column * LANES);
                            let block = Block { row: row_at, column: column_at, inject };
                            block.score(part, parts_a.chunk(row), parts_b.chunk(column), self.a.joints());
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
        for (option, asked, have, clip) in frames {
            if asked.is_empty() || asked.start < have.start || asked.end > have.end {
                let message = format!(
                    "{}..{} of clip {} (end exclusive); with a window of {} frames it must lie within {}..{}",
                    asked.start,
                    asked.end,
                    quoted(clip),
                    self.options.window,
                    have.start,
                    have.end
                );
                return Err(Error::Option { option, message });
            }
        }
        Ok(())
    }
}

/// Number of landings processed together, a multiple of [`LANES`].
const TILE: usize = 32;

/// Number of take-offs whose parts are in memory at once, a multiple of [`LANES`]; bounds the memory for long maps.
const BAND: usize = 512;

/// LANES × LANES cells for one k.
struct Block {
    row: usize,
    column: usize,
    inject: u8,
}

impl Block {
    /// Stores L_k where it is lower than the map's value; abandons the block once no cell can be.
    fn score(&self, map: &mut Map, a: &[Lanes], b: &[Lanes], joints: usize) {
        let width = map.landings.len();
        let rows = LANES.min(map.takeoffs.len() - self.row);
        let columns = LANES.min(width - self.column);
        // Lanes past the edge can never beat −∞.
        let mut best = [[f32::NEG_INFINITY; LANES]; LANES];
        for (row, best) in best.iter_mut().enumerate().take(rows) {
            let start = (self.row + row) * width + self.column;
            best[..columns].copy_from_slice(&map.scores[start..][..columns]);
        }
        let mut sums = [[0.0f32; LANES]; LANES];
        let pair = joints * WIDTH;
        for (a, b) in a.chunks_exact(pair).zip(b.chunks_exact(pair)) {
            add_work(a, b, &mut sums);
            let mut open = false;
            for (sums, best) in sums.iter().zip(&best) {
                for (sum, best) in sums.iter().zip(best) {
                    open |= sum <= best;
                }
            }
            if !open {
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

/// Adds Σ |(Δp_a + Δp_b) · (a_a + a_b)| over joints and pairs, for each of LANES take-offs (rows of `sums`) and LANES
/// landings.
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
