//! Sizes of manifold and sampler.

use serde::{Deserialize, Serialize};

/// Widths of both networks. The paper's LSTM of 1024 alone has 7.3 million weights; with these widths all layers have
/// 3.3 million.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Sizes {
    /// Latent variable.
    pub latent: usize,
    /// Number of experts of the decoder.
    pub experts: usize,
    /// Hidden layers of encoder and experts.
    pub hidden: usize,
    /// Hidden layers of the gating network.
    pub gate: usize,
    /// First and second layer of the sampler's encoders.
    pub embedding: [usize; 2],
    /// State of the LSTM.
    pub state: usize,
    /// Hidden layers of the parse decoder.
    pub parse: [usize; 2],
    /// Number of given frames that the LSTM reads before the first predicted one.
    pub past: usize,
    /// Largest number of frames, since the past and to the target, that the time embedding distinguishes.
    pub longest: usize,
}

impl Sizes {
    /// Sizes in the recipes.
    pub const USUAL: Self = Self {
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
