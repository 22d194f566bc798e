//! Clips joined for the refiner, which may run on the CPU or the GPU.

use super::ClipHandle;
use super::listener::with_progress;
use super::stitched::StitchedHandle;
use js_sys::{Float32Array, Function};
use kinestitch::stitch::Draft;
use wasm_bindgen::prelude::*;

/// Clips joined for the refiner: gives its input rows, and the result from its output rows.
#[wasm_bindgen]
pub struct DraftHandle {
    draft: Draft,
    first: ClipHandle,
}

impl DraftHandle {
    /// `first`: the first clip.
    pub(super) fn new(draft: Draft, first: &ClipHandle) -> Self {
        Self { draft, first: first.share() }
    }
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

    /// Makes the result from refined rows; consumes the draft. `progress(stage, done)` returns whether to continue.
    ///
    /// # Errors
    /// Throws the errors of [`Draft::finish`], and any exception of `progress`.
    pub fn finish(self, rows: &[f32], progress: &Function) -> Result<StitchedHandle, JsValue> {
        let Self { draft, first } = self;
        let stitched = with_progress(progress, |progress| draft.finish(rows, progress))?;
        Ok(StitchedHandle::new(stitched, &first))
    }
}
