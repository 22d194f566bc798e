//! A mixture of experts: a gate blends several networks, usually eight, separately for every row (Zhang et al. 2018,
//! *Mode-Adaptive Neural Networks for Quadruped Motion Control*, eq. 3 to 5). The gate and each expert have three
//! linear layers, with ELU after the first and the second. This is the form packed for the CPU. Used by
//! [`crate::method::controller`] and [`crate::method::dcmoe`].

use super::activation::{elu, softmax};
use super::dense::PackedDense;
use super::experts::PackedExperts;
use super::normal::PackedNormal;
use super::weights::Weights;
use crate::error::Result;
use serde::{Deserialize, Serialize};
use std::ops::Range;

/// Number of layers of the gate, and of each expert.
pub const LAYERS: usize = 3;
/// Input columns are clamped to this many standard deviations, so that the output does not diverge for unusual poses.
pub const MAX_DEVIATIONS: f32 = 6.0;

/// Sizes of the network.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Sizes {
    /// Number of columns of an input row.
    pub input: usize,
    /// Number of columns of the gate's input row.
    pub gate: usize,
    /// Width of the gate's hidden layers.
    pub gate_hidden: usize,
    /// Number of experts.
    pub experts: usize,
    /// Width of the experts' hidden layers.
    pub hidden: usize,
    /// Number of columns of an output row.
    pub output: usize,
}

impl Sizes {
    /// Returns [inputs, outputs] of each layer of the gate.
    pub fn gate_layers(&self) -> [[usize; 2]; LAYERS] {
        let Self { gate, gate_hidden, experts, .. } = *self;
        [[gate, gate_hidden], [gate_hidden, gate_hidden], [gate_hidden, experts]]
    }

    /// Returns [inputs, outputs] of each layer of an expert.
    pub fn expert_layers(&self) -> [[usize; 2]; LAYERS] {
        let Self { input, hidden, output, .. } = *self;
        [[input, hidden], [hidden, hidden], [hidden, output]]
    }
}

/// A parameter: its name, shape, and position in the vector of all parameters.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Parameter {
    /// Name in the weight file.
    pub name: String,
    /// Dimensions in the weight file.
    pub shape: Vec<usize>,
    /// Index of the parameter's first number in the vector.
    pub start: usize,
}

impl Parameter {
    /// Returns the range of the parameter's numbers in the vector.
    pub fn range(&self) -> Range<usize> {
        self.start..self.start + self.shape.iter().product::<usize>()
    }
}

/// Lists all parameters in order: weight and bias of the gate's three layers, then of the three expert layers.
pub fn parameters(sizes: &Sizes) -> Vec<Parameter> {
    let mut all: Vec<Parameter> = Vec::with_capacity(4 * LAYERS);
    let mut add = |name: String, shape: Vec<usize>| {
        let start = all.last().map_or(0, |last| last.range().end);
        all.push(Parameter { name, shape, start });
    };
    for (layer, [inputs, outputs]) in sizes.gate_layers().into_iter().enumerate() {
        add(format!("gate.{layer}.weight"), vec![inputs, outputs]);
        add(format!("gate.{layer}.bias"), vec![outputs]);
    }
    for (layer, [inputs, outputs]) in sizes.expert_layers().into_iter().enumerate() {
        add(format!("experts.{layer}.weight"), vec![sizes.experts, inputs, outputs]);
        add(format!("experts.{layer}.bias"), vec![sizes.experts, outputs]);
    }
    all
}

/// The network, packed for the CPU.
#[derive(Debug, Clone)]
pub struct PackedMixture {
    input: PackedNormal,
    gate_input: PackedNormal,
    output: PackedNormal,
    gate_layers: Vec<PackedDense>,
    expert_layers: Vec<PackedExperts>,
}

/// Buffers of an evaluation, to be reused.
#[derive(Debug, Clone, Default)]
pub struct Buffers {
    /// Input and output of a layer of the gate.
    gate: [Vec<f32>; 2],
    /// Input and output of a layer of the experts.
    experts: [Vec<f32>; 2],
    /// Weights of the experts in the last evaluation; they sum to 1.
    pub expert_weights: Vec<f32>,
}

impl PackedMixture {
    /// Reads the network of a weight file, with the normalisations `input`, `gate_input` and `output` of its rows.
    ///
    /// # Errors
    /// [`crate::Error::Weights`] for sizes out of range, and for tensors that are missing or have other sizes.
    pub fn read(weights: &Weights, sizes: &Sizes) -> Result<Self> {
        let Sizes { input, gate, gate_hidden, experts, hidden, output } = *sizes;
        weights.check_sizes(&[input, gate, gate_hidden, experts, hidden, output])?;
        let gate_layer = |(layer, shape)| PackedDense::read(weights, &format!("gate.{layer}"), shape);
        let expert_layer = |(layer, [inputs, outputs]): (usize, [usize; 2])| {
            PackedExperts::read(weights, &format!("experts.{layer}"), [experts, inputs, outputs])
        };
        Ok(Self {
            input: PackedNormal::read(weights, "input", input)?,
            gate_input: PackedNormal::read(weights, "gate_input", gate)?,
            output: PackedNormal::read(weights, "output", output)?,
            gate_layers: sizes.gate_layers().into_iter().enumerate().map(gate_layer).collect::<Result<_>>()?,
            expert_layers: sizes.expert_layers().into_iter().enumerate().map(expert_layer).collect::<Result<_>>()?,
        })
    }

    /// Evaluates one row. `input` and `gate`: raw rows, which are overwritten. `out`: raw output row.
    pub fn run(&self, input: &mut [f32], gate: &mut [f32], out: &mut [f32], buffers: &mut Buffers) {
        let Buffers { gate: [gate_row, next_gate_row], experts: [row, next_row], expert_weights } = buffers;
        self.gate_input.normalise(gate);
        self.input.normalise(input);
        for value in gate.iter_mut().chain(input.iter_mut()) {
            *value = if value.is_finite() { value.clamp(-MAX_DEVIATIONS, MAX_DEVIATIONS) } else { 0.0 };
        }
        gate_row.clear();
        gate_row.extend_from_slice(gate);
        for (index, layer) in self.gate_layers.iter().enumerate() {
            next_gate_row.resize(layer.outputs(), 0.0);
            layer.forward_into(gate_row, next_gate_row);
            if index + 1 < LAYERS {
                elu(next_gate_row);
            }
            std::mem::swap(gate_row, next_gate_row);
        }
        expert_weights.clear();
        expert_weights.extend_from_slice(gate_row);
        softmax(expert_weights);
        row.clear();
        row.extend_from_slice(input);
        for (index, layer) in self.expert_layers.iter().enumerate() {
            if index + 1 == LAYERS {
                layer.apply_row(row, expert_weights, out);
                break;
            }
            next_row.resize(layer.outputs(), 0.0);
            layer.apply_row(row, expert_weights, next_row);
            elu(next_row);
            std::mem::swap(row, next_row);
        }
        self.output.denormalise(out);
    }
}
