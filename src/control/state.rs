//! State of a character: joints, the past second, and the network's prediction of the next second.

use super::behaviour::Behaviour;
use super::jump::Jump;
use super::path::{Request, blended};
use super::{Control, PAST};
use crate::body::{Character, GroundPose};
use crate::feature::controller::{
    ACTIONS, AHEAD, FPS, JOINT, JointState, NOW, PathSample, SAMPLES, SPACING, next_phase, read_joint, world_to_root,
    write_joint,
};
use crate::method::controller::generative;
use crate::method::controller::{Buffers, Network};
use crate::motion::root::wrap;
use glam::{Quat, Vec2, Vec3};
use std::collections::VecDeque;

/// λ of eq. 2.
const PHASE_SHARE: f32 = 0.5;
/// Tolerance factor over the fastest speed, and largest rotation per second; steps of the root are clamped to both.
const BEYOND: f32 = 1.5;
const LARGEST_TURN: f32 = 12.0;

/// A frame of the past.
#[derive(Debug, Clone)]
struct Past {
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
    varying: generative::Buffers,
    /// The past second, the present frame last, [[`PAST`] + 1].
    past: VecDeque<Past>,
    /// The path from now on: predicted, then blended with the request.
    predicted: [PathSample; AHEAD],
    ahead: [PathSample; AHEAD],
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
        let mut actions = [0.0; ACTIONS];
        actions[0] = 1.0;
        let path =
            PathSample { position: root.position, facing: root.rotation() * Vec3::Z, velocity: Vec3::ZERO, actions };
        let rest = Past { path, contacts: vec![1.0; layout.contacts], phases: vec![Vec2::ZERO; layout.limbs] };
        let mut state = Self {
            root,
            joints: network.start.chunks_exact(JOINT).map(|row| read_joint(root, row)).collect(),
            buffers: Buffers::default(),
            behaviour: Behaviour::new(),
            jump: Jump::new(&network.config.actions),
            varying: generative::Buffers::default(),
            past: std::iter::repeat_n(rest, PAST + 1).collect(),
            predicted: [path; AHEAD],
            ahead: [path; AHEAD],
            phases: vec![Vec2::ZERO; AHEAD * layout.limbs],
            input: vec![0.0; layout.input_width()],
            gate: vec![0.0; network.config.sizes.gate],
            out: vec![0.0; layout.output_width()],
        };
        state.joints.iter_mut().for_each(|joint| joint.velocity = Vec3::ZERO);
        state.stand_on_bones(network);
        state
    }

    /// Returns whether an action is the jump.
    pub fn is_jump(&self, action: usize) -> bool {
        self.jump.is_jump(action)
    }

    /// Advances by one frame.
    pub fn advance(&mut self, network: &Network, want: &Control) {
        self.jump.advance(want.action);
        // During a jump the body keeps its speed: the path is requested as without an action.
        let action = want.action.filter(|&action| !self.is_jump(action));
        let want = &Control { action, ..*want };
        let request = Request::of(want, network, self.root);
        let boosted = request.boosted(self.predicted[0].velocity, network.config.fastest);
        self.ahead = blended(&boosted, self.root, &self.predicted);
        self.jump.apply(&mut self.ahead);
        self.write(network, want);
        // Stores the path as requested, without the exaggeration for the network.
        self.ahead = blended(&request, self.root, &self.predicted);
        self.jump.apply(&mut self.ahead);
        network.run(&mut self.input, &mut self.gate, &mut self.out, &mut self.buffers);
        // The network's guards remove values that are not finite; such a frame would be skipped.
        if self.out.iter().all(|value| value.is_finite()) {
            self.read(network);
        }
    }

    fn write(&mut self, network: &Network, want: &Control) {
        let layout = &network.layout;
        let path = self.path();
        for (sample, out) in path.iter().zip(self.input[layout.path()].chunks_exact_mut(layout.sample_width())) {
            layout.write_sample(self.root, sample, out);
        }
        if let Some(generative) = &network.generative
            && let Some(noise) = self.behaviour.next(generative, want.noise, want.seed)
        {
            generative.vary(&mut self.input[layout.path()], noise, &mut self.varying);
        }
        let style = if want.style < network.config.styles.len() { want.style } else { 0 };
        for (index, out) in self.input[layout.style()].iter_mut().enumerate() {
            *out = f32::from(u8::from(index == style));
        }
        let turn = world_to_root(self.root);
        for (joint, out) in self.joints.iter().zip(self.input[layout.state()].chunks_exact_mut(JOINT)) {
            write_joint(self.root, turn, joint, out);
        }
        for (sample, out) in self.input[layout.contact()].chunks_exact_mut(layout.contacts).enumerate() {
            out.copy_from_slice(&self.past[sample * SPACING].contacts);
        }
        let before = (0..NOW).flat_map(|sample| &self.past[sample * SPACING].phases);
        for (vector, out) in before.chain(&self.phases).zip(self.gate.chunks_exact_mut(2)) {
            vector.write_to_slice(out);
        }
    }

    fn read(&mut self, network: &Network) {
        let layout = &network.layout;
        let farthest = BEYOND * network.config.fastest / FPS as f32;
        let step = Vec3::new(self.out[0], 0.0, self.out[1]).clamp_length_max(farthest);
        let turn = self.out[2].clamp(-LARGEST_TURN / FPS as f32, LARGEST_TURN / FPS as f32);
        self.root = GroundPose { position: self.root.world_point(step), heading: wrap(self.root.heading + turn) };
        for (joint, row) in self.joints.iter_mut().zip(self.out[layout.out_state()].chunks_exact(JOINT)) {
            *joint = read_joint(self.root, row);
        }
        let leg = network.character.leg_length;
        self.joints[0].position.y = self.joints[0].position.y.clamp(0.05 * leg, 3.0 * leg);
        self.stand_on_bones(network);
        let rows = self.out[layout.out_path()].chunks_exact(layout.sample_width());
        for (sample, row) in self.predicted.iter_mut().zip(rows) {
            *sample = layout.read_sample(self.root, row);
        }
        self.predicted[0].position = self.root.position;
        self.predicted[0].facing = self.root.rotation() * Vec3::Z;
        let count = 2 * AHEAD * layout.limbs;
        let (predicted, change) = self.out[layout.out_phase()].split_at(count);
        for (at, phase) in self.phases.iter_mut().enumerate() {
            let of = |values: &[f32]| Vec2::from_slice(&values[2 * at..]);
            *phase = next_phase(*phase, of(predicted), of(change), PHASE_SHARE);
        }
        let contacts = self.out[layout.out_contact()].iter().map(|contact| contact.clamp(0.0, 1.0));
        // Reuses the oldest frame, so that memory does not grow.
        let mut frame = match self.past.pop_front() {
            Some(frame) => frame,
            None => Past { path: self.predicted[0], contacts: Vec::new(), phases: Vec::new() },
        };
        frame.path = self.predicted[0];
        frame.contacts.clear();
        frame.contacts.extend(contacts);
        frame.phases.clear();
        frame.phases.extend_from_slice(&self.phases[..layout.limbs]);
        self.past.push_back(frame);
    }

    /// Recomputes joint positions from rotations and fixed bone lengths.
    fn stand_on_bones(&mut self, network: &Network) {
        for (index, joint) in network.character.joints.iter().enumerate() {
            if let Some(parent) = joint.parent {
                let above = &self.joints[parent];
                let place = above.position + above.rotation * Vec3::from_array(network.config.offsets[index]);
                self.joints[index].position = place;
            }
        }
    }

    /// Returns the local rotations; that of the root is its world rotation.
    pub fn locals(&self, character: &'static Character) -> impl Iterator<Item = Quat> {
        character.joints.iter().zip(&self.joints).map(|(info, joint)| match info.parent {
            Some(parent) => (self.joints[parent].rotation.inverse() * joint.rotation).normalize(),
            None => joint.rotation,
        })
    }

    /// The requested path from a second back to a second ahead.
    pub fn path(&self) -> [PathSample; SAMPLES] {
        std::array::from_fn(|sample| match sample.checked_sub(NOW) {
            None => self.past[sample * SPACING].path,
            Some(ahead) => self.ahead[ahead],
        })
    }

    /// Returns the current phase vectors, [limbs].
    pub fn phases_now(&self) -> &[Vec2] {
        self.past.back().map_or(&[], |now| &now.phases)
    }

    /// Returns the current contacts, [contacts].
    pub fn contacts_now(&self) -> &[f32] {
        self.past.back().map_or(&[], |now| &now.contacts)
    }
}
