//! Training of the delta in-betweener: recipe, loop and checkpoints.
//!
//! Not on Burn: forward and backward pass are written out over slices ([`step`]), with the product that Burn's CPU backend
//! uses underneath. A pilot on Burn's autodiff took 1.06 s of processor time for a step of 64 windows (3.4 M parameters); this
//! takes .65 s for the same on a busy machine, most of it in the product, with 512-bit vectors. `tests/delta.rs` holds the
//! gradients to differences of the loss, and the passes to the packed network that ships.
//!
//! The network of the recipes is smaller than the pilot's (1.5 M parameters), for the sake of more steps in little time: after
//! 600 steps of 32 windows, 90 s of processor time, L2P as ratio to interpolation on LAFAN1 recordings kept out of subjects 1
//! and 2 was .54/.62/.68/.73 at 5/15/30/45 frames (the pilot, 3,000 steps of 64: .77/.72/.73 at 5/15/30). Muon for the
//! layers' matrices ([`muon`]) made it .53/.61/.65/.71 in as many steps, of 132 s together.

pub mod check;
pub mod learn;
pub mod loss;
pub mod muon;
pub mod product;
pub mod sample;
pub mod step;

use crate::error::{Error, Result};
use crate::feature::delta::{INPUT, OUTPUT, VERSION};
use crate::method::delta::network::{NAME, Sizes};
use crate::nn::weights::write::{Named, Precision, to_bytes};
use crate::nn::weights::{Meta, Weights};
use crate::train::checkpoint::{Folder, Log, State, fail};
use crate::train::run::style;
use check::{GAPS, check};
use indicatif::ProgressBar;
use learn::{Learner, Normal};
use rand::SeedableRng;
use rand::rngs::StdRng;
use sample::{Sample, Source, Take};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Instant;

/// Samples that the input's mean and deviation are measured on.
const STATISTICS: usize = 1500;
/// Frames between the starts of validation windows.
const STRIDE: usize = 90;
const LOG_EVERY: usize = 50;
/// Moments and averages in checkpoints.
const CHECKPOINT: [&str; 4] = ["weights", "average", "first", "second"];

/// Everything that decides what comes out, read from a recipe file.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Recipe {
    /// Name of the run and of its weights.
    pub name: String,
    /// Which weights they are: `open` or `research`.
    pub set: String,
    /// What they may be used for, in words.
    pub licence: String,
    /// How often a window is drawn from a set, relatively.
    pub sets: BTreeMap<String, f64>,
    /// Sets whose validation part chooses.
    pub validation: Vec<String>,
    /// Width of a token, of inner rows; layers and heads.
    pub width: usize,
    /// Width of inner rows.
    pub inner: usize,
    /// Layers.
    pub layers: usize,
    /// Heads of a layer.
    pub heads: usize,
    /// Steps of the whole schedule.
    pub steps: usize,
    /// Last steps, over which the rate falls to nothing; before, it stays as it is.
    pub cooldown: usize,
    /// Windows a step.
    pub batch: usize,
    /// Learning rate after warm-up.
    pub rate: f64,
    /// Rate of the layers' matrices as a multiple of that, see [`learn::Learner::hidden`].
    pub hidden: f32,
    /// Steps of linear warm-up.
    pub warmup: usize,
    /// Steps between checkpoints, each with a validation.
    pub every: usize,
    /// Seed of everything random.
    pub seed: u64,
}

impl Recipe {
    /// Reads a recipe file (JSON).
    ///
    /// # Errors
    /// [`Error::File`] where it cannot be read or lacks a field.
    pub fn read(path: &Path) -> Result<Self> {
        let text = std::fs::read(path).map_err(|error| fail(path, error))?;
        serde_json::from_slice(&text).map_err(|error| fail(path, error))
    }

    /// Learning rate of a step: level, then a straight fall. A level rate leaves open how long a run will be until it cools.
    pub fn rate_at(&self, step: usize) -> f64 {
        let warm = (step + 1) as f64 / self.warmup.max(1) as f64;
        let left = (self.steps.saturating_sub(step)) as f64 / self.cooldown.max(1) as f64;
        self.rate * warm.min(left).min(1.0)
    }

    /// Sizes of the network.
    pub fn sizes(&self) -> Sizes {
        let Self { width, inner, layers, heads, .. } = *self;
        Sizes { input: INPUT, output: OUTPUT, width, layers, heads, inner, reach: REACH }
    }
}

/// Farthest distance with a bias of its own.
const REACH: usize = 64;

/// Where and how far a recipe is trained.
#[derive(Debug, Clone)]
pub struct Run {
    /// Folder for checkpoints and losses.
    pub folder: PathBuf,
    /// Goes on from the folder's last checkpoint.
    pub resume: bool,
    /// Weight file to start from, where there is no checkpoint to resume.
    pub from: Option<PathBuf>,
    /// Stops at this step, leaving the schedule as the recipe has it.
    pub stop: usize,
}

/// Trains by a recipe on takes by set. Writes `last.safetensors` (everything), `best.safetensors` (the network alone, by the
/// mean ratio to interpolation), `state.json` and `loss.csv` to the run's folder.
///
/// # Errors
/// [`Error::File`] where files cannot be read or written, [`Error::Weights`] for weights of other sizes, [`Error::Option`]
/// where a set has no takes or the loss is not finite.
pub fn train(mut takes: BTreeMap<String, Vec<Take>>, held_out: &[Take], recipe: &Recipe, run: &Run) -> Result<State> {
    let folder = Folder::new(&run.folder)?;
    let resumed = if run.resume { folder.state()? } else { None };
    let sets = recipe.sets.iter().map(|(name, share)| match takes.remove(name) {
        Some(takes) if !takes.is_empty() => Ok((*share, takes)),
        _ => Err(Error::Option { option: "data", message: format!("no recordings of {name} to train on") }),
    });
    let source = Source::new(sets.collect::<Result<_>>()?);
    let validation = check::samples(held_out, STRIDE);
    let mut learner = match (&resumed, &run.from) {
        (Some(state), _) => restore(recipe, &folder.file("last.safetensors"), state.step)?,
        (None, Some(path)) => from_weights(recipe, path)?,
        (None, None) => {
            let mut rng = StdRng::seed_from_u64(recipe.seed);
            let samples: Vec<Sample> = (0..STATISTICS).map(|_| source.draw(&mut rng)).collect();
            Learner::new(recipe.sizes(), Normal::of(&samples), recipe.hidden, recipe.seed)
        }
    };
    let mut state = resumed.unwrap_or(State::START);
    let head = ["step", "rate", "seconds", "rotation", "position", "change", "slide", "contact"].map(str::to_owned);
    let head: Vec<String> = head.into_iter().chain(GAPS.map(|gap| format!("ratio_{gap}"))).collect();
    let head: Vec<&str> = head.iter().map(String::as_str).collect();
    let mut log = Log::open(folder.file("loss.csv"), &head, state.step > 0)?;
    let bar = ProgressBar::new(recipe.steps as u64).with_style(style());
    bar.set_position(state.step as u64);

    let (mut clock, mut sums, mut count, began) = (Instant::now(), [0.0; 5], 0.0, state.hours);
    let end = recipe.steps.min(run.stop);
    while state.step < end {
        let rate = recipe.rate_at(state.step);
        let parts = learner.learn(&source, recipe.batch, rate, recipe.seed);
        if !parts.iter().sum::<f32>().is_finite() {
            let message = format!("the loss of step {} is not finite; take a lower rate", state.step);
            return Err(Error::Option { option: "rate", message });
        }
        sums.iter_mut().zip(parts).for_each(|(sum, part)| *sum += part);
        count += 1.0;
        state.step += 1;
        bar.set_position(state.step as u64);
        let is_checkpoint = state.step.is_multiple_of(recipe.every) || state.step == end;
        if !is_checkpoint && !state.step.is_multiple_of(LOG_EVERY) {
            continue;
        }
        state.hours += clock.elapsed().as_secs_f64() / 3600.0;
        clock = Instant::now();
        let mut row =
            vec![state.step.to_string(), format!("{rate:.6}"), format!("{:.0}", (state.hours - began) * 3600.0)];
        row.extend(sums.map(|sum| format!("{:.5}", sum / count)));
        (sums, count) = ([0.0; 5], 0.0);
        if is_checkpoint {
            let scores = check(&learner.network, &learner.normal, &learner.average, &validation);
            let ratios: Vec<f32> = scores.iter().map(|[ours, plain]| ours / plain).collect();
            let mean = ratios.iter().sum::<f32>() / ratios.len() as f32;
            if mean < state.best {
                (state.best, state.best_step) = (mean, state.step);
                let bytes = weights(recipe, &learner, Precision::F32)?;
                let path = folder.file("best.safetensors");
                std::fs::write(&path, bytes).map_err(|error| fail(&path, error))?;
            }
            save(recipe, &learner, &folder)?;
            let path = folder.file("state.json");
            let text = serde_json::to_string_pretty(&state).map_err(|error| fail(&path, error))?;
            std::fs::write(&path, text).map_err(|error| fail(&path, error))?;
            bar.set_message(format!("ratios {ratios:.3?}"));
            row.extend(ratios.iter().map(|ratio| format!("{ratio:.4}")));
        }
        row.resize(head.len(), String::new());
        log.write(&row)?;
    }
    bar.abandon();
    Ok(state)
}

fn meta(recipe: &Recipe) -> Result<Meta> {
    let config = serde_json::to_value(recipe.sizes()).map_err(|error| Error::Weights { message: error.to_string() })?;
    let (set, licence) = (recipe.set.clone(), recipe.licence.clone());
    Ok(Meta { name: NAME.to_owned(), layout: VERSION, config, set, licence })
}

fn vector(name: &str, values: &[f32]) -> Named {
    Named { name: name.to_owned(), shape: vec![values.len()], values: values.to_vec() }
}

/// The averaged network as the bytes of a weight file.
///
/// # Errors
/// Those of [`to_bytes`].
pub fn weights(recipe: &Recipe, learner: &Learner, precision: Precision) -> Result<Vec<u8>> {
    let mut tensors = vec![vector("mean", &learner.normal.mean), vector("deviation", &learner.normal.deviation)];
    tensors.extend(learner.network.parameters.all.iter().map(|parameter| Named {
        name: parameter.name.clone(),
        shape: parameter.stored_shape(),
        values: learner.average[parameter.range()].to_vec(),
    }));
    to_bytes(&meta(recipe)?, &tensors, precision)
}

fn save(recipe: &Recipe, learner: &Learner, folder: &Folder) -> Result<()> {
    let [first, second] = &learner.moments;
    let values = [&learner.weights, &learner.average, first, second];
    let mut tensors: Vec<Named> = CHECKPOINT.iter().zip(values).map(|(name, values)| vector(name, values)).collect();
    tensors.extend([vector("mean", &learner.normal.mean), vector("deviation", &learner.normal.deviation)]);
    let (new, path) = (folder.file("new-last.safetensors"), folder.file("last.safetensors"));
    std::fs::write(&new, to_bytes(&meta(recipe)?, &tensors, Precision::F32)?).map_err(|error| fail(&new, error))?;
    std::fs::rename(&new, &path).map_err(|error| fail(&path, error))
}

fn restore(recipe: &Recipe, path: &Path, step: usize) -> Result<Learner> {
    let bytes = std::fs::read(path).map_err(|error| fail(path, error))?;
    let file = Weights::read(&bytes)?;
    let normal = Normal { mean: file.tensor("mean", &[INPUT])?, deviation: file.tensor("deviation", &[INPUT])? };
    let mut learner = Learner::new(recipe.sizes(), normal, recipe.hidden, recipe.seed);
    let shape = [learner.weights.len()];
    let [weights, average, first, second] = CHECKPOINT.map(|name| file.tensor(name, &shape));
    (learner.weights, learner.average, learner.moments, learner.step) = (weights?, average?, [first?, second?], step);
    Ok(learner)
}

/// A learner that starts from a weight file.
///
/// # Errors
/// [`Error::File`] and [`Error::Weights`] where it cannot be read or is of other sizes.
pub fn from_weights(recipe: &Recipe, path: &Path) -> Result<Learner> {
    let bytes = std::fs::read(path).map_err(|error| fail(path, error))?;
    let file = Weights::read(&bytes)?;
    file.expect(NAME, VERSION)?;
    let normal = Normal { mean: file.tensor("mean", &[INPUT])?, deviation: file.tensor("deviation", &[INPUT])? };
    let mut learner = Learner::new(recipe.sizes(), normal, recipe.hidden, recipe.seed);
    for parameter in &learner.network.parameters.all {
        let values = file.tensor(&parameter.name, &parameter.stored_shape())?;
        learner.weights[parameter.range()].copy_from_slice(&values);
    }
    learner.average.clone_from(&learner.weights);
    Ok(learner)
}
