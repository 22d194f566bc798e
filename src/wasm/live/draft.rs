//! Clips joined for the refiner, which may run on the CPU or the GPU.

use super::ClipHandle;
use super::gathered::Gathered;
use super::listener::with_progress;
use super::stitched::StitchedHandle;
use crate::stitch::Draft;
use js_sys::{Float32Array, Function};
use wasm_bindgen::prelude::*;

/// Collects the clips of one draft.
#[wasm_bindgen]
pub struct Drafter {
    gathered: Gathered,
}

#[wasm_bindgen]
impl Drafter {
    /// Creates a collection without clips. `options`: those of the package's `stitch`, without callbacks.
    ///
    /// # Errors
    /// Throws an option error for invalid options.
    #[wasm_bindgen(constructor)]
    pub fn new(options: JsValue) -> Result<Self, JsValue> {
        Ok(Self { gathered: Gathered::new(options)? })
    }

    /// Adds a clip as packed bytes ([`crate::motion::pack`]).
    ///
    /// # Errors
    /// Throws the errors of [`crate::motion::pack::unpack`].
    pub fn add(&mut self, bytes: &[u8]) -> Result<(), JsValue> {
        self.gathered.add(bytes)
    }

    /// Trims, resamples and retargets the clips, with the options that the refiner needs; [`Drafter::advance`] comes
    /// next. `progress(stage, done)` returns whether to continue.
    ///
    /// # Errors
    /// Throws the errors of [`crate::stitch::draft_options`] and [`crate::stitch::Prepared::new`], and any exception
    /// of `progress`.
    pub fn prepare(&mut self, progress: &Function) -> Result<(), JsValue> {
        self.gathered.set_draft_options()?;
        self.gathered.prepare(progress)
    }

    /// Searches for the cuts, for some hundredths of a second. Returns the completed fraction, 1 when [`Drafter::run`]
    /// comes next.
    ///
    /// # Errors
    /// Throws the errors of [`crate::stitch::Prepared::advance`], any exception of `progress`, and "aborted" if the
    /// clips are not prepared.
    pub fn advance(&mut self, progress: &Function) -> Result<f32, JsValue> {
        self.gathered.advance(progress)
    }

    /// Joins the prepared clips. `progress` as in [`Drafter::prepare`].
    ///
    /// # Errors
    /// Throws the errors of [`crate::stitch::draft`], any exception of `progress`, and "aborted" if the clips are not
    /// prepared.
    pub fn run(&mut self, progress: &Function) -> Result<DraftHandle, JsValue> {
        let draft = self.gathered.join(progress, |joined, _| Draft::new(joined))?;
        Ok(DraftHandle { draft, first: self.gathered.first()?.share() })
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
    /// Returns the rows at 30 frames per second, not normalised, [frames × 161].
    pub fn rows(&self) -> Float32Array {
        Float32Array::from(self.draft.rows())
    }

    /// Returns the seams to refine, each as the index of the first row of the incoming clip.
    pub fn seams(&self) -> Vec<u32> {
        self.draft.seam_rows().into_iter().map(|row| row as u32).collect()
    }

    /// Makes the result from refined rows; consumes the draft. `progress` as in [`Drafter::prepare`].
    ///
    /// # Errors
    /// Throws the errors of [`Draft::finish`], and any exception of `progress`.
    pub fn finish(self, rows: &[f32], progress: &Function) -> Result<StitchedHandle, JsValue> {
        let Self { draft, first } = self;
        let stitched = with_progress(progress, |progress| draft.finish(rows, progress))?;
        Ok(StitchedHandle::new(stitched, &first))
    }
}
