//! Delta in-betweener: one evaluation of a small transformer predicts the difference between the motion in a gap and
//! its interpolation.
//!
//! Oreshkin et al. 2022, *Motion In-Betweening via Deep Δ-Interpolator*: the network reads the interpolated motion in
//! root space of the last past frame, and predicts the difference from it. The output layer starts at zero, so an
//! untrained network returns the interpolation. Each frame of past, gap and target is one token
//! ([`crate::feature::delta`]). Layers are pre-norm, attention has a bias by distance, and the activation is
//! max(0, x)².
//!
//! Changes from the paper: the interpolation continues the velocities of the keys (scores in feature/delta.rs);
//! differences are predicted in units of their typical size; distances to both keys are encoded as sines and cosines in
//! the input columns instead of learned embeddings, so gaps may be longer than in training; feet are
//! corrected ([`crate::method::supports`]).
//!
//! Two implementations: [`Delta`] runs on the CPU without Burn; `tensor::Delta` runs on Burn tensors, for WebGPU.

mod filler;
pub mod network;
#[cfg(feature = "flex")]
pub mod tensor;

pub use filler::FILLER;

use crate::body::mirror::opposite_role;
use crate::body::poses::ROLES;
use crate::error::{Error, Result};
use crate::feature::delta::{self, INPUT, NetworkInput, OUTPUT, VERSION};
use crate::method::filler::{BodyKeys, BodyMotion, MAX_GAP, check_gap};
use crate::method::supports::correct_supports;
use crate::motion::vector::mirror_point;
use crate::nn::attention::{Attention, normalise_into};
use crate::nn::dense::PackedDense;
use crate::nn::weights::Weights;
use glam::Vec3;
use network::{NAME, Parameters, Sizes};

/// Input columns are clamped to this many standard deviations, so that unusual poses do not cause extreme outputs.
pub const MAX_DEVIATIONS: f32 = 8.0;

/// One layer of the transformer. Shapes of its linear layers: [`network::Layer`].
struct Layer {
    qkv: PackedDense,
    attention: Attention,
    out: PackedDense,
    first: PackedDense,
    second: PackedDense,
}

/// The network, packed for the CPU.
pub struct Delta {
    width: usize,
    inner: usize,
    mean: Vec<f32>,
    deviation: Vec<f32>,
    input: PackedDense,
    layers: Vec<Layer>,
    output: PackedDense,
}

/// Encodes the network inputs for a gap of `frames` frames and for its mirror image; the mean of both predictions has a
/// smaller error than each of them. Reads the last ten frames of the past and the first five of the target. One frame
/// of each is enough; more frames give velocities.
pub fn encode(keys: &BodyKeys, frames: usize) -> [NetworkInput; 2] {
    let &BodyKeys { past, target, offsets, ground } = keys;
    let mirrored_offsets: [Vec3; ROLES] = std::array::from_fn(|role| mirror_point(offsets[opposite_role(role)]));
    let mirrored = delta::encode(&past.mirrored(), &target.mirrored(), frames, &mirrored_offsets, ground);
    [delta::encode(past, target, frames, offsets, ground), mirrored]
}

/// Decodes the mean of the output rows for a gap and for its mirror image, [frames × [`OUTPUT`]] each. `input`: network
/// input for the gap.
///
/// # Errors
/// The errors of [`BodyMotion::validate`].
pub fn decode(input: &NetworkInput, [mut rows, mirrored_rows]: [Vec<f32>; 2]) -> Result<BodyMotion> {
    let mirrored_back = delta::mirror_output(&mirrored_rows);
    rows.iter_mut().zip(mirrored_back).for_each(|(value, mirrored)| *value = 0.5 * (*value + mirrored));
    let (poses, contacts) = delta::decode(input, &rows);
    BodyMotion { poses, contacts, hand_contacts: Vec::new() }.validate()
}

impl Delta {
    /// Reads the network of a weight file.
    ///
    /// # Errors
    /// [`Error::Weights`] if the file belongs to another network, or its sizes are inconsistent.
    pub fn read(weights: &Weights) -> Result<Self> {
        weights.check_layout(NAME, VERSION)?;
        let sizes: Sizes = weights.config()?;
        let error = |message: &str| Error::Weights { message: message.to_owned() };
        if (sizes.input, sizes.output) != (INPUT, OUTPUT) {
            return Err(error("its rows have other columns than in this release; use the weights of this release"));
        }
        weights.check_sizes(&[sizes.width, sizes.layers, sizes.heads, sizes.inner, sizes.reach])?;
        let parameters = Parameters::new(&sizes);
        let tensor = |index: usize| {
            let parameter = &parameters.all[index];
            weights.tensor(&parameter.name, &parameter.stored_shape())
        };
        let dense = |[matrix, _]: network::Linear| -> Result<PackedDense> {
            let network::Parameter { name, shape, .. } = &parameters.all[matrix];
            PackedDense::read(weights, name.trim_end_matches(".weight"), *shape)
        };
        let layers = parameters.layers.iter().map(|layer| {
            let attention = Attention::new(sizes.width, sizes.heads, sizes.reach, tensor(layer.bias)?);
            let attention = attention.ok_or_else(|| error("its heads do not divide its width by multiples of four"))?;
            let (qkv, out) = (dense(layer.qkv)?, dense(layer.out)?);
            Ok(Layer { qkv, attention, out, first: dense(layer.first)?, second: dense(layer.second)? })
        });
        Ok(Self {
            width: sizes.width,
            inner: sizes.inner,
            mean: weights.tensor("mean", &[INPUT])?,
            deviation: weights.tensor("deviation", &[INPUT])?,
            input: dense(parameters.input)?,
            layers: layers.collect::<Result<_>>()?,
            output: dense(parameters.output)?,
        })
    }

    /// Fills `frames` frames between two keys, see [`encode`] and [`correct_supports`].
    ///
    /// # Errors
    /// The errors of [`check_gap`] and [`BodyMotion::validate`].
    pub fn fill(&self, keys: &BodyKeys, frames: usize) -> Result<BodyMotion> {
        check_gap(keys, frames, MAX_GAP)?;
        let inputs = encode(keys, frames);
        let rows = inputs.each_ref().map(|input| self.evaluate(input));
        decode(&inputs[0], rows).map(|motion| correct_supports(motion, keys))
    }

    /// Evaluates the network. Returns the output rows of the gap, [frames × [`OUTPUT`]].
    pub fn evaluate(&self, input: &NetworkInput) -> Vec<f32> {
        let normalised_rows = input.rows.chunks_exact(INPUT).flat_map(|row| {
            let columns = row.iter().zip(&self.mean).zip(&self.deviation);
            columns.map(|((x, mean), deviation)| ((x - mean) / deviation).clamp(-MAX_DEVIATIONS, MAX_DEVIATIONS))
        });
        let normalised_rows: Vec<f32> = normalised_rows.collect();
        let mut tokens = self.input.forward(&normalised_rows); // [tokens × width]
        let count = tokens.len() / self.width;
        let (mut normalised_tokens, mut attended) = (vec![0.0; tokens.len()], vec![0.0; tokens.len()]);
        let (mut qkv, mut update) = (vec![0.0; 3 * tokens.len()], vec![0.0; tokens.len()]);
        let mut inner = vec![0.0; count * self.inner];
        let add = |tokens: &mut [f32], update: &[f32]| tokens.iter_mut().zip(update).for_each(|(token, x)| *token += x);
        for layer in &self.layers {
            normalise_into(&tokens, self.width, &mut normalised_tokens);
            layer.qkv.forward_into(&normalised_tokens, &mut qkv);
            layer.attention.forward_into(&qkv, &mut attended);
            layer.out.forward_into(&attended, &mut update);
            add(&mut tokens, &update);
            normalise_into(&tokens, self.width, &mut normalised_tokens);
            layer.first.forward_into(&normalised_tokens, &mut inner);
            inner.iter_mut().for_each(|x| *x = x.max(0.0) * x.max(0.0));
            layer.second.forward_into(&inner, &mut update);
            add(&mut tokens, &update);
        }
        let gap_tokens = &tokens[input.past * self.width..][..input.base.len() * self.width];
        let normalised_tokens = &mut normalised_tokens[..gap_tokens.len()];
        normalise_into(gap_tokens, self.width, normalised_tokens);
        self.output.forward(normalised_tokens)
    }
}
