//! `stitch` with its options, progress and result.

use super::listener::listened;
use super::lscore::numbers;
use super::{ClipHandle, js_error};
use crate::error::Error;
use crate::method::Join;
use crate::method::lscore::LscoreOptions;
use crate::stitch::{self, Draft, Input, SeamChoice, StitchOptions, Stitched};
use js_sys::{Float32Array, Function};
use std::ops::Range;
use wasm_bindgen::prelude::*;

/// Gathers the clips of one `stitch`.
#[wasm_bindgen]
#[derive(Default)]
pub struct Stitcher {
    clips: Vec<ClipHandle>,
    trim: Vec<Option<Range<usize>>>,
    seam: SeamChoice,
    lscore: LscoreOptions,
}

#[wasm_bindgen]
impl Stitcher {
    /// Without clips.
    #[wasm_bindgen(constructor)]
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a clip: frames `from` to `to`, all of them where either is not given.
    pub fn add(&mut self, clip: &ClipHandle, from: Option<u32>, to: Option<u32>) {
        self.clips.push(clip.share());
        self.trim.push(from.zip(to).map(|(from, to)| from as usize..to as usize));
    }

    /// Cuts where the clips meet best; at most the part `max_cut` of each is cut away at a seam.
    #[wasm_bindgen(js_name = cutBest)]
    pub fn cut_best(&mut self, max_cut: f64) {
        self.seam = SeamChoice::Best { max_cut };
    }

    /// How cuts are scored: frames on each side, fewest and most frames to inject.
    #[wasm_bindgen(js_name = scoreCuts)]
    pub fn score_cuts(&mut self, window: u32, min_inject: u32, max_inject: u32) {
        self.lscore.window = window as usize;
        self.lscore.min_inject = min_inject as usize;
        self.lscore.max_inject = max_inject as usize;
    }

    /// Stitches. `progress(stage, done)` returns whether to go on.
    ///
    /// # Errors
    /// Throws what [`stitch::stitch`] returns, and whatever `progress` throws.
    pub fn run(
        &self,
        join: &str,
        blend_frames: u32,
        foot_lock: bool,
        fps: Option<f64>,
        name: Option<String>,
        progress: &Function,
    ) -> Result<StitchedHandle, JsValue> {
        let options = StitchOptions {
            join: Join::from_name(join).map_err(js_error)?,
            blend_frames: blend_frames as usize,
            foot_lock,
            ..self.options(fps, name)
        };
        let stitched = listened(progress, |progress| stitch::stitch(&self.inputs(), &options, progress))?;
        Ok(StitchedHandle::new(stitched, self.first()?))
    }

    /// Aligns the clips and joins them for the refiner; `foot_lock` is for the finish. `progress` as of [`Stitcher::run`].
    ///
    /// # Errors
    /// Throws what [`stitch::draft`] returns, and whatever `progress` throws.
    pub fn draft(
        &self,
        foot_lock: bool,
        fps: Option<f64>,
        name: Option<String>,
        progress: &Function,
    ) -> Result<DraftHandle, JsValue> {
        let options = StitchOptions { foot_lock, ..self.options(fps, name) };
        let draft = listened(progress, |progress| stitch::draft(&self.inputs(), &options, progress))?;
        Ok(DraftHandle { draft, first: self.first()?.share() })
    }
}

impl Stitcher {
    fn inputs(&self) -> Vec<Input<'_>> {
        self.clips.iter().map(ClipHandle::input).collect()
    }

    fn options(&self, fps: Option<f64>, name: Option<String>) -> StitchOptions {
        let (seam, lscore, trim) = (self.seam, self.lscore.clone(), self.trim.clone());
        StitchOptions { seam, lscore, trim, fps, name, ..StitchOptions::default() }
    }

    /// Stitching fails on an empty list, so after it there is a first clip.
    fn first(&self) -> Result<&ClipHandle, JsValue> {
        self.clips.first().ok_or_else(|| js_error(Error::Aborted))
    }
}

/// Clips joined for the refiner: rows for it to read, and the result from those it writes.
#[wasm_bindgen]
pub struct DraftHandle {
    draft: Draft,
    first: ClipHandle,
}

#[wasm_bindgen]
impl DraftHandle {
    /// Raw rows at 30 frames a second, [frames × 161].
    pub fn rows(&self) -> Float32Array {
        Float32Array::from(self.draft.rows())
    }

    /// First row of each incoming clip.
    pub fn seams(&self) -> Vec<u32> {
        self.draft.seams().into_iter().map(|seam| seam as u32).collect()
    }

    /// The result, from refined rows; takes the draft along. `progress` as of [`Stitcher::run`].
    ///
    /// # Errors
    /// Throws what [`Draft::finish`] returns, and whatever `progress` throws.
    pub fn finish(self, rows: &[f32], progress: &Function) -> Result<StitchedHandle, JsValue> {
        let Self { draft, first } = self;
        let stitched = listened(progress, |progress| draft.finish(rows, progress))?;
        Ok(StitchedHandle::new(stitched, &first))
    }
}

/// Result of `stitch`.
#[wasm_bindgen]
pub struct StitchedHandle {
    clip: ClipHandle,
    aligned: Vec<ClipHandle>,
    starts: Vec<u32>,
    seam_numbers: Vec<f64>,
    seam_methods: Vec<String>,
    warnings: Vec<String>,
}

impl StitchedHandle {
    fn new(stitched: Stitched, first: &ClipHandle) -> Self {
        let Stitched { clip, aligned, starts, seams, warnings, .. } = stitched;
        let numbers = seams.iter().flat_map(|seam| {
            let Range { start, end } = seam.edited;
            let frames = [seam.frame as f64, start as f64, end as f64];
            let cut = seam.cut.map_or([f64::NAN; 5], numbers);
            let measured =
                [seam.foot_skate, seam.peak_jerk, seam.refined.map_or(0.0, |refined| refined.drift_cm)].map(f64::from);
            frames.into_iter().chain(measured).chain(cut)
        });
        Self {
            clip: first.derived(clip),
            aligned: aligned.into_iter().map(|clip| first.derived(clip)).collect(),
            starts: starts.iter().map(|&start| start as u32).collect(),
            seam_numbers: numbers.collect(),
            seam_methods: seams
                .iter()
                .map(|seam| seam.refined.map_or(seam.join.name(), |_| "rmr").to_owned())
                .collect(),
            warnings,
        }
    }
}

#[wasm_bindgen]
impl StitchedHandle {
    /// The result as a clip.
    pub fn clip(&self) -> ClipHandle {
        self.clip.share()
    }

    /// The inputs as they were joined.
    pub fn aligned(&self) -> Vec<ClipHandle> {
        self.aligned.iter().map(ClipHandle::share).collect()
    }

    /// Frame of the result at which each aligned input begins.
    pub fn starts(&self) -> Vec<u32> {
        self.starts.clone()
    }

    /// Eleven numbers a seam: frame, first and last edited frame (exclusive), foot skate in metres a frame, peak jerk in m/s³,
    /// drift in centimetres; then the cut as of [`super::SeamScanner::cut`], not a number where there is none.
    #[wasm_bindgen(js_name = seamNumbers)]
    pub fn seam_numbers(&self) -> Vec<f64> {
        self.seam_numbers.clone()
    }

    /// Name of the method used at each seam.
    #[wasm_bindgen(js_name = seamMethods)]
    pub fn seam_methods(&self) -> Vec<String> {
        self.seam_methods.clone()
    }

    /// Things a person should know.
    pub fn warnings(&self) -> Vec<String> {
        self.warnings.clone()
    }
}
