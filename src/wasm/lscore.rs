//! The L-score: one scanner for a pair of clips, which keeps its map so that a changed trim costs a row or a column.

use super::listener::listened;
use super::{ClipHandle, js_error};
use crate::method::lscore::feature::Features;
use crate::method::lscore::map::{Map, Scan};
use crate::method::lscore::{Cut, LscoreOptions, seam};
use js_sys::Function;
use std::ops::Range;
use wasm_bindgen::prelude::*;

/// Scores cuts from one clip to another. Frames are those of each clip's own file; inside, the second clip is scored at
/// the first one's rate.
#[wasm_bindgen]
pub struct SeamScanner {
    scan: Scan,
    map: Option<Map>,
    /// Frames of the second clip in one frame of the scan.
    step: f64,
}

#[wasm_bindgen]
impl SeamScanner {
    /// Measures both clips.
    ///
    /// # Errors
    /// Throws what [`Scan::of`] returns.
    #[wasm_bindgen(constructor)]
    pub fn new(
        a: &ClipHandle,
        b: &ClipHandle,
        window: u32,
        min_inject: u32,
        max_inject: u32,
    ) -> Result<SeamScanner, JsValue> {
        let options = options(window, min_inject, max_inject);
        let (a, b) = (a.input(), b.input());
        let scan = Scan::of(a.clip, a.rig, b.clip, b.rig, &options).map_err(js_error)?;
        let step = if scan.second().frames() == b.clip.frames() { 1.0 } else { b.clip.fps() / a.clip.fps() };
        Ok(Self { scan, map: None, step })
    }

    /// Scores paths of bare points instead of clips, [frames × points × 3] each; both at one rate, any unit.
    ///
    /// # Errors
    /// Throws what [`Features::new`] and [`Scan::new`] return.
    #[wasm_bindgen(js_name = ofPoints)]
    pub fn of_points(
        a: &[f32],
        b: &[f32],
        points: u32,
        window: u32,
        min_inject: u32,
        max_inject: u32,
    ) -> Result<SeamScanner, JsValue> {
        let features = |name, values: &[f32]| {
            let values = values.as_chunks::<3>().0.iter().map(|&point| point.into()).collect();
            Features::new(name, points as usize, values)
        };
        let options = options(window, min_inject, max_inject);
        let scan = features("first path", a).and_then(|a| Scan::new(a, features("second path", b)?, &options));
        Ok(Self { scan: scan.map_err(js_error)?, map: None, step: 1.0 })
    }

    /// The smoothed path through a cut, [(2 × window + inject) × joints × 3]; the injected frames in the middle.
    ///
    /// # Errors
    /// Throws what [`Scan::path`] returns.
    pub fn path(&self, takeoff: u32, landing: u32, inject: u32) -> Result<Vec<f32>, JsValue> {
        let path = self.scan.path(takeoff as usize, self.column(landing), inject as usize).map_err(js_error)?;
        Ok(path.into_iter().flat_map(|point| point.to_array()).collect())
    }

    /// Frames of the second clip in one column of the map; 1 where both clips have one rate.
    #[wasm_bindgen(getter)]
    pub fn step(&self) -> f64 {
        self.step
    }

    /// The cut at two frames: take-off, landing, frames to inject, score, Euclidean distance.
    ///
    /// # Errors
    /// Throws what [`Scan::cut`] returns.
    pub fn cut(&self, takeoff: u32, landing: u32) -> Result<Vec<f64>, JsValue> {
        let cut = self.scan.cut(takeoff as usize, self.column(landing)).map_err(js_error)?;
        Ok(self.numbers(cut).to_vec())
    }

    /// Score of each number of injected frames at two frames.
    ///
    /// # Errors
    /// Throws what [`Scan::curve`] returns.
    pub fn curve(&self, takeoff: u32, landing: u32) -> Result<Vec<f32>, JsValue> {
        self.scan.curve(takeoff as usize, self.column(landing)).map_err(js_error)
    }

    /// Scores every cut between frames `a_from..a_to` and `b_from..b_to` that cuts away at most the part `max_cut` of
    /// each. What an earlier call scored is kept. `progress(stage, done)` returns whether to go on.
    ///
    /// # Errors
    /// Throws what [`Scan::update`] returns, and whatever `progress` throws.
    pub fn scan(
        &mut self,
        a_from: u32,
        a_to: u32,
        b_from: u32,
        b_to: u32,
        max_cut: f64,
        progress: &Function,
    ) -> Result<(), JsValue> {
        let a = a_from as usize..a_to as usize;
        let b = self.columns(b_from..b_to);
        let (takeoffs, landings) = seam::ranges(&self.scan, a, b, max_cut).map_err(js_error)?;
        let map = listened(progress, |progress| match &self.map {
            Some(map) => self.scan.update(map, takeoffs, landings, progress),
            None => self.scan.map(takeoffs, landings, progress),
        });
        self.map = Some(map?);
        Ok(())
    }

    /// First and last (exclusive) take-off, first and last (exclusive) column of the map.
    pub fn ranges(&self) -> Vec<u32> {
        self.map
            .iter()
            .flat_map(|map| [&map.takeoffs, &map.landings])
            .flat_map(|r| [r.start as u32, r.end as u32])
            .collect()
    }

    /// Score of each cell, [take-offs × columns].
    pub fn scores(&self) -> Vec<f32> {
        self.map.iter().flat_map(|map| &map.scores).copied().collect()
    }

    /// Frames to inject of each cell.
    pub fn injects(&self) -> Vec<u8> {
        self.map.iter().flat_map(|map| &map.injects).copied().collect()
    }

    /// The best cuts of the map, numbers as of [`SeamScanner::cut`] one after the other.
    pub fn best(&self, count: u32, apart: u32) -> Vec<f64> {
        let cuts = self.map.iter().flat_map(|map| seam::best(&self.scan, map, count as usize, apart as usize));
        cuts.flat_map(|cut| self.numbers(cut)).collect()
    }
}

fn options(window: u32, min_inject: u32, max_inject: u32) -> LscoreOptions {
    LscoreOptions {
        window: window as usize,
        min_inject: min_inject as usize,
        max_inject: max_inject as usize,
        ..Default::default()
    }
}

impl SeamScanner {
    /// Frame of the scan nearest to a frame of the second clip.
    fn column(&self, landing: u32) -> usize {
        (f64::from(landing) / self.step).round() as usize
    }

    /// Frames of the scan inside a range of the second clip.
    fn columns(&self, own: Range<u32>) -> Range<usize> {
        let start = (f64::from(own.start) / self.step - 1e-6).ceil() as usize;
        let end = ((f64::from(own.end) - 1.0) / self.step + 1e-6).floor() as usize + 1;
        start..end.min(self.scan.second().frames().max(start))
    }

    fn numbers(&self, cut: Cut) -> [f64; 5] {
        numbers(Cut { landing: (cut.landing as f64 * self.step).round() as usize, ..cut })
    }
}

/// A cut as JavaScript gets it.
pub(super) fn numbers(cut: Cut) -> [f64; 5] {
    let frames = [cut.takeoff, cut.landing, cut.inject].map(|frame| frame as f64);
    [frames[0], frames[1], frames[2], f64::from(cut.score), f64::from(cut.euclidean)]
}
