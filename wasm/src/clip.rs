//! A clip with its bone mapping as a JavaScript handle: made from bytes and returned as bytes. Both modules with clips
//! also read files and plain values; only the main module computes with clips.

mod bvh;
pub(crate) mod curves;
mod made;
mod methods;

use crate::error::js_error;
use kinestitch::Input;
use kinestitch::motion::clip::Clip;
use kinestitch::motion::pack::{self, UnpackedClip};
use kinestitch::motion::rig::{Rig, RigKind};
use kinestitch::motion::source::Source;
use std::rc::Rc;
use wasm_bindgen::prelude::*;

/// One clip with its rig, immutable.
#[wasm_bindgen]
pub struct ClipHandle {
    clip: Rc<Clip>,
    rig: Rig,
    source: Source,
}

#[wasm_bindgen]
impl ClipHandle {
    /// Encodes the clip as bytes, without loss.
    ///
    /// # Errors
    /// Throws the errors of [`pack::pack`].
    pub fn pack(&self) -> Result<Vec<u8>, JsValue> {
        pack::pack(&self.clip, &self.rig, &self.source).map_err(js_error)
    }
}

impl ClipHandle {
    /// Reads a clip from bytes, with the skeleton of `reference` if it is equal.
    pub(crate) fn unpacked(bytes: &[u8], reference: Option<&ClipHandle>) -> Result<Self, JsValue> {
        let skeleton = reference.map(|reference| reference.clip.skeleton());
        let UnpackedClip { clip, rig, source } = pack::unpack(bytes, skeleton).map_err(js_error)?;
        Ok(Self { clip: Rc::new(clip), rig, source })
    }

    fn kind_name(&self) -> &'static str {
        match self.rig.kind {
            RigKind::Biped => "biped",
            RigKind::Quadruped => "quadruped",
            RigKind::Other => "other",
        }
    }

    /// Creates a handle of a clip that was computed from this one, on the same skeleton.
    pub(crate) fn derived(&self, clip: Clip) -> Self {
        Self { clip: Rc::new(clip), rig: self.rig.clone(), source: self.source.clone() }
    }

    /// Returns this handle with more warnings, one sentence each.
    pub(crate) fn with_warnings(mut self, warnings: impl IntoIterator<Item = String>) -> Self {
        self.source.warnings.extend(warnings);
        self
    }

    /// Returns another handle of this clip; both share its frames.
    pub(crate) fn share(&self) -> Self {
        Self { clip: Rc::clone(&self.clip), rig: self.rig.clone(), source: self.source.clone() }
    }

    /// Returns the clip as an input of `stitch`.
    pub(crate) fn input(&self) -> Input<'_> {
        Input { clip: &self.clip, rig: &self.rig }
    }
}
