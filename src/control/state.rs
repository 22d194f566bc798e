//! State of a character: joints, the past second, and the network's prediction of the next second.

use super::behaviour::Behaviour;
use super::jump::Jump;
use super::path::{Request, blend_paths};
use super::{Control, PAST};
use crate::body::{Character, GroundPose};
use crate::feature::controller::{
    AHEAD, FPS, JOINT_WIDTH, JointState, MAX_ACTIONS, NOW, PathSample, SAMPLES, SPACING, next_phase, read_joint,
    world_to_root, write_joint,
};
use crate::method::controller::generative;
use crate::method::controller::{Buffers, Network};
use crate::motion::root::wrap;
use glam::{Quat, Vec2, Vec3};
use std::collections::VecDeque;

/// λ in eq. 2 of Starke et al. 2020, *Local Motion Phases*: a phase vector of the next frame is the sum of λ × the
/// predicted vector and (1 − λ) × (current vector + predicted change).
const PHASE_WEIGHT: f32 = 0.5;
/// Largest speed of the root, as a multiple of the highest speed that can be requested.
const MAX_SPEED_RATIO: f32 = 1.5;
/// Largest rotation of the root, radians per second.
const MAX_TURN_RATE: f32 = 12.0;
/// While the requested speed is 0, movements of the root that are slower than this are damped, metres per second.
/// Otherwise a standing character creeps by some centimetres per second.
const CREEP_SPEED: f32 = 0.2;

/// A frame of the past.
#[derive(Debug, Clone)]
struct PastFrame {
    path: PathSample,
    contacts: Vec<f32>,
    phases: Vec<Vec2>,
}

/// The state of a character.
pub struct State {
    /// Ground pose.
    pub root: GroundPose,
    /// Joints, world axes.
    pub joints: Vec<JointState>,
    /// Buffers of the network.
    pub buffers: Buffers,
    behaviour: Behaviour,
    jump: Jump,
    generative_buffers: generative::Buffers,
    /// Frames of the past second, oldest first; the last is the current frame, [[`PAST`] + 1].
    past: VecDeque<PastFrame>,
    /// The path from now on, as predicted by the network.
    predicted_path: [PathSample; AHEAD],
    /// The path from now on, blended from the prediction and the request.
    path_ahead: [PathSample; AHEAD],
    /// Phases from now on, [[`AHEAD`] × limbs].
    phases: Vec<Vec2>,
    input: Vec<f32>,
    gate: Vec<f32>,
    out: Vec<f32>,
}

impl State {
    /// Creates the state at rest.
    pub fn new(network: &Network, root: GroundPose) -> Self {
        let layout = &network.layout;
        let mut actions = [0.0; MAX_ACTIONS];
        actions[0] = 1.0;
        let path =
            PathSample { position: root.position, facing: root.rotation() * Vec3::Z, velocity: Vec3::ZERO, actions };
        let at_rest = PastFrame { path, contacts: vec![1.0; layout.contacts], phases: vec![Vec2::ZERO; layout.limbs] };
        let mut state = Self {
            root,
            joints: network.start.chunks_exact(JOINT_WIDTH).map(|row| read_joint(root, row)).collect(),
            buffers: Buffers::default(),
            behaviour: Behaviour::new(),
            jump: Jump::new(&network.config.actions),
            generative_buffers: generative::Buffers::default(),
            past: std::iter::repeat_n(at_rest, PAST + 1).collect(),
            predicted_path: [path; AHEAD],
            path_ahead: [path; AHEAD],
            phases: vec![Vec2::ZERO; AHEAD * layout.limbs],
            input: vec![0.0; layout.input_width()],
            gate: vec![0.0; network.config.sizes.gate],
            out: vec![0.0; layout.output_width()],
        };
        state.joints.iter_mut().for_each(|joint| joint.velocity = Vec3::ZERO);
        state.restore_bone_lengths(network);
        state
    }

    /// Returns whether an action is the jump.
    pub fn is_jump(&self, action: usize) -> bool {
        self.jump.is_jump(action)
    }

    /// Advances by one frame.
    pub fn advance(&mut self, network: &Network, control: &Control) {
        self.jump.advance(control.action);
        // A requested action, such as sitting, sets the requested speed to 0. A jump must not, so it is removed here.
        let action = control.action.filter(|&action| !self.is_jump(action));
        let control = &Control { action, ..*control };
        let request = Request::new(control, network, self.root);
        let exaggerated = request.exaggerate(self.predicted_path[0].velocity, network.config.fastest);
        self.path_ahead = blend_paths(&exaggerated, self.root, &self.predicted_path);
        self.jump.apply(&mut self.path_ahead);
        self.write_input(network, control);
        // The exaggeration is only for the network; the stored path is without it.
        self.path_ahead = blend_paths(&request, self.root, &self.predicted_path);
        self.jump.apply(&mut self.path_ahead);
        network.run(&mut self.input, &mut self.gate, &mut self.out, &mut self.buffers);
        // The network replaces inputs that are not finite. If an output is nevertheless not finite, the frame is
        // skipped.
        if self.out.iter().all(|value| value.is_finite()) {
            self.read_output(network, request.velocity == Vec3::ZERO);
        }
    }

    /// Writes the network's input and gate rows.
    fn write_input(&mut self, network: &Network, control: &Control) {
        let layout = &network.layout;
        let path = self.path();
        for (sample, out) in path.iter().zip(self.input[layout.path()].chunks_exact_mut(layout.sample_width())) {
            layout.write_sample(self.root, sample, out);
        }
        if let Some(generative) = &network.generative
            && let Some(noise) = self.behaviour.next(generative, control.noise, control.seed)
        {
            generative.vary(&mut self.input[layout.path()], noise, &mut self.generative_buffers);
        }
        let style = if control.style < network.config.styles.len() { control.style } else { 0 };
        for (index, out) in self.input[layout.style()].iter_mut().enumerate() {
            *out = f32::from(u8::from(index == style));
        }
        let to_root = world_to_root(self.root);
        for (joint, out) in self.joints.iter().zip(self.input[layout.state()].chunks_exact_mut(JOINT_WIDTH)) {
            write_joint(self.root, to_root, joint, out);
        }
        for (sample, out) in self.input[layout.contact()].chunks_exact_mut(layout.contacts).enumerate() {
            out.copy_from_slice(&self.past[sample * SPACING].contacts);
        }
        let past_phases = (0..NOW).flat_map(|sample| &self.past[sample * SPACING].phases);
        for (vector, out) in past_phases.chain(&self.phases).zip(self.gate.chunks_exact_mut(2)) {
            vector.write_to_slice(out);
        }
    }

    /// Reads the next frame from the network's output row. `is_rest_requested`: whether the requested speed is 0.
    fn read_output(&mut self, network: &Network, is_rest_requested: bool) {
        let layout = &network.layout;
        let max_step = MAX_SPEED_RATIO * network.config.fastest / FPS as f32;
        let mut step = Vec3::new(self.out[0], 0.0, self.out[1]).clamp_length_max(max_step);
        if is_rest_requested {
            step *= (step.length() * FPS as f32 / CREEP_SPEED).min(1.0);
        }
        let turn = self.out[2].clamp(-MAX_TURN_RATE / FPS as f32, MAX_TURN_RATE / FPS as f32);
        self.root = GroundPose { position: self.root.world_point(step), heading: wrap(self.root.heading + turn) };
        for (joint, row) in self.joints.iter_mut().zip(self.out[layout.out_state()].chunks_exact(JOINT_WIDTH)) {
            *joint = read_joint(self.root, row);
        }
        // A guard against outputs far outside the training data.
        let leg = network.character.leg_length;
        self.joints[0].position.y = self.joints[0].position.y.clamp(0.05 * leg, 3.0 * leg);
        self.restore_bone_lengths(network);
        let rows = self.out[layout.out_path()].chunks_exact(layout.sample_width());
        for (sample, row) in self.predicted_path.iter_mut().zip(rows) {
            *sample = layout.read_sample(self.root, row);
        }
        self.predicted_path[0].position = self.root.position;
        self.predicted_path[0].facing = self.root.rotation() * Vec3::Z;
        let count = 2 * AHEAD * layout.limbs;
        let (predicted, change) = self.out[layout.out_phase()].split_at(count);
        for (index, phase) in self.phases.iter_mut().enumerate() {
            let vector = |values: &[f32]| Vec2::from_slice(&values[2 * index..]);
            *phase = next_phase(*phase, vector(predicted), vector(change), PHASE_WEIGHT);
        }
        let contacts = self.out[layout.out_contact()].iter().map(|contact| contact.clamp(0.0, 1.0));
        // Reuses the oldest frame, so that memory does not grow.
        let mut frame = match self.past.pop_front() {
            Some(frame) => frame,
            None => PastFrame { path: self.predicted_path[0], contacts: Vec::new(), phases: Vec::new() },
        };
        frame.path = self.predicted_path[0];
        frame.contacts.clear();
        frame.contacts.extend(contacts);
        frame.phases.clear();
        frame.phases.extend_from_slice(&self.phases[..layout.limbs]);
        self.past.push_back(frame);
    }

    /// Recomputes joint positions from rotations and fixed bone lengths.
    fn restore_bone_lengths(&mut self, network: &Network) {
        for (index, joint) in network.character.joints.iter().enumerate() {
            if let Some(parent) = joint.parent {
                let JointState { position, rotation, .. } = self.joints[parent];
                let offset = Vec3::from_array(network.config.offsets[index]);
                self.joints[index].position = position + rotation * offset;
            }
        }
    }

    /// Returns the local rotations; the rotation of the root is its world rotation.
    pub fn local_rotations(&self, character: &'static Character) -> impl Iterator<Item = Quat> {
        character.joints.iter().zip(&self.joints).map(|(info, joint)| match info.parent {
            Some(parent) => (self.joints[parent].rotation.inverse() * joint.rotation).normalize(),
            None => joint.rotation,
        })
    }

    /// Returns the path from one second ago to one second ahead.
    pub fn path(&self) -> [PathSample; SAMPLES] {
        std::array::from_fn(|sample| match sample.checked_sub(NOW) {
            None => self.past[sample * SPACING].path,
            Some(index) => self.path_ahead[index],
        })
    }

    /// Returns the current phase vectors, [limbs].
    pub fn current_phases(&self) -> &[Vec2] {
        self.past.back().map_or(&[], |frame| &frame.phases)
    }

    /// Returns the current contacts, [contacts].
    pub fn current_contacts(&self) -> &[f32] {
        self.past.back().map_or(&[], |frame| &frame.contacts)
    }
}
