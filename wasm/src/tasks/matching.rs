//! A character steered by the user's own clips: synchronous, fills arrays of the caller like [`super::control`].

use super::control::{Joint, write};
use super::listener::with_progress;
use super::value::{from_js, to_js};
use super::{ClipHandle, js_error};
use glam::{Vec2, Vec3};
use js_sys::{Float32Array, Function};
use kinestitch::body::GroundPose;
use kinestitch::control::matching::MatchingController;
use kinestitch::control::{Control, HeightField, Pose};
use kinestitch::method::matching::{Database, DatabaseOptions, Source, Tag};
use kinestitch::stitch::Input;
use serde::{Deserialize, Serialize};
use std::sync::Arc;
use wasm_bindgen::prelude::*;

/// Options of a database, as the package passes them; an omitted one has its default in [`DatabaseOptions`].
#[derive(Default, Deserialize)]
#[serde(default, rename_all = "camelCase", deny_unknown_fields)]
struct DatabaseFields {
    mirror: Option<bool>,
    way_weight: Option<f32>,
    pose_weight: Option<f32>,
}

impl DatabaseFields {
    fn options(self) -> DatabaseOptions {
        let defaults = DatabaseOptions::default();
        let [way, pose] = [self.way_weight, self.pose_weight].map(|weight| weight.unwrap_or(1.0));
        DatabaseOptions {
            position_weight: pose * defaults.position_weight,
            velocity_weight: pose * defaults.velocity_weight,
            hips_weight: pose * defaults.hips_weight,
            way_weight: way * defaults.way_weight,
            facing_weight: way * defaults.facing_weight,
            mirror: self.mirror.unwrap_or(defaults.mirror),
        }
    }
}

/// Collects the clips of a database.
#[wasm_bindgen]
#[derive(Default)]
pub struct DatabaseBuilder {
    clips: Vec<ClipHandle>,
    tags: Vec<Option<Tag>>,
}

#[wasm_bindgen]
impl DatabaseBuilder {
    /// Creates a builder without clips.
    #[wasm_bindgen(constructor)]
    #[allow(clippy::new_without_default)] // wasm-bindgen needs a function of this name
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a packed clip. `is_action`: whether it is played on request only; `undefined`: by its name.
    ///
    /// # Errors
    /// Throws the errors of [`kinestitch::motion::pack::unpack`].
    pub fn add(&mut self, bytes: &[u8], is_action: Option<bool>) -> Result<(), JsValue> {
        ClipHandle::gather(&mut self.clips, bytes)?;
        self.tags.push(is_action.map(|is_action| if is_action { Tag::Action } else { Tag::Locomotion }));
        Ok(())
    }

    /// Builds the database and places a character at rest. `progress(stage, done)` returns whether to continue.
    ///
    /// # Errors
    /// Throws the errors of [`Database::new`], an option error for invalid options, and any exception of `progress`.
    pub fn build(self, options: JsValue, progress: &Function) -> Result<MatchingSession, JsValue> {
        let fields: Option<DatabaseFields> = from_js("source", options)?;
        let sources: Vec<Source> = self
            .clips
            .iter()
            .zip(&self.tags)
            .map(|(handle, tag)| Source { clip: handle.input().clip, rig: handle.input().rig, tag: *tag })
            .collect();
        let options = fields.unwrap_or_default().options();
        let database = with_progress(progress, |progress| Database::new(&sources, &options, progress))?;
        let controller = MatchingController::new(Arc::new(database));
        let first = self.clips.into_iter().next();
        Ok(MatchingSession { controller, first, pose: Pose::default(), row: Vec::new() })
    }
}

/// A character steered by a database of clips.
#[wasm_bindgen]
pub struct MatchingSession {
    controller: MatchingController,
    /// The first clip, with the bone mapping of the skeleton.
    first: Option<ClipHandle>,
    pose: Pose,
    row: Vec<f32>,
}

/// Description of the character, with the fields of that of a network.
#[derive(Serialize)]
struct About<'a> {
    skeleton: Vec<Joint<'a>>,
    styles: [&'a str; 0],
    actions: &'a [String],
    scale: f32,
    fastest: f32,
    limbs: [&'a str; 0],
    contacts: Vec<&'a str>,
    varies: bool,
}

/// `Coverage` of the package.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct CoverageFields {
    speeds: [f32; 2],
    turns: [f32; 2],
    locomotion: Vec<String>,
    actions: Vec<String>,
    in_place: Vec<String>,
    missing: Vec<String>,
}

/// `Playing` of the package.
#[derive(Serialize)]
struct PlayingFields<'a> {
    clip: &'a str,
    seconds: f64,
    cost: f32,
    best: f32,
}

#[wasm_bindgen]
impl MatchingSession {
    /// Returns the description of the character.
    ///
    /// # Errors
    /// None known.
    pub fn about(&self) -> Result<JsValue, JsValue> {
        let database = self.controller.database();
        let joints = database.skeleton().joints();
        to_js(&About {
            skeleton: joints.iter().map(Joint::of).collect(),
            styles: [],
            actions: database.actions(),
            scale: 1.0,
            fastest: self.controller.fastest(),
            limbs: [],
            contacts: database.tips().map(|joint| joints[joint].name.as_str()).collect(),
            varies: false,
        })
    }

    /// Reports the motions of the clips.
    ///
    /// # Errors
    /// None known.
    pub fn coverage(&self) -> Result<JsValue, JsValue> {
        let kinestitch::method::matching::Coverage { speeds, turns, locomotion, actions, in_place, missing } =
            self.controller.coverage();
        to_js(&CoverageFields { speeds, turns, locomotion, actions, in_place, missing })
    }

    /// Returns the clip that is played, and where; and the costs of the last search.
    ///
    /// # Errors
    /// None known.
    pub fn playing(&self) -> Result<JsValue, JsValue> {
        let (take, frame, [cost, best]) = self.controller.playing();
        let clip = &self.controller.database().takes()[take].name;
        to_js(&PlayingFields { clip, seconds: frame / kinestitch::method::matching::FPS, cost, best })
    }

    /// Advances by some seconds, with the arguments of [`super::control::ControlSession::step`]; style, noise and seed
    /// have no meaning here.
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
        let (action, style) = (action.map(|action| action as usize), style as usize);
        let control = Control { direction: Vec2::new(x, z), facing, speed, style, action, noise, seed };
        self.controller.step(&control, seconds, &mut self.pose);
    }

    /// Fills the arrays of [`super::control::ControlSession::fill`]; there are no phases.
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
        write(row, std::iter::empty(), phases)?;
        write(row, controller.contacts().iter().map(|&touches| f32::from(u8::from(touches))), contacts)?;
        let samples = controller.path();
        let values = samples.iter().flat_map(|sample| {
            let facing = sample.rotation() * Vec3::Z;
            [sample.position.x, sample.position.z, facing.x, facing.z]
        });
        write(row, values, path)
    }

    /// Places the character at rest at x, z (metres) and `heading` (radians).
    pub fn place(&mut self, x: f32, z: f32, heading: f32) {
        self.controller.place(GroundPose::new(x, z, heading));
    }

    /// Sets the heights of the ground; see [`HeightField::new`].
    ///
    /// # Errors
    /// Throws the errors of [`HeightField::new`].
    #[wasm_bindgen(js_name = setGround)]
    pub fn set_ground(&mut self, x: f32, z: f32, spacing: f32, columns: u32, heights: Vec<f32>) -> Result<(), JsValue> {
        let ground = HeightField::new(Vec2::new(x, z), spacing, columns as usize, heights).map_err(js_error)?;
        self.controller.set_ground(Some(ground));
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
    /// Throws the errors of [`MatchingController::finish_recording`].
    pub fn recorded(&mut self) -> Result<Option<ClipHandle>, JsValue> {
        let recording = self.controller.finish_recording().map_err(js_error)?;
        Ok(recording.map(|clip| match &self.first {
            Some(first) => first.derived(clip),
            None => ClipHandle::new(clip, Vec::new()),
        }))
    }
}
