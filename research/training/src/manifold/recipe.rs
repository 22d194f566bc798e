//! Recipe of the manifold's and the sampler's training.

use super::cvae::FRAMES;
use crate::recipe::Header;
use crate::schedule::Schedule;
use kinestitch::error::{Error, Result};
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
    /// Stages of the manifold's training, in order of their first steps.
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
    /// Checks the lengths of rollouts and gaps, and the order of the stages.
    ///
    /// # Errors
    /// [`Error::Option`] for a rollout that is empty or longer than the frames of a lane, for a stage that does not
    /// start after the stage before it, for an empty gap, and if the shortest gap is longer than the longest.
    pub fn check(&self) -> Result<()> {
        if let Some(stage) = self.stages.iter().find(|stage| !(1..=FRAMES).contains(&stage.frames)) {
            let message = format!("a rollout has 1 to {FRAMES} frames, not {}", stage.frames);
            return Err(Error::Option { option: "stages", message });
        }
        let mut pairs = self.stages.array_windows::<2>();
        if let Some([before, stage]) = pairs.find(|[before, stage]| before.from >= stage.from) {
            let message = format!("a stage from step {} must not follow a stage from step {}", stage.from, before.from);
            return Err(Error::Option { option: "stages", message });
        }
        let [shortest, longest] = self.gaps;
        if shortest == 0 || shortest > longest {
            let message = format!("the shortest gap must be from 1 to the longest, {longest}, not {shortest}");
            return Err(Error::Option { option: "gaps", message });
        }
        Ok(())
    }

    /// Returns the stage of a step. Before the first stage, pairs are trained.
    pub fn stage(&self, step: usize) -> Stage {
        let pairs = Stage { from: 0, frames: 1, blur: 1.0 };
        self.stages.iter().rfind(|stage| stage.from <= step).copied().unwrap_or(pairs)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rollouts_and_gaps_out_of_range_and_stages_out_of_order_are_rejected() {
        let text = include_str!("../../../recipes/manifold-research.json");
        let recipe: Recipe = serde_json::from_str(text).unwrap();
        assert!(recipe.check().is_ok());
        for frames in [0, FRAMES + 1] {
            let stages = vec![Stage { from: 0, frames, blur: 1.0 }];
            assert!(Recipe { stages, ..recipe.clone() }.check().is_err(), "{frames}");
        }
        for steps in [[5, 0], [5, 5]] {
            let stages = steps.map(|from| Stage { from, frames: 1, blur: 1.0 }).to_vec();
            assert!(Recipe { stages, ..recipe.clone() }.check().is_err(), "{steps:?}");
        }
        for gaps in [[0, 5], [6, 5]] {
            assert!(Recipe { gaps, ..recipe.clone() }.check().is_err(), "{gaps:?}");
        }
    }
}
