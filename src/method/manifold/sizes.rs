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
    /// Samples are differences to what the interpolation would do; else they stand alone, as in the paper.
    pub guided: bool,
    /// Most frames to the target that the time embedding tells apart.
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
        guided: true,
        longest: 60,
    };

    /// Frames to the target as the time embedding takes them.
    pub fn told(&self, span: f32) -> f32 {
        span.min(self.longest as f32)
    }
}
