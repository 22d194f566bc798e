//! Sizes of the transformer, and the offset of each parameter in the vector of all parameters.

use serde::{Deserialize, Serialize};
use std::ops::Range;

/// Name of the network in weight files.
pub const NAME: &str = "delta";

/// Sizes of the transformer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Sizes {
    /// Number of columns of an input row.
    pub input: usize,
    /// Number of columns of an output row.
    pub output: usize,
    /// Width of a token.
    pub width: usize,
    /// Number of layers.
    pub layers: usize,
    /// Number of attention heads per layer.
    pub heads: usize,
    /// Width of the inner rows of a layer's feed-forward network.
    pub inner: usize,
    /// Largest distance between tokens with a separate attention bias; tokens farther apart share the bias of this
    /// distance.
    pub reach: usize,
}

/// A parameter: name, shape, and offset in the vector of all parameters.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Parameter {
    /// Name in the weight file.
    pub name: String,
    /// [inputs, outputs] for a matrix, [1, columns] for a bias.
    pub shape: [usize; 2],
    /// Offset of the first number.
    pub start: usize,
}

impl Parameter {
    /// Returns the range of the numbers.
    pub fn range(&self) -> Range<usize> {
        self.start..self.start + self.shape[0] * self.shape[1]
    }

    /// Returns the shape in the weight file, where biases are vectors.
    pub fn stored_shape(&self) -> Vec<usize> {
        // A matrix may have one row too, such as the biases by distance of a single head.
        let [_, columns] = self.shape;
        if self.name.ends_with(".bias") { vec![columns] } else { self.shape.to_vec() }
    }
}

/// Indices into [`Parameters::all`] of the matrix and of the bias of a linear layer.
pub type Linear = [usize; 2];

/// Indices into [`Parameters::all`] of the parameters of one layer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Layer {
    /// Queries, keys and values, [width, 3 × width].
    pub qkv: Linear,
    /// Output of the attention, [width, width].
    pub out: Linear,
    /// Bias of each head by distance, [heads, 2 × reach + 1].
    pub bias: usize,
    /// First layer of the feed-forward network, [width, inner].
    pub first: Linear,
    /// Second layer of the feed-forward network, [inner, width].
    pub second: Linear,
}

/// All parameters, in the order of the vector.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Parameters {
    /// All parameters.
    pub all: Vec<Parameter>,
    /// Converts rows to tokens.
    pub input: Linear,
    /// The transformer's layers.
    pub layers: Vec<Layer>,
    /// Converts tokens to rows.
    pub output: Linear,
}

impl Parameters {
    /// Lists the parameters of a transformer.
    pub fn new(sizes: &Sizes) -> Self {
        let mut all: Vec<Parameter> = Vec::new();
        let mut add = |name: String, shape: [usize; 2]| {
            let start = all.last().map_or(0, |last| last.range().end);
            all.push(Parameter { name, shape, start });
            all.len() - 1
        };
        let mut linear = |name: &str, inputs: usize, outputs: usize| {
            [add(format!("{name}.weight"), [inputs, outputs]), add(format!("{name}.bias"), [1, outputs])]
        };
        let Sizes { width, inner, heads, reach, .. } = *sizes;
        let input = linear("input", sizes.input, width);
        let mut layers = Vec::with_capacity(sizes.layers);
        for layer in 0..sizes.layers {
            let qkv = linear(&format!("layers.{layer}.qkv"), width, 3 * width);
            let out = linear(&format!("layers.{layer}.out"), width, width);
            let first = linear(&format!("layers.{layer}.first"), width, inner);
            let second = linear(&format!("layers.{layer}.second"), inner, width);
            layers.push(Layer { qkv, out, bias: 0, first, second });
        }
        let output = linear("output", width, sizes.output);
        for (index, layer) in layers.iter_mut().enumerate() {
            layer.bias = add(format!("layers.{index}.distance"), [heads, 2 * reach + 1]);
        }
        Self { all, input, layers, output }
    }

    /// Returns the number of values of all parameters.
    pub fn len(&self) -> usize {
        self.all.last().map_or(0, |last| last.range().end)
    }

    /// Never true, because there is always an input layer.
    pub fn is_empty(&self) -> bool {
        self.all.is_empty()
    }

    /// Returns the range of the numbers of one parameter, by its index in [`Parameters::all`].
    pub fn range(&self, index: usize) -> Range<usize> {
        self.all[index].range()
    }
}
