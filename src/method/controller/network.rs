//! What the controller's network is made of: sizes, and the place of every parameter in one row of numbers.

use serde::{Deserialize, Serialize};
use std::ops::Range;

/// Name of the network in weight files.
pub const NAME: &str = "controller";
/// Layers of the gate, and of each expert.
pub const LAYERS: usize = 3;

/// Sizes of the network.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Sizes {
    /// Columns of an input row.
    pub input: usize,
    /// Columns of the gate's row.
    pub gate: usize,
    /// Width of the gate's inner rows.
    pub gate_hidden: usize,
    /// Experts.
    pub experts: usize,
    /// Width of inner rows.
    pub hidden: usize,
    /// Columns of an output row.
    pub output: usize,
}

impl Sizes {
    /// [inputs, outputs] of the gate's layers.
    pub fn gates(&self) -> [[usize; 2]; LAYERS] {
        let Self { gate, gate_hidden, experts, .. } = *self;
        [[gate, gate_hidden], [gate_hidden, gate_hidden], [gate_hidden, experts]]
    }

    /// [inputs, outputs] of the layers of each expert.
    pub fn layers(&self) -> [[usize; 2]; LAYERS] {
        let Self { input, hidden, output, .. } = *self;
        [[input, hidden], [hidden, hidden], [hidden, output]]
    }
}

/// A parameter: its name, shape, and place in the row of all parameters.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Parameter {
    /// Name in the weight file.
    pub name: String,
    /// Its dimensions there.
    pub shape: Vec<usize>,
    /// First number.
    pub start: usize,
}

impl Parameter {
    /// Numbers of the parameter.
    pub fn range(&self) -> Range<usize> {
        self.start..self.start + self.shape.iter().product::<usize>()
    }
}

/// All parameters in order: weight and bias of the gate's three layers, then of the three layers of experts.
pub fn parameters(sizes: &Sizes) -> Vec<Parameter> {
    let mut all: Vec<Parameter> = Vec::with_capacity(4 * LAYERS);
    let mut add = |name: String, shape: Vec<usize>| {
        let start = all.last().map_or(0, |last| last.range().end);
        all.push(Parameter { name, shape, start });
    };
    for (layer, [inputs, outputs]) in sizes.gates().into_iter().enumerate() {
        add(format!("gate.{layer}.weight"), vec![inputs, outputs]);
        add(format!("gate.{layer}.bias"), vec![outputs]);
    }
    for (layer, [inputs, outputs]) in sizes.layers().into_iter().enumerate() {
        add(format!("experts.{layer}.weight"), vec![sizes.experts, inputs, outputs]);
        add(format!("experts.{layer}.bias"), vec![sizes.experts, outputs]);
    }
    all
}
