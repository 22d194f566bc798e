//! `stitch` with its options, progress and result.

use super::listener::listened;
use super::options::StitchFields;
use super::stitched::StitchedHandle;
use super::value::from_js;
use super::{ClipHandle, js_error};
use crate::error::Error;
use crate::progress::Progress;
use crate::stitch::{self, Draft, Input, Joined, Prepared, StitchOptions};
use js_sys::{Float32Array, Function};
use wasm_bindgen::prelude::*;

/// Collects the clips of one `stitch`.
#[wasm_bindgen]
pub struct Stitcher {
    clips: Vec<ClipHandle>,
    options: StitchOptions,
    prepared: Option<Prepared>,
}

#[wasm_bindgen]
impl Stitcher {
    /// Without clips. `options`: those of the package's `stitch`, without callbacks.
    ///
    /// # Errors
    /// Throws an option error for invalid options.
    #[wasm_bindgen(constructor)]
    pub fn new(options: JsValue) -> Result<Self, JsValue> {
        let words: StitchFields = from_js("stitch", options)?;
        Ok(Self { clips: Vec::new(), options: words.asked().map_err(js_error)?.options, prepared: None })
    }

    /// Adds a clip by its bytes.
    ///
    /// # Errors
    /// Throws the errors of [`crate::motion::pack::unpack`].
    pub fn add(&mut self, bytes: &[u8]) -> Result<(), JsValue> {
        ClipHandle::gather(&mut self.clips, bytes)
    }

    /// Trims, resamples and retargets the clips; [`Stitcher::advance`] comes next. For the refiner, the options are
    /// replaced by those it needs. `progress(stage, done)` returns whether to continue.
    ///
    /// # Errors
    /// Throws the errors of [`Prepared::new`] and [`stitch::draft_options`], and any exception of `progress`.
    pub fn prepare(&mut self, refined: bool, progress: &Function) -> Result<(), JsValue> {
        if refined {
            self.options = stitch::draft_options(&self.inputs(), &self.options).map_err(js_error)?;
        }
        self.prepared = Some(listened(progress, |progress| Prepared::new(&self.inputs(), &self.options, progress))?);
        Ok(())
    }

    /// Searches for the cuts, for some hundredths of a second. Returns the completed fraction, 1 when the rest is
    /// fast.
    ///
    /// # Errors
    /// Throws the errors of [`Prepared::advance`], and any exception of `progress`.
    pub fn advance(&mut self, progress: &Function) -> Result<f32, JsValue> {
        let Some(prepared) = &mut self.prepared else { return Err(js_error(Error::Aborted)) };
        listened(progress, |progress| prepared.advance(progress))
    }

    /// Stitches the prepared clips. `progress` as in [`Stitcher::prepare`].
    ///
    /// # Errors
    /// Throws the errors of [`stitch::stitch`], and any exception of `progress`.
    pub fn run(&mut self, progress: &Function) -> Result<StitchedHandle, JsValue> {
        let stitched = self.joined(progress, |joined, progress| joined.finish(progress))?;
        Ok(StitchedHandle::new(stitched, self.first()?))
    }

    /// Joins the prepared clips for the refiner. `progress` as in [`Stitcher::prepare`].
    ///
    /// # Errors
    /// Throws the errors of [`stitch::draft`], and any exception of `progress`.
    pub fn draft(&mut self, progress: &Function) -> Result<DraftHandle, JsValue> {
        let draft = self.joined(progress, |joined, _| Draft::of(joined))?;
        Ok(DraftHandle { draft, first: self.first()?.share() })
    }
}

impl Stitcher {
    fn joined<T>(
        &mut self,
        progress: &Function,
        finish: impl FnOnce(Joined, &mut Progress) -> crate::error::Result<T>,
    ) -> Result<T, JsValue> {
        let Some(prepared) = self.prepared.take() else { return Err(js_error(Error::Aborted)) };
        listened(progress, |progress| {
            finish(stitch::join_prepared(prepared, &self.inputs(), &self.options, progress)?, progress)
        })
    }

    fn inputs(&self) -> Vec<Input<'_>> {
        self.clips.iter().map(ClipHandle::input).collect()
    }

    /// Stitching fails on an empty list, so afterwards a first clip exists.
    fn first(&self) -> Result<&ClipHandle, JsValue> {
        self.clips.first().ok_or_else(|| js_error(Error::Aborted))
    }
}

/// Clips joined for the refiner: gives its input rows, and the result from its output rows.
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

    /// The result, from refined rows; consumes the draft. `progress` as in [`Stitcher::run`].
    ///
    /// # Errors
    /// Throws the errors of [`Draft::finish`], and any exception of `progress`.
    pub fn finish(self, rows: &[f32], progress: &Function) -> Result<StitchedHandle, JsValue> {
        let Self { draft, first } = self;
        let stitched = listened(progress, |progress| draft.finish(rows, progress))?;
        Ok(StitchedHandle::new(stitched, &first))
    }
}
