//! Sizes of manifold and sampler.

use crate::error::Result;
use crate::nn::weights::Weights;
use serde::{Deserialize, Serialize};

/// Widths of both networks. The paper's LSTM of 1024 alone has 7.3 million weights; with [`Sizes::DEFAULT`], all layers
/// together have 3.3 million.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Sizes {
    /// Width of the latent variable.
    pub latent: usize,
    /// Number of experts of the decoder.
    pub experts: usize,
    /// Width of the hidden layers of encoder and experts.
    pub hidden: usize,
    /// Width of the hidden layers of the gating network.
    pub gate: usize,
    /// Widths of the first and the second layer of the sampler's encoders.
    pub embedding: [usize; 2],
    /// Width of the LSTM's state.
    pub state: usize,
    /// Widths of the hidden layers of the parse decoder.
    pub parse: [usize; 2],
    /// Number of past frames that the LSTM reads before the first predicted frame.
    pub past: usize,
    /// Largest number in the time embedding, frames since the past or to the target; larger numbers are clamped.
    pub longest: usize,
}

impl Sizes {
    /// Checks the sizes of a weight file.
    ///
    /// # Errors
    /// [`crate::Error::Weights`] if one is too small or too large.
    pub(super) fn check(&self, weights: &Weights) -> Result<()> {
        let &Self { latent, experts, hidden, gate, embedding, state, parse, past, longest } = self;
        weights.check_sizes(&[&[latent, experts, hidden, gate, state, past, longest][..], &embedding, &parse].concat())
    }

    /// Sizes in the training recipes.
    pub const DEFAULT: Self = Self {
        latent: 32,
        experts: 6,
        hidden: 256,
        gate: 64,
        embedding: [256, 128],
        state: 512,
        parse: [384, 192],
        past: 3,
        longest: 60,
    };
}
