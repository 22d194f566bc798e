//! Recipes of manifold and sampler.

use crate::schedule::Schedule;
use kinestitch::method::manifold::sizes::Sizes;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Everything that decides what comes out, read from a recipe file.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Recipe {
    /// Name of the runs and of the weights.
    pub name: String,
    /// Which weights they are: `open` or `research`.
    pub set: String,
    /// Permitted use of the weights, in words.
    pub licence: String,
    /// How often a window is drawn from a set, relatively.
    pub sets: BTreeMap<String, f64>,
    /// Sets whose validation part chooses.
    pub validation: Vec<String>,
    /// Sizes of the networks.
    #[serde(default = "usual")]
    pub sizes: Sizes,
    /// How the manifold learns.
    pub manifold: Schedule,
    /// Training stages with their first steps.
    pub stages: Vec<Stage>,
    /// Weight of the divergence (eq. 9), summed over the latent variable, beside a mean square error of 1. Half of it
    /// times the columns is about the part of the variance that a reconstruction leaves out.
    pub divergence: f32,
    /// How the sampler learns.
    pub sampler: Schedule,
    /// Its step from which on the manifold learns along; the paper's stays as it is.
    #[serde(default)]
    pub along: Option<usize>,
    /// Weight of the slide of planted feet in the sampler's loss.
    #[serde(default = "two")]
    pub slide: f32,
    /// Frames of the sampler's gaps, least and most.
    pub gaps: [usize; 2],
    /// Seed of the normalisation's windows.
    pub seed: u64,
}

/// A stage of the manifold's training.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Stage {
    /// First step.
    pub from: usize,
    /// Frames of a roll-out; 1 for pairs.
    pub frames: usize,
    /// Noise on the first frame, 1 for about a centimetre.
    pub blur: f32,
}

fn two() -> f32 {
    2.0
}

fn usual() -> Sizes {
    Sizes::USUAL
}

impl Recipe {
    /// The stage of a step; pairs before the first.
    pub fn stage(&self, step: usize) -> Stage {
        let pairs = Stage { from: 0, frames: 1, blur: 1.0 };
        self.stages.iter().rfind(|stage| stage.from <= step).copied().unwrap_or(pairs)
    }
}
