//! Clips from plain values.

use super::ClipHandle;
use crate::error::js_error;
use crate::value::from_js;
use glam::{Quat, Vec3};
use kinestitch::error::Error;
use kinestitch::motion::build::{self, Bone};
use kinestitch::motion::source::Source;
use serde::Deserialize;
use wasm_bindgen::prelude::*;

/// A joint of the package's `MotionData`.
#[derive(Deserialize)]
struct BoneFields {
    name: String,
    /// Index of the parent; -1 for a root.
    parent: i32,
    /// Offset from the parent at rest, metres.
    offset: [f32; 3],
    /// Whether the joint has translations; roots have them in any case.
    #[serde(default)]
    moves: bool,
}

/// Remarks of the package's `MotionData`.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Remarks {
    warnings: Vec<String>,
    left_out: Vec<String>,
}

#[wasm_bindgen]
impl ClipHandle {
    /// Creates a clip from the package's `MotionData`; its bone mapping is inferred. Shapes of `rotations` and
    /// `translations`: see [`build::build_clip`].
    ///
    /// # Errors
    /// Throws the errors of [`build::build_clip`], an option error for invalid joints, [`Error::Skeleton`] for a parent
    /// below -1, and [`Error::Clip`] for an incomplete rotation or translation.
    pub fn of(
        name: &str,
        fps: f64,
        joints: JsValue,
        rotations: &[f32],
        translations: &[f32],
        remarks: JsValue,
    ) -> Result<ClipHandle, JsValue> {
        let Remarks { warnings, left_out } = from_js("warnings", remarks)?;
        let joints: Vec<BoneFields> = from_js("joints", joints)?;
        if let Some((joint, fields)) = joints.iter().enumerate().find(|(_, fields)| fields.parent < -1) {
            let message = format!("its parent is {}; use -1 for a root", fields.parent);
            return Err(js_error(Error::Skeleton { joint, name: fields.name.clone(), message }));
        }
        let bone = |BoneFields { name, parent, offset, moves }| Bone {
            name,
            parent: usize::try_from(parent).ok(),
            offset: Vec3::from_array(offset),
            has_translation: moves,
        };
        let (rotations, incomplete_rotation) = rotations.as_chunks::<4>();
        let (translations, incomplete_translation) = translations.as_chunks::<3>();
        if !incomplete_rotation.is_empty() || !incomplete_translation.is_empty() {
            let message = "a rotation needs 4 numbers, and a translation 3: the last one is incomplete".to_owned();
            return Err(js_error(Error::Clip { clip: name.to_owned(), message }));
        }
        let rotations = rotations.iter().map(|&rotation| Quat::from_array(rotation)).collect();
        let translations = translations.iter().map(|&position| Vec3::from_array(position)).collect();
        let clip = build::build_clip(name, joints.into_iter().map(bone).collect(), fps, rotations, translations);
        let source = Source { warnings, left_out, ..Source::default() };
        Ok(ClipHandle::new(clip.map_err(js_error)?, source))
    }
}
