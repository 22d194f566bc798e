//! Training loop of the methods on Burn: batches seeded by step, warm-up and cosine, checkpoints, validation, losses as
//! CSV.
//!
//! A method implements [`Training`]: its model, the loss of part of a batch, and validation. The batch of a step is
//! split over threads ([`crate::gradients`]).

use crate::average::Average;
use crate::checkpoint::{Folder, Log, State, seed};
use crate::gradients::gradients;
use crate::schedule::Schedule;
use burn::module::Module;
use burn::optim::{GradientsParams, ModuleOptimizer};
use burn::tensor::{Device, Tensor};
use indicatif::{ProgressBar, ProgressStyle};
use kinestitch::error::{Error, Result};
use rand::SeedableRng;
use rand::rngs::StdRng;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::time::Instant;

/// Steps between rows of the loss file.
const LOG_EVERY: usize = 20;

/// A training method, shared between threads.
pub trait Training: Sync {
    /// The network.
    type Model: Module;
    /// Names of the losses, the total first: columns of the loss file.
    const LOG: &'static [&'static str];
    /// Names of the validation errors, columns of the loss file. The first one selects the best checkpoint.
    const VALIDATION: &'static [&'static str];
    /// Decay of a running average of the weights, which is validated and exported in their place.
    const AVERAGE: Option<f32> = None;

    /// Whether [`Training::optimizer`] takes nothing from the schedule: recipes with `optimizer` or `decay` in it are
    /// refused.
    const OWN_OPTIMIZER: bool = false;

    /// The optimizer.
    fn optimizer(&self, schedule: &Schedule) -> ModuleOptimizer {
        schedule.optimizer()
    }

    /// Initial network: untrained, or from a weight file.
    ///
    /// # Errors
    /// [`Error::Weights`] or [`Error::File`] if the file does not load, [`Error::Option`] for an invalid recipe.
    fn model(&self, from: Option<&Path>, device: &Device) -> Result<Self::Model>;

    /// Losses of some lanes of a batch, means over these lanes, in the order of [`Training::LOG`]. Random numbers must
    /// come from [`Batch::rng`], so that a batch does not depend on the number of threads.
    ///
    /// # Errors
    /// Those of the method.
    fn loss(&self, model: &Self::Model, batch: &Batch) -> Result<Vec<Tensor<1>>>;

    /// Gradients of [`Batch::share`] × the total, and the values of the losses. Methods with hand-written gradients
    /// override it.
    ///
    /// # Errors
    /// Those of [`Training::loss`].
    fn gradients(&self, model: &Self::Model, batch: &Batch) -> Result<(GradientsParams, Vec<f32>)> {
        taped(self, model, batch)
    }

    /// Completes a network before it is validated and saved by parameters that are not trained, such as statistics of
    /// its output. Changes nothing by default.
    ///
    /// # Errors
    /// Those of the method.
    fn completed(&self, network: Self::Model, _device: &Device) -> Result<Self::Model> {
        Ok(network)
    }

    /// Validation errors of a model without gradients, in the order of [`Training::VALIDATION`].
    ///
    /// # Errors
    /// Those of the method.
    fn validate(&self, model: &Self::Model, device: &Device) -> Result<Vec<f32>>;
}

/// [`Training::gradients`] by Burn's tape.
///
/// # Errors
/// Those of [`Training::loss`].
pub fn taped<T: Training + ?Sized>(
    training: &T,
    model: &T::Model,
    batch: &Batch,
) -> Result<(GradientsParams, Vec<f32>)> {
    let losses = training.loss(model, batch)?;
    let values = losses.iter().map(|loss| loss.clone().into_scalar::<f32>()).collect();
    let total = losses.into_iter().next().map(|total| (total * batch.share()).backward());
    let gradients = total.map(|gradients| GradientsParams::from_grads(gradients, model));
    Ok((gradients.unwrap_or_default(), values))
}

/// A range of lanes of a step's batch.
pub struct Batch<'a> {
    /// Seed of the recipe.
    pub seed: u64,
    /// The step, from 0.
    pub step: usize,
    /// Lanes of the whole batch.
    pub size: usize,
    /// Lanes to compute.
    pub lanes: Range<usize>,
    /// Device of the tensors.
    pub device: &'a Device,
}

impl Batch<'_> {
    /// Share of the whole batch, 0 to 1.
    pub fn share(&self) -> f32 {
        self.lanes.len() as f32 / self.size.max(1) as f32
    }

    /// Random generator of a lane: the same in every run of the recipe, resumed or not.
    pub fn rng(&self, lane: usize) -> StdRng {
        let index = (self.step * self.size + lane) as u64;
        StdRng::seed_from_u64(self.seed ^ index.wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15))
    }
}

/// Folder, start and end of a run.
#[derive(Debug, Clone)]
pub struct Run {
    /// Folder for checkpoints and losses.
    pub folder: PathBuf,
    /// Continue from the folder's last checkpoint.
    pub resume: bool,
    /// Weight file to start from, if there is no checkpoint to resume.
    pub from: Option<PathBuf>,
    /// Stop at this step, without changing the schedule.
    pub stop: usize,
    /// Threads that share a batch.
    pub threads: usize,
}

/// Trains by a schedule. Writes `last.bpk`, `best.bpk` (lowest first validation error), `optimizer.bpk`, `state.json`
/// and `loss.csv` to the run's folder, and `average.bpk` where there is an average. Returns the progress of the run.
///
/// # Errors
/// Those of the method; [`Error::File`] if the folder cannot be written or a checkpoint not be read; [`Error::Option`]
/// if a loss or gradient is not finite (the last checkpoint is kept), and for an optimizer or decay in the schedule of
/// a method that has its own.
pub fn train<T: Training>(training: &T, schedule: &Schedule, run: &Run, device: &Device) -> Result<State> {
    if T::OWN_OPTIMIZER {
        schedule.check_no_optimizer()?;
    }
    let folder = Folder::new(&run.folder)?;
    let resumed = if run.resume { folder.state()? } else { None };
    let head: Vec<&str> = ["step", "rate", "norm"].iter().chain(T::LOG).chain(T::VALIDATION).copied().collect();
    let mut log = Log::open(folder.file("loss.csv"), &head, resumed.is_some())?;

    let tape = device.clone().autodiff();
    seed(device, schedule.seed, 0);
    let last = resumed.is_some().then(|| folder.file("last.bpk"));
    let mut model = training.model(last.as_deref().or(run.from.as_deref()), &tape)?;
    let mut optimizer = training.optimizer(schedule);
    let mut average = T::AVERAGE.map(|keep| Average::new(&model, keep));
    if resumed.is_some() {
        (model, optimizer) = (folder.last(model)?, folder.optimizer(optimizer)?);
        average = average.map(|average| average.restored(&folder)).transpose()?;
    }
    let mut state = resumed.unwrap_or(State::START);

    let end = schedule.steps.min(run.stop);
    let bar = ProgressBar::new(schedule.steps as u64).with_style(style());
    bar.set_position(state.step as u64);
    if resumed.is_none() {
        let errors = training.validate(&model.clone().valid(), device)?;
        bar.set_message(format!("validation {:.4}", errors[0]));
        log.write(&row(0, 0.0, f32::NAN, &vec![f32::NAN; T::LOG.len()], &errors))?;
    }
    let mut clock = Instant::now();
    let mut checkpoint = state.step;
    while state.step < end {
        seed(device, schedule.seed, 1 + state.step);
        let rate = schedule.rate_at(state.step);
        let found = gradients(training, &model, schedule, state.step, run.threads, &tape)?;
        if !found.norm.is_finite() || found.losses.iter().any(|loss| !loss.is_finite()) {
            bar.abandon();
            return Err(not_finite(state.step, checkpoint, &run.folder));
        }
        model = optimizer.step(rate, model, found.params);
        state.step += 1;
        if let Some(average) = &mut average {
            average.add(&model, state.step);
        }
        bar.set_position(state.step as u64);
        if state.step % schedule.every.max(1) == 0 || state.step == end {
            let network = average.as_ref().map_or_else(|| model.clone().valid(), |average| average.model.clone());
            let network = training.completed(network, device)?;
            let errors = training.validate(&network, device)?;
            state.hours += clock.elapsed().as_secs_f64() / 3600.0;
            clock = Instant::now();
            if errors[0] < state.best {
                (state.best, state.best_step) = (errors[0], state.step);
            }
            folder.save(&model, (&network, average.is_some()), &optimizer, state)?;
            checkpoint = state.step;
            log.write(&row(state.step, rate, found.norm, &found.losses, &errors))?;
            bar.set_message(format!("validation {:.4}, best {:.4}", errors[0], state.best));
        } else if state.step % LOG_EVERY == 0 {
            log.write(&row(state.step, rate, found.norm, &found.losses, &vec![f32::NAN; T::VALIDATION.len()]))?;
        }
    }
    bar.abandon();
    Ok(state)
}

fn not_finite(step: usize, checkpoint: usize, folder: &Path) -> Error {
    let kept = match checkpoint {
        0 => "there is no checkpoint yet".to_owned(),
        step => format!("the checkpoint of step {step} is kept in {}", folder.display()),
    };
    let message = format!("the loss of step {step} is not finite; {kept}; take a lower rate");
    Error::Option { option: "rate", message }
}

/// Row of the loss file, with empty cells for values that were not computed.
fn row(step: usize, rate: f64, norm: f32, losses: &[f32], errors: &[f32]) -> Vec<String> {
    let cell = |value: &f32| if value.is_nan() { String::new() } else { format!("{value:.5}") };
    let head = [step.to_string(), format!("{rate:.6}"), cell(&norm)];
    head.into_iter().chain(losses.iter().chain(errors).map(cell)).collect()
}

/// Progress bar style of long tasks.
pub fn style() -> ProgressStyle {
    ProgressStyle::with_template("{msg} {bar:30} {pos}/{len} {elapsed} eta {eta}")
        .unwrap_or(ProgressStyle::default_bar())
}
