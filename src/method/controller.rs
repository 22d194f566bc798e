//! The network of the controller: a gate on local motion phases blends eight experts anew for every frame, and the blend says
//! what the next frame is.
//!
//! Starke et al. 2020, *Local Motion Phases*, section 4 and Figure 2: a mixture of experts as in Zhang et al. 2018 (MANN), whose
//! gate reads the feet's velocities; here it reads phases. Three layers with ELU each, gate and experts; 256 inner columns where
//! the paper has 512. Rows are those of [`crate::feature::controller`]; [`crate::control`] steers with it.
//!
//! Numbers: README, "Control, scored". After 1,200 steps of 256 frames, a few minutes, a dog walks and gallops by itself for a
//! minute and slides on stiff legs at a trot; after 4,000 it trots, and sits down where it is to stand; after 9,000 neither.

pub mod network;

use crate::body::{Character, character};
use crate::error::{Error, Result};
use crate::feature::controller::{ACTIONS, Layout, VERSION};
use crate::nn::activation::{elu, softmax};
use crate::nn::dense::PackedDense;
use crate::nn::experts::PackedExperts;
use crate::nn::normal::PackedNormal;
use crate::nn::weights::Weights;
use glam::Vec3;
use network::{LAYERS, NAME, Sizes};
use serde::{Deserialize, Serialize};

/// Columns are held within this many deviations: a strange pose must not explode.
pub const FARTHEST: f32 = 6.0;

/// What decides the experts' shares.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Gate {
    /// Phases of the limbs (section 4).
    #[default]
    Phases,
    /// Velocities of the feet and the actions (Zhang et al. 2018), the peer.
    Velocities,
}

/// What a weight file says of its network.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Config {
    /// Sizes.
    pub sizes: Sizes,
    /// Name of the character.
    pub character: String,
    /// What decides the experts' shares.
    #[serde(default)]
    pub gate: Gate,
    /// Names of the actions; the first is to stand, the second to move.
    pub actions: Vec<String>,
    /// Names of the styles.
    pub styles: Vec<String>,
    /// Offsets of the canonical skeleton that it moves, metres.
    pub offsets: Vec<[f32; 3]>,
    /// Heights of the contacts' joints when they touch the ground, metres.
    pub rest: Vec<f32>,
    /// Fastest speed that the recordings hold enough of, metres a second.
    pub fastest: f32,
}

/// The network, packed for the CPU.
pub struct Network {
    /// What it is of.
    pub config: Config,
    /// Its character.
    pub character: &'static Character,
    /// Its columns.
    pub layout: Layout,
    /// Joints of a standing body, [joints × 12], local to its root.
    pub start: Vec<f32>,
    input: PackedNormal,
    gate_input: PackedNormal,
    output: PackedNormal,
    gates: Vec<PackedDense>,
    experts: Vec<PackedExperts>,
}

/// Buffers of a pass.
#[derive(Debug, Clone, Default)]
pub struct Buffers {
    gate: [Vec<f32>; 2],
    inner: [Vec<f32>; 2],
    /// Shares of the experts in the last pass.
    pub shares: Vec<f32>,
}

impl Network {
    /// Packs a weight file.
    ///
    /// # Errors
    /// [`Error::Weights`] where it is of another network or of sizes that do not fit.
    pub fn read(weights: &Weights) -> Result<Self> {
        weights.expect(NAME, VERSION)?;
        let config: Config = weights.config()?;
        let wrong = |message: &str| Error::Weights { message: message.to_owned() };
        let character = character::named(&config.character).ok_or_else(|| wrong("its character is not known"))?;
        let (actions, styles) = (config.actions.len(), config.styles.len());
        if !(2..=ACTIONS).contains(&actions) || styles == 0 {
            return Err(wrong("it needs two to six actions, and a style"));
        }
        if config.offsets.len() != character.len() || config.rest.len() != character.contacts.len() {
            return Err(wrong("its bones are not those of its character"));
        }
        let layout = Layout::of(character, actions, styles);
        let Sizes { input, gate, experts, hidden, output, .. } = config.sizes;
        if (input, gate, output) != (layout.input(), gate_columns(&layout, config.gate), layout.output()) {
            return Err(wrong("its rows have other columns than this release's; use the weights of this release"));
        }
        weights.check_sizes(&[config.sizes.gate_hidden, experts, hidden])?;
        let numbers = config.offsets.iter().flatten().chain(&config.rest);
        if !numbers.chain([&config.fastest]).all(|number| number.is_finite()) || config.fastest < 0.0 {
            return Err(wrong("its bones, heights or fastest speed are no such numbers"));
        }
        let dense = |(layer, shape)| PackedDense::read(weights, &format!("gate.{layer}"), shape);
        let of_experts = |(layer, [inputs, outputs]): (usize, [usize; 2])| {
            PackedExperts::read(weights, &format!("experts.{layer}"), [experts, inputs, outputs])
        };
        Ok(Self {
            character,
            layout,
            start: weights.tensor("start", &[layout.state().len()])?,
            input: PackedNormal::read(weights, "input", input)?,
            gate_input: PackedNormal::read(weights, "gate_input", gate)?,
            output: PackedNormal::read(weights, "output", output)?,
            gates: config.sizes.gates().into_iter().enumerate().map(dense).collect::<Result<_>>()?,
            experts: config.sizes.layers().into_iter().enumerate().map(of_experts).collect::<Result<_>>()?,
            config,
        })
    }

    /// One frame: `input` and `gate` are raw rows, and are used up; `out`, [output], is raw.
    pub fn run(&self, input: &mut [f32], gate: &mut [f32], out: &mut [f32], buffers: &mut Buffers) {
        let Buffers { gate: [gate_in, gate_out], inner: [inner_in, inner_out], shares } = buffers;
        self.gate_input.normalise(gate);
        self.input.normalise(input);
        for value in gate.iter_mut().chain(input.iter_mut()) {
            *value = if value.is_finite() { value.clamp(-FARTHEST, FARTHEST) } else { 0.0 };
        }
        gate_in.clear();
        gate_in.extend_from_slice(gate);
        for (layer, dense) in self.gates.iter().enumerate() {
            gate_out.resize(dense.outputs(), 0.0);
            dense.forward_into(gate_in, gate_out);
            if layer + 1 < LAYERS {
                elu(gate_out);
            }
            std::mem::swap(gate_in, gate_out);
        }
        shares.clear();
        shares.extend_from_slice(gate_in);
        softmax(shares);
        inner_in.clear();
        inner_in.extend_from_slice(input);
        for (layer, experts) in self.experts.iter().enumerate() {
            if layer + 1 == LAYERS {
                experts.step(inner_in, shares, out);
                break;
            }
            inner_out.resize(experts.outputs(), 0.0);
            experts.step(inner_in, shares, inner_out);
            elu(inner_out);
            std::mem::swap(inner_in, inner_out);
        }
        self.output.denormalise(out);
    }

    /// Bones of its character, [joints], metres.
    pub fn offsets(&self) -> Vec<Vec3> {
        self.config.offsets.iter().map(|offset| Vec3::from_array(*offset)).collect()
    }
}

/// Columns of the gate's row.
pub fn gate_columns(layout: &Layout, gate: Gate) -> usize {
    match gate {
        Gate::Phases => layout.gate(),
        Gate::Velocities => 3 * layout.contacts + layout.actions + 1,
    }
}

/// The row of [`Gate::Velocities`], from an input row: velocities of the contacts' joints, actions, speed asked for.
pub fn velocity_gate(layout: &Layout, character: &Character, input: &[f32], out: &mut [f32]) {
    let state = &input[layout.state()];
    for (contact, out) in character.contacts.iter().zip(out.chunks_exact_mut(3)) {
        out.copy_from_slice(&state[contact.joint * crate::feature::controller::JOINT + 9..][..3]);
    }
    let now = &input[crate::feature::controller::NOW * layout.sample()..];
    let last = &input[(crate::feature::controller::SAMPLES - 1) * layout.sample()..];
    let rest = &mut out[3 * layout.contacts..];
    rest[..layout.actions].copy_from_slice(&now[6..6 + layout.actions]);
    rest[layout.actions] = last[4].hypot(last[5]);
}
