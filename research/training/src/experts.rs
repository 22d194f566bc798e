//! The mixture of experts on tensors: for every row, a gate blends several networks, the experts.
//! [`kinestitch::nn::mixture`] is the packed form. [`crate::dcmoe`] and [`crate::controller`] train mixtures.
//!
//! The gate computes the shares of the experts: their weights in the blend, which sum to 1. Each layer needs only one
//! matrix product for all experts: a row is repeated to [experts × inputs], each copy is multiplied by the share of its
//! expert, and the result is multiplied by the stacked matrices of the experts.

pub mod normal;

use crate::checkpoint;
use crate::recipe::Header;
use burn::module::{Module, Param};
use burn::nn::{Linear, LinearConfig};
use burn::tensor::{Device, Tensor, TensorData, activation};
use kinestitch::error::Result;
use kinestitch::nn::mixture::{LAYERS, MAX_DEVIATIONS, Sizes};
use kinestitch::nn::normal::Normal;
use kinestitch::nn::weights::module::tensors;
use kinestitch::nn::weights::write::NamedTensor;
use normal::Normals;
use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};
use std::path::Path;

/// Gate, experts, and the statistics of their rows. Parameters have the names and shapes of weight files
/// ([`kinestitch::nn::mixture::parameters`]).
#[derive(Module, Debug)]
pub struct Mixture {
    input: Normal,
    gate_input: Normal,
    output: Normal,
    gate: Vec<Linear>,
    experts: Vec<Blend>,
}

/// A layer of all experts.
#[derive(Module, Debug)]
struct Blend {
    /// Weights, [experts, inputs, outputs].
    weight: Param<Tensor<3>>,
    /// Biases, [experts, outputs].
    bias: Param<Tensor<2>>,
}

impl Mixture {
    /// Creates a network of the right shapes, whose weights are to be loaded.
    pub fn blank(sizes: &Sizes, device: &Device) -> Self {
        let normal = |columns: usize| Normal::new(&vec![0.0; columns], &vec![1.0; columns], device);
        let gate = |[inputs, outputs]: [usize; 2]| LinearConfig::new(inputs, outputs).init(device);
        let blend = |[inputs, outputs]: [usize; 2]| Blend {
            weight: Param::from_tensor(Tensor::zeros([sizes.experts, inputs, outputs], device)),
            bias: Param::from_tensor(Tensor::zeros([sizes.experts, outputs], device)),
        };
        Self {
            input: normal(sizes.input),
            gate_input: normal(sizes.gate),
            output: normal(sizes.output),
            gate: sizes.gate_layers().map(gate).into(),
            experts: sizes.expert_layers().map(blend).into(),
        }
    }

    /// Creates a network with random weights and zero biases. `normals`: statistics of input, gate and output.
    /// `last_scale`: factor of the last layer's weights.
    pub fn untrained(sizes: &Sizes, normals: &Normals, (seed, last_scale): (u64, f32), device: &Device) -> Self {
        let mut rng = StdRng::seed_from_u64(seed);
        let mut random = |count: usize, [inputs, outputs]: [usize; 2], scale: f32| -> Vec<f32> {
            let bound = scale * (6.0 / (inputs + outputs) as f32).sqrt();
            (0..count * inputs * outputs).map(|_| rng.random_range(-bound..bound)).collect()
        };
        let gate = sizes.gate_layers().map(|shape| Linear {
            weight: Param::from_tensor(tensor(random(1, shape, 1.0), shape, device)),
            bias: Some(Param::from_tensor(Tensor::zeros([shape[1]], device))),
        });
        let mut layer = 0;
        let experts = sizes.expert_layers().map(|shape @ [inputs, outputs]| {
            layer += 1;
            // A blend of many random matrices is smaller than each of them.
            let mut weights = random(sizes.experts, shape, 2.0);
            weights.iter_mut().filter(|_| layer == LAYERS).for_each(|weight| *weight *= last_scale);
            Blend {
                weight: Param::from_tensor(tensor(weights, [sizes.experts, inputs, outputs], device)),
                bias: Param::from_tensor(Tensor::zeros([sizes.experts, outputs], device)),
            }
        });
        let [input, gate_input, output] = [&normals.input, &normals.gate, &normals.output]
            .map(|normal| Normal::new(&normal.mean, &normal.deviation, device));
        Self { input, gate_input, output, gate: gate.into(), experts: experts.into() }
    }

    /// Loads a weight file, or a checkpoint of a run (`.bpk`). Tensors of the file that the network lacks, such as
    /// postures, are ignored. `network`: expected network name and layout version of the file. `recipe`: header of the
    /// recipe whose weights are made from the file.
    ///
    /// # Errors
    /// Those of [`checkpoint::load_tensors`].
    pub fn load(self, path: &Path, network: (&str, u32), recipe: &Header) -> Result<Self> {
        checkpoint::load_tensors(self, path, network, recipe, |mixture, file| {
            let names: Vec<String> = tensors(mixture)?.into_iter().map(|tensor| tensor.name).collect();
            checkpoint::read_tensors(file, |name| names.iter().any(|network_name| network_name == name))
        })
    }

    /// Reads the parameters and statistics, for a weight file.
    ///
    /// # Errors
    /// [`kinestitch::Error::Weights`] if they cannot be read from the device.
    pub fn tensors(&self) -> Result<Vec<NamedTensor>> {
        tensors(self)
    }

    /// Normalises raw rows of the network and of the gate, and clamps them as the packed network does.
    pub fn normalise(&self, rows: Tensor<2>, gates: Tensor<2>) -> [Tensor<2>; 2] {
        let clamp = |rows: Tensor<2>| rows.clamp(-MAX_DEVIATIONS, MAX_DEVIATIONS);
        [clamp(self.input.normalise(rows)), clamp(self.gate_input.normalise(gates))]
    }

    /// Returns the statistics of output rows.
    pub fn output(&self) -> &Normal {
        &self.output
    }

    /// Computes the shares of the experts, [rows, experts], from normalised rows of the gate.
    pub fn shares(&self, mut gates: Tensor<2>) -> Tensor<2> {
        for (layer, linear) in self.gate.iter().enumerate() {
            gates = linear.forward(gates);
            if layer + 1 < LAYERS {
                gates = elu(gates);
            }
        }
        activation::softmax(gates, 1)
    }

    /// Computes normalised output rows from normalised rows of the network and of the gate. `masks`: dropout factors of
    /// each layer's input ([`Masks::tensors`]); empty for no dropout.
    pub fn forward(&self, mut rows: Tensor<2>, gates: Tensor<2>, masks: &[Tensor<2>]) -> Tensor<2> {
        let shares = self.shares(gates);
        for (layer, blend) in self.experts.iter().enumerate() {
            if let Some(mask) = masks.get(layer) {
                rows = rows * mask.clone();
            }
            rows = blend.forward(rows, &shares);
            if layer + 1 < LAYERS {
                rows = elu(rows);
            }
        }
        rows
    }
}

impl Blend {
    /// Applies the layer to rows, [rows, inputs]. `shares`: shares of the experts, [rows, experts].
    fn forward(&self, rows: Tensor<2>, shares: &Tensor<2>) -> Tensor<2> {
        let ([experts, inputs, outputs], count) = (self.weight.dims(), rows.dims()[0]);
        let scaled = shares.clone().unsqueeze_dim::<3>(2) * rows.unsqueeze_dim::<3>(1); // [rows, experts, inputs]
        let weight = self.weight.val().reshape([experts * inputs, outputs]);
        scaled.reshape([count, experts * inputs]).matmul(weight) + shares.clone().matmul(self.bias.val())
    }
}

/// Computes ELU. Burn's ELU also computes e^x for positive x, which overflows.
fn elu(rows: Tensor<2>) -> Tensor<2> {
    let negative = activation::relu(rows.clone().neg()).neg(); // min(x, 0)
    activation::relu(rows) + (negative.exp() - 1.0)
}

/// Dropout factors of the experts' input columns, drawn row by row.
pub struct Masks {
    /// Probability to keep a column.
    keep: f32,
    /// Number of input columns of each layer.
    widths: [usize; LAYERS],
    /// Factors of each layer, [rows × inputs].
    layers: [Vec<f32>; LAYERS],
}

impl Masks {
    /// Creates empty masks. `dropout`: probability that a column becomes zero.
    pub fn new(sizes: &Sizes, dropout: f32) -> Self {
        Self {
            keep: 1.0 - dropout,
            widths: sizes.expert_layers().map(|[inputs, _]| inputs),
            layers: Default::default(),
        }
    }

    /// Draws the factors of another row.
    pub fn draw(&mut self, rng: &mut StdRng) {
        if self.keep >= 1.0 {
            return;
        }
        let factor = 1.0 / self.keep;
        for (layer, width) in self.layers.iter_mut().zip(self.widths) {
            layer.extend((0..width).map(|_| if rng.random::<f32>() < self.keep { factor } else { 0.0 }));
        }
    }

    /// Returns the factors of each layer, [rows, inputs]; empty if there is no dropout.
    pub fn tensors(self, device: &Device) -> Vec<Tensor<2>> {
        if self.keep >= 1.0 {
            return Vec::new();
        }
        let layers = self.layers.into_iter().zip(self.widths);
        layers.map(|(values, width)| matrix(values, width, device)).collect()
    }
}

/// Creates a matrix of `columns` columns.
pub fn matrix(values: Vec<f32>, columns: usize, device: &Device) -> Tensor<2> {
    let rows = values.len() / columns.max(1);
    tensor(values, [rows, columns], device)
}

fn tensor<const D: usize>(values: Vec<f32>, shape: [usize; D], device: &Device) -> Tensor<D> {
    Tensor::from_data(TensorData::new(values, shape), device)
}
