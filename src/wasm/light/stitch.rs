//! Binding of `stitch`, in steps between which the thread can receive messages.

use super::gathered::Gathered;
use super::stitched::StitchedHandle;
use js_sys::Function;
use wasm_bindgen::prelude::*;

/// One call of `stitch`: collects the clips, prepares them, searches for the cuts and joins the clips.
#[wasm_bindgen]
pub struct Stitcher {
    gathered: Gathered,
}

#[wasm_bindgen]
impl Stitcher {
    /// Creates a call without clips. `options`: those of the package's `stitch`, without callbacks.
    ///
    /// # Errors
    /// Throws an option error for invalid options.
    #[wasm_bindgen(constructor)]
    pub fn new(options: JsValue) -> Result<Self, JsValue> {
        Ok(Self { gathered: Gathered::new(options)? })
    }

    /// Adds a clip, packed as bytes by [`crate::motion::pack::pack`].
    ///
    /// # Errors
    /// Throws the errors of [`crate::motion::pack::unpack`].
    pub fn add(&mut self, bytes: &[u8]) -> Result<(), JsValue> {
        self.gathered.add(bytes)
    }

    /// Trims, resamples and retargets the clips; [`Stitcher::advance`] comes next. `progress(stage, done)` returns
    /// whether to continue.
    ///
    /// # Errors
    /// Throws the errors of [`crate::stitch::Prepared::new`], and any exception of `progress`.
    pub fn prepare(&mut self, progress: &Function) -> Result<(), JsValue> {
        self.gathered.prepare(progress)
    }

    /// Continues the search for the cuts for some hundredths of a second. Returns the completed fraction: 1 when
    /// [`Stitcher::run`] comes next.
    ///
    /// # Errors
    /// Throws the errors of [`crate::stitch::Prepared::advance`], any exception of `progress`, and "aborted" if the
    /// clips are not prepared.
    pub fn advance(&mut self, progress: &Function) -> Result<f32, JsValue> {
        self.gathered.advance(progress)
    }

    /// Stitches the prepared clips. `progress` as in [`Stitcher::prepare`].
    ///
    /// # Errors
    /// Throws the errors of [`crate::stitch::stitch`], any exception of `progress`, and "aborted" if the clips are not
    /// prepared.
    pub fn run(&mut self, progress: &Function) -> Result<StitchedHandle, JsValue> {
        let stitched = self.gathered.join(progress, |joined, progress| joined.finish(progress))?;
        Ok(StitchedHandle::new(stitched, self.gathered.first()?))
    }
}
