//! Methods of the package's `Clip`, and reading it from bytes.

use super::ClipHandle;
use super::curves::curves;
use crate::error::js_error;
use crate::value::{from_js, to_js};
use kinestitch::error::Error;
use kinestitch::motion::clip::Clip;
use kinestitch::motion::rig::{self, AnyRole};
use kinestitch::motion::skeleton::{Joint, UpAxis};
use kinestitch::motion::source::{Reasons, Source};
use kinestitch::motion::space::Unit;
use kinestitch::motion::{bvh, glb, resample};
use serde::Serialize;
use std::collections::BTreeMap;
use std::rc::Rc;
use wasm_bindgen::prelude::*;

#[wasm_bindgen]
impl ClipHandle {
    /// Reads a clip from the bytes of [`ClipHandle::pack`].
    ///
    /// # Errors
    /// Throws the errors of [`kinestitch::motion::pack::unpack`].
    pub fn unpack(bytes: &[u8]) -> Result<ClipHandle, JsValue> {
        Self::unpacked(bytes, None)
    }

    /// Returns the package's `info` of the clip.
    ///
    /// # Errors
    /// None known.
    pub fn info(&self) -> Result<JsValue, JsValue> {
        let skeleton = self.clip.skeleton();
        let joint = |joint: &Joint| JointReport {
            name: joint.name.clone(),
            parent: joint.parent.map_or(-1, |parent| parent as i32),
            offset: joint.offset.to_array(),
        };
        let metres_per_unit = skeleton.space().metres_per_unit;
        to_js(&Info {
            name: &self.clip.name,
            joints: skeleton.joints().iter().map(joint).collect(),
            frames: self.clip.frames() as u32,
            fps: self.clip.fps(),
            // By the frame rate, as all methods that take a time; the file's frame time may be rounded.
            seconds: self.clip.frames() as f64 / self.clip.fps(),
            unit: Unit::from_scale(metres_per_unit).name(),
            metres_per_unit,
            up_axis: match skeleton.space().up {
                UpAxis::Y => "Y",
                UpAxis::Z => "Z",
            },
            kind: self.kind_name(),
            rig: self.rig.mapped_names(skeleton).collect(),
            warnings: [self.source.warnings.as_slice(), &self.rig.warnings].concat(),
            left_out: &self.source.left_out,
            guesses: self.source.reasons.as_ref(),
            bodies: &self.source.bodies,
        })
    }

    /// Returns the indices of the joints that have a translation in each frame.
    pub fn translated(&self) -> Vec<u32> {
        self.clip.skeleton().translated().iter().map(|&joint| joint as u32).collect()
    }

    /// Returns speeds, contacts and jerks, for plots: `ClipCurves` of the package.
    pub fn curves(&self) -> JsValue {
        curves(self.input())
    }

    /// Encodes the clip as BVH text.
    ///
    /// # Errors
    /// Throws the errors of [`bvh::write`].
    #[wasm_bindgen(js_name = toBvh)]
    pub fn to_bvh(&self) -> Result<String, JsValue> {
        bvh::write(&self.clip).map_err(js_error)
    }

    /// Encodes the clip as a binary glTF file.
    ///
    /// # Errors
    /// Throws the errors of [`glb::write`].
    #[wasm_bindgen(js_name = toGlb)]
    pub fn to_glb(&self) -> Result<Vec<u8>, JsValue> {
        glb::write(&self.clip).map_err(js_error)
    }

    /// Resamples the clip to another frame rate.
    ///
    /// # Errors
    /// Throws the errors of [`resample::resample`].
    pub fn resample(&self, fps: f64) -> Result<ClipHandle, JsValue> {
        let clip = resample::resample(&self.clip, fps).map_err(js_error)?;
        Ok(self.derived(clip))
    }

    /// Returns the clip with changes to its bone mapping. `edits`: pairs of a role and the name of its joint, or null
    /// for a role without a joint.
    ///
    /// # Errors
    /// Throws the errors of [`rig::Rig::with_changes`], or an option error for an unknown role.
    #[wasm_bindgen(js_name = withRig)]
    pub fn with_rig(&self, edits: JsValue) -> Result<ClipHandle, JsValue> {
        let edits: Vec<(String, Option<String>)> = from_js("rig", edits)?;
        let edits = edits.iter().map(|(role, joint)| Ok((AnyRole::from_name(role)?, joint.as_deref())));
        let edits: Vec<(AnyRole, Option<&str>)> = edits.collect::<kinestitch::Result<_>>().map_err(js_error)?;
        let rig = self
            .rig
            .with_changes(self.clip.skeleton(), &edits)
            .map_err(|error| js_error(self.with_clip_name(error)))?;
        Ok(ClipHandle { rig, ..self.share() })
    }
}

#[derive(Serialize)]
struct JointReport {
    name: String,
    parent: i32,
    offset: [f32; 3],
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Info<'a> {
    name: &'a str,
    joints: Vec<JointReport>,
    frames: u32,
    fps: f64,
    seconds: f64,
    unit: &'static str,
    metres_per_unit: f64,
    up_axis: &'static str,
    kind: &'static str,
    rig: BTreeMap<AnyRole, &'a str>,
    warnings: Vec<String>,
    left_out: &'a [String],
    #[serde(skip_serializing_if = "Option::is_none")]
    guesses: Option<&'a Reasons>,
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    bodies: &'a [String],
}

impl ClipHandle {
    /// Creates a handle of a clip from a file or from values of the caller; its bone mapping is inferred. `source`:
    /// remarks on the input.
    pub(crate) fn new(clip: Clip, source: Source) -> Self {
        let rig = rig::infer(&clip);
        Self { clip: Rc::new(clip), rig, source }
    }

    /// Adds the clip's name to an error of [`rig::Rig::with_changes`], which does not know it.
    fn with_clip_name(&self, error: Error) -> Error {
        match error {
            Error::Rig { message, .. } => Error::Rig { clip: self.clip.name.clone(), message },
            other => other,
        }
    }
}
