//! An interactively controlled character: synchronous, fills arrays of the caller.

use super::value::to_js;
use super::{ClipHandle, js_error};
use glam::{Vec2, Vec3};
use js_sys::Float32Array;
use kinestitch::body::GroundPose;
use kinestitch::control::{Control, Controller, HeightField, Pose};
use kinestitch::method::controller::Network;
use kinestitch::nn::weights::Weights;
use kinestitch::stitch::Input;
use serde::Serialize;
use std::sync::Arc;
use wasm_bindgen::prelude::*;

/// A network that moves a character.
#[wasm_bindgen]
pub struct CpuController {
    network: Arc<Network>,
}

/// Description of a controller, as passed to JavaScript.
#[derive(Serialize)]
struct About<'a> {
    skeleton: Vec<Joint<'a>>,
    styles: &'a [String],
    actions: &'a [String],
    /// Metres of the displayed skeleton per metre of the network's body.
    scale: f32,
    /// Largest speed, metres per second of the displayed skeleton.
    fastest: f32,
    /// For each limb with a phase, the name of its contact joint; the heel if toes belong to the limb.
    limbs: Vec<&'a str>,
    /// Names of the joints with contacts.
    contacts: Vec<&'a str>,
    /// Whether `noise` varies the paths: whether the weights have generative control.
    varies: bool,
}

/// A joint, as passed to JavaScript.
#[derive(Serialize)]
pub(super) struct Joint<'a> {
    name: &'a str,
    parent: i32,
    offset: [f32; 3],
}

impl<'a> Joint<'a> {
    pub(super) fn of(joint: &'a kinestitch::Joint) -> Self {
        Self {
            name: &joint.name,
            parent: joint.parent.map_or(-1, |parent| parent as i32),
            offset: joint.offset.to_array(),
        }
    }
}

/// Writes values to an array of exactly their number. `row`: buffer.
pub(super) fn write(
    row: &mut Vec<f32>,
    values: impl Iterator<Item = f32>,
    array: &Float32Array,
) -> Result<(), JsValue> {
    row.clear();
    row.extend(values);
    if array.length() as usize != row.len() {
        let message = format!("the array must hold {} numbers, not {}", row.len(), array.length());
        return Err(js_error(kinestitch::Error::Option { option: "into", message }));
    }
    array.copy_from(row);
    Ok(())
}

#[wasm_bindgen]
impl CpuController {
    /// Loads a weight file.
    ///
    /// # Errors
    /// Throws with code "weights" if it cannot be loaded.
    #[wasm_bindgen(constructor)]
    pub fn new(weights: &[u8]) -> Result<CpuController, JsValue> {
        let network = Weights::read(weights).and_then(|weights| Network::read(&weights));
        Ok(Self { network: Arc::new(network.map_err(js_error)?) })
    }

    /// Creates a character at rest.
    ///
    /// # Errors
    /// Throws the errors of [`Controller::new`].
    pub fn session(&self) -> Result<ControlSession, JsValue> {
        Ok(ControlSession::new(Controller::new(Arc::clone(&self.network)).map_err(js_error)?))
    }

    /// Creates a character at rest, displayed on the skeleton of a packed clip.
    ///
    /// # Errors
    /// Throws the errors of [`Controller::on_skeleton`].
    pub fn onto(&self, target: &[u8]) -> Result<ControlSession, JsValue> {
        let target = ClipHandle::unpacked(target, None)?;
        let Input { clip, rig } = target.input();
        let controller = Controller::on_skeleton(Arc::clone(&self.network), clip, rig).map_err(js_error)?;
        Ok(ControlSession { target: Some(target), ..ControlSession::new(controller) })
    }
}

/// An interactively controlled character.
#[wasm_bindgen]
pub struct ControlSession {
    controller: Controller,
    /// A clip on the user's skeleton, with its bone mapping.
    target: Option<ClipHandle>,
    pose: Pose,
    row: Vec<f32>,
}

impl ControlSession {
    fn new(controller: Controller) -> Self {
        Self { controller, target: None, pose: Pose::default(), row: Vec::new() }
    }
}

#[wasm_bindgen]
impl ControlSession {
    /// Returns the description of the character: body, actions and styles.
    ///
    /// # Errors
    /// None known.
    pub fn about(&self) -> Result<JsValue, JsValue> {
        let Network { character, config, .. } = self.controller.network();
        let joints = self.controller.skeleton().joints();
        let name = |joint: usize| joints[self.controller.joint(joint)].name.as_str();
        to_js(&About {
            skeleton: joints.iter().map(Joint::of).collect(),
            styles: &config.styles,
            // The first two actions, standing and moving, are chosen by the speed.
            actions: &config.actions[2..],
            scale: self.controller.scale(),
            fastest: config.fastest * self.controller.scale(),
            limbs: character.limbs().iter().map(|limb| name(limb.joint)).collect(),
            contacts: character.contacts.iter().map(|contact| name(contact.joint)).collect(),
            varies: self.controller.network().generative.is_some(),
        })
    }

    /// Advances by some seconds. x, z: direction of movement; `action`: index in `about().actions`; for the others, see
    /// [`Control`].
    #[allow(clippy::too_many_arguments)]
    pub fn step(
        &mut self,
        x: f32,
        z: f32,
        facing: Option<f32>,
        speed: f32,
        style: u32,
        action: Option<u32>,
        noise: f32,
        seed: u32,
        seconds: f64,
    ) {
        let action = action.map(|action| action as usize + 2);
        let (direction, style) = (Vec2::new(x, z), style as usize);
        let control = Control { direction, facing, speed, style, action, noise, seed };
        self.controller.step(&control, seconds, &mut self.pose);
    }

    /// Writes world positions, [joints × 3], local rotations, [joints × 4], phase vectors, [limbs × 2], contact
    /// probabilities, [contacts], and the path, [13 × 4] (x and z of position and of facing direction), to arrays of
    /// exactly these lengths.
    ///
    /// # Errors
    /// Throws if an array has another length.
    pub fn fill(
        &mut self,
        positions: &Float32Array,
        rotations: &Float32Array,
        phases: &Float32Array,
        contacts: &Float32Array,
        path: &Float32Array,
    ) -> Result<(), JsValue> {
        let Self { controller, pose, row, .. } = self;
        write(row, pose.positions.iter().flat_map(|position| position.to_array()), positions)?;
        write(row, pose.rotations.iter().flat_map(|rotation| rotation.to_array()), rotations)?;
        write(row, controller.phases().iter().flat_map(|phase| phase.to_array()), phases)?;
        write(row, controller.contacts().iter().copied(), contacts)?;
        let samples = controller.path();
        let values =
            samples.iter().flat_map(|sample| [sample.position.x, sample.position.z, sample.facing.x, sample.facing.z]);
        write(row, values, path)
    }

    /// Places the character at rest at x, z (metres) and `heading` (radians).
    pub fn place(&mut self, x: f32, z: f32, heading: f32) {
        self.controller.place(GroundPose { position: Vec3::new(x, 0.0, z), heading });
    }

    /// Sets the heights of the ground; see [`HeightField::new`].
    ///
    /// # Errors
    /// Throws the errors of [`HeightField::new`].
    #[wasm_bindgen(js_name = setGround)]
    pub fn set_ground(&mut self, x: f32, z: f32, spacing: f32, columns: u32, heights: Vec<f32>) -> Result<(), JsValue> {
        let ground = HeightField::new(Vec2::new(x, z), spacing, columns as usize, heights).map_err(js_error)?;
        self.controller.set_ground(Some(&ground));
        Ok(())
    }

    /// Makes the ground level, at height 0.
    #[wasm_bindgen(js_name = levelGround)]
    pub fn level_ground(&mut self) {
        self.controller.set_ground(None);
    }

    /// Starts a new recording.
    pub fn record(&mut self) {
        self.controller.record();
    }

    /// Ends the recording and returns it.
    ///
    /// # Errors
    /// Throws the errors of [`Controller::finish_recording`].
    pub fn recorded(&mut self) -> Result<Option<ClipHandle>, JsValue> {
        let recording = self.controller.finish_recording().map_err(js_error)?;
        Ok(recording.map(|clip| match &self.target {
            Some(target) => target.derived(clip),
            None => ClipHandle::new(clip, Vec::new()),
        }))
    }
}
