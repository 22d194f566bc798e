//! Reading a BVH file in pieces, so that its text is never in wasm memory as a whole.

use super::ClipHandle;
use crate::error::js_error;
use crate::value::from_js;
use kinestitch::error::Error;
use kinestitch::motion::bvh::{Parsed, ReadOptions, Reader};
use wasm_bindgen::prelude::*;

/// A file being read; see [`Reader`].
#[wasm_bindgen]
pub struct BvhReader {
    reader: Option<Reader>,
}

#[wasm_bindgen]
impl BvhReader {
    /// Creates a reader of a file of `size` bytes. `options`: the package's `BvhOptions`.
    ///
    /// # Errors
    /// Throws the errors of [`Reader::new`], or an option error for invalid options.
    #[wasm_bindgen(constructor)]
    pub fn new(name: &str, size: f64, options: JsValue) -> Result<Self, JsValue> {
        let options: ReadOptions = from_js("unit", options)?;
        // JavaScript passes a float, because 32 bits cannot hold sizes from 4 GiB on. The conversion saturates, and the
        // reader refuses such sizes.
        let reader = Reader::new(name, size as usize, options).map_err(js_error)?;
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
        let Parsed { clip, source, .. } = reader.finish().map_err(js_error)?;
        Ok(ClipHandle::new(clip, source))
    }
}
