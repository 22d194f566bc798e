//! `stitch` with its options, progress and result.

use super::lscore::numbers;
use super::{ClipHandle, js_error};
use crate::error::Error;
use crate::method::Method;
use crate::method::lscore::LscoreOptions;
use crate::stitch::{self, Progress, SeamChoice, StitchOptions, Stitched};
use js_sys::Function;
use std::ops::{ControlFlow, Range};
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
        method: &str,
        blend_frames: u32,
        foot_lock: bool,
        fps: Option<f64>,
        name: Option<String>,
        progress: &Function,
    ) -> Result<StitchedHandle, JsValue> {
        let options = StitchOptions {
            method: Method::from_name(method).map_err(js_error)?,
            blend_frames: blend_frames as usize,
            seam: self.seam,
            lscore: self.lscore.clone(),
            foot_lock,
            trim: self.trim.clone(),
            fps,
            name,
        };
        let inputs: Vec<_> = self.clips.iter().map(ClipHandle::input).collect();
        let mut thrown = None;
        let mut report = |Progress { stage, done }| match progress.call2(
            &JsValue::NULL,
            &stage.name().into(),
            &f64::from(done).into(),
        ) {
            Ok(go_on) if go_on.is_truthy() => ControlFlow::Continue(()),
            Ok(_) => ControlFlow::Break(()),
            Err(error) => {
                thrown = Some(error);
                ControlFlow::Break(())
            }
        };
        let stitched = stitch::stitch(&inputs, &options, &mut report);
        let stitched = stitched.map_err(|error| thrown.unwrap_or_else(|| js_error(error)))?;
        // `stitch` fails on an empty list, so there is a first clip.
        let first = self.clips.first().ok_or_else(|| js_error(Error::Aborted))?;
        Ok(StitchedHandle::new(stitched, first))
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
            frames.into_iter().chain([f64::from(seam.foot_skate), f64::from(seam.peak_jerk)]).chain(cut)
        });
        Self {
            clip: first.derived(clip),
            aligned: aligned.into_iter().map(|clip| first.derived(clip)).collect(),
            starts: starts.iter().map(|&start| start as u32).collect(),
            seam_numbers: numbers.collect(),
            seam_methods: seams.iter().map(|seam| seam.method.name().to_owned()).collect(),
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

    /// Ten numbers a seam: frame, first and last edited frame (exclusive), foot skate in metres a frame, peak jerk in m/s³;
    /// then the cut as of [`super::SeamScanner::cut`], not a number where there is none.
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
