//! The refiner's network on tensors, for training and WebGPU: Kim et al., section 5.

use super::{Config, HIDDEN, LAYOUT};
use crate::error::Result;
use crate::feature::layout::RefinerRow;
use crate::nn::normal::Normal;
use crate::nn::recurrent::{CellKind, Recurrent};
use crate::nn::weights::{self, Network, Weights, wrong};
use burn::module::Module;
use burn::nn::{Dropout, DropoutConfig, Initializer, Linear, LinearConfig};
use burn::tensor::{Device, Tensor, activation};

/// The refiner, with its normalisation.
#[derive(Module, Debug)]
pub struct Rmr {
    /// Mean and standard deviation of each column.
    pub normal: Normal,
    /// Layers from normalised rows to the inputs of the recurrent layers.
    pub encoder: [Linear; 2],
    /// Recurrent layers between encoder and decoder.
    pub recurrent: [Recurrent; 2],
    /// Dropout of the output of the first recurrent layer, in training only.
    pub dropout: Dropout,
    /// Layers from the output of the recurrent layers to corrections of the rows, and to logits of contacts.
    pub decoder: [Linear; 2],
}

impl Network for Rmr {
    const NAME: &str = super::NAME;
    const LAYOUT: u32 = LAYOUT;
    type Config = Config;

    fn check(config: &Config, _: &Weights) -> Result<()> {
        match config.dropout {
            0.0..1.0 => Ok(()),
            rate => {
                Err(wrong(format!("its configuration has a dropout rate of {rate}, which is not from 0 to below 1")))
            }
        }
    }

    fn blank(config: &Config, device: &Device) -> Self {
        let normal = Normal::new(&[0.0; RefinerRow::WIDTH], &[1.0; RefinerRow::WIDTH], device);
        Self::new(config.cell, normal, config.dropout, device)
    }
}

impl Rmr {
    /// Creates an untrained refiner. `dropout`: rate of the dropout between the recurrent layers, in training only.
    pub fn new(kind: CellKind, normal: Normal, dropout: f64, device: &Device) -> Self {
        let linear = |from, to| LinearConfig::new(from, to).init(device);
        let first = Recurrent::new(kind, HIDDEN, HIDDEN, device);
        let second = Recurrent::new(kind, first.outputs(), HIDDEN, device);
        let last = LinearConfig::new(HIDDEN, RefinerRow::WIDTH).with_initializer(Initializer::Zeros).init(device);
        Self {
            normal,
            encoder: [linear(RefinerRow::WIDTH, HIDDEN), linear(HIDDEN, HIDDEN)],
            decoder: [linear(second.outputs(), HIDDEN), last],
            recurrent: [first, second],
            dropout: DropoutConfig::new(dropout).init(),
        }
    }

    /// Loads the refiner of a weight file.
    ///
    /// # Errors
    /// [`crate::Error::Weights`] if the file cannot be loaded.
    pub fn load(bytes: &[u8], device: &Device) -> Result<Self> {
        weights::into_module(&Weights::read(bytes)?, device)
    }

    /// Refines a batch of sequences in training. `steps`: normalised rows of each frame, [batch, 161]. Returns refined
    /// normalised rows in time order, [frames × batch, 161], the batch of each frame together. Contact columns are
    /// logits.
    pub fn forward(&self, steps: &[Tensor<2>]) -> Tensor<2> {
        let encoded: Vec<Tensor<2>> = steps.iter().map(|step| self.encode(step.clone())).collect(); // [batch, 256] each
        let first = self.recurrent[0].forward(&encoded);
        let first: Vec<Tensor<2>> = first.into_iter().map(|step| self.dropout.forward(step)).collect();
        let second = Tensor::cat(self.recurrent[1].forward(&first), 0); // [frames × batch, outputs]
        self.decode(Tensor::cat(steps.to_vec(), 0), second)
    }

    /// Refines one sequence for inference, normalised rows, [frames, 161] → refined normalised rows, [frames, 161].
    /// Contact columns are logits.
    pub fn infer(&self, rows: Tensor<2>) -> Tensor<2> {
        self.infer_lanes(rows, 1)
    }

    /// Refines `lanes` sequences of equal length at once, as [`Rmr::infer`]. Rows are in time order,
    /// [frames × lanes, 161], the lanes of each frame together.
    pub fn infer_lanes(&self, rows: Tensor<2>, lanes: usize) -> Tensor<2> {
        let encoded = self.encode(rows.clone());
        let first = self.recurrent[0].infer(encoded, lanes); // [frames × lanes, outputs]
        let second = self.recurrent[1].infer(first, lanes);
        self.decode(rows, second)
    }

    /// Returns whether all recurrent layers are gated recurrent units.
    pub fn is_gru(&self) -> bool {
        self.recurrent.iter().all(Recurrent::is_gru)
    }

    /// Encodes normalised rows, [rows, 161] → input of the recurrent layers, [rows, 256].
    pub fn encode(&self, rows: Tensor<2>) -> Tensor<2> {
        self.encoder.iter().fold(rows, |x, layer| activation::relu(layer.forward(x)))
    }

    /// Returns refined normalised rows, [rows, 161]. `input`: normalised rows, [rows, 161]. `states`: output of the
    /// recurrent layers, [rows, 512] if they are bidirectional, else [rows, 256]. The decoder predicts corrections,
    /// which are added to the input, and the contact columns themselves, as logits.
    pub fn decode(&self, input: Tensor<2>, states: Tensor<2>) -> Tensor<2> {
        let decoded = self.decoder[1].forward(activation::relu(self.decoder[0].forward(states))); // [rows, 161]
        let (pose_columns, contact_columns) = (RefinerRow::CONTACT.start, RefinerRow::CONTACT.width);
        let poses = input.narrow(1, 0, pose_columns) + decoded.clone().narrow(1, 0, pose_columns);
        Tensor::cat(vec![poses, decoded.narrow(1, pose_columns, contact_columns)], 1)
    }
}
