//! The judge of recorded motion.

use super::stitched::FaultReport;
use super::value::to_js;
use super::{ClipHandle, js_error};
use js_sys::{Float32Array, Uint8Array};
use kinestitch::Progress;
use kinestitch::judge::{Judge, naturalness};
use kinestitch::stitch::{Input, find_seams};
use serde::Serialize;
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

/// A seam found in a motion, as a JavaScript object.
#[derive(Serialize)]
struct FoundSeam {
    /// First frame that differs from both clips.
    from: u32,
    to: u32,
    faults: Vec<FaultReport>,
}

/// Finds clips in a motion that was joined from them, in order, and returns the seams between them with their visible
/// faults: [{ from, to, faults }]. All clips are packed.
///
/// # Errors
/// Throws the errors of [`kinestitch::motion::pack::unpack`] and [`find_seams`].
#[wasm_bindgen(js_name = seamFaults)]
pub fn seam_faults(motion: &[u8], clips: Vec<Uint8Array>) -> Result<JsValue, JsValue> {
    let motion = ClipHandle::unpacked(motion, None)?;
    let clips: Vec<ClipHandle> =
        clips.iter().map(|bytes| ClipHandle::unpacked(&bytes.to_vec(), None)).collect::<Result<_, _>>()?;
    let inputs: Vec<Input> = clips.iter().map(ClipHandle::input).collect();
    let seams = find_seams(motion.input(), &inputs, &mut Progress::silent()).map_err(js_error)?;
    let found: Vec<FoundSeam> = seams
        .into_iter()
        .map(|measures| FoundSeam {
            from: measures.frames.start as u32,
            to: measures.frames.end as u32,
            faults: measures.faults().into_iter().map(FaultReport::from).collect(),
        })
        .collect();
    to_js(&found)
}
