//! Interactive character control with local motion phases: each step evaluates a network for the next frame.
//!
//! Pipeline: user input → path ahead (`path`) → rows → network → root, joints, contacts, phases → feet held
//! (`hold`) → pose. On uneven ground, feet and body follow a [`HeightField`] (`footing`).
//!
//! Starke et al. 2020, *Local Motion Phases*, sections 4 and 8. The network runs at [`FPS`] whatever the display's
//! rate; poses between its frames are interpolated. Only rotations and the position of the hips are taken from its
//! output; joint positions are recomputed with fixed bone lengths and fed back, so bone lengths cannot drift. The
//! correction of held feet is only displayed, not fed back. [`Controller::onto`] displays every pose on a skeleton of
//! the user's; all lengths are then in metres of that skeleton.

mod behaviour;
mod footing;
mod height_field;
mod hold;
mod jump;
mod onto;
mod path;
mod state;

use crate::body::{Character, GroundPose};
use crate::error::Result;
use crate::feature::controller::{FPS, NOW, PathSample, SAMPLES, SPACING};
use crate::method::controller::Network;
use crate::motion::clip::Clip;
use crate::motion::fk::world_transforms;
use crate::motion::resample::slerp;
use crate::motion::rig::Rig;
use crate::motion::skeleton::Skeleton;
pub use behaviour::LOUDEST;
use glam::{Quat, Vec2, Vec3};
pub use height_field::{HeightField, MAX_HEIGHT, MAX_HEIGHTS};
use hold::Hold;
use onto::Onto;
use state::State;
use std::sync::Arc;

/// Longest step, seconds; longer intervals, such as those of a hidden tab, count as a pause.
pub const LONGEST_SECS: f64 = 0.25;
/// Longest recording, frames: an hour.
pub const LONGEST_FRAMES: usize = 108_000;

/// User input, world space. Values that are not finite count as omitted.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Control {
    /// Direction of movement on the ground, x and z; its length is ignored. Zero: stay.
    pub direction: Vec2,
    /// Facing direction, radians about +Y, 0 along +z; `None`: the direction of movement, or unchanged.
    pub facing: Option<f32>,
    /// Speed, metres per second; limited to that of the training data.
    pub speed: f32,
    /// Index of a style; an unknown index means the first.
    pub style: usize,
    /// Index of an action other than standing and moving; `None`: chosen by the speed. "jump" starts a whole jump at the
    /// present speed, and repeats it while it is requested; other actions stop the body.
    pub action: Option<usize>,
    /// Amplitude of variations of the path, 0 to [`LOUDEST`]: eq. 9 and 10. No effect if the weights have no
    /// generative control.
    pub noise: f32,
    /// Seed of the variations; the noise of a seed is always the same.
    pub seed: u32,
}

/// A pose on the canonical skeleton, or on the user's.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Pose {
    /// World position of the root, metres.
    pub root: Vec3,
    /// Local rotations, `[joints]`; the root's is its world rotation.
    pub rotations: Vec<Quat>,
    /// World positions, `[joints]`, metres.
    pub positions: Vec<Vec3>,
}

/// An interactively controlled character.
pub struct Controller {
    network: Arc<Network>,
    skeleton: Arc<Skeleton>,
    /// Retargets its poses to the user's skeleton.
    onto: Option<Onto>,
    state: State,
    hold: Hold,
    /// Heights of the ground, in metres of the canonical body; `None`: level ground at height 0.
    ground: Option<HeightField>,
    /// The network's last two frames, with held feet.
    frames: [Pose; 2],
    /// Time since the first of them, seconds.
    since: f64,
    /// Jump requested since the last network frame.
    jump: Option<usize>,
    recording: Option<Recording>,
}

#[derive(Default)]
struct Recording {
    rotations: Vec<Quat>,
    roots: Vec<Vec3>,
}

impl Controller {
    /// Creates a character at rest, at the origin, facing +z.
    ///
    /// # Errors
    /// [`crate::Error::Skeleton`] if the network's bone offsets are not finite.
    pub fn new(network: Arc<Network>) -> Result<Self> {
        let skeleton = network.character.skeleton(&network.offsets())?;
        let state = State::new(&network, GroundPose { position: Vec3::ZERO, heading: 0.0 });
        let hold = Hold::new(network.character, &network.config.rest, &state);
        let mut controller = Self {
            network,
            skeleton,
            onto: None,
            state,
            hold,
            ground: None,
            frames: Default::default(),
            since: 0.0,
            jump: None,
            recording: None,
        };
        controller.place(GroundPose { position: Vec3::ZERO, heading: 0.0 });
        Ok(controller)
    }

    /// Creates a character at rest on a skeleton of the user. `target` is any clip on that skeleton; it also determines
    /// the height of the ground. All inputs and outputs are then in metres of the user's skeleton, so a giant at 2 m/s
    /// moves like a person at a lower speed.
    ///
    /// # Errors
    /// Those of [`Controller::new`]; [`crate::Error::Rig`] if the target is not a body of the character's kind
    /// (two legs or four), or has no standing pose.
    pub fn onto(network: Arc<Network>, target: &Clip, rig: &Rig) -> Result<Self> {
        let mut controller = Self::new(network)?;
        let Self { network, skeleton, state, .. } = &controller;
        controller.onto = Some(Onto::new(network.character, skeleton, state, target, rig)?);
        Ok(controller)
    }

    /// Returns the scale: output metres per metre of the character.
    pub fn scale(&self) -> f32 {
        self.onto.as_ref().map_or(1.0, Onto::scale)
    }

    /// Places the character at another ground pose, at rest. Values that are not finite count as 0.
    pub fn place(&mut self, at: GroundPose) {
        let number = |value: f32| if value.is_finite() { value } else { 0.0 };
        let position = Vec3::new(number(at.position.x), 0.0, number(at.position.z)) / self.scale();
        self.state = State::new(&self.network, GroundPose { position, heading: number(at.heading) });
        self.hold = Hold::new(self.network.character, &self.network.config.rest, &self.state);
        let pose = self.held();
        self.frames = [pose.clone(), pose];
        (self.since, self.jump) = (0.0, None);
    }

    /// Sets the heights of the ground, in metres of [`Controller::skeleton`]; `None`: level ground at height 0. The
    /// displayed character stands on the ground, lifts its feet before edges and turns them to slopes; its path, speed
    /// and contacts remain those of level ground. Call [`Controller::place`] afterwards to start at rest on the ground.
    pub fn set_ground(&mut self, ground: Option<&HeightField>) {
        self.ground = ground.map(|ground| ground.scaled(1.0 / self.scale()));
    }

    /// Advances by some seconds and fills `pose`. 0 and values that are not numbers change nothing; the step is
    /// limited to [`LONGEST_SECS`].
    pub fn step(&mut self, want: &Control, seconds: f64, pose: &mut Pose) {
        let want = Control { speed: want.speed / self.scale(), ..*want };
        self.since += if seconds.is_finite() { seconds.clamp(0.0, LONGEST_SECS) } else { 0.0 };
        self.jump = want.action.filter(|&action| self.state.is_jump(action)).or(self.jump);
        // Tolerance of half a thousandth of a frame: steps of 1/60 s must not miss their frame by rounding.
        while self.since * FPS > 1.0 - 5e-4 {
            self.since = (self.since - 1.0 / FPS).max(0.0);
            let action = self.jump.take().or(want.action);
            self.state.advance(&self.network, &Control { action, ..want });
            let next = self.held();
            if let Some(recording) = self.recording.as_mut().filter(|made| made.roots.len() < LONGEST_FRAMES) {
                recording.rotations.extend_from_slice(&next.rotations);
                recording.roots.push(next.root);
            }
            self.frames.swap(0, 1);
            self.frames[1] = next;
        }
        self.between((self.since * FPS) as f32, pose);
        if let Some(onto) = &mut self.onto {
            onto.put(&self.skeleton, pose);
        }
    }

    fn held(&mut self) -> Pose {
        let mut pose = Pose { root: self.state.joints[0].position, ..Pose::default() };
        pose.rotations.extend(self.state.locals(self.network.character));
        pose.positions.extend(self.state.joints.iter().map(|joint| joint.position));
        self.hold.apply(&self.skeleton, &self.state, self.ground.as_ref(), &mut pose);
        pose
    }

    /// Interpolates the pose at the fraction `part` between the last two frames.
    fn between(&self, part: f32, pose: &mut Pose) {
        let [from, to] = &self.frames;
        pose.root = from.root.lerp(to.root, part);
        pose.rotations.clear();
        pose.rotations.extend(from.rotations.iter().zip(&to.rotations).map(|(a, b)| slerp(*a, *b, part)));
        set_positions(&self.skeleton, pose);
    }

    /// Returns the network.
    pub fn network(&self) -> &Network {
        &self.network
    }

    /// Returns the kind of body.
    pub fn character(&self) -> &'static Character {
        self.network.character
    }

    /// Returns the skeleton: the canonical one, or the user's.
    pub fn skeleton(&self) -> &Arc<Skeleton> {
        self.onto.as_ref().map_or(&self.skeleton, Onto::skeleton)
    }

    /// The joint of [`Controller::skeleton`] that corresponds to a joint of the character.
    pub fn joint(&self, joint: usize) -> usize {
        self.onto.as_ref().map_or(joint, |onto| onto.joint(joint))
    }

    /// Returns the ground pose of the character.
    pub fn root(&self) -> GroundPose {
        GroundPose { position: self.state.root.position * self.scale(), ..self.state.root }
    }

    /// Returns the phase vectors, `[limbs]`.
    pub fn phases(&self) -> &[Vec2] {
        self.state.phases_now()
    }

    /// Returns the probability that each contact touches the ground, `[contacts]`.
    pub fn contacts(&self) -> &[f32] {
        self.state.contacts_now()
    }

    /// Returns the shares of the experts in the last frame.
    pub fn shares(&self) -> &[f32] {
        &self.state.buffers.shares
    }

    /// Returns the path from one second ago to one second ahead, [[`SAMPLES`]].
    pub fn path(&self) -> [PathSample; SAMPLES] {
        let scale = self.scale();
        self.state.path().map(|at| PathSample { position: at.position * scale, velocity: at.velocity * scale, ..at })
    }

    /// Starts a new recording of the network's frames.
    pub fn record(&mut self) {
        self.recording = Some(Recording::default());
    }

    /// Ends the recording and returns it as a clip at [`FPS`] on [`Controller::skeleton`]; `None` if it is empty.
    ///
    /// # Errors
    /// None known: the network's output is checked.
    pub fn recorded(&mut self) -> Result<Option<Clip>> {
        let Some(made) = self.recording.take().filter(|made| !made.roots.is_empty()) else { return Ok(None) };
        let name = self.network.character.name;
        let clip = Clip::new(name, Arc::clone(&self.skeleton), 1.0 / FPS, made.rotations, made.roots)?;
        match &mut self.onto {
            Some(onto) => onto.clip(&clip),
            None => Ok(clip),
        }
        .map(Some)
    }
}

/// Computes world positions from the position of the root and local rotations.
fn set_positions(skeleton: &Skeleton, pose: &mut Pose) {
    let Pose { root, rotations, positions } = pose;
    positions.resize(skeleton.len(), Vec3::ZERO);
    let mut world = vec![Quat::IDENTITY; skeleton.len()];
    let joints = skeleton.joints();
    let local = |joint: usize| {
        let translation = if joints[joint].parent.is_some() { joints[joint].offset } else { *root };
        (translation, rotations[joint])
    };
    world_transforms((0..skeleton.len()).map(|joint| (joint, joints[joint].parent)), local, positions, &mut world);
}

/// Number of past frames that are stored.
const PAST: usize = NOW * SPACING;
