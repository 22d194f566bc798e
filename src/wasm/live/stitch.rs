//! `stitch` with networks: each seam in a given join, or in the most natural one.

use super::inbetweener::{CpuInbetweener, LoadedNetworks};
use super::judge::CpuJudge;
use super::listener::with_progress;
use super::options::{StitchFields, StitchRequest};
use super::refiner::CpuRefiner;
use super::stitched::StitchedHandle;
use super::value::from_js;
use super::{ClipHandle, js_error};
use crate::error::Error;
use crate::judge::Judge;
use crate::judge::score::Scoring;
use crate::method::rmr::PackedRmr;
use crate::stitch::{Auto, AutoOptions, Input, stitch_with_networks};
use js_sys::Function;
use std::rc::Rc;
use wasm_bindgen::prelude::*;

/// Collects the clips and networks of one call of `stitch`.
#[wasm_bindgen]
pub struct AutoStitcher {
    clips: Vec<ClipHandle>,
    request: StitchRequest,
    networks: LoadedNetworks,
    refiner: Option<Rc<PackedRmr>>,
    judge: Option<Rc<Judge>>,
    auto: Option<Auto>,
}

#[wasm_bindgen]
impl AutoStitcher {
    /// Creates a collection without clips. `options`: those of the package's `stitch`, without callbacks.
    ///
    /// # Errors
    /// Throws an option error for invalid options.
    #[wasm_bindgen(constructor)]
    pub fn new(options: JsValue) -> Result<Self, JsValue> {
        let fields: StitchFields = from_js("stitch", options)?;
        let request = fields.request().map_err(js_error)?;
        Ok(Self {
            clips: Vec::new(),
            request,
            networks: LoadedNetworks::default(),
            refiner: None,
            judge: None,
            auto: None,
        })
    }

    /// Adds a clip by its bytes.
    ///
    /// # Errors
    /// Throws the errors of [`crate::motion::pack::unpack`].
    pub fn add(&mut self, bytes: &[u8]) -> Result<(), JsValue> {
        ClipHandle::gather(&mut self.clips, bytes)
    }

    /// Adds a network that fills gaps, for the method of its name.
    pub fn network(&mut self, network: &CpuInbetweener) {
        self.networks.add(network);
    }

    /// Sets the network that refines seams.
    pub fn refiner(&mut self, network: &CpuRefiner) {
        self.refiner = Some(network.share());
    }

    /// Sets the judge that compares joins.
    pub fn judge(&mut self, judge: &CpuJudge) {
        self.judge = Some(judge.share());
    }

    /// Trims, resamples and retargets the clips if joins are searched; [`AutoStitcher::advance`] comes next.
    /// `progress(stage, done)` returns whether to continue.
    ///
    /// # Errors
    /// Throws the errors of [`Auto::new`], and any exception of `progress`.
    pub fn prepare(&mut self, progress: &Function) -> Result<(), JsValue> {
        if self.request.is_auto {
            let auto = with_progress(progress, |progress| Auto::new(&self.inputs(), &self.request.options, progress))?;
            self.auto = Some(auto);
        }
        Ok(())
    }

    /// Continues a cut search or tries one join. Returns the completed fraction, 1 when [`AutoStitcher::run`] comes
    /// next.
    ///
    /// # Errors
    /// Throws the errors of [`Auto::advance`], and any exception of `progress`.
    pub fn advance(&mut self, progress: &Function) -> Result<f32, JsValue> {
        let Some(mut auto) = self.auto.take() else { return Ok(1.0) };
        let inputs = self.inputs();
        let first = inputs.first().ok_or_else(|| js_error(Error::Aborted))?;
        let options = self.auto_options();
        let fraction =
            with_progress(progress, |progress| auto.advance(first, &self.request.options, &options, progress))?;
        self.auto = Some(auto);
        Ok(fraction)
    }

    /// Sets the duration of the last trial, milliseconds; no effect if the last step tried no join.
    #[wasm_bindgen(js_name = setTrialDuration)]
    pub fn set_trial_duration(&mut self, milliseconds: f64) {
        if let Some(auto) = &mut self.auto {
            auto.set_duration(milliseconds);
        }
    }

    /// Stitches. `progress` as in [`AutoStitcher::prepare`].
    ///
    /// # Errors
    /// Throws the errors of [`stitch_with_networks`], any exception of `progress`, and "aborted" if joins are to be
    /// searched but the clips are not prepared.
    pub fn run(&mut self, progress: &Function) -> Result<StitchedHandle, JsValue> {
        let auto = self.auto.take();
        let (inputs, options) = (self.inputs(), self.auto_options());
        let stitched = with_progress(progress, |progress| match auto {
            Some(auto) => auto.finish(&inputs, &self.request.options, &options, progress),
            None if self.request.is_auto => Err(Error::Aborted),
            None => stitch_with_networks(&inputs, &self.request.options, options.networks, options.refiner, progress),
        })?;
        // Stitching fails on an empty list, so afterwards a first clip exists.
        let first = self.clips.first().ok_or_else(|| js_error(Error::Aborted))?;
        Ok(StitchedHandle::new(stitched, first))
    }
}

impl AutoStitcher {
    fn inputs(&self) -> Vec<Input<'_>> {
        self.clips.iter().map(ClipHandle::input).collect()
    }

    fn auto_options(&self) -> AutoOptions<'_> {
        AutoOptions {
            max_cut_secs: self.request.max_cut_secs,
            keep: self.request.keep,
            networks: &self.networks.fillers,
            refiner: self.refiner.as_deref(),
            scoring: Scoring { judge: self.judge.as_deref() },
        }
    }
}
