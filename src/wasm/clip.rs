//! A clip, its bone mapping and what can be asked of it.

use super::{CurvesHandle, js_error};
use crate::error::Error;
use crate::motion::clip::Clip;
use crate::motion::fk::Pose;
use crate::motion::rig::{self, Rig, RigKind, Role};
use crate::motion::skeleton::UpAxis;
use crate::motion::space::Unit;
use crate::motion::{bvh, glb, resample};
use crate::stitch::Input;
use js_sys::Float32Array;
use std::rc::Rc;
use wasm_bindgen::prelude::*;

/// Frames computed at once before they are copied into a JavaScript array: the copy in wasm memory stays small.
const CHUNK_FRAMES: usize = 1024;

/// One clip with its rig, immutable.
#[wasm_bindgen]
pub struct ClipHandle {
    clip: Rc<Clip>,
    rig: Rig,
    warnings: Vec<String>,
}

#[wasm_bindgen]
impl ClipHandle {
    /// Name for people.
    #[wasm_bindgen(getter)]
    pub fn name(&self) -> String {
        self.clip.name.clone()
    }

    /// Number of frames.
    #[wasm_bindgen(getter)]
    pub fn frames(&self) -> usize {
        self.clip.frames()
    }

    /// Frames a second.
    #[wasm_bindgen(getter)]
    pub fn fps(&self) -> f64 {
        self.clip.fps()
    }

    /// Length: frames times the frame time.
    #[wasm_bindgen(getter)]
    pub fn seconds(&self) -> f64 {
        self.clip.frames() as f64 * self.clip.frame_time_secs()
    }

    /// The file's unit of length, a word of `ClipInfo.unit`.
    #[wasm_bindgen(getter)]
    pub fn unit(&self) -> String {
        Unit::of(self.metres_per_unit()).name().to_owned()
    }

    /// Metres in one unit of the file.
    #[wasm_bindgen(getter, js_name = metresPerUnit)]
    pub fn metres_per_unit(&self) -> f64 {
        self.clip.skeleton().space().metres_per_unit
    }

    /// Vertical axis of the file, "Y" or "Z".
    #[wasm_bindgen(getter, js_name = upAxis)]
    pub fn up_axis(&self) -> String {
        match self.clip.skeleton().space().up {
            UpAxis::Y => "Y",
            UpAxis::Z => "Z",
        }
        .to_owned()
    }

    /// "biped" or "other".
    #[wasm_bindgen(getter)]
    pub fn kind(&self) -> String {
        match self.rig.kind {
            RigKind::Biped => "biped",
            RigKind::Other => "other",
        }
        .to_owned()
    }

    /// Joint names, parents first.
    #[wasm_bindgen(js_name = jointNames)]
    pub fn joint_names(&self) -> Vec<String> {
        self.clip.skeleton().joints().iter().map(|joint| joint.name.clone()).collect()
    }

    /// Parent of each joint, -1 for roots.
    #[wasm_bindgen(js_name = jointParents)]
    pub fn joint_parents(&self) -> Vec<i32> {
        self.clip.skeleton().joints().iter().map(|joint| joint.parent.map_or(-1, |parent| parent as i32)).collect()
    }

    /// Rest offsets, [joints × 3], metres.
    #[wasm_bindgen(js_name = jointOffsets)]
    pub fn joint_offsets(&self) -> Vec<f32> {
        self.clip.skeleton().joints().iter().flat_map(|joint| joint.offset.to_array()).collect()
    }

    /// Joint of each role in [`Role::ALL`], -1 for unmapped ones.
    #[wasm_bindgen(js_name = rigJoints)]
    pub fn rig_joints(&self) -> Vec<i32> {
        self.rig.joints.iter().map(|joint| joint.map_or(-1, |joint| joint as i32)).collect()
    }

    /// Doubts of the parser and of the bone mapping.
    pub fn warnings(&self) -> Vec<String> {
        [self.warnings.as_slice(), &self.rig.warnings].concat()
    }

    /// World positions, [frames × joints × 3], metres.
    pub fn positions(&self) -> Float32Array {
        let mut pose = Pose::default();
        self.by_frame(self.clip.joints() * 3, |frame, row| {
            pose.set(&self.clip, frame);
            row.extend(pose.world_positions.iter().flat_map(|position| position.to_array()));
        })
    }

    /// Local rotations x, y, z, w, [frames × joints × 4].
    pub fn rotations(&self) -> Float32Array {
        self.by_frame(self.clip.joints() * 4, |frame, row| {
            row.extend(self.clip.frame_rotations(frame).iter().flat_map(|rotation| rotation.to_array()));
        })
    }

    /// Speeds, contacts and jerks, for plots.
    pub fn curves(&self) -> CurvesHandle {
        CurvesHandle::of(&self.clip, &self.rig)
    }

    /// The clip as BVH text.
    #[wasm_bindgen(js_name = toBvh)]
    pub fn to_bvh(&self) -> String {
        bvh::write(&self.clip)
    }

    /// The clip as a binary glTF file.
    ///
    /// # Errors
    /// Throws what [`glb::write`] returns.
    #[wasm_bindgen(js_name = toGlb)]
    pub fn to_glb(&self) -> Result<Vec<u8>, JsValue> {
        glb::write(&self.clip).map_err(js_error)
    }

    /// The clip at another frame rate.
    ///
    /// # Errors
    /// Throws what [`resample::resample`] returns.
    pub fn resample(&self, fps: f64) -> Result<ClipHandle, JsValue> {
        let clip = resample::resample(&self.clip, fps).map_err(js_error)?;
        Ok(self.derived(clip))
    }

    /// The clip with other joints for some roles: indices into [`Role::ALL`], and a joint name or null for each.
    ///
    /// # Errors
    /// Throws what [`Rig::with`] returns, or an option error for a role that does not exist.
    #[wasm_bindgen(js_name = withRig)]
    pub fn with_rig(&self, roles: &[u8], joints: Vec<JsValue>) -> Result<ClipHandle, JsValue> {
        let names: Vec<Option<String>> = joints.iter().map(JsValue::as_string).collect();
        let edits = roles.iter().zip(&names).map(|(&role, name)| {
            let role = Role::ALL.get(role as usize).copied().ok_or_else(|| unknown_role(role))?;
            Ok((role, name.as_deref()))
        });
        let edits = edits.collect::<Result<Vec<_>, Error>>().map_err(js_error)?;
        let rig = self.rig.with(self.clip.skeleton(), &edits).map_err(|error| js_error(self.named(error)))?;
        Ok(ClipHandle { rig, ..self.share() })
    }
}

fn unknown_role(role: u8) -> Error {
    Error::Option { option: "rig", message: format!("there is no role {role}") }
}

impl ClipHandle {
    /// A clip fresh from a file; its bone mapping is inferred.
    pub(super) fn new(clip: Clip, warnings: Vec<String>) -> Self {
        let rig = rig::infer(&clip);
        Self { clip: Rc::new(clip), rig, warnings }
    }

    /// A clip computed from this one, on the same skeleton.
    pub(super) fn derived(&self, clip: Clip) -> Self {
        Self { clip: Rc::new(clip), rig: self.rig.clone(), warnings: self.warnings.clone() }
    }

    /// [`Rig::with`] does not know the clip its error is about.
    fn named(&self, error: Error) -> Error {
        match error {
            Error::Rig { message, .. } => Error::Rig { clip: self.clip.name.clone(), message },
            other => other,
        }
    }

    /// The same clip, sharing its frames.
    pub(super) fn share(&self) -> Self {
        Self { clip: Rc::clone(&self.clip), rig: self.rig.clone(), warnings: self.warnings.clone() }
    }

    /// The clip as an input of `stitch`.
    pub(super) fn input(&self) -> Input<'_> {
        Input { clip: &self.clip, rig: &self.rig }
    }

    /// Rows of `width` floats, one per frame, appended by `fill`, as a JavaScript array.
    fn by_frame(&self, width: usize, mut fill: impl FnMut(usize, &mut Vec<f32>)) -> Float32Array {
        let frames = self.clip.frames();
        let array = Float32Array::new_with_length((frames * width) as u32);
        let mut rows = Vec::with_capacity(frames.min(CHUNK_FRAMES) * width);
        for start in (0..frames).step_by(CHUNK_FRAMES) {
            let end = frames.min(start + CHUNK_FRAMES);
            rows.clear();
            (start..end).for_each(|frame| fill(frame, &mut rows));
            array.subarray((start * width) as u32, (end * width) as u32).copy_from(&rows);
        }
        array
    }
}
