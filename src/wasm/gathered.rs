//! The clips and options of one stitch, prepared in steps: for the light module's `Stitcher` and the live module's
//! `Drafter`.

use super::listener::with_progress;
use super::options::StitchFields;
use super::value::from_js;
use super::{ClipHandle, js_error};
use crate::error::{Error, Result};
use crate::progress::Progress;
use crate::stitch::{self, Input, Joined, Prepared, StitchOptions};
use js_sys::Function;
use wasm_bindgen::prelude::*;

/// Clips of one stitch.
pub(super) struct Gathered {
    clips: Vec<ClipHandle>,
    options: StitchOptions,
    prepared: Option<Prepared>,
}

impl Gathered {
    /// Creates a collection without clips. `options`: those of the package's `stitch`, without callbacks.
    ///
    /// # Errors
    /// Throws an option error for invalid options.
    pub(super) fn new(options: JsValue) -> std::result::Result<Self, JsValue> {
        let fields: StitchFields = from_js("stitch", options)?;
        Ok(Self { clips: Vec::new(), options: fields.request().map_err(js_error)?.options, prepared: None })
    }

    /// Adds a clip by its bytes.
    ///
    /// # Errors
    /// Throws the errors of [`crate::motion::pack::unpack`].
    pub(super) fn add(&mut self, bytes: &[u8]) -> std::result::Result<(), JsValue> {
        ClipHandle::gather(&mut self.clips, bytes)
    }

    /// Replaces the options by those of a draft for the refiner.
    ///
    /// # Errors
    /// Throws the errors of [`stitch::draft_options`].
    #[cfg(feature = "live")]
    pub(super) fn set_draft_options(&mut self) -> std::result::Result<(), JsValue> {
        self.options = stitch::draft_options(&self.inputs(), &self.options).map_err(js_error)?;
        Ok(())
    }

    /// Trims, resamples and retargets the clips; [`Gathered::advance`] comes next. `progress(stage, done)` returns
    /// whether to continue.
    ///
    /// # Errors
    /// Throws the errors of [`Prepared::new`], and any exception of `progress`.
    pub(super) fn prepare(&mut self, progress: &Function) -> std::result::Result<(), JsValue> {
        self.prepared =
            Some(with_progress(progress, |progress| Prepared::new(&self.inputs(), &self.options, progress))?);
        Ok(())
    }

    /// Searches for the cuts, for some hundredths of a second. Returns the completed fraction, 1 when
    /// [`Gathered::join`] comes next.
    ///
    /// # Errors
    /// Throws the errors of [`Prepared::advance`], any exception of `progress`, and "aborted" if the clips are not
    /// prepared.
    pub(super) fn advance(&mut self, progress: &Function) -> std::result::Result<f32, JsValue> {
        let Some(prepared) = &mut self.prepared else { return Err(js_error(Error::Aborted)) };
        with_progress(progress, |progress| prepared.advance(progress))
    }

    /// Joins the prepared clips, and passes them to `finish`.
    ///
    /// # Errors
    /// Throws the errors of [`stitch::join_prepared`] and of `finish`, any exception of `progress`, and "aborted" if
    /// the clips are not prepared.
    pub(super) fn join<T>(
        &mut self,
        progress: &Function,
        finish: impl FnOnce(Joined, &mut Progress) -> Result<T>,
    ) -> std::result::Result<T, JsValue> {
        let Some(prepared) = self.prepared.take() else { return Err(js_error(Error::Aborted)) };
        with_progress(progress, |progress| {
            finish(stitch::join_prepared(prepared, &self.inputs(), &self.options, progress)?, progress)
        })
    }

    /// Returns the first clip. It exists after stitching, which fails on an empty list.
    ///
    /// # Errors
    /// Throws "aborted" if there are no clips.
    pub(super) fn first(&self) -> std::result::Result<&ClipHandle, JsValue> {
        self.clips.first().ok_or_else(|| js_error(Error::Aborted))
    }

    fn inputs(&self) -> Vec<Input<'_>> {
        self.clips.iter().map(ClipHandle::input).collect()
    }
}
