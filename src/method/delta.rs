//! Delta in-betweener: one pass of a small transformer over a gap predicts the difference to interpolation.
//!
//! After Oreshkin et al. 2022, *Motion In-Betweening via Deep Δ-Interpolator*: input and prediction are local to the
//! last past frame and relative to the interpolated motion, so that an untrained network returns the interpolation.
//! One token per frame: past, gap, target ([`crate::feature::delta`]). Pre-norm layers, attention with a bias by
//! distance, inner rows max(0, x)². Changes from the paper: the interpolation continues the velocities of the keys
//! (figures in feature/delta.rs); differences are predicted in units of their typical size; distances to both keys
//! are sines and cosines in the input columns instead of learned embeddings, so that gaps longer than in training are
//! encoded too.
//!
//! Two implementations: [`Delta`] runs on the CPU, without Burn; `tensor::Delta` on tensors, for WebGPU.

mod filler;
pub mod network;
#[cfg(feature = "flex")]
pub mod tensor;

use crate::body::mirror::{flip, opposite};
use crate::body::poses::{Poses, ROLES};
pub use filler::FILLER;

use crate::error::{Error, Result};
use crate::feature::delta::{self, INPUT, OUTPUT, Question, VERSION};
use crate::method::filler::{Filled, check};
use crate::nn::attention::{Attention, normalise_into};
use crate::nn::dense::PackedDense;
use crate::nn::weights::Weights;
use glam::Vec3;
use network::{NAME, Parameters, Sizes};

/// Input columns are clamped to this many deviations, so that unusual poses do not diverge.
pub const FARTHEST: f32 = 8.0;

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

/// Network inputs for a gap and for its mirror image; the mean of both predictions has a smaller error than either.
/// Of the past the last ten frames are read, of the target the first five. One of each is enough; more give
/// velocities.
pub fn questions(past: &Poses, target: &Poses, gap: usize, offsets: &[Vec3; ROLES], ground: f32) -> [Question; 2] {
    let lopsided: [Vec3; ROLES] = std::array::from_fn(|role| flip(offsets[opposite(role)]));
    let mirrored = delta::question(&past.mirrored(), &target.mirrored(), gap, &lopsided, ground);
    [delta::question(past, target, gap, offsets, ground), mirrored]
}

/// Decodes the output rows for both inputs, [gap × [`OUTPUT`]] each: the motion is their mean.
///
/// # Errors
/// Those of [`Filled::finite`].
pub fn answer(question: &Question, [mut rows, mirrored]: [Vec<f32>; 2]) -> Result<Filled> {
    let other = delta::mirror_answer(&mirrored);
    rows.iter_mut().zip(other).for_each(|(row, other)| *row = 0.5 * (*row + other));
    let (poses, contacts) = delta::answer(question, &rows);
    Filled { poses, contacts }.finite()
}

impl Delta {
    /// Packs a weight file.
    ///
    /// # Errors
    /// [`Error::Weights`] where it belongs to another network or its sizes disagree.
    pub fn read(weights: &Weights) -> Result<Self> {
        weights.check_layout(NAME, VERSION)?;
        let sizes: Sizes = weights.config()?;
        let wrong = |message: &str| Error::Weights { message: message.to_owned() };
        if (sizes.input, sizes.output) != (INPUT, OUTPUT) {
            return Err(wrong("its rows have other columns than this release's; use the weights of this release"));
        }
        weights.check_sizes(&[sizes.width, sizes.layers, sizes.heads, sizes.inner, sizes.reach])?;
        let parameters = Parameters::of(&sizes);
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
            let attention = attention.ok_or_else(|| wrong("its heads do not divide its width by multiples of four"))?;
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

    /// Fills `gap` frames between `past` and `target`, poses at 30 frames per second on one canonical skeleton with
    /// these offsets; see [`questions`]. `ground`: height of the ground.
    ///
    /// # Errors
    /// Those of [`check`].
    pub fn fill(
        &self,
        past: &Poses,
        target: &Poses,
        gap: usize,
        offsets: &[Vec3; ROLES],
        ground: f32,
    ) -> Result<Filled> {
        check(past, target, gap, offsets, ground)?;
        let questions = questions(past, target, gap, offsets, ground);
        let rows = questions.each_ref().map(|question| self.rows(question));
        answer(&questions[0], rows)
    }

    /// Output rows for an input, [gap × [`OUTPUT`]].
    pub fn rows(&self, question: &Question) -> Vec<f32> {
        let normalised = question.rows.chunks_exact(INPUT).flat_map(|row| {
            let columns = row.iter().zip(&self.mean).zip(&self.deviation);
            columns.map(|((x, mean), deviation)| ((x - mean) / deviation).clamp(-FARTHEST, FARTHEST))
        });
        let normalised: Vec<f32> = normalised.collect();
        let mut tokens = self.input.forward(&normalised); // [tokens × width]
        let count = tokens.len() / self.width;
        let (mut normal, mut mixed) = (vec![0.0; tokens.len()], vec![0.0; tokens.len()]);
        let (mut qkv, mut added) = (vec![0.0; 3 * tokens.len()], vec![0.0; tokens.len()]);
        let mut inner = vec![0.0; count * self.inner];
        let add = |tokens: &mut [f32], added: &[f32]| tokens.iter_mut().zip(added).for_each(|(token, x)| *token += x);
        for layer in &self.layers {
            normalise_into(&tokens, self.width, &mut normal);
            layer.qkv.forward_into(&normal, &mut qkv);
            layer.attention.forward_into(&qkv, &mut mixed);
            layer.out.forward_into(&mixed, &mut added);
            add(&mut tokens, &added);
            normalise_into(&tokens, self.width, &mut normal);
            layer.first.forward_into(&normal, &mut inner);
            inner.iter_mut().for_each(|x| *x = x.max(0.0) * x.max(0.0));
            layer.second.forward_into(&inner, &mut added);
            add(&mut tokens, &added);
        }
        let gap = &tokens[question.past * self.width..][..question.base.len() * self.width];
        let normal = &mut normal[..gap.len()];
        normalise_into(gap, self.width, normal);
        self.output.forward(normal)
    }
}
