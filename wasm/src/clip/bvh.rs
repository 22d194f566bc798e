//! Reading a BVH file in pieces, so that its text is never in wasm memory as a whole.

use super::ClipHandle;
use crate::error::js_error;
use kinestitch::error::Error;
use kinestitch::motion::bvh::{Parsed, Reader};
use wasm_bindgen::prelude::*;

/// A file being read; see [`Reader`].
#[wasm_bindgen]
pub struct BvhReader {
    reader: Option<Reader>,
}

#[wasm_bindgen]
impl BvhReader {
    /// Creates a reader of a file of `size` bytes.
    ///
    /// # Errors
    /// Throws the errors of [`Reader::new`].
    #[wasm_bindgen(constructor)]
    pub fn new(name: &str, size: f64) -> Result<Self, JsValue> {
        // JavaScript passes a float, because 32 bits cannot hold sizes from 4 GiB on. The conversion saturates, and the
        // reader refuses such sizes.
        let reader = Reader::new(name, size as usize).map_err(js_error)?;
        Ok(Self { reader: Some(reader) })
    }

    /// Takes the next piece; its copy in wasm memory is freed on return.
    ///
    /// # Errors
    /// Throws the errors of [`Reader::push`].
    pub fn push(&mut self, bytes: &[u8]) -> Result<(), JsValue> {
        self.reader.as_mut().map_or(Ok(()), |reader| reader.push(bytes)).map_err(js_error)
    }

    /// Returns the clip; may be called once.
    ///
    /// # Errors
    /// Throws the errors of [`Reader::finish`].
    pub fn finish(&mut self) -> Result<ClipHandle, JsValue> {
        let reader = self.reader.take().ok_or_else(|| js_error(Error::Aborted))?;
        let Parsed { clip, warnings, .. } = reader.finish().map_err(js_error)?;
        Ok(ClipHandle::new(clip, warnings))
    }
}
