//! Training loop of all methods that are trained by [`train`].
//!
//! The loop seeds each batch by its step, sets the learning rate, saves checkpoints, validates them, and writes losses
//! to a CSV file. A method implements [`Training`]: its model, the losses of lanes, and validation. A lane is one
//! training example of a batch. The lanes of a step are split over threads ([`crate::gradients`]).

use crate::average::Average;
use crate::checkpoint::{Folder, Log, STATE_FILE, State, seed};
use crate::gradients::gradients;
use crate::schedule::Schedule;
use burn::module::Module;
use burn::optim::{GradientsParams, ModuleOptimizer};
use burn::tensor::{Device, Tensor};
use indicatif::{ProgressBar, ProgressStyle};
use kinestitch::error::{Error, Result};
use kinestitch::nn::device::values;
use rand::SeedableRng;
use rand::rngs::StdRng;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::time::Instant;

/// Steps between rows of the loss file.
const LOG_EVERY: usize = 20;

/// Training of one method, shared between threads.
pub trait Training: Sync {
    /// The network.
    type Model: Module;
    /// Names of the losses, the total first: columns of the loss file.
    const LOG: &'static [&'static str];
    /// Names of the validation errors, columns of the loss file. The first one selects the best checkpoint.
    const VALIDATION: &'static [&'static str];

    /// Whether [`Training::optimizer`] ignores the schedule. If true, recipes with `optimizer` or `decay` in the
    /// schedule are rejected.
    const OWN_OPTIMIZER: bool = false;

    /// Returns the decay of the running average of the weights. If set, the average is validated and exported instead
    /// of the weights.
    fn average(&self) -> Option<f32> {
        None
    }

    /// Creates the optimizer.
    fn optimizer(&self, schedule: &Schedule) -> ModuleOptimizer {
        schedule.optimizer()
    }

    /// Creates the initial network: untrained, or from a weight file or checkpoint.
    ///
    /// # Errors
    /// [`Error::Weights`] or [`Error::File`] if the file does not load, [`Error::Option`] for an invalid recipe.
    fn model(&self, from: Option<&Path>, device: &Device) -> Result<Self::Model>;

    /// Computes the losses of the lanes [`Batch::lanes`], means over these lanes, in the order of [`Training::LOG`].
    /// Random numbers must come from [`Batch::rng`], so that the losses do not depend on the number of threads.
    ///
    /// # Errors
    /// Those of the method.
    fn loss(&self, model: &Self::Model, batch: &Batch) -> Result<Vec<Tensor<1>>>;

    /// Computes the gradients of the total loss times [`Batch::weight`], and the values of all losses. Methods with
    /// hand-written gradients override this function.
    ///
    /// # Errors
    /// Those of [`Training::loss`].
    fn gradients(&self, model: &Self::Model, batch: &Batch) -> Result<(GradientsParams, Vec<f32>)> {
        autodiff_gradients(self, model, batch)
    }

    /// Sets the parameters that are not trained, such as statistics of the output, before each checkpoint is validated
    /// and saved, but not before the validation of the initial network. Changes nothing by default.
    ///
    /// # Errors
    /// Those of the method.
    fn complete(&self, network: Self::Model, _device: &Device) -> Result<Self::Model> {
        Ok(network)
    }

    /// Computes the validation errors of a model without gradients, in the order of [`Training::VALIDATION`].
    ///
    /// # Errors
    /// Those of the method.
    fn validate(&self, model: &Self::Model, device: &Device) -> Result<Vec<f32>>;
}

/// Computes [`Training::gradients`] by Burn's automatic differentiation.
///
/// # Errors
/// Those of [`Training::loss`].
pub fn autodiff_gradients<T: Training + ?Sized>(
    training: &T,
    model: &T::Model,
    batch: &Batch,
) -> Result<(GradientsParams, Vec<f32>)> {
    let losses = training.loss(model, batch)?;
    let Some(total) = losses.first().cloned() else { return Ok((GradientsParams::new(), Vec::new())) };
    let gradients = GradientsParams::from_grads((total * batch.weight()).backward(), model);
    // All losses are read at once, after the gradients are queued: a graphics card is idle during each read.
    Ok((gradients, values(Tensor::cat(losses, 0).inner())?))
}

/// A range of lanes of a step's batch.
pub struct Batch<'a> {
    /// Seed of the recipe.
    pub seed: u64,
    /// The step, from 0.
    pub step: usize,
    /// Number of lanes of the whole batch.
    pub size: usize,
    /// Lanes to compute, a range of the whole batch.
    pub lanes: Range<usize>,
    /// Device of the tensors.
    pub device: &'a Device,
}

impl Batch<'_> {
    /// Returns the weight of these lanes in a mean over the whole batch, 0 to 1.
    pub fn weight(&self) -> f32 {
        self.lanes.len() as f32 / self.size.max(1) as f32
    }

    /// Creates the random generator of a lane. Resumed and uninterrupted runs of a recipe have the same generators.
    pub fn rng(&self, lane: usize) -> StdRng {
        let index = (self.step * self.size + lane) as u64;
        StdRng::seed_from_u64(self.seed ^ index.wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15))
    }

    /// Computes a value for each lane, in the order of the lanes, on the cores that other threads of the batch leave
    /// idle: all of them if a graphics card trains.
    pub fn map_lanes<T: Send>(&self, value: impl Fn(usize) -> T + Sync) -> Vec<T> {
        let lanes = self.lanes.len().max(1);
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        let threads = (cores * lanes / self.size.max(1)).clamp(1, lanes);
        if threads == 1 {
            return self.lanes.clone().map(value).collect();
        }
        let share = |index: usize| self.lanes.start + index * lanes / threads;
        std::thread::scope(|scope| {
            let (share, value) = (&share, &value);
            let start = |index| scope.spawn(move || (share(index)..share(index + 1)).map(value).collect::<Vec<T>>());
            let workers: Vec<_> = (0..threads).map(start).collect();
            let join = |worker: std::thread::ScopedJoinHandle<'_, Vec<T>>| {
                worker.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
            };
            workers.into_iter().flat_map(join).collect()
        })
    }
}

/// Folder, start and end of a run.
#[derive(Debug, Clone)]
pub struct Run {
    /// Folder for checkpoints and losses.
    pub folder: PathBuf,
    /// Continue from the folder's last checkpoint, instead of starting a run.
    pub resume: bool,
    /// Weight file to start from, unless the run is resumed.
    pub from: Option<PathBuf>,
    /// Stop at this step, without changing the schedule.
    pub stop: usize,
    /// Threads that share a batch.
    pub threads: usize,
}

/// Trains by a schedule. Writes `last.bpk`, `best.bpk` (the lowest value of the first validation error),
/// `optimizer.bpk`, `state.json` and `loss.csv` to the run's folder, and `average.bpk` if the weights are averaged.
/// Returns the state of the run.
///
/// # Errors
/// Those of the method; [`Error::File`] if the folder cannot be written or a checkpoint cannot be read;
/// [`Error::Option`] if there is no checkpoint to resume, if the folder has the checkpoint of a run that is not to be
/// resumed, if a loss or gradient is not finite (the last checkpoint is kept), if a batch is empty, or if the
/// schedule sets an optimizer or a decay although the method has its own optimizer.
pub fn train<T: Training>(training: &T, schedule: &Schedule, run: &Run, device: &Device) -> Result<State> {
    schedule.check_batch()?;
    if T::OWN_OPTIMIZER {
        schedule.check_no_optimizer()?;
    }
    let (folder, resumed) = open_folder(run)?;
    let header: Vec<&str> = ["step", "rate", "norm"].iter().chain(T::LOG).chain(T::VALIDATION).copied().collect();
    let mut log = Log::open(folder.path("loss.csv"), &header, resumed.map(|state| state.step))?;

    let autodiff_device = device.clone().autodiff();
    seed(device, schedule.seed, 0);
    let from = if resumed.is_some() { Some(folder.path("last.bpk")) } else { run.from.clone() };
    let model = training.model(from.as_deref(), &autodiff_device)?;
    let optimizer = training.optimizer(schedule);
    let average = training.average().map(|decay| Average::new(&model, decay)).transpose()?;
    let mut learner = Learner { model, optimizer, average };
    if resumed.is_some() {
        learner = learner.restore(&folder)?;
    }
    let mut state = resumed.unwrap_or(State::START);

    let end = schedule.steps.min(run.stop);
    let bar = ProgressBar::new(schedule.steps as u64).with_style(bar_style());
    bar.set_position(state.step as u64);
    if resumed.is_none() {
        let errors = training.validate(&learner.model.clone().valid(), device)?;
        bar.set_message(format!("validation {:.4}", errors[0]));
        log.write(&row(0, 0.0, f32::NAN, &vec![f32::NAN; T::LOG.len()], &errors))?;
    }
    let mut clock = Instant::now();
    let mut checkpoint = state.step;
    while state.step < end {
        seed(device, schedule.seed, 1 + state.step);
        let rate = schedule.rate_at(state.step);
        let gradients = gradients(training, &learner.model, schedule, state.step, run.threads, &autodiff_device)?;
        if !gradients.norm.is_finite() || gradients.losses.iter().any(|loss| !loss.is_finite()) {
            bar.abandon();
            return Err(not_finite(state.step + 1, checkpoint, &run.folder));
        }
        state.step += 1;
        learner = learner.step(rate, gradients.params, state.step);
        bar.set_position(state.step as u64);
        if state.step % schedule.every() == 0 || state.step == end {
            let network = training.complete(learner.network(), device)?;
            let errors = training.validate(&network, device)?;
            state.hours += clock.elapsed().as_secs_f64() / 3600.0;
            clock = Instant::now();
            if errors[0] < state.best {
                (state.best, state.best_step) = (errors[0], state.step);
            }
            folder.save(&learner.model, (&network, learner.average.is_some()), &learner.optimizer, state)?;
            checkpoint = state.step;
            log.write(&row(state.step, rate, gradients.norm, &gradients.losses, &errors))?;
            bar.set_message(format!("validation {:.4}, best {:.4}", errors[0], state.best));
        } else if state.step % LOG_EVERY == 0 {
            let errors = vec![f32::NAN; T::VALIDATION.len()];
            log.write(&row(state.step, rate, gradients.norm, &gradients.losses, &errors))?;
        }
    }
    bar.abandon();
    Ok(state)
}

/// Opens the folder of a run. Returns it, and the state of the run if it is resumed.
fn open_folder(run: &Run) -> Result<(Folder, Option<State>)> {
    let path = run.folder.display();
    let error = |option, message| Err(Error::Option { option, message });
    match (run.resume, run.folder.join(STATE_FILE).exists()) {
        (true, false) => return error("resume", format!("{path} has no {STATE_FILE}; check the folder of the run")),
        (false, true) => {
            let advice = "continue it (--resume), or choose another folder (--run)";
            return error("run", format!("{path} has the checkpoint of a run; {advice}"));
        }
        _ => {}
    }
    let folder = Folder::new(&run.folder)?;
    let state = if run.resume { folder.load_state()? } else { None };
    Ok((folder, state))
}

/// The parts of a run that change in each step.
struct Learner<M> {
    model: M,
    optimizer: ModuleOptimizer,
    /// Running average of the weights, if the method has one.
    average: Option<Average<M>>,
}

impl<M: Module> Learner<M> {
    /// Loads the last checkpoint.
    fn restore(self, folder: &Folder) -> Result<Self> {
        Ok(Self {
            model: folder.load_last(self.model)?,
            optimizer: folder.load_optimizer(self.optimizer)?,
            average: self.average.map(|average| average.restore(folder)).transpose()?,
        })
    }

    /// Updates the model by its gradients. `step`: number of the step, from 1.
    fn step(mut self, rate: f64, gradients: GradientsParams, step: usize) -> Self {
        self.model = self.optimizer.step(rate, self.model, gradients);
        if let Some(average) = &mut self.average {
            average.add(&self.model, step);
        }
        self
    }

    /// Returns the network to validate and export: the average, or the model without gradients.
    fn network(&self) -> M {
        self.average.as_ref().map_or_else(|| self.model.clone().valid(), |average| average.model.clone())
    }
}

/// Creates the error for a loss or gradient that is not finite. `step`: number of the step, from 1, as in the loss
/// file. `checkpoint`: step of the last checkpoint, 0 if none.
fn not_finite(step: usize, checkpoint: usize, folder: &Path) -> Error {
    let checkpoint = match checkpoint {
        0 => "there is no checkpoint yet".to_owned(),
        step => format!("the checkpoint of step {step} is kept in {}", folder.display()),
    };
    let message = format!("the loss or gradient of step {step} is not finite; {checkpoint}; use a lower rate");
    Error::Option { option: "rate", message }
}

/// Formats a row of the loss file. Values that were not computed (NaN) give empty cells.
fn row(step: usize, rate: f64, norm: f32, losses: &[f32], errors: &[f32]) -> Vec<String> {
    let cell = |value: &f32| if value.is_nan() { String::new() } else { format!("{value:.5}") };
    let first_cells = [step.to_string(), format!("{rate:.6}"), cell(&norm)];
    first_cells.into_iter().chain(losses.iter().chain(errors).map(cell)).collect()
}

/// Returns the style of progress bars.
pub fn bar_style() -> ProgressStyle {
    ProgressStyle::with_template("{msg} {bar:30} {pos}/{len} {elapsed} eta {eta}")
        .unwrap_or(ProgressStyle::default_bar())
}
