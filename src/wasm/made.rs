//! Clips from plain values, clips in place, and clips on another skeleton.

use super::value::from_js;
use super::{ClipHandle, js_error};
use crate::error::Error;
use crate::motion::build::{self, Bone};
#[cfg(not(feature = "small"))]
use crate::motion::{retarget::retarget, root::Root};
#[cfg(not(feature = "small"))]
use crate::stitch::Input;
use glam::{Quat, Vec3};
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
        warnings: Vec<String>,
    ) -> Result<ClipHandle, JsValue> {
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
        Ok(ClipHandle::new(clip.map_err(js_error)?, warnings))
    }
}

#[cfg(not(feature = "small"))]
#[wasm_bindgen]
impl ClipHandle {
    /// Returns the motion without its travel over the ground.
    #[wasm_bindgen(js_name = inPlace)]
    pub fn in_place(&self) -> ClipHandle {
        let Input { clip, rig } = self.input();
        let mut in_place = clip.clone();
        Root::new(clip.skeleton(), &[clip], rig).remove_travel(&mut in_place);
        self.derived(in_place)
    }

    /// Retargets the motion to the skeleton of `target`.
    ///
    /// # Errors
    /// Throws the errors of [`retarget`].
    pub fn retarget(&self, target: &ClipHandle) -> Result<ClipHandle, JsValue> {
        let (from, to) = (self.input(), target.input());
        Ok(target.derived(retarget(from.clip, from.rig, to.clip, to.rig).map_err(js_error)?))
    }
}
