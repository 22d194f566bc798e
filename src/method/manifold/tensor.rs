//! Manifold and sampler on tensors, for training.

use super::sizes::Sizes;
use super::step::{Layers, Moment, Sample};
use super::{LAYOUT, MAX_DEVIATIONS, NAME};
use crate::error::Result;
use crate::feature::manifold::{
    CHANGE, CONDITION, CONTACTS, MOVES, OFFSET, STATE, STEP, TARGET, UPPER_COLUMNS, typical_difference,
};
use crate::nn::experts::Experts;
use crate::nn::normal::Normal;
use crate::nn::recurrent::{CellKind, Recurrent};
use crate::nn::weights::{Network, Weights};
use burn::module::Module;
use burn::nn::{Initializer, Linear, LinearConfig};
use burn::tensor::{Device, Tensor, TensorData, activation};

/// The motion manifold: a conditional variational autoencoder whose decoder is a mixture of experts (section 3.1).
#[derive(Module, Debug)]
pub struct Manifold {
    /// Mean and deviation of conditions.
    pub condition: Normal,
    /// Mean and deviation of the hips' steps.
    pub step: Normal,
    /// Mean and deviation of moves.
    pub moves: Normal,
    encoder: [Linear; 3],
    // Gate and experts of the decoder.
    gate: [Linear; 3],
    experts: [Experts; 3],
    latent: usize,
}

/// Manifold and sampler.
#[derive(Module, Debug)]
pub struct ManifoldSampler {
    /// The manifold; frozen while the sampler is trained.
    pub manifold: Manifold,
    /// Mean and deviation of the inputs of the three encoders: state, target, offset.
    pub inputs: [Normal; 3],
    /// Encoders of state, target and offset.
    encoders: [[Linear; 2]; 3],
    recurrent: Recurrent,
    /// The parse decoder.
    parse: [Linear; 3],
    /// See [`Sizes::longest`].
    longest: usize,
}

/// Creates a normalisation that changes nothing.
fn identity_normal(columns: usize, device: &Device) -> Normal {
    Normal::new(&vec![0.0; columns], &vec![1.0; columns], device)
}

fn linear(inputs: usize, outputs: usize, device: &Device) -> Linear {
    LinearConfig::new(inputs, outputs).init(device)
}

/// Normalises rows and clamps their columns.
fn normalise(normal: &Normal, rows: &Tensor<2>) -> Tensor<2> {
    normal.normalise(rows.clone()).clamp(-MAX_DEVIATIONS, MAX_DEVIATIONS)
}

impl Manifold {
    /// Creates an untrained manifold, whose normalisation changes nothing yet.
    pub fn new(sizes: &Sizes, device: &Device) -> Self {
        let Sizes { latent, experts, hidden, gate, .. } = *sizes;
        // Step and latent variable, which the gate and each layer of the experts read.
        let step_and_latent = STEP + latent;
        let expert = |inputs: usize, outputs: usize| Experts::new([experts, inputs, outputs], device);
        Self {
            condition: identity_normal(CONDITION, device),
            step: identity_normal(STEP, device),
            moves: identity_normal(MOVES, device),
            encoder: [
                linear(CONDITION + STEP + MOVES, hidden, device),
                linear(hidden, hidden, device),
                linear(hidden, 2 * latent, device),
            ],
            gate: [
                linear(CONDITION + step_and_latent, gate, device),
                linear(gate, gate, device),
                linear(gate, experts, device),
            ],
            experts: [
                expert(CONDITION + step_and_latent, hidden),
                expert(hidden + step_and_latent, hidden),
                expert(hidden + step_and_latent, MOVES + CONTACTS),
            ],
            latent,
        }
    }

    /// Encodes raw rows, [rows, [`CONDITION`]], [rows, [`STEP`]] and [rows, [`MOVES`]]: returns mean and log variance
    /// of the latent variable, [rows, latent] each.
    pub fn encode(&self, condition: &Tensor<2>, step: &Tensor<2>, moves: &Tensor<2>) -> [Tensor<2>; 2] {
        let inputs = [(&self.condition, condition), (&self.step, step), (&self.moves, moves)];
        let rows = Tensor::cat(inputs.map(|(normal, rows)| normalise(normal, rows)).into(), 1);
        let [first, second, last] = &self.encoder;
        let inner = activation::elu(second.forward(activation::elu(first.forward(rows), 1.0)), 1.0);
        let output = last.forward(inner); // [rows, 2 × latent]
        // Variances are within e^±8, so that a batch of unusual poses does not make the loss diverge.
        let log_variance = output.clone().narrow(1, self.latent, self.latent).clamp(-8.0, 8.0);
        [output.narrow(1, 0, self.latent), log_variance]
    }

    /// Decodes latent variables, [rows, latent], with raw conditions and steps (eq. 4): returns normalised moves and
    /// contact logits, [rows, [`MOVES`] + [`CONTACTS`]].
    pub fn decode(&self, condition: &Tensor<2>, step: &Tensor<2>, latent: &Tensor<2>) -> Tensor<2> {
        let step_and_latent = Tensor::cat(vec![normalise(&self.step, step), latent.clone()], 1); // [rows, 3 + latent]
        let rows = Tensor::cat(vec![normalise(&self.condition, condition), step_and_latent.clone()], 1);
        let [first, second, last] = &self.gate;
        let inner = activation::elu(second.forward(activation::elu(first.forward(rows.clone()), 1.0)), 1.0);
        let weights = activation::softmax(last.forward(inner), 1); // [rows, experts]
        let [first, second, last] = &self.experts;
        let inner = activation::elu(first.forward(rows, weights.clone()), 1.0);
        let inner = Tensor::cat(vec![inner, step_and_latent.clone()], 1);
        let inner = activation::elu(second.forward(inner, weights.clone()), 1.0);
        last.forward(Tensor::cat(vec![inner, step_and_latent], 1), weights)
    }
}

impl Network for ManifoldSampler {
    const NAME: &str = NAME;
    const LAYOUT: u32 = LAYOUT;
    type Config = Sizes;

    fn check(sizes: &Sizes, weights: &Weights) -> Result<()> {
        sizes.check(weights)
    }

    /// Creates an untrained manifold and sampler, whose normalisation changes nothing yet.
    fn blank(sizes: &Sizes, device: &Device) -> Self {
        Self::new(Manifold::new(sizes, device), sizes, device)
    }
}

impl ManifoldSampler {
    /// Creates an untrained sampler of a manifold, whose normalisation changes nothing yet. Its last layer is zero, so
    /// all corrections are 0.
    pub fn new(manifold: Manifold, sizes: &Sizes, device: &Device) -> Self {
        let [first, second] = sizes.embedding;
        let encoder = |columns| [linear(columns, first, device), linear(first, second, device)];
        let outputs = LinearConfig::new(sizes.parse[1], sizes.latent + CHANGE);
        Self {
            manifold,
            inputs: [STATE, TARGET, OFFSET].map(|columns| identity_normal(columns, device)),
            encoders: [STATE, TARGET, OFFSET].map(encoder),
            recurrent: Recurrent::new(CellKind::Lstm, 3 * second, sizes.state, device),
            parse: [
                linear(sizes.state, sizes.parse[0], device),
                linear(sizes.parse[0], sizes.parse[1], device),
                outputs.with_initializer(Initializer::Zeros).init(device),
            ],
            longest: sizes.longest,
        }
    }

    /// Creates lanes in the initial state. `noise`: noise on the targets' embeddings at full amplitude, [lanes,
    /// embedding].
    pub fn lanes(&self, noise: Tensor<2>) -> Lanes<'_> {
        let zeros = || Tensor::zeros([noise.dims()[0], self.recurrent.outputs()], &noise.device());
        Lanes { network: self, state: [zeros(), zeros()], noise }
    }
}

/// State of the sampler for several motions, one lane each.
pub struct Lanes<'a> {
    network: &'a ManifoldSampler,
    /// Hidden state and cell of the LSTM, [lanes, width of the state] each.
    state: [Tensor<2>; 2],
    /// See [`ManifoldSampler::lanes`].
    noise: Tensor<2>,
}

/// Evaluates one frame of all lanes, or several consecutive frames if their input rows are known. Rows are [frames ×
/// lanes], in time order.
impl Layers<Tensor<2>> for Lanes<'_> {
    type Moments = Vec<Moment>;

    fn sample(&mut self, inputs: [Tensor<2>; 3], moments: Vec<Moment>) -> Sample<Tensor<2>> {
        let net = self.network;
        let device = self.noise.device();
        let [lanes, width] = self.noise.dims();
        // Creates rows that depend on the frame only, and are equal in all lanes.
        let frame_rows = |row: &dyn Fn(&Moment) -> Vec<f32>| {
            let values: Vec<f32> = moments.iter().flat_map(|moment| row(moment).repeat(lanes)).collect();
            let rows = moments.len() * lanes;
            let columns = values.len() / rows.max(1);
            Tensor::<2>::from_data(TensorData::new(values, [rows, columns]), &device)
        };
        let time_embedding = frame_rows(&|moment| moment.embedding(width, net.longest));
        let embed = |index: usize| {
            let [first, second] = &net.encoders[index];
            let rows = normalise(&net.inputs[index], &inputs[index]);
            plu(second.forward(plu(first.forward(rows)))) + time_embedding.clone()
        };
        // Only the embedding of the target has noise.
        let target = embed(1)
            + self.noise.clone().repeat_dim(0, moments.len()) * frame_rows(&|moment| vec![moment.noise_amplitude()]);
        let rows = Tensor::cat(vec![embed(0), target, embed(2)], 1);
        let mut hidden = Vec::with_capacity(moments.len());
        for frame in 0..moments.len() {
            let row = rows.clone().narrow(0, frame * lanes, lanes);
            self.state = net.recurrent.step(row, self.state.clone());
            hidden.push(self.state[0].clone());
        }
        let [first, second, last] = &net.parse;
        let inner = activation::elu(first.forward(Tensor::cat(hidden, 0)), 1.0);
        let out = last.forward(activation::elu(second.forward(inner), 1.0));
        let latent = net.manifold.latent;
        // The sampler predicts changes in units of their typical size at this frame of the gap.
        let units = frame_rows(&|moment| typical_difference(moment.elapsed + 1, moment.elapsed + moment.span - 1));
        let change = out.clone().narrow(1, latent, CHANGE) * units;
        Sample {
            latent: out.narrow(1, 0, latent),
            step: change.clone().narrow(1, 0, STEP),
            moves: change.clone().narrow(1, STEP, MOVES),
            upper: change.narrow(1, STEP + MOVES, UPPER_COLUMNS),
            hold: frame_rows(&|moment| vec![moment.hold_weight()]),
        }
    }

    fn encode(&self, condition: &Tensor<2>, step: &Tensor<2>, moves: &Tensor<2>) -> Tensor<2> {
        let [mean, _] = self.network.manifold.encode(condition, step, moves);
        mean
    }

    fn decode(&self, condition: &Tensor<2>, step: &Tensor<2>, latent: &Tensor<2>) -> [Tensor<2>; 2] {
        let out = self.network.manifold.decode(condition, step, latent);
        let moves = self.network.manifold.moves.denormalise(out.clone().narrow(1, 0, MOVES));
        [moves, out.narrow(1, MOVES, CONTACTS)]
    }
}

/// Applies the piecewise linear unit: slope 1 within ±1, slope 0.1 beyond.
fn plu(rows: Tensor<2>) -> Tensor<2> {
    rows.clone().clamp(-1.0, 1.0) * 0.9 + rows * 0.1
}
