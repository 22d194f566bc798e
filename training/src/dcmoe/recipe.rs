//! Recipe of DC-MoE's training.

use super::learn::Rule;
use crate::data::Recording;
use crate::data::sets::glob;
use crate::schedule::Level;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// How recordings are taken.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Part {
    /// How much a frame counts.
    pub weight: f64,
}

/// Everything that decides what comes out, read from a recipe file.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Recipe {
    /// Name of the run and of its weights.
    pub name: String,
    /// Which weights they are: `open` or `research`.
    pub set: String,
    /// Permitted use of the weights, in words.
    pub licence: String,
    /// Of each data set, the recordings it takes, by name (`*` stands for anything). The longest pattern that fits
    /// holds.
    pub takes: BTreeMap<String, BTreeMap<String, Part>>,
    /// Names of the styles whose postures its weights are given ([`super::posture`]).
    pub styles: Vec<String>,
    /// Styles of recordings that their sets do not tell, by set and name, as in `takes`.
    #[serde(default)]
    pub labels: BTreeMap<String, BTreeMap<String, String>>,
    /// Sets whose validation part chooses.
    pub validation: Vec<String>,
    /// Width of the gate's inner rows.
    pub gate_hidden: usize,
    /// Experts.
    pub experts: usize,
    /// Width of inner rows.
    pub hidden: usize,
    /// Frames of a lane, in which the network is given back what it said.
    pub frames: usize,
    /// Probability of that in the end; it grows from nothing over the first steps, see `pairs`.
    pub feedback: f64,
    /// Steps over which it grows.
    pub pairs: usize,
    /// Deviation of the noise on input columns, normalised.
    pub noise: f32,
    /// Part of inner columns that dropout lets fall.
    pub dropout: f32,
    /// Decay of the weights.
    pub decay: f32,
    /// How long and how fast it learns.
    pub schedule: Level,
}

impl Recipe {
    /// How a step learns.
    pub fn rule(&self, step: usize) -> Rule {
        Rule {
            batch: self.schedule.batch,
            frames: self.frames,
            rate: self.schedule.rate_at(step) as f32,
            feedback: self.feedback * (step as f64 / self.pairs.max(1) as f64).min(1.0),
            noise: self.noise,
            dropout: self.dropout,
            decay: self.decay,
            seed: self.schedule.seed,
        }
    }

    /// How much a frame of a recording counts; `None` where it is not wanted.
    pub fn wants(&self, recording: &Recording) -> Option<f64> {
        let weight = fitting(self.takes.get(&recording.set)?, &recording.name)?.weight;
        (weight > 0.0).then_some(weight)
    }

    /// Index of a recording's style; `None` where it is of none of them.
    pub fn style(&self, recording: &Recording) -> Option<usize> {
        let label = self.labels.get(&recording.set).and_then(|globs| fitting(globs, &recording.name));
        let name = label.unwrap_or(&recording.style);
        self.styles.iter().position(|style| style == name)
    }
}

/// The value of the longest pattern that fits a name.
fn fitting<'a, T>(globs: &'a BTreeMap<String, T>, name: &str) -> Option<&'a T> {
    let fits = globs.iter().filter(|(pattern, _)| glob(pattern, name));
    fits.max_by_key(|(pattern, _)| pattern.len()).map(|(_, value)| value)
}
