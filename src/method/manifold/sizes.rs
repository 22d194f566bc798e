//! What manifold and sampler are built by.

use serde::{Deserialize, Serialize};

/// Widths of both networks. The paper's LSTM of 1024 alone has 7.3 million weights; with these all has 3.3 million.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Sizes {
    /// Latent variable.
    pub latent: usize,
    /// Experts of the decoder.
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
    /// Given frames that the LSTM reads before the first it makes.
    pub past: usize,
    /// Most frames, since the past and to the target, that the time embedding tells apart.
    pub longest: usize,
}

impl Sizes {
    /// Those of the recipes.
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
