//! Recipe of DC-MoE's training.

use crate::data::Recording;
use crate::data::sets::longest_match;
use crate::recipe::Header;
use crate::schedule::Schedule;
use kinestitch::feature::dcmoe::{GATE, INPUT, OUTPUT};
use kinestitch::nn::mixture::Sizes;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Settings of the recordings that a pattern selects.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Part {
    /// Sampling weight per frame.
    pub weight: f64,
}

/// Settings of a training run, read from a recipe file.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Recipe {
    /// Name, set and licence.
    #[serde(flatten)]
    pub header: Header,
    /// For each data set, glob patterns of recordings. The longest matching pattern applies.
    pub takes: BTreeMap<String, BTreeMap<String, Part>>,
    /// Styles whose postures are stored in the weights ([`super::posture`]).
    pub styles: Vec<String>,
    /// Styles of recordings whose sets do not label them, by set and glob pattern as in `takes`.
    #[serde(default)]
    pub labels: BTreeMap<String, BTreeMap<String, String>>,
    /// Sets whose validation split selects the best checkpoint.
    pub validation: Vec<String>,
    /// Width of the gate's hidden layers.
    pub gate_hidden: usize,
    /// Number of experts.
    pub experts: usize,
    /// Width of the hidden layers.
    pub hidden: usize,
    /// Maximum number of frames of a lane.
    pub frames: usize,
    /// Final probability of feedback. The probability grows from 0 over the first `pairs` steps.
    pub feedback: f64,
    /// Number of first steps over which the probability of feedback grows.
    pub pairs: usize,
    /// Number of frames per step through which gradients flow.
    #[serde(default = "default_unroll")]
    pub unroll: usize,
    /// Weight of the error of the predicted body against the recording. It has an effect on earlier predictions only if
    /// `unroll` is above 1.
    #[serde(default)]
    pub absolute: f32,
    /// Weight of the errors of joints against a truth that leads back to the recording gradually.
    #[serde(default = "default_local")]
    pub local: f32,
    /// Standard deviation of the noise on the normalised columns of the current joints.
    pub noise: f32,
    /// Fraction of the columns that dropout zeroes, in the input of each layer of the experts.
    pub dropout: f32,
    /// Weight decay.
    pub decay: f32,
    /// Length and learning rate of the run.
    pub schedule: Schedule,
}

fn default_unroll() -> usize {
    1
}

fn default_local() -> f32 {
    1.0
}

impl Recipe {
    /// Returns the probability of feedback in a step.
    pub fn feedback_at(&self, step: usize) -> f64 {
        self.feedback * (step as f64 / self.pairs.max(1) as f64).min(1.0)
    }

    /// Returns the sizes of the network.
    pub fn sizes(&self) -> Sizes {
        let Self { gate_hidden, experts, hidden, .. } = *self;
        Sizes { input: INPUT, gate: GATE, gate_hidden, experts, hidden, output: OUTPUT }
    }

    /// Returns the sampling weight per frame of a recording; `None` if the recipe does not use it.
    pub fn weight(&self, recording: &Recording) -> Option<f64> {
        let weight = longest_match(self.takes.get(&recording.set)?, &recording.name)?.weight;
        (weight > 0.0).then_some(weight)
    }

    /// Returns the index of a recording's style; `None` if it is not in `styles`.
    pub fn style(&self, recording: &Recording) -> Option<usize> {
        let label = self.labels.get(&recording.set).and_then(|globs| longest_match(globs, &recording.name));
        let name = label.unwrap_or(&recording.style);
        self.styles.iter().position(|style| style == name)
    }
}
