//! Delta in-betweener: one pass of a small transformer over a gap, which predicts the difference to interpolation.
//!
//! After Oreshkin et al. 2022, *Motion In-Betweening via Deep Δ-Interpolator*: input and prediction are local to the last past
//! frame and relative to the interpolated motion, so that an untrained network answers with the interpolation. One token a
//! frame: past, gap, target ([`crate::feature::delta`]). Pre-norm layers, attention with a bias by distance, inner rows
//! max(0, x)². What was changed, and why: the interpolation carries the speed of the keys (feature/delta.rs has its figures);
//! differences are predicted in units of their usual size; distances to both keys are sines and cosines among the input
//! columns instead of learned embeddings, so that gaps longer than any trained on have distances too.
//!
//! It is written twice: [`Delta`] runs on the CPU, without Burn; `tensor::Delta` is on tensors, for WebGPU.

pub mod network;
#[cfg(feature = "flex")]
pub mod tensor;

use crate::body::mirror::{flip, opposite};
use crate::body::poses::{Poses, ROLES};
use crate::error::{Error, Result};
use crate::feature::delta::{self, INPUT, OUTPUT, Question, VERSION};
use crate::nn::attention::{Attention, normalise_into};
use crate::nn::dense::PackedDense;
use crate::nn::weights::Weights;
use glam::Vec3;
use network::{NAME, Parameters, Sizes};

/// Longest gap that is filled at once, frames at [`delta::FPS`].
pub const LONGEST: usize = 240;
/// Input columns are held within this many deviations: a strange pose must not explode.
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

/// A filled gap.
#[derive(Debug, Clone, PartialEq)]
pub struct Filled {
    /// The gap's frames.
    pub poses: Poses,
    /// Probability that left heel, left toe, right heel, right toe touch the ground, [gap × 4].
    pub contacts: Vec<f32>,
}

/// What says output rows of a question: the network, or what was asked of it elsewhere.
pub trait Answers {
    /// Output rows of a question, [gap × [`OUTPUT`]].
    ///
    /// # Errors
    /// [`Error::Device`] where there is no answer.
    fn rows(&self, question: &Question) -> Result<Vec<f32>>;
}

/// Fills `gap` frames between `past` and `target`, poses at 30 frames a second on one canonical skeleton with these
/// offsets. Of the past the last ten frames are read, of the target the first five; one of each is enough, more make
/// speeds known. `ground` is the height that feet stand on.
///
/// # Errors
/// Those of [`check`] and of [`Answers::rows`].
pub fn fill(
    answers: &dyn Answers,
    past: &Poses,
    target: &Poses,
    gap: usize,
    offsets: &[Vec3; ROLES],
    ground: f32,
) -> Result<Filled> {
    check(past, target, gap, offsets, ground)?;
    let question = delta::question(past, target, gap, offsets, ground);
    // Asked a second time in the mirror: a body has no better side, and the mean errs less than either answer.
    let lopsided: [Vec3; ROLES] = std::array::from_fn(|role| flip(offsets[opposite(role)]));
    let mirrored = delta::question(&past.mirrored(), &target.mirrored(), gap, &lopsided, ground);
    let mut rows = answers.rows(&question)?;
    let other = delta::mirror_answer(&answers.rows(&mirrored)?);
    rows.iter_mut().zip(other).for_each(|(row, other)| *row = 0.5 * (*row + other));
    let (poses, contacts) = delta::answer(&question, &rows);
    Ok(Filled { poses, contacts })
}

impl Delta {
    /// Packs a weight file.
    ///
    /// # Errors
    /// [`Error::Weights`] where it is of another network or of sizes that do not fit.
    pub fn read(weights: &Weights) -> Result<Self> {
        weights.expect(NAME, VERSION)?;
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

    /// Output rows of a question, [gap × [`OUTPUT`]].
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

impl Answers for Delta {
    fn rows(&self, question: &Question) -> Result<Vec<f32>> {
        Ok(self.rows(question))
    }
}

/// Whether a gap can be asked of a network.
///
/// # Errors
/// [`Error::Option`] for a gap of no or of more than [`LONGEST`] frames, keys without a frame or with numbers that are not
/// finite.
pub fn check(past: &Poses, target: &Poses, gap: usize, offsets: &[Vec3; ROLES], ground: f32) -> Result<()> {
    let fail = |option: &'static str, message: String| Err(Error::Option { option, message });
    if gap == 0 || gap > LONGEST {
        return fail("frames", format!("a gap has 1 to {LONGEST} frames at 30 a second, not {gap}"));
    }
    if past.is_empty() || target.is_empty() {
        return fail("keys", "a key needs at least one frame".to_owned());
    }
    let finite = |poses: &Poses| {
        poses.rotations.len() == poses.len() * ROLES
            && poses.hips.iter().all(|hips| hips.is_finite())
            && poses.rotations.iter().all(|rotation| rotation.is_finite())
    };
    if !finite(past) || !finite(target) || !ground.is_finite() || !offsets.iter().all(|offset| offset.is_finite()) {
        return fail("keys", "a key holds numbers that are not finite".to_owned());
    }
    Ok(())
}
