//! The last step of `replace` with `pin`.

use super::{ClipHandle, js_error};
use kinestitch::edit::pin;
use kinestitch::stitch::Input;
use wasm_bindgen::prelude::*;

#[wasm_bindgen]
impl ClipHandle {
    /// Bends the frames `from` to `to` (excluded), so that the frames after them are where they are in `source`, from
    /// its frame `source_frame` on; frames from `kept` on get their bits from `source`.
    ///
    /// # Errors
    /// Throws the errors of [`pin`].
    pub fn pin(
        &self,
        from: u32,
        to: u32,
        source: &ClipHandle,
        source_frame: u32,
        kept: u32,
    ) -> Result<ClipHandle, JsValue> {
        let Input { clip, rig } = self.input();
        let source = (source.input().clip, source_frame as usize);
        let pinned = pin(clip, rig, from as usize..to as usize, source, kept as usize);
        Ok(self.derived(pinned.map_err(js_error)?))
    }
}
