//! Local motion phases of a clip, per limb.

use super::value::from_js;
use super::{ClipHandle, js_error};
use crate::clip::curves::{bytes, floats};
use glam::Vec3;
use js_sys::{Array, Object, Reflect};
use kinestitch::error::Error;
use kinestitch::method::phase::{self, ContactSurface, Limb, OBJECT_SPEED, ObjectTrack, PhaseOptions};
use kinestitch::motion::clip::Clip;
use kinestitch::stitch::Input;
use serde::Deserialize;
use wasm_bindgen::prelude::*;

/// `PhaseOptions` of the package.
#[derive(Default, Deserialize)]
#[serde(default)]
struct PhaseFields {
    joints: Vec<String>,
    object: Option<ObjectFields>,
}

#[derive(Deserialize)]
struct ObjectFields {
    positions: Vec<f32>,
    radius: f32,
    speed: Option<f32>,
}

impl ObjectFields {
    fn track(self) -> Result<ObjectTrack, Error> {
        let (points, remainder) = self.positions.as_chunks::<3>();
        if !remainder.is_empty() {
            let message = format!("its positions are {} numbers, which is not a multiple of 3", self.positions.len());
            return Err(Error::Option { option: "object", message });
        }
        let positions = points.iter().map(|&point| Vec3::from_array(point)).collect();
        Ok(ObjectTrack { positions, radius: self.radius, speed: self.speed.unwrap_or(OBJECT_SPEED) })
    }
}

#[wasm_bindgen]
impl ClipHandle {
    /// Returns the phases of limbs: `LimbPhases` of the package. `options`: its `PhaseOptions`.
    ///
    /// # Errors
    /// Throws the errors of [`phase::phases`], and an option error for invalid options.
    pub fn phases(&self, options: JsValue) -> Result<Array, JsValue> {
        let PhaseFields { joints, object } = from_js("phases", options)?;
        let object = object.map(ObjectFields::track).transpose().map_err(js_error)?;
        let Input { clip, rig } = self.input();
        let limbs = phase::phases(clip, rig, &PhaseOptions { joints, object }).map_err(js_error)?;
        Ok(limbs.iter().map(|limb| limb_to_js(limb, clip)).collect())
    }
}

fn limb_to_js(limb: &Limb, clip: &Clip) -> JsValue {
    let object = Object::new();
    // Setting a property of a fresh ordinary object cannot fail.
    let set = |key: &str, value: JsValue| drop(Reflect::set(&object, &key.into(), &value));
    let fits = |value: fn(&phase::fit::Sinusoid) -> f64| {
        floats(&limb.fits.iter().map(|fit| value(fit) as f32).collect::<Vec<_>>())
    };
    set("name", limb.name.as_str().into());
    set("joint", clip.skeleton().joints()[limb.joint].name.as_str().into());
    let touches = match limb.touches {
        ContactSurface::Ground => "ground",
        ContactSurface::Object => "object",
    };
    set("touches", touches.into());
    set("contact", bytes(&limb.contact.iter().map(|&touches| u8::from(touches)).collect::<Vec<_>>()));
    set("filtered", floats(&limb.filtered.iter().map(|&value| value as f32).collect::<Vec<_>>()));
    set("fit", fits(|fit| fit.at(0.0)));
    set("phase", fits(|fit| fit.phase));
    set("frequency", fits(|fit| fit.frequency));
    set("amplitude", fits(|fit| fit.amplitude));
    set("vector", floats(&limb.vectors.iter().flat_map(|vector| vector.to_array()).collect::<Vec<_>>()));
    object.into()
}
