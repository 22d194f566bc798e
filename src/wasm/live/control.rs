//! A character that one steers: synchronous, it fills arrays of the caller's.

use super::value::to_js;
use super::{ClipHandle, js_error};
use crate::body::GroundFrame;
use crate::control::{Control, Controller, Pose};
use crate::method::controller::Network;
use crate::nn::weights::Weights;
use glam::{Vec2, Vec3};
use js_sys::Float32Array;
use serde::Serialize;
use std::sync::Arc;
use wasm_bindgen::prelude::*;

/// A network that moves a character.
#[wasm_bindgen]
pub struct CpuController {
    network: Arc<Network>,
}

/// What it is, as JavaScript gets it.
#[derive(Serialize)]
struct About<'a> {
    skeleton: Vec<Joint<'a>>,
    styles: &'a [String],
    actions: &'a [String],
    fastest: f32,
    limbs: Vec<&'a str>,
    contacts: Vec<&'a str>,
}

#[derive(Serialize)]
struct Joint<'a> {
    name: &'a str,
    parent: i32,
    offset: [f32; 3],
}

#[wasm_bindgen]
impl CpuController {
    /// Loads a weight file.
    ///
    /// # Errors
    /// Throws with code "weights" where it does not load.
    #[wasm_bindgen(constructor)]
    pub fn new(weights: &[u8]) -> Result<CpuController, JsValue> {
        let network = Weights::read(weights).and_then(|weights| Network::read(&weights));
        Ok(Self { network: Arc::new(network.map_err(js_error)?) })
    }

    /// Its body, and what it can be asked for.
    ///
    /// # Errors
    /// None that is known.
    pub fn about(&self) -> Result<JsValue, JsValue> {
        let Network { character, config, .. } = &*self.network;
        let name = |joint: usize| character.joints[joint].name.as_str();
        let joints = character.joints.iter().zip(&config.offsets);
        to_js(&About {
            skeleton: joints
                .map(|(joint, offset)| Joint {
                    name: &joint.name,
                    parent: joint.parent.map_or(-1, |parent| parent as i32),
                    offset: *offset,
                })
                .collect(),
            styles: &config.styles,
            // The first two are what the speed says.
            actions: &config.actions[2..],
            fastest: config.fastest,
            limbs: character.limbs().iter().map(|limb| name(limb.joint)).collect(),
            contacts: character.contacts.iter().map(|contact| name(contact.joint)).collect(),
        })
    }

    /// A character at rest.
    ///
    /// # Errors
    /// Throws what [`Controller::new`] returns.
    pub fn session(&self) -> Result<ControlSession, JsValue> {
        let controller = Controller::new(Arc::clone(&self.network)).map_err(js_error)?;
        Ok(ControlSession { controller, pose: Pose::default(), row: Vec::new() })
    }
}

/// A character that one steers.
#[wasm_bindgen]
pub struct ControlSession {
    controller: Controller,
    pose: Pose,
    row: Vec<f32>,
}

#[wasm_bindgen]
impl ControlSession {
    /// Goes on by some seconds. `action` is its index among `about().actions`.
    #[allow(clippy::too_many_arguments)]
    pub fn step(
        &mut self,
        x: f32,
        z: f32,
        facing: Option<f32>,
        speed: f32,
        style: u32,
        action: Option<u32>,
        seconds: f64,
    ) {
        let action = action.map(|action| action as usize + 2);
        let want = Control { direction: Vec2::new(x, z), facing, speed, style: style as usize, action };
        self.controller.step(&want, seconds, &mut self.pose);
    }

    /// Writes world positions, [joints × 3], local rotations, [joints × 4], phase vectors, [limbs × 2], probabilities of
    /// contacts, [contacts], and the path, [13 × 4], to arrays of exactly these lengths.
    ///
    /// # Errors
    /// Throws where an array has another length.
    pub fn fill(
        &mut self,
        positions: &Float32Array,
        rotations: &Float32Array,
        phases: &Float32Array,
        contacts: &Float32Array,
        path: &Float32Array,
    ) -> Result<(), JsValue> {
        let Self { controller, pose, row } = self;
        let mut put = |values: &mut dyn Iterator<Item = f32>, into: &Float32Array| {
            row.clear();
            row.extend(values);
            if into.length() as usize != row.len() {
                let message = format!("an array of {} numbers where {} are needed", into.length(), row.len());
                return Err(js_error(crate::Error::Option { option: "into", message }));
            }
            into.copy_from(row);
            Ok(())
        };
        put(&mut pose.positions.iter().flat_map(|place| place.to_array()), positions)?;
        put(&mut pose.rotations.iter().flat_map(|rotation| rotation.to_array()), rotations)?;
        put(&mut controller.phases().iter().flat_map(|phase| phase.to_array()), phases)?;
        put(&mut controller.contacts().iter().copied(), contacts)?;
        let path = (controller.path(), path);
        put(&mut path.0.iter().flat_map(|at| [at.place.x, at.place.z, at.ahead.x, at.ahead.z]), path.1)
    }

    /// Puts it somewhere else, at rest.
    pub fn place(&mut self, x: f32, z: f32, heading: f32) {
        self.controller.place(GroundFrame { position: Vec3::new(x, 0.0, z), heading });
    }

    /// Begins to record, from nothing.
    pub fn record(&mut self) {
        self.controller.record();
    }

    /// Ends recording; what was recorded.
    ///
    /// # Errors
    /// Throws what [`Controller::recorded`] returns.
    pub fn recorded(&mut self) -> Result<Option<ClipHandle>, JsValue> {
        Ok(self.controller.recorded().map_err(js_error)?.map(ClipHandle::inferred))
    }
}
