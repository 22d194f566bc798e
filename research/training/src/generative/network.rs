//! Encoder, decoder and discriminator of generative control, on tensors.

use crate::experts::normal::Normal;
use burn::module::{Module, Param};
use burn::nn::{Dropout, Linear, LinearConfig};
use burn::tensor::{Device, Tensor, TensorData, activation::relu};
use kinestitch::feature::controller::VERSION;
use kinestitch::method::controller::generative::{NAME, Sizes};
use kinestitch::nn::mixture::MAX_DEVIATIONS;
use kinestitch::nn::weights::{Network, Weights};
use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};

/// Hidden widths of the discriminator (eq. 11).
const DISCRIMINATOR: [usize; 3] = [128, 64, 32];
/// Prefix of the names of tensors that weight files do not contain: the field [`Networks::discriminator`].
const TRAINING_ONLY: &str = "discriminator.";

/// Normalisation of paths; not trained.
#[derive(Module, Debug)]
struct Columns {
    /// Means, [path].
    mean: Param<Tensor<1>>,
    /// Standard deviations, [path].
    deviation: Param<Tensor<1>>,
}

/// Networks and statistics in weight files.
#[derive(Module, Debug)]
struct Coder {
    path: Columns,
    encoder: Vec<Linear>,
    decoder: Vec<Linear>,
    /// Root of the covariance of the noise, [code × code]; not trained, but computed from codes ([`super::spread`]).
    spread: Param<Tensor<2>>,
}

/// The three networks. The name of the first field is the prefix of the tensors' names in weight files.
#[derive(Module, Debug)]
pub struct Networks {
    generative: Coder,
    /// Discriminator: path → logit of the probability that the path was recorded.
    discriminator: Vec<Linear>,
}

impl Network for Networks {
    const NAME: &str = NAME;
    const LAYOUT: u32 = VERSION;
    type Config = Sizes;

    fn check(sizes: &Sizes, weights: &Weights) -> kinestitch::Result<()> {
        weights.check_sizes(&sizes.encoder())
    }

    fn blank(sizes: &Sizes, device: &Device) -> Self {
        let chain = |widths: &[usize]| -> Vec<Linear> {
            widths.windows(2).map(|pair| LinearConfig::new(pair[0], pair[1]).init(device)).collect()
        };
        let column = |value: f32| Param::from_tensor(Tensor::full([sizes.path], value, device)).set_require_grad(false);
        let generative = Coder {
            path: Columns { mean: column(0.0), deviation: column(1.0) },
            encoder: chain(&sizes.encoder()),
            decoder: chain(&sizes.decoder()),
            spread: Param::from_tensor(Tensor::zeros([sizes.code; 2], device)).set_require_grad(false),
        };
        Self { generative, discriminator: chain(&discriminator_widths(sizes)) }
    }
}

/// Returns the widths of the discriminator's layers, input and output included.
fn discriminator_widths(sizes: &Sizes) -> Vec<usize> {
    [&[sizes.path][..], &DISCRIMINATOR, &[1]].concat()
}

/// Creates layers with random weights (He et al. 2015) and zero biases. `widths`: widths of input, hidden layers and
/// output.
fn untrained_layers(widths: &[usize], seed: u64, device: &Device) -> Vec<Linear> {
    let mut rng = StdRng::seed_from_u64(seed);
    let mut layer = |inputs: usize, outputs: usize| {
        let bound = (6.0 / inputs as f32).sqrt();
        let values: Vec<f32> = (0..inputs * outputs).map(|_| rng.random_range(-bound..bound)).collect();
        Linear {
            weight: Param::from_tensor(Tensor::from_data(TensorData::new(values, [inputs, outputs]), device)),
            bias: Some(Param::from_tensor(Tensor::zeros([outputs], device))),
        }
    };
    widths.windows(2).map(|pair| layer(pair[0], pair[1])).collect()
}

/// Applies layers with ReLU between them, and with dropout after each layer, the last one included.
fn forward(layers: &[Linear], mut rows: Tensor<2>, dropout: Option<&Dropout>) -> Tensor<2> {
    for (index, layer) in layers.iter().enumerate() {
        rows = layer.forward(rows);
        if index + 1 < layers.len() {
            rows = relu(rows);
        }
        rows = dropout.map_or(rows.clone(), |dropout| dropout.forward(rows));
    }
    rows
}

impl Networks {
    /// Creates networks with random weights. `normal`: statistics that normalise paths.
    pub fn untrained(sizes: &Sizes, normal: &Normal, seed: u64, device: &Device) -> Self {
        let column = |values: &[f32]| {
            let values = TensorData::new(values.to_vec(), [sizes.path]);
            Param::from_tensor(Tensor::from_data(values, device)).set_require_grad(false)
        };
        let mut networks = Self::blank(sizes, device);
        networks.generative.path = Columns { mean: column(&normal.mean), deviation: column(&normal.deviation) };
        networks.generative.encoder = untrained_layers(&sizes.encoder(), seed, device);
        networks.generative.decoder = untrained_layers(&sizes.decoder(), seed + 1, device);
        networks.discriminator = untrained_layers(&discriminator_widths(sizes), seed + 2, device);
        networks
    }

    /// Returns whether weight files contain the parameter of this name.
    pub fn is_stored(name: &str) -> bool {
        !name.starts_with(TRAINING_ONLY)
    }

    /// Normalises raw paths, [rows, path], and clamps them to ±[`MAX_DEVIATIONS`] standard deviations.
    pub fn normalise(&self, paths: Tensor<2>) -> Tensor<2> {
        let Columns { mean, deviation } = &self.generative.path;
        let rows = (paths - mean.val().unsqueeze::<2>()) / deviation.val().unsqueeze::<2>();
        rows.clamp(-MAX_DEVIATIONS, MAX_DEVIATIONS)
    }

    /// Encodes normalised paths to codes, [rows, code] (eq. 9).
    pub fn encode(&self, paths: Tensor<2>, dropout: Option<&Dropout>) -> Tensor<2> {
        forward(&self.generative.encoder, paths, dropout)
    }

    /// Decodes codes to normalised paths, [rows, path] (eq. 10).
    pub fn decode(&self, codes: Tensor<2>) -> Tensor<2> {
        forward(&self.generative.decoder, codes, None)
    }

    /// Computes the logit of the probability that each normalised path was recorded, [rows, 1] (eq. 11).
    pub fn discriminate(&self, paths: Tensor<2>) -> Tensor<2> {
        forward(&self.discriminator, paths, None)
    }

    /// Computes [`Networks::discriminate`] without gradients for the discriminator's weights.
    fn discriminate_with_fixed_weights(&self, paths: Tensor<2>) -> Tensor<2> {
        forward(&self.discriminator.clone().no_grad(), paths, None)
    }

    /// Computes three losses of normalised paths, means over the rows: reconstruction, adversarial, discriminator. The
    /// last trains only the discriminator, the others train only encoder and decoder.
    pub fn losses(&self, paths: Tensor<2>, dropout: &Dropout) -> [Tensor<1>; 3] {
        let reconstructed = self.decode(self.encode(paths.clone(), Some(dropout)));
        let reconstruction = (reconstructed.clone() - paths.clone()).square().mean();
        let adversarial = cross_entropy(self.discriminate_with_fixed_weights(reconstructed.clone()), 1.0);
        let recorded = cross_entropy(self.discriminate(paths), 1.0);
        let discriminator = recorded + cross_entropy(self.discriminate(reconstructed.detach()), 0.0);
        [reconstruction, adversarial, discriminator]
    }

    /// Replaces the root of the noise's covariance, [code × code].
    #[must_use]
    pub fn with_spread(mut self, spread: Vec<f32>) -> Self {
        let previous = self.generative.spread.val();
        let spread = Tensor::from_data(TensorData::new(spread, previous.dims()), &previous.device());
        self.generative.spread = Param::initialized(self.generative.spread.id, spread).set_require_grad(false);
        self
    }
}

/// Computes the mean cross entropy of logits with a target, 0 or 1.
fn cross_entropy(logits: Tensor<2>, target: f32) -> Tensor<1> {
    let magnitude = logits.clone().abs();
    // (x + |x|) / 2 instead of max(0, x), because its gradient is correct at 0.
    ((logits.clone() + magnitude.clone()) * 0.5 - logits * target + (magnitude.neg().exp() + 1.0).log()).mean()
}
