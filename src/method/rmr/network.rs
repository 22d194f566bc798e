//! The network of the recurrent motion refiner: Kim et al., section 5.
//!
//! Encoder (two linear layers, ReLU) → two recurrent layers of 256 → decoder (two linear layers).
//! One departure: the network adds a correction to its input instead of writing the pose anew (contact columns are
//! written). The last layer starts at zero, so an untrained network is the identity, and what needs no change
//! keeps its detail.
//!
//! Milliseconds of a forward pass of 60 / 180 frames on one core, median. In Chromium, `node benchmarks/refiner/run.mjs`:
//! [`CpuRmr`] 11.1 / 29.2, onnxruntime-web 1.30 11.4 / 31.8 (best 8.9 / 24.9 and 10.1 / 29.1), of an
//! earlier build patched by hand to run its constructors once. Natively, `bench networks`: Burn's
//! `BiGru` 12.0 / 35.9, [`Rmr::forward`] 11.8 / 35.7, [`Rmr::infer`] 7.9 / 22.4, packed 8.0 / 23.2 (128-bit SIMD,
//! where Burn's products use what the processor has).
//! Tried for the packed layers and dropped, as slower in V8: loops unrolled by 2 or 4 (up to a quarter), 6 × 2 and
//! 3 × 3 to 3 × 4 vectors at once (a tenth to a quarter), rows interleaved beforehand (no gain).

mod cpu;

pub use cpu::CpuRmr;

use crate::error::Result;
use crate::feature::layout::Refiner;
use crate::nn::normal::Normal;
use crate::nn::recurrent::{CellKind, Recurrent};
use crate::nn::weights::{self, Network, Weights, burnpack};
use burn::module::Module;
use burn::nn::{Dropout, DropoutConfig, Initializer, Linear, LinearConfig};
use burn::tensor::{Device, Tensor, activation};
use serde::{Deserialize, Serialize};

/// Width of every hidden layer (section 5).
pub const HIDDEN: usize = 256;

/// The refiner, with its normalisation.
#[derive(Module, Debug)]
pub struct Rmr {
    /// Mean and deviation of rows.
    pub normal: Normal,
    pub(crate) encoder: [Linear; 2],
    pub(crate) recurrent: [Recurrent; 2],
    pub(crate) dropout: Dropout,
    pub(crate) decoder: [Linear; 2],
}

/// What a refiner is built by.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Config {
    /// Kind of its recurrent layers.
    pub cell: CellKind,
    /// Dropout between them, in training.
    #[serde(default)]
    pub dropout: f64,
}

impl Network for Rmr {
    const NAME: &str = "rmr";
    const LAYOUT: u32 = Refiner::VERSION;
    type Config = Config;

    fn blank(config: &Config, device: &Device) -> Self {
        let normal = Normal::new(&[0.0; Refiner::WIDTH], &[1.0; Refiner::WIDTH], device);
        Self::new(config.cell, normal, config.dropout, device)
    }
}

impl Rmr {
    /// An untrained refiner. `dropout` acts between the recurrent layers, in training only.
    pub fn new(kind: CellKind, normal: Normal, dropout: f64, device: &Device) -> Self {
        let linear = |from, to| LinearConfig::new(from, to).init(device);
        let first = Recurrent::new(kind, HIDDEN, HIDDEN, device);
        let second = Recurrent::new(kind, first.outputs(), HIDDEN, device);
        let last = LinearConfig::new(HIDDEN, Refiner::WIDTH).with_initializer(Initializer::Zeros).init(device);
        Self {
            normal,
            encoder: [linear(Refiner::WIDTH, HIDDEN), linear(HIDDEN, HIDDEN)],
            decoder: [linear(second.outputs(), HIDDEN), last],
            recurrent: [first, second],
            dropout: DropoutConfig::new(dropout).init(),
        }
    }

    /// The refiner of a weight file.
    ///
    /// # Errors
    /// [`crate::Error::Weights`] where the file does not load.
    pub fn load(bytes: &[u8], device: &Device) -> Result<Self> {
        if bytes.starts_with(burnpack::MAGIC) {
            let blank = Self::blank(&Config { cell: CellKind::Bgru, dropout: 0.0 }, device);
            return burnpack::from_bytes(blank, Refiner::VERSION, bytes);
        }
        weights::into_module(&Weights::read(bytes)?, device)
    }

    /// Normalised steps, [batch, 161] each → refined normalised steps stacked in time order, [frames × batch, 161].
    /// Contact columns hold logits.
    pub fn forward(&self, steps: &[Tensor<2>]) -> Tensor<2> {
        let encoded: Vec<Tensor<2>> = steps.iter().map(|step| self.encode(step.clone())).collect(); // [batch, 256] each
        let first = self.recurrent[0].forward(&encoded);
        let first: Vec<Tensor<2>> = first.into_iter().map(|step| self.dropout.forward(step)).collect();
        let second = Tensor::cat(self.recurrent[1].forward(&first), 0); // [frames × batch, 512]
        self.decode(Tensor::cat(steps.to_vec(), 0), second)
    }

    /// The inference path: one sequence of normalised rows, [frames, 161] → refined normalised rows, [frames, 161].
    /// Contact columns hold logits.
    pub fn infer(&self, rows: Tensor<2>) -> Tensor<2> {
        self.infer_lanes(rows, 1)
    }

    /// The same for `lanes` sequences at once, time-major: [frames × lanes, 161].
    pub fn infer_lanes(&self, rows: Tensor<2>, lanes: usize) -> Tensor<2> {
        let encoded = self.encode(rows.clone());
        let first = self.recurrent[0].infer(encoded, lanes); // [frames × lanes, 512]
        let second = self.recurrent[1].infer(first, lanes);
        self.decode(rows, second)
    }

    /// Whether its recurrent layers are gated recurrent units.
    #[cfg(feature = "train")]
    pub fn is_gated(&self) -> bool {
        self.recurrent.iter().all(Recurrent::is_gated)
    }

    /// Normalised rows, [rows, 161] → what the recurrent layers read, [rows, 256].
    pub(crate) fn encode(&self, rows: Tensor<2>) -> Tensor<2> {
        self.encoder.iter().fold(rows, |x, layer| activation::relu(layer.forward(x)))
    }

    /// The input, [rows, 161], corrected by what the recurrent layers say, [rows, 512].
    pub(crate) fn decode(&self, input: Tensor<2>, states: Tensor<2>) -> Tensor<2> {
        let change = self.decoder[1].forward(activation::relu(self.decoder[0].forward(states))); // [rows, 161]
        let poses = Refiner::CONTACT.start;
        let refined = input.narrow(1, 0, poses) + change.clone().narrow(1, 0, poses);
        Tensor::cat(vec![refined, change.narrow(1, poses, Refiner::CONTACT.width)], 1)
    }
}
