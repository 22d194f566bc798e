//! A character that one steers, on local motion phases: each step asks a network for the next frame.
//!
//! Want → path ahead ([`path`]) → rows → network → root, joints, contacts, phases → feet held ([`hold`]) → pose.
//!
//! Starke et al. 2020, *Local Motion Phases*, sections 4 and 8. The network runs at [`FPS`] whatever the display's rate; poses
//! between its frames are interpolated. Only rotations and the hips' place are taken of what it says, and put on fixed bones,
//! which then go back to it: a body cannot drift out of its bone lengths. Feet held on the ground are seen, and not given back.
//! [`Controller::onto`] shows every pose on a skeleton of the user's, and takes and tells metres of that.

mod behaviour;
mod hold;
mod onto;
mod path;
mod state;

use crate::body::{Character, GroundPose};
use crate::error::Result;
use crate::feature::controller::{FPS, NOW, PathSample, SAMPLES, SPACING};
use crate::method::controller::Network;
use crate::motion::clip::Clip;
use crate::motion::fk::forward;
use crate::motion::resample::slerp;
use crate::motion::rig::Rig;
use crate::motion::skeleton::Skeleton;
pub use behaviour::LOUDEST;
use glam::{Quat, Vec2, Vec3};
use hold::Hold;
use onto::Onto;
use state::State;
use std::sync::Arc;

/// Longest step, seconds: what a tab was hidden for is a pause.
pub const LONGEST_SECS: f64 = 0.25;
/// Longest recording, frames: an hour.
pub const LONGEST_FRAMES: usize = 108_000;

/// What a character is asked to do, world space. What is not finite counts as not said.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Control {
    /// Where to go on the ground, x and z; its length does not matter. Zero: stay.
    pub direction: Vec2,
    /// Where to look, radians about +Y, 0 along +z; `None`: where it goes, or where it looks.
    pub facing: Option<f32>,
    /// Metres a second; at most what the network was trained for.
    pub speed: f32,
    /// Index of a style; one there is not counts as the first.
    pub style: usize,
    /// Index of an action that is neither to stand nor to move; `None`: what the speed says.
    pub action: Option<usize>,
    /// How far its ways vary, 0 to [`LOUDEST`]: eq. 9 and 10. Nothing where the weights have no generative control.
    pub noise: f32,
    /// Which ways they are: noise of a seed is always the same.
    pub seed: u32,
}

/// A pose on the canonical skeleton, or on the user's.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Pose {
    /// World position of the root, metres.
    pub root: Vec3,
    /// Local rotations, [joints]; the root's is its world rotation.
    pub rotations: Vec<Quat>,
    /// World positions, [joints], metres.
    pub positions: Vec<Vec3>,
}

/// A character that one steers.
pub struct Controller {
    network: Arc<Network>,
    skeleton: Arc<Skeleton>,
    /// What shows it on the user's skeleton.
    onto: Option<Onto>,
    state: State,
    hold: Hold,
    /// The network's last two frames, feet held.
    frames: [Pose; 2],
    /// Seconds since the first of them.
    since: f64,
    recording: Option<Recording>,
}

#[derive(Default)]
struct Recording {
    rotations: Vec<Quat>,
    roots: Vec<Vec3>,
}

impl Controller {
    /// A character at rest, at the origin, facing +z.
    ///
    /// # Errors
    /// [`crate::Error::Skeleton`] where the network's bones are not finite.
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
            frames: Default::default(),
            since: 0.0,
            recording: None,
        };
        controller.place(GroundPose { position: Vec3::ZERO, heading: 0.0 });
        Ok(controller)
    }

    /// The same on a skeleton of the user's; `target` is any clip on it, which also says where its ground is. Everything that goes
    /// in and comes out is then in its metres: a giant asked for 2 m/s takes the steps of a person asked for less.
    ///
    /// # Errors
    /// Those of [`Controller::new`]; [`crate::Error::Rig`] where the target is no body of the character's kind, on two legs or on four,
    /// or shows no standing one.
    pub fn onto(network: Arc<Network>, target: &Clip, rig: &Rig) -> Result<Self> {
        let mut controller = Self::new(network)?;
        let Self { network, skeleton, state, .. } = &controller;
        controller.onto = Some(Onto::new(network.character, skeleton, state, target, rig)?);
        Ok(controller)
    }

    /// Metres that come out in one of the character's.
    pub fn scale(&self) -> f32 {
        self.onto.as_ref().map_or(1.0, Onto::scale)
    }

    /// Puts it somewhere else, at rest. What is not finite counts as 0.
    pub fn place(&mut self, at: GroundPose) {
        let number = |value: f32| if value.is_finite() { value } else { 0.0 };
        let position = Vec3::new(number(at.position.x), 0.0, number(at.position.z)) / self.scale();
        self.state = State::new(&self.network, GroundPose { position, heading: number(at.heading) });
        self.hold = Hold::new(self.network.character, &self.network.config.rest, &self.state);
        let pose = self.held();
        self.frames = [pose.clone(), pose];
        self.since = 0.0;
    }

    /// Goes on by some seconds and fills `pose`. 0, and what is no number, changes nothing; more than [`LONGEST_SECS`] counts as
    /// that.
    pub fn step(&mut self, want: &Control, seconds: f64, pose: &mut Pose) {
        let want = Control { speed: want.speed / self.scale(), ..*want };
        self.since += if seconds.is_finite() { seconds.clamp(0.0, LONGEST_SECS) } else { 0.0 };
        // Half a thousandth of a frame: steps of 1/60 s must not now and then miss their frame by rounding.
        while self.since * FPS > 1.0 - 5e-4 {
            self.since = (self.since - 1.0 / FPS).max(0.0);
            self.state.advance(&self.network, &want);
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
        self.hold.apply(&self.skeleton, &self.state, &mut pose);
        pose
    }

    /// The pose a part of the way between the last two frames.
    fn between(&self, part: f32, pose: &mut Pose) {
        let [from, to] = &self.frames;
        pose.root = from.root.lerp(to.root, part);
        pose.rotations.clear();
        pose.rotations.extend(from.rotations.iter().zip(&to.rotations).map(|(a, b)| slerp(*a, *b, part)));
        set_positions(&self.skeleton, pose);
    }

    /// The network that it runs on.
    pub fn network(&self) -> &Network {
        &self.network
    }

    /// Its body.
    pub fn character(&self) -> &'static Character {
        self.network.character
    }

    /// The skeleton that it moves: the canonical one, or the user's.
    pub fn skeleton(&self) -> &Arc<Skeleton> {
        self.onto.as_ref().map_or(&self.skeleton, Onto::skeleton)
    }

    /// The joint of [`Controller::skeleton`] that stands for one of the character's.
    pub fn joint(&self, joint: usize) -> usize {
        self.onto.as_ref().map_or(joint, |onto| onto.joint(joint))
    }

    /// Where it stands.
    pub fn root(&self) -> GroundPose {
        GroundPose { position: self.state.root.position * self.scale(), ..self.state.root }
    }

    /// Phase vectors, [limbs].
    pub fn phases(&self) -> &[Vec2] {
        self.state.phases_now()
    }

    /// Probability that each contact touches, [contacts].
    pub fn contacts(&self) -> &[f32] {
        self.state.contacts_now()
    }

    /// Shares of the experts in the last frame.
    pub fn shares(&self) -> &[f32] {
        &self.state.buffers.shares
    }

    /// The path from a second back to a second ahead, [[`SAMPLES`]].
    pub fn path(&self) -> [PathSample; SAMPLES] {
        let scale = self.scale();
        self.state.path().map(|at| PathSample { place: at.place * scale, velocity: at.velocity * scale, ..at })
    }

    /// Begins to record the network's frames, from nothing.
    pub fn record(&mut self) {
        self.recording = Some(Recording::default());
    }

    /// Ends recording: what was recorded, as a clip at [`FPS`] on [`Controller::skeleton`]; `None` where nothing was.
    ///
    /// # Errors
    /// None that the network's own guards let through.
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

/// World positions from the root's place and local rotations.
fn set_positions(skeleton: &Skeleton, pose: &mut Pose) {
    let Pose { root, rotations, positions } = pose;
    positions.resize(skeleton.len(), Vec3::ZERO);
    let mut world = vec![Quat::IDENTITY; skeleton.len()];
    let joints = skeleton.joints();
    let local = |joint: usize| {
        let translation = if joints[joint].parent.is_some() { joints[joint].offset } else { *root };
        (translation, rotations[joint])
    };
    forward((0..skeleton.len()).map(|joint| (joint, joints[joint].parent)), local, positions, &mut world);
}

/// Frames that the past reaches back.
const PAST: usize = NOW * SPACING;
