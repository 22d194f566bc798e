//! Training of the delta in-betweener: recipe, loop and checkpoints.
//!
//! Forward and backward pass are written over slices ([`step`]), with the matrix product that Burn's CPU backend uses.
//! `tests/delta.rs` checks the gradients against differences of the loss, and the passes against the packed network.
//! Sizes and optimizers that were tried: docs/notes/delta.md.

pub mod bigru;
pub mod check;
pub mod learn;
pub mod loss;
pub mod muon;
pub mod sample;
pub mod step;

use crate::checkpoint::{Folder, State, fail};
use crate::own::parameters::TrainedParameters;
use crate::own::{self, Learning};
use crate::run::Run;
use crate::schedule::Level;
use crate::takes::{Source, Take, of_shares};
use check::{GAPS, check, ratios};
use kinestitch::error::{Error, Result};
use kinestitch::feature::delta::{INPUT, OUTPUT, VERSION};
use kinestitch::method::delta::network::{NAME, Sizes};
use kinestitch::nn::weights::write::{Named, Precision, to_bytes};
use kinestitch::nn::weights::{Meta, Weights};
use learn::{Learner, Normal};
use rand::SeedableRng;
use rand::rngs::StdRng;
use sample::{Sample, draw};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::convert::Infallible;
use std::path::Path;
use step::Pass;

/// Samples for the mean and standard deviation of the input.
pub const STATISTICS: usize = 1500;
/// Frames between the starts of validation windows.
pub const STRIDE: usize = 90;

/// Settings of a training run, read from a recipe file.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Recipe {
    /// Name of the run and of its weights.
    pub name: String,
    /// Weight set: `open` or `research`.
    pub set: String,
    /// Permitted use of the weights, in words.
    pub licence: String,
    /// Relative frequency of windows from each set.
    pub sets: BTreeMap<String, f64>,
    /// Sets whose validation split selects the best checkpoint.
    pub validation: Vec<String>,
    /// Width of a token.
    pub width: usize,
    /// Width of the feed-forward layers.
    pub inner: usize,
    /// Number of layers.
    pub layers: usize,
    /// Heads per layer.
    pub heads: usize,
    /// Learning rate of the layers' matrices, as a multiple of the schedule's; see [`learn::Learner::hidden`].
    pub hidden: f32,
    /// Length and learning rate of the run.
    pub schedule: Level,
}

impl Recipe {
    /// Sizes of the network.
    pub fn sizes(&self) -> Sizes {
        let Self { width, inner, layers, heads, .. } = *self;
        Sizes { input: INPUT, output: OUTPUT, width, layers, heads, inner, reach: REACH }
    }
}

/// Largest distance with its own bias.
const REACH: usize = 64;

/// A learner with its data.
struct Training<'a> {
    learner: Learner,
    source: Source,
    validation: Vec<Vec<Sample>>,
    recipe: &'a Recipe,
}

impl Learning for Training<'_> {
    const PARTS: &'static [&'static str] = &["rotation", "position", "change", "slide", "contact"];

    fn learn(&mut self, step: usize) -> Vec<f32> {
        let rate = self.recipe.schedule.rate_at(step);
        self.learner.learn(&self.source, self.recipe.schedule.batch, rate, self.recipe.schedule.seed).to_vec()
    }

    fn errors(&self) -> Vec<String> {
        GAPS.map(|gap| format!("ratio_{gap}")).to_vec()
    }

    fn validate(&self) -> (f32, Vec<f32>) {
        let mut pass = Pass::default();
        let Ok(scores) = check(&self.validation, |samples| Ok::<_, Infallible>(self.learner.rows(samples, &mut pass)));
        ratios(&scores)
    }

    fn network(&self) -> Result<Vec<u8>> {
        weights(self.recipe, &self.learner, Precision::F32)
    }

    fn checkpoint(&self) -> Result<Vec<u8>> {
        let mut tensors = self.learner.trained.stored("");
        tensors.extend(self.learner.normal.stored());
        to_bytes(&meta(self.recipe)?, &tensors, Precision::F32)
    }
}

/// Trains by a recipe on takes by set ([`own::train`]). The best checkpoint has the lowest mean L2P relative to
/// interpolation.
///
/// # Errors
/// [`Error::File`] if files cannot be read or written, [`Error::Weights`] for weights of other sizes, [`Error::Option`]
/// if a set has no takes or the loss is not finite.
pub fn train(takes: BTreeMap<String, Vec<Take>>, held_out: &[Take], recipe: &Recipe, run: &Run) -> Result<State> {
    let folder = Folder::new(&run.folder)?;
    let resumed = if run.resume { folder.state()? } else { None };
    let source = Source::new(of_shares(takes, &recipe.sets)?);
    let learner = match (&resumed, &run.from) {
        (Some(state), _) => restore(recipe, &folder.file("last.safetensors"), state.step)?,
        (None, Some(path)) => from_weights(recipe, path)?,
        (None, None) => {
            let mut rng = StdRng::seed_from_u64(recipe.schedule.seed);
            let samples: Vec<Sample> = (0..STATISTICS).map(|_| draw(&source, &mut rng)).collect();
            Learner::new(recipe.sizes(), Normal::of(&samples), recipe.hidden, recipe.schedule.seed)
        }
    };
    let mut training = Training { learner, source, validation: check::samples(held_out, STRIDE), recipe };
    own::train(&mut training, resumed.unwrap_or(State::START), &recipe.schedule, run)
}

fn meta(recipe: &Recipe) -> Result<Meta> {
    let config = serde_json::to_value(recipe.sizes()).map_err(|error| Error::Weights { message: error.to_string() })?;
    let (set, licence) = (recipe.set.clone(), recipe.licence.clone());
    Ok(Meta { name: NAME.to_owned(), layout: VERSION, config, set, licence })
}

/// Weight file with the averaged network.
///
/// # Errors
/// Those of [`to_bytes`].
pub fn weights(recipe: &Recipe, learner: &Learner, precision: Precision) -> Result<Vec<u8>> {
    let mut tensors = learner.normal.stored().to_vec();
    tensors.extend(learner.network.parameters.all.iter().map(|parameter| Named {
        name: parameter.name.clone(),
        shape: parameter.stored_shape(),
        values: learner.trained.average[parameter.range()].to_vec(),
    }));
    to_bytes(&meta(recipe)?, &tensors, precision)
}

fn restore(recipe: &Recipe, path: &Path, step: usize) -> Result<Learner> {
    let bytes = std::fs::read(path).map_err(|error| fail(path, error))?;
    let file = Weights::read(&bytes)?;
    let mut learner = Learner::new(recipe.sizes(), Normal::read(&file)?, recipe.hidden, recipe.schedule.seed);
    learner.trained.restore(&file, "", step)?;
    Ok(learner)
}

/// Learner initialised from a weight file.
///
/// # Errors
/// [`Error::File`] and [`Error::Weights`] if it cannot be read or has other sizes.
pub fn from_weights(recipe: &Recipe, path: &Path) -> Result<Learner> {
    let bytes = std::fs::read(path).map_err(|error| fail(path, error))?;
    let file = Weights::read(&bytes)?;
    file.check_layout(NAME, VERSION)?;
    let mut learner = Learner::new(recipe.sizes(), Normal::read(&file)?, recipe.hidden, recipe.schedule.seed);
    for parameter in &learner.network.parameters.all {
        let values = file.tensor(&parameter.name, &parameter.stored_shape())?;
        learner.trained.weights[parameter.range()].copy_from_slice(&values);
    }
    learner.trained = TrainedParameters::new(learner.trained.weights);
    Ok(learner)
}
