//! Training of the recurrent motion refiner: RMR, sections 4 and 5.

use crate::error::{Error, Result};
use crate::feature::layout::Refiner;
use crate::method::rmr::Rmr;
use crate::nn::normal::Normal;
use crate::train::batch::batch;
use crate::train::pack::{Recording, Split};
use crate::train::pairs::{self, Neighbours, Pair};
use crate::train::recipe::{Recipe, load};
use crate::train::rmr_loss::{Loss, loss};
use burn::grad_clipping::GradientClippingConfig;
use burn::module::Module;
use burn::optim::{AdamConfig, GradientsParams, ModuleOptimizer, OptimizerRecord};
use burn::tensor::{Device, Tensor};
use indicatif::{ProgressBar, ProgressStyle};
use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};
use std::time::Instant;

/// Pairs that validate a checkpoint.
const VALIDATION_PAIRS: usize = 512;
/// Steps between rows of the loss file.
const LOG_EVERY: usize = 20;
/// Steps between checkpoints, a multiple of [`LOG_EVERY`].
const CHECKPOINT_EVERY: usize = 200;
/// Columns of the loss file.
const LOG_HEAD: [&str; 11] = [
    "step",
    "rate",
    "total",
    "pose",
    "trajectory",
    "foot",
    "begin",
    "motion",
    "slide",
    "validation",
    "validation_input",
];

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

/// Where a run stands; saved beside its weights.
#[derive(Debug, Clone, Serialize, Deserialize)]
struct State {
    step: usize,
    hours: f64,
    best: f32,
}

impl Run {
    fn file(&self, name: &str) -> PathBuf {
        self.folder.join(name)
    }

    /// Model, optimizer and state of the last checkpoint, where it is wanted and there.
    fn resumed(&self, model: Rmr, optimizer: ModuleOptimizer) -> Result<(Rmr, ModuleOptimizer, State)> {
        let path = self.file("state.json");
        if !(self.resume && path.exists()) {
            return Ok((model, optimizer, State { step: 0, hours: 0.0, best: f32::INFINITY }));
        }
        let text = std::fs::read(&path).map_err(|error| fail(&path, error))?;
        let state = serde_json::from_slice(&text).map_err(|error| fail(&path, error))?;
        let path = self.file("last.bpk");
        let model = model.try_load_file(&path).map_err(|error| fail(&path, error))?;
        let path = self.file("optimizer.bpk");
        let record = OptimizerRecord::load(&path).map_err(|error| fail(&path, error))?;
        Ok((model, optimizer.load_record(record), state))
    }

    fn save(&self, model: &Rmr, optimizer: &ModuleOptimizer, state: &State, best: bool) -> Result<()> {
        let names: &[&str] = if best { &["last.bpk", "best.bpk"] } else { &["last.bpk"] };
        for name in names {
            let path = self.file(name);
            model.clone().valid().save_file(&path).map_err(|error| fail(&path, error))?;
        }
        let path = self.file("optimizer.bpk");
        optimizer.to_record().save(&path).map_err(|error| fail(&path, error))?;
        let path = self.file("state.json");
        let text = serde_json::to_string_pretty(state).map_err(|error| fail(&path, error))?;
        std::fs::write(&path, text).map_err(|error| fail(&path, error))
    }
}

fn fail(path: &Path, error: impl ToString) -> Error {
    Error::Clip { clip: path.display().to_string(), message: error.to_string() }
}

/// The loss file, appended to: a resumed run goes on in it.
struct Log(csv::Writer<std::fs::File>, PathBuf);

impl Log {
    fn open(path: PathBuf) -> Result<Self> {
        let is_new = !path.exists();
        let file = std::fs::OpenOptions::new().create(true).append(true).open(&path);
        let mut log = Self(csv::Writer::from_writer(file.map_err(|error| fail(&path, error))?), path);
        if is_new {
            log.write(&LOG_HEAD.map(str::to_owned))?;
        }
        Ok(log)
    }

    fn write(&mut self, row: &[String]) -> Result<()> {
        self.0.write_record(row).map_err(|error| fail(&self.1, error))?;
        self.0.flush().map_err(|error| fail(&self.1, error))
    }
}

/// Random pairs of a split.
fn draw(
    recordings: &[Recording],
    neighbours: &Neighbours,
    (split, count): (Split, usize),
    seed: u64,
    bar: &ProgressBar,
) -> Result<Vec<Pair>> {
    let windows = pairs::windows(recordings, split);
    if windows.is_empty() {
        let message = format!("no upright window of {} frames for {split:?}; give more recordings", pairs::WINDOW);
        return Err(Error::Option { option: "data", message });
    }
    let mut rng = StdRng::seed_from_u64(seed);
    bar.set_length(count as u64);
    bar.set_position(0);
    let drawn = (0..count).filter_map(|_| {
        bar.inc(1);
        neighbours.pair(recordings, windows[rng.random_range(0..windows.len())], &mut rng)
    });
    Ok(drawn.collect())
}

/// Trains by a recipe. Writes `last.bpk`, `best.bpk` (by validation error), `optimizer.bpk`, `state.json` and `loss.csv`
/// to the run's folder.
///
/// # Errors
/// [`Error::Option`] for a bad recipe or too little data, [`Error::Weights`] for a bad weight file, [`Error::Clip`] where
/// files cannot be read or written.
pub fn train(recordings: &[Recording], recipe: &Recipe, run: &Run, device: &Device) -> Result<()> {
    std::fs::create_dir_all(&run.folder).map_err(|error| fail(&run.folder, error))?;
    let mut log = Log::open(run.file("loss.csv"))?;
    let bar = ProgressBar::new(1).with_style(style());
    bar.set_message("indexing segments");
    let neighbours = Neighbours::new(recordings);
    bar.set_message("drawing pairs");
    let train = draw(recordings, &neighbours, (Split::Train, recipe.pairs), recipe.seed, &bar)?;
    let validation = draw(recordings, &neighbours, (Split::Validation, VALIDATION_PAIRS), recipe.seed + 1, &bar)?;

    let tape = device.clone().autodiff();
    let model = match &run.from {
        Some(path) => load(recipe, path, &tape)?,
        None => {
            let (mean, deviation) = pairs::statistics(recordings, &train[..train.len().min(2000)]);
            Rmr::new(recipe.cell()?, Normal::new(&mean, &deviation, &tape), recipe.dropout, &tape)
        }
    };
    let clip = GradientClippingConfig::Norm(1.0);
    let optimizer = AdamConfig::new().with_grad_clipping(Some(clip)).init();
    let (mut model, mut optimizer, mut state) = run.resumed(model, optimizer)?;

    let end = recipe.steps.min(run.stop);
    bar.set_length(recipe.steps as u64);
    bar.set_message("training");
    let mut clock = Instant::now();
    while state.step < end {
        // Seeded by step, so that a resumed run draws what an unbroken one would have drawn.
        let mut rng = StdRng::seed_from_u64(recipe.seed.wrapping_add(1000 + state.step as u64));
        let lanes: Vec<&Pair> = (0..recipe.batch).map(|_| &train[rng.random_range(0..train.len())]).collect();
        let (steps, truth) = batch(recordings, &lanes, &model.normal, &tape);
        let input = Tensor::cat(steps.clone(), 0);
        let refined = model.forward(&steps);
        let Loss { total, parts } = loss(&model.normal, refined, truth, input, recipe.batch);
        let gradients = GradientsParams::from_grads(total.backward(), &model);
        model = optimizer.step(recipe.rate_at(state.step), model, gradients);
        state.step += 1;
        bar.set_position(state.step as u64);

        let checkpoint = state.step % CHECKPOINT_EVERY == 0 || state.step == end;
        if !checkpoint && state.step % LOG_EVERY != 0 {
            continue;
        }
        let mut row = vec![state.step.to_string(), format!("{:.6}", recipe.rate_at(state.step))];
        row.extend(std::iter::once(total).chain(parts).map(|t| format!("{:.5}", t.into_scalar::<f32>())));
        row.resize(LOG_HEAD.len(), String::new());
        if checkpoint {
            let (ours, untouched) = validate(recordings, &validation, &model.clone().valid(), device, recipe.batch);
            row[9] = format!("{ours:.5}");
            row[10] = format!("{untouched:.5}");
            state.hours += clock.elapsed().as_secs_f64() / 3600.0;
            clock = Instant::now();
            let best = ours < state.best;
            state.best = state.best.min(ours);
            run.save(&model, &optimizer, &state, best)?;
            bar.set_message(format!("validation {ours:.4}, input {untouched:.4}"));
        }
        log.write(&row)?;
    }
    bar.abandon();
    Ok(())
}

/// Mean squared error of normalised pose columns against the truth: (refined, untouched input).
fn validate(recordings: &[Recording], pairs: &[Pair], model: &Rmr, device: &Device, size: usize) -> (f32, f32) {
    let mut sums = [0.0_f32; 2];
    let mut count = 0.0_f32;
    for lanes in pairs.chunks(size) {
        let lanes: Vec<&Pair> = lanes.iter().collect();
        let (steps, truth) = batch(recordings, &lanes, &model.normal, device);
        let poses = |rows: Tensor<2>| rows.narrow(1, 0, Refiner::CONTACT.start);
        let error = |rows: Tensor<2>| (poses(rows) - poses(truth.clone())).powf_scalar(2.0).mean().into_scalar::<f32>();
        sums[0] += error(model.forward(&steps)) * lanes.len() as f32;
        sums[1] += error(Tensor::cat(steps, 0)) * lanes.len() as f32;
        count += lanes.len() as f32;
    }
    (sums[0] / count, sums[1] / count)
}

fn style() -> ProgressStyle {
    ProgressStyle::with_template("{msg} {bar:30} {pos}/{len} {elapsed} eta {eta}")
        .unwrap_or(ProgressStyle::default_bar())
}
