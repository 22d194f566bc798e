//! Interactive character control with local motion phases: each step evaluates a network for the next frame.
//!
//! Pipeline: user input → path ahead (`path`) → rows → network → root, joints, contacts, phases → feet held
//! (`hold`) → pose. On uneven ground, feet and body follow a [`HeightField`] (`footing`).
//!
//! Starke et al. 2020, *Local Motion Phases*, sections 4, 6 and 8. The network runs at [`FPS`] whatever the display's
//! rate; poses between its frames are interpolated. Only rotations and the position of the hips are taken from its
//! output; joint positions are recomputed with fixed bone lengths and fed back, so bone lengths cannot drift. The
//! correction of held feet is only displayed, not fed back. [`Controller::on_skeleton`] displays every pose on a
//! skeleton of the user; all lengths are then in metres of that skeleton.

mod behaviour;
mod footing;
mod height_field;
mod hold;
mod jump;
pub mod matching;
mod path;
mod state;
mod user_body;

use crate::body::{Character, GroundPose};
use crate::error::Result;
use crate::feature::controller::{FPS, NOW, PathSample, SAMPLES, SPACING};
use crate::method::controller::Network;
use crate::motion::clip::Clip;
use crate::motion::fk::world_transforms;
use crate::motion::resample::slerp;
use crate::motion::rig::Rig;
use crate::motion::skeleton::Skeleton;
pub use behaviour::MAX_NOISE;
use glam::{Quat, Vec2, Vec3};
pub use height_field::{HeightField, MAX_HEIGHT, MAX_HEIGHTS};
use hold::FootHold;
use state::State;
use std::sync::Arc;
use user_body::UserBody;

/// Longest step, seconds. Longer intervals, as in a hidden browser tab, are shortened to it.
pub const MAX_STEP_SECS: f64 = 0.25;
/// Longest recording, frames: an hour.
pub const MAX_RECORDED_FRAMES: usize = 108_000;
/// Number of frames before the present one that are stored.
const PAST: usize = NOW * SPACING;

/// User input, world space. Values that are not finite count as omitted.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Control {
    /// Direction of movement on the ground, x and z; its length is ignored. Zero: stay.
    pub direction: Vec2,
    /// Facing direction, radians about +Y, 0 along +z; `None`: the direction of movement, or unchanged.
    pub facing: Option<f32>,
    /// Speed, metres per second; limited to the largest speed of the training data.
    pub speed: f32,
    /// Index of a style; an unknown index means the first.
    pub style: usize,
    /// Index of an action other than standing and moving; `None`: chosen by the speed. "jump" starts a whole jump at
    /// the present speed, and repeats it while it is requested; other actions stop the body.
    pub action: Option<usize>,
    /// Amplitude of variations of the path, 0 to [`MAX_NOISE`]: eq. 9 and 10. No effect if the weights have no
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
    /// Local rotations, `[joints]`; the rotation of the root is its world rotation.
    pub rotations: Vec<Quat>,
    /// World positions, `[joints]`, metres.
    pub positions: Vec<Vec3>,
}

/// An interactively controlled character.
pub struct Controller {
    network: Arc<Network>,
    skeleton: Arc<Skeleton>,
    /// Retargets the poses to the user's skeleton; `None`: they stay on the canonical skeleton.
    user_body: Option<UserBody>,
    state: State,
    hold: FootHold,
    /// Heights of the ground, in metres of the canonical body; `None`: level ground at height 0.
    ground: Option<HeightField>,
    /// Poses of the network's last two frames, with held feet.
    poses: [Pose; 2],
    /// Time since the first of these poses, seconds.
    elapsed_secs: f64,
    /// Jump requested since the last network frame.
    requested_jump: Option<usize>,
    recording: Option<Recording>,
}

/// Poses of the network's frames on the canonical skeleton, with held feet.
#[derive(Default)]
struct Recording {
    /// Local rotations, [frames × joints].
    rotations: Vec<Quat>,
    /// Positions of the root, [frames].
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
        let hold = FootHold::new(network.character, &network.config.rest, &state);
        let mut controller = Self {
            network,
            skeleton,
            user_body: None,
            state,
            hold,
            ground: None,
            poses: Default::default(),
            elapsed_secs: 0.0,
            requested_jump: None,
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
    pub fn on_skeleton(network: Arc<Network>, target: &Clip, rig: &Rig) -> Result<Self> {
        let mut controller = Self::new(network)?;
        let Self { network, skeleton, state, .. } = &controller;
        controller.user_body = Some(UserBody::new(network.character, skeleton, state, target, rig)?);
        Ok(controller)
    }

    /// Returns the scale: output metres per metre of the character.
    pub fn scale(&self) -> f32 {
        self.user_body.as_ref().map_or(1.0, UserBody::scale)
    }

    /// Places the character at another ground pose, at rest. Values that are not finite count as 0.
    pub fn place(&mut self, ground_pose: GroundPose) {
        let number_or_zero = |value: f32| if value.is_finite() { value } else { 0.0 };
        let position = Vec3::new(number_or_zero(ground_pose.position.x), 0.0, number_or_zero(ground_pose.position.z))
            / self.scale();
        self.state = State::new(&self.network, GroundPose { position, heading: number_or_zero(ground_pose.heading) });
        self.hold = FootHold::new(self.network.character, &self.network.config.rest, &self.state);
        let pose = self.compute_pose();
        self.poses = [pose.clone(), pose];
        (self.elapsed_secs, self.requested_jump) = (0.0, None);
    }

    /// Sets the heights of the ground, in metres of [`Controller::skeleton`]; `None`: level ground at height 0. The
    /// displayed character stands on the ground, lifts its feet before edges and turns them to slopes; its path, speed
    /// and contacts remain those of level ground. Call [`Controller::place`] afterwards to start at rest on the ground.
    pub fn set_ground(&mut self, ground: Option<&HeightField>) {
        self.ground = ground.map(|ground| ground.scaled(1.0 / self.scale()));
    }

    /// Advances by some seconds, at most [`MAX_STEP_SECS`], and fills `pose`. With 0 and values that are not finite the
    /// character does not advance.
    pub fn step(&mut self, control: &Control, seconds: f64, pose: &mut Pose) {
        let control = Control { speed: control.speed / self.scale(), ..*control };
        self.elapsed_secs += if seconds.is_finite() { seconds.clamp(0.0, MAX_STEP_SECS) } else { 0.0 };
        self.requested_jump = control.action.filter(|&action| self.state.is_jump(action)).or(self.requested_jump);
        // Tolerance of half a thousandth of a frame: steps of 1/60 s must not miss their frame by rounding.
        while self.elapsed_secs * FPS > 1.0 - 5e-4 {
            self.elapsed_secs = (self.elapsed_secs - 1.0 / FPS).max(0.0);
            let action = self.requested_jump.take().or(control.action);
            self.state.advance(&self.network, &Control { action, ..control });
            let next = self.compute_pose();
            if let Some(recording) =
                self.recording.as_mut().filter(|recording| recording.roots.len() < MAX_RECORDED_FRAMES)
            {
                recording.rotations.extend_from_slice(&next.rotations);
                recording.roots.push(next.root);
            }
            self.poses.swap(0, 1);
            self.poses[1] = next;
        }
        self.interpolate((self.elapsed_secs * FPS) as f32, pose);
        if let Some(user_body) = &mut self.user_body {
            user_body.retarget_pose(&self.skeleton, pose);
        }
    }

    /// Computes the pose of the network's last frame, with held feet.
    fn compute_pose(&mut self) -> Pose {
        let mut pose = Pose { root: self.state.joints[0].position, ..Pose::default() };
        pose.rotations.extend(self.state.local_rotations(self.network.character));
        pose.positions.extend(self.state.joints.iter().map(|joint| joint.position));
        self.hold.apply(&self.skeleton, &self.state, self.ground.as_ref(), &mut pose);
        pose
    }

    /// Interpolates between the poses of the last two frames; `fraction`: 0 to 1.
    fn interpolate(&self, fraction: f32, pose: &mut Pose) {
        let [from, to] = &self.poses;
        pose.root = from.root.lerp(to.root, fraction);
        pose.rotations.clear();
        pose.rotations.extend(from.rotations.iter().zip(&to.rotations).map(|(a, b)| slerp(*a, *b, fraction)));
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
        self.user_body.as_ref().map_or(&self.skeleton, UserBody::skeleton)
    }

    /// Returns the joint of [`Controller::skeleton`] that corresponds to a joint of the character.
    pub fn joint(&self, joint: usize) -> usize {
        self.user_body.as_ref().map_or(joint, |user_body| user_body.joint(joint))
    }

    /// Returns the ground pose of the character.
    pub fn root(&self) -> GroundPose {
        GroundPose { position: self.state.root.position * self.scale(), ..self.state.root }
    }

    /// Returns the phase vectors, `[limbs]`.
    pub fn phases(&self) -> &[Vec2] {
        self.state.current_phases()
    }

    /// Returns the probability that each contact touches the ground, `[contacts]`.
    pub fn contacts(&self) -> &[f32] {
        self.state.current_contacts()
    }

    /// Returns the weights of the experts in the last frame.
    pub fn expert_weights(&self) -> &[f32] {
        &self.state.buffers.expert_weights
    }

    /// Returns the path from one second ago to one second ahead, [[`SAMPLES`]].
    pub fn path(&self) -> [PathSample; SAMPLES] {
        let scale = self.scale();
        self.state.path().map(|sample| PathSample {
            position: sample.position * scale,
            velocity: sample.velocity * scale,
            ..sample
        })
    }

    /// Starts a new recording of the network's frames. It ends after [`MAX_RECORDED_FRAMES`] frames: later ones are not
    /// recorded.
    pub fn record(&mut self) {
        self.recording = Some(Recording::default());
    }

    /// Ends the recording and returns it as a clip at [`FPS`] on [`Controller::skeleton`]; `None` if it is empty.
    ///
    /// # Errors
    /// None known: the network's output is checked.
    pub fn finish_recording(&mut self) -> Result<Option<Clip>> {
        let Some(recording) = self.recording.take().filter(|recording| !recording.roots.is_empty()) else {
            return Ok(None);
        };
        let name = self.network.character.name;
        let clip = Clip::new(name, Arc::clone(&self.skeleton), 1.0 / FPS, recording.rotations, recording.roots)?;
        match &mut self.user_body {
            Some(user_body) => user_body.retarget_clip(&clip),
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
