//! The judge of recorded motion.

use super::{ClipHandle, js_error};
use js_sys::Float32Array;
use kinestitch::judge::{Judge, naturalness};
use kinestitch::stitch::Input;
use std::rc::Rc;
use wasm_bindgen::prelude::*;

/// The judge on the CPU: scores how far each frame of a motion is from recorded motion.
#[wasm_bindgen]
pub struct CpuJudge {
    judge: Rc<Judge>,
}

#[wasm_bindgen]
impl CpuJudge {
    /// Loads a weight file.
    ///
    /// # Errors
    /// Throws with code "weights" if it cannot be loaded.
    #[wasm_bindgen(constructor)]
    pub fn new(weights: &[u8]) -> Result<CpuJudge, JsValue> {
        Ok(Self { judge: Rc::new(Judge::read(weights).map_err(js_error)?) })
    }

    /// Returns the scores of a packed clip, [frames]: 0 or more, higher is less natural. At most one recorded frame in
    /// fifty scores above 1.
    ///
    /// # Errors
    /// Throws the errors of [`kinestitch::motion::pack::unpack`] and [`naturalness`].
    pub fn naturalness(&self, clip: &[u8]) -> Result<Float32Array, JsValue> {
        let clip = ClipHandle::unpacked(clip, None)?;
        let Input { clip, rig } = clip.input();
        Ok(Float32Array::from(&naturalness(&self.judge, clip, rig).map_err(js_error)?[..]))
    }
}

impl CpuJudge {
    /// Returns the shared judge.
    pub(super) fn share(&self) -> Rc<Judge> {
        Rc::clone(&self.judge)
    }
}
