//! Recipe of the manifold's and the sampler's training.

use crate::recipe::Header;
use crate::schedule::Schedule;
use kinestitch::method::manifold::sizes::Sizes;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Settings of the training runs, read from a recipe file.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Recipe {
    /// Name, set and licence.
    #[serde(flatten)]
    pub header: Header,
    /// Sampling weight of each data set.
    pub sets: BTreeMap<String, f64>,
    /// Data sets whose validation split selects the best checkpoint.
    pub validation: Vec<String>,
    /// Sizes of the networks.
    #[serde(default = "default_sizes")]
    pub sizes: Sizes,
    /// Schedule of the manifold.
    pub manifold: Schedule,
    /// Stages of the manifold's training.
    pub stages: Vec<Stage>,
    /// Weight of the divergence (eq. 9, a sum over the latent variable), relative to the mean squared error of the
    /// columns. Reconstructions lose a fraction of the variance of about half of (weight × number of columns).
    pub divergence: f32,
    /// Schedule of the sampler.
    pub sampler: Schedule,
    /// First step of the sampler's training from which the manifold is trained too. If left out, the manifold stays
    /// fixed, as in the paper.
    #[serde(default)]
    pub along: Option<usize>,
    /// Weight of the slide of planted feet in the sampler's loss.
    #[serde(default = "default_slide")]
    pub slide: f32,
    /// Shortest and longest gap of the sampler, frames.
    pub gaps: [usize; 2],
    /// Seed of the windows for the normalisation.
    pub seed: u64,
}

/// A stage of the manifold's training.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Stage {
    /// First step.
    pub from: usize,
    /// Frames of a rollout; 1 for pairs.
    pub frames: usize,
    /// Maximum noise on the first two frames; 1 is about a centimetre.
    pub blur: f32,
}

/// Returns the default weight of the slide.
fn default_slide() -> f32 {
    2.0
}

/// Returns the default sizes.
fn default_sizes() -> Sizes {
    Sizes::DEFAULT
}

impl Recipe {
    /// Returns the stage of a step. Before the first stage, pairs are trained.
    pub fn stage(&self, step: usize) -> Stage {
        let pairs = Stage { from: 0, frames: 1, blur: 1.0 };
        self.stages.iter().rfind(|stage| stage.from <= step).copied().unwrap_or(pairs)
    }
}
