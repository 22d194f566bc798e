//! Training of the delta in-betweener: recipe, batches, validation and weight files. research/notes/delta.md compares sizes
//! and optimizers.

pub mod check;
pub mod loss;
pub mod optimizer;
pub mod sample;
mod untrained;

use crate::checkpoint;
use crate::recipe::{Header, check_dropout};
use crate::run::{Batch, Training};
use crate::schedule::Schedule;
use crate::takes::{Source, Take};
use burn::nn::{Dropout, DropoutConfig};
use burn::optim::ModuleOptimizer;
use burn::tensor::{Device, Tensor, TensorData};
use check::{Ratios, SHORTEST_TAKE, check};
use kinestitch::error::{Error, Result};
use kinestitch::feature::delta::{INPUT, OUTPUT};
use kinestitch::method::delta::network::Sizes;
use kinestitch::method::delta::tensor::{Delta, Windows};
use kinestitch::method::filler::MAX_GAP;
use kinestitch::nn::device::values;
use kinestitch::nn::weights::write::Precision;
use kinestitch::nn::weights::{self, Network};
use loss::Targets;
use sample::{Sample, draw};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::Path;
pub use untrained::{load_or_deepen, untrained_network};

/// Frames between the starts of validation windows.
pub const STRIDE: usize = 90;
/// Frames between the starts of those windows of training recordings whose error is logged.
const TRAINING_STRIDE: usize = 540;
/// Maximum number of groups of windows. Attention pads the windows of a group to the longest, so windows are sorted by
/// length before they are grouped. Few groups give few large operations, as a graphics card needs.
const GROUPS: usize = 6;
/// Minimum number of windows per group, except the last group.
const GROUP: usize = 8;
/// Smallest number of rows that is split into blocks ([`Windows::blocks`]). Only graphics cards train on such batches.
const MANY_ROWS: usize = 4000;
/// Number of these blocks.
const BLOCKS: usize = 64;
/// Largest distance of two tokens that has its own attention bias, frames. All larger distances share its bias.
const REACH: usize = 64;

/// Settings of a training run, read from a recipe file.
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
    /// Additional speeds at which training recordings are played; 2 is twice as fast, -1 is backwards.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub speeds: Vec<f64>,
    /// Length of the longest gap in training, 31 to [`MAX_GAP`] frames.
    #[serde(default = "default_longest")]
    pub longest: usize,
    /// Width of a token.
    pub width: usize,
    /// Width of the feed-forward layers.
    pub inner: usize,
    /// Number of layers.
    pub layers: usize,
    /// Heads per layer.
    pub heads: usize,
    /// Learning rate of the layers' matrices, relative to the schedule's rate; see [`optimizer::optimizer`].
    pub matrix_rate: f32,
    /// Dropout rate of the attention outputs and of the inner values of feed-forward layers, from
    /// 0 to below 1.
    #[serde(default)]
    pub dropout: f64,
    /// Decay of the running average of the weights; 1 / (1 − decay) is roughly the number of averaged steps.
    #[serde(default = "default_average")]
    pub average: f32,
    /// Length and learning rate of the run.
    pub schedule: Schedule,
}

fn default_longest() -> usize {
    60
}

fn default_average() -> f32 {
    0.998
}

impl Recipe {
    /// Returns the sizes of the network.
    pub fn sizes(&self) -> Sizes {
        let Self { width, inner, layers, heads, .. } = *self;
        Sizes { input: INPUT, output: OUTPUT, width, layers, heads, inner, reach: REACH }
    }
}

/// Training of the network of a recipe, on takes grouped by data set.
pub struct DeltaTraining<'a> {
    source: &'a Source,
    /// Held-out windows by gap length, each with its mirror image.
    validation: Vec<Vec<[Sample; 2]>>,
    /// Windows of training recordings, from the data sets of [`Recipe::validation`], by gap length. The comparison of
    /// their errors with those of the held-out windows shows whether more training or more recordings are needed.
    training: Vec<Vec<[Sample; 2]>>,
    recipe: &'a Recipe,
}

impl<'a> DeltaTraining<'a> {
    /// Prepares the training. `held_out`: takes whose windows select the best checkpoint.
    pub fn new(source: &'a Source, held_out: &[Take], recipe: &'a Recipe) -> Self {
        let validation = check::samples(held_out, STRIDE);
        let names = recipe.sets.iter().filter(|(_, weight)| **weight > 0.0).map(|(name, _)| name);
        let sets = source.sets().iter().zip(names).filter(|(_, name)| recipe.validation.contains(name));
        let training = check::samples(sets.flat_map(|(takes, _)| takes), TRAINING_STRIDE);
        Self { source, validation, training, recipe }
    }
}

impl Training for DeltaTraining<'_> {
    type Model = Delta;
    const LOG: &'static [&'static str] = &["total", "rotation", "position", "change", "slide", "contact"];
    // All columns are relative to the errors of interpolation; a number in a name is the gap length, frames.
    const VALIDATION: &'static [&'static str] = &[
        "selection",
        "l2p",
        "l2p_5",
        "l2p_15",
        "l2p_30",
        "l2p_45",
        "l2p_60",
        "l2p_90",
        "skate_5",
        "skate_15",
        "skate_30",
        "skate_45",
        "skate_60",
        "skate_90",
        "training_l2p",
        "training_l2p_5",
        "training_l2p_15",
        "training_l2p_30",
        "training_l2p_45",
        "training_l2p_60",
        "training_l2p_90",
    ];
    const OWN_OPTIMIZER: bool = true;

    fn average(&self) -> Option<f32> {
        Some(self.recipe.average)
    }

    fn optimizer(&self, _: &Schedule) -> ModuleOptimizer {
        optimizer::optimizer(self.recipe.matrix_rate)
    }

    fn model(&self, from: Option<&Path>, device: &Device) -> Result<Delta> {
        if !(31..=MAX_GAP).contains(&self.recipe.longest) {
            let message = format!("{} frames instead of 31 to {MAX_GAP}", self.recipe.longest);
            return Err(Error::Option { option: "longest", message });
        }
        check_dropout(self.recipe.dropout)?;
        self.source.check_length(sample::Window::SHORTEST.frames())?;
        let model = match from {
            Some(path) => load_or_deepen(self.recipe, path, device)?,
            None => untrained_network(self.recipe, self.source, device)?,
        };
        Ok(model.with_fixed_statistics())
    }

    fn loss(&self, model: &Delta, batch: &Batch) -> Result<Vec<Tensor<1>>> {
        let mut windows = batch.map_lanes(|lane| {
            let sample = draw(self.source, &mut batch.rng(lane), self.recipe.longest);
            let targets = Targets::new(&sample);
            (sample, targets)
        });
        windows.sort_by_key(|(sample, _)| sample.input.rows.len());
        let (samples, targets): (Vec<Sample>, Vec<Targets>) = windows.into_iter().unzip();
        let dropout = DropoutConfig::new(self.recipe.dropout).init();
        Ok(loss::loss(&predict(model, &samples, Some(&dropout), batch.device), &samples, &targets))
    }

    fn validate(&self, model: &Delta, device: &Device) -> Result<Vec<f32>> {
        let ratios = |samples: &[Vec<[Sample; 2]>]| {
            let errors = check(samples, |samples| values(predict(model, samples, None, device)))?;
            Ok::<_, Error>(Ratios::new(&errors))
        };
        let (held_out, training) = (ratios(&self.validation)?, ratios(&self.training)?);
        // Without this check, no checkpoint would ever be the best.
        if !held_out.selection().is_finite() {
            let message = format!(
                "the validation error is not a finite number: add recordings that move and have {SHORTEST_TAKE} frames \
                 or more to the validation split of {}",
                self.recipe.validation.join(", ")
            );
            return Err(Error::Option { option: "validation", message });
        }
        let mut errors = vec![held_out.selection(), held_out.mean_l2p()];
        errors.extend(held_out.l2p.iter().chain(&held_out.skate));
        errors.push(training.mean_l2p());
        errors.extend(&training.l2p);
        Ok(errors)
    }
}

/// Predicts the output rows of the gap of each window. The gaps follow each other: [rows, [`OUTPUT`]].
pub fn predict(model: &Delta, samples: &[Sample], dropout: Option<&Dropout>, device: &Device) -> Tensor<2> {
    let rows: Vec<f32> = samples.iter().flat_map(|sample| sample.input.rows.iter().copied()).collect();
    let length = |sample: &Sample| sample.input.rows.len() / INPUT;
    let group = samples.len().div_ceil(GROUPS).max(GROUP);
    let groups: Vec<Vec<usize>> = samples.chunks(group).map(|group| group.iter().map(length).collect()).collect();
    let mut gaps = Vec::new();
    let mut start = 0;
    for sample in samples {
        let first = start + sample.input.past;
        gaps.extend(first..first + sample.truth.len());
        start += length(sample);
    }
    let rows = Tensor::from_data(TensorData::new(rows, [start, INPUT]), device);
    let blocks = if start >= MANY_ROWS { BLOCKS } else { 1 };
    model.forward_windows(rows, &Windows { groups, picked: Some(gaps), blocks }, dropout)
}

/// Encodes a checkpoint (`.bpk`) or a weight file as a weight file of the given precision. Returns the bytes.
///
/// # Errors
/// [`kinestitch::Error::File`] and [`kinestitch::Error::Weights`] if the file cannot be read, or has other sizes than
/// the recipe.
pub fn export(recipe: &Recipe, checkpoint: &Path, precision: Precision) -> Result<Vec<u8>> {
    let blank = Delta::blank(&recipe.sizes(), &Device::flex());
    let model = checkpoint::load_network(blank, checkpoint, &recipe.header)?;
    weights::write(&model, &recipe.sizes(), recipe.header.terms(), precision)
}
