//! Training of the recurrent motion refiner: RMR, sections 4 and 5.

use crate::error::{Error, Result};
use crate::feature::body::Body;
use crate::feature::layout::Refiner;
use crate::method::rmr::Rmr;
use crate::nn::normal::Normal;
use crate::nn::recurrent::CellKind;
use crate::nn::weights;
use crate::train::pack::{Recording, Split};
use crate::train::pairs::{self, Neighbours, Pair, WINDOW};
use crate::train::rmr_loss::{Loss, loss};
use crate::train::score::{self, Score};
use crate::train::segment_index::Segment;
use burn::grad_clipping::GradientClippingConfig;
use burn::module::Module;
use burn::optim::{AdamConfig, GradientsParams, ModuleOptimizer, OptimizerRecord};
use burn::tensor::{Device, Tensor, TensorData};
use indicatif::{ProgressBar, ProgressStyle};
use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};
use std::time::Instant;

/// Everything that decides what comes out, read from a recipe file.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Recipe {
    /// Name of the run and of its weights.
    pub name: String,
    /// Data sets it trains on.
    pub sets: Vec<String>,
    /// Recurrent layer: `bgru`, `gru`, `blstm`, `lstm`.
    pub cell: String,
    /// Steps of the whole schedule.
    pub steps: usize,
    /// Windows a step.
    pub batch: usize,
    /// Largest learning rate, after warm-up; decays by a cosine to a hundredth.
    pub rate: f64,
    /// Steps of linear warm-up.
    pub warmup: usize,
    /// Dropout between the recurrent layers.
    pub dropout: f64,
    /// Pairs drawn at the start, reused over the run.
    pub pairs: usize,
    /// Seed of everything random.
    pub seed: u64,
}

impl Recipe {
    /// The recurrent layer.
    ///
    /// # Errors
    /// [`Error::Option`] for an unknown name.
    pub fn cell(&self) -> Result<CellKind> {
        Ok(match self.cell.as_str() {
            "gru" => CellKind::Gru,
            "lstm" => CellKind::Lstm,
            "bgru" => CellKind::Bgru,
            "blstm" => CellKind::Blstm,
            other => {
                let message = format!("\"{other}\" is not one of bgru, gru, blstm, lstm");
                return Err(Error::Option { option: "cell", message });
            }
        })
    }

    fn rate_at(&self, step: usize) -> f64 {
        if step < self.warmup {
            return self.rate * (step + 1) as f64 / self.warmup as f64;
        }
        let done = (step - self.warmup) as f64 / (self.steps - self.warmup).max(1) as f64;
        let floor = 0.01 * self.rate;
        floor + 0.5 * (self.rate - floor) * (1.0 + (std::f64::consts::PI * done.min(1.0)).cos())
    }
}

/// Where a run stands; saved beside its weights.
#[derive(Debug, Clone, Serialize, Deserialize)]
struct State {
    step: usize,
    hours: f64,
    best: f32,
}

/// Pairs of a split as rows: (input, truth) each, drawn by `seed`.
pub fn draw(
    recordings: &[Recording],
    neighbours: &Neighbours,
    split: Split,
    count: usize,
    seed: u64,
    bar: &ProgressBar,
) -> Vec<Pair> {
    let windows = pairs::windows(recordings, split);
    let mut rng = StdRng::seed_from_u64(seed);
    bar.set_length(count as u64);
    let drawn = (0..count).filter_map(|_| {
        bar.inc(1);
        let truth = windows[rng.random_range(0..windows.len())];
        neighbours.pair(recordings, truth, &mut rng)
    });
    drawn.collect()
}

/// A batch as normalised steps: (input, truth), `WINDOW` tensors of [batch, 161] each.
fn batch(recordings: &[Recording], pairs: &[&Pair], normal: &Normal, device: &Device) -> (Vec<Tensor<2>>, Tensor<2>) {
    let mut input = vec![0.0; WINDOW * pairs.len() * Refiner::WIDTH];
    let mut truth = input.clone();
    for (lane, pair) in pairs.iter().enumerate() {
        let (from, to) = pairs::rows(recordings, pair);
        for frame in 0..WINDOW {
            let (here, there) = (frame * Refiner::WIDTH, (frame * pairs.len() + lane) * Refiner::WIDTH);
            input[there..there + Refiner::WIDTH].copy_from_slice(&from[here..here + Refiner::WIDTH]);
            truth[there..there + Refiner::WIDTH].copy_from_slice(&to[here..here + Refiner::WIDTH]);
        }
    }
    let tensor = |values: Vec<f32>| {
        let data = TensorData::new(values, [WINDOW * pairs.len(), Refiner::WIDTH]);
        normal.normalise(Tensor::from_data(data, device)).detach() // [frames × batch, 161]
    };
    let input = tensor(input);
    let steps = (0..WINDOW).map(|frame| input.clone().narrow(0, frame * pairs.len(), pairs.len())).collect();
    (steps, tensor(truth))
}

/// Trains by a recipe, or goes on from the last checkpoint in `run` where there is one and `resume` is set.
///
/// # Errors
/// [`Error::Option`] for a bad recipe, [`Error::Clip`] where files cannot be read or written.
pub fn train(
    recordings: &[Recording],
    recipe: &Recipe,
    run: &Path,
    resume: bool,
    stop: usize,
    device: &Device,
) -> Result<()> {
    let file = |name: &str| run.join(name);
    let fail = |path: PathBuf, error: String| Error::Clip { clip: path.display().to_string(), message: error };
    std::fs::create_dir_all(run).map_err(|error| fail(run.to_owned(), error.to_string()))?;
    let bar = ProgressBar::new(1).with_style(style());
    bar.set_message("indexing segments");
    let neighbours = Neighbours::new(recordings);
    bar.set_message("drawing pairs");
    let train = draw(recordings, &neighbours, Split::Train, recipe.pairs, recipe.seed, &bar);
    bar.set_position(0);
    let validation = draw(recordings, &neighbours, Split::Validation, 512, recipe.seed + 1, &bar);
    let sample = &train[..train.len().min(2000)];
    let (mean, deviation) = pairs::statistics(recordings, sample);

    let inner = device.clone();
    let device = device.clone().autodiff();
    let mut model = match from {
        Some(path) => load(recipe, path, &device)?,
        None => Rmr::new(recipe.cell()?, Normal::new(&mean, &deviation, &device), recipe.dropout, &device),
    };
    let clip = GradientClippingConfig::Norm(1.0);
    let mut optimizer: ModuleOptimizer = AdamConfig::new().with_grad_clipping(Some(clip)).init();
    let mut state = State { step: 0, hours: 0.0, best: f32::INFINITY };
    if resume && file("state.json").exists() {
        let text = std::fs::read(file("state.json")).map_err(|error| fail(file("state.json"), error.to_string()))?;
        state = serde_json::from_slice(&text).map_err(|error| fail(file("state.json"), error.to_string()))?;
        model = model.try_load_file(file("last.bpk")).map_err(|error| fail(file("last.bpk"), error.to_string()))?;
        let record = OptimizerRecord::load(file("optimizer.bpk"));
        let record = record.map_err(|error| fail(file("optimizer.bpk"), error.to_string()))?;
        optimizer = optimizer.load_record(record);
    }
    let new_log = !file("loss.csv").exists();
    let log = std::fs::OpenOptions::new().create(true).append(true).open(file("loss.csv"));
    let mut log = csv::Writer::from_writer(log.map_err(|error| fail(file("loss.csv"), error.to_string()))?);
    let mut write = |row: &[String]| {
        log.write_record(row).and_then(|()| Ok(log.flush()?)).map_err(|error| fail(file("loss.csv"), error.to_string()))
    };
    if new_log {
        let head = ["step", "rate", "total", "pose", "trajectory", "foot", "begin", "validation", "validation_input"];
        write(&head.map(str::to_owned))?;
    }

    let end = recipe.steps.min(stop);
    bar.set_length(recipe.steps as u64);
    bar.set_message("training");
    let mut clock = Instant::now();
    while state.step < end {
        // Seeded by step, so that a resumed run draws what an unbroken one would have drawn.
        let mut rng = StdRng::seed_from_u64(recipe.seed.wrapping_add(1000 + state.step as u64));
        let lanes: Vec<&Pair> = (0..recipe.batch).map(|_| &train[rng.random_range(0..train.len())]).collect();
        let (steps, truth) = batch(recordings, &lanes, &model.normal, &device);
        let input = Tensor::cat(steps.clone(), 0);
        let refined = model.forward(&steps);
        let Loss { total, parts } = loss(&model.normal, refined, truth, input, recipe.batch);
        let gradients = GradientsParams::from_grads(total.backward(), &model);
        model = optimizer.step(recipe.rate_at(state.step), model, gradients);
        state.step += 1;
        bar.set_position(state.step as u64);

        if state.step % 20 == 0 {
            let value = |t: Tensor<1>| t.into_scalar::<f32>();
            let mut row = vec![state.step.to_string(), recipe.rate_at(state.step).to_string()];
            row.extend(
                [total, parts[0].clone(), parts[1].clone(), parts[2].clone(), parts[3].clone()]
                    .map(|t| format!("{:.5}", value(t))),
            );
            let checkpoint = state.step % 200 == 0 || state.step == end;
            if checkpoint {
                let (ours, doing_nothing) =
                    validate(recordings, &validation, &model.clone().valid(), &inner, recipe.batch);
                row.extend([format!("{ours:.5}"), format!("{doing_nothing:.5}")]);
                state.hours += clock.elapsed().as_secs_f64() / 3600.0;
                clock = Instant::now();
                let better = ours < state.best;
                state.best = state.best.min(ours);
                let weights = |path: PathBuf| {
                    model.clone().valid().save_file(&path).map_err(|error| fail(path.clone(), error.to_string()))
                };
                weights(file("last.bpk"))?;
                if better {
                    weights(file("best.bpk"))?;
                }
                let path = file("optimizer.bpk");
                optimizer.to_record().save(&path).map_err(|error| fail(path, error.to_string()))?;
                let text = serde_json::to_string_pretty(&state).unwrap_or_default();
                std::fs::write(file("state.json"), text)
                    .map_err(|error| fail(file("state.json"), error.to_string()))?;
                bar.set_message(format!("validation {ours:.4}, input {doing_nothing:.4}"));
            } else {
                row.extend([String::new(), String::new()]);
            }
            write(&row)?;
        }
    }
    bar.abandon();
    Ok(())
}

/// An untrained model of a recipe on a device, to load weights into.
fn blank(recipe: &Recipe, device: &Device) -> Result<Rmr> {
    let (zeros, ones) = (vec![0.0; Refiner::WIDTH], vec![1.0; Refiner::WIDTH]);
    Ok(Rmr::new(recipe.cell()?, Normal::new(&zeros, &ones, device), recipe.dropout, device))
}

/// The model of a recipe with the weights of a file.
///
/// # Errors
/// [`Error::Weights`] where the file does not load, [`Error::Clip`] where it cannot be read.
pub fn load(recipe: &Recipe, path: &Path, device: &Device) -> Result<Rmr> {
    let bytes = std::fs::read(path)
        .map_err(|error| Error::Clip { clip: path.display().to_string(), message: error.to_string() })?;
    weights::from_bytes(blank(recipe, device)?, Refiner::VERSION, &bytes)
}

/// Writes the best checkpoint of a run as a weight file, in half precision; returns its size in bytes.
///
/// # Errors
/// [`Error::Clip`] where files cannot be read or written.
pub fn export(recipe: &Recipe, run: &Path, out: &Path) -> Result<usize> {
    let fail = |path: &Path, message: String| Error::Clip { clip: path.display().to_string(), message };
    let best = run.join("best.bpk");
    let model = blank(recipe, &Device::flex())?.try_load_file(&best).map_err(|error| fail(&best, error.to_string()))?;
    let bytes = weights::to_bytes(model, Refiner::VERSION)?;
    std::fs::write(out, &bytes).map_err(|error| fail(out, error.to_string()))?;
    Ok(bytes.len())
}

/// A scored method: name and score.
pub type Row = (String, Score);

/// Scores of weights on `count` validation pairs of each data set, beside inertialization and the raw input.
///
/// # Errors
/// [`Error::Clip`] where the weights do not load.
pub fn evaluate(
    recordings: &[Recording],
    recipe: &Recipe,
    weights: &Path,
    count: usize,
) -> Result<Vec<(String, Vec<Row>)>> {
    let device = Device::flex();
    let model = load(recipe, weights, &device)?;
    let neighbours = Neighbours::new(recordings);
    let mut tables = Vec::new();
    for set in &recipe.sets {
        let own: Vec<Segment> = pairs::windows(recordings, Split::Validation)
            .into_iter()
            .filter(|window| &recordings[window.recording].set == set)
            .collect();
        let mut rng = StdRng::seed_from_u64(recipe.seed + 2);
        let pairs: Vec<Pair> = (0..count)
            .filter_map(|_| neighbours.pair(recordings, own[rng.random_range(0..own.len())], &mut rng))
            .collect();
        let refined: Vec<Body> = pairs
            .chunks(recipe.batch)
            .flat_map(|lanes| {
                let lanes: Vec<&Pair> = lanes.iter().collect();
                let (steps, _) = batch(recordings, &lanes, &model.normal, &device);
                let rows: Vec<f32> =
                    model.normal.denormalise(model.forward(&steps)).into_data().try_into_vec().unwrap_or_default();
                lanes
                    .iter()
                    .enumerate()
                    .map(|(lane, pair)| {
                        let own = (0..WINDOW).flat_map(|frame| {
                            rows[(frame * lanes.len() + lane) * Refiner::WIDTH..][..Refiner::WIDTH].to_vec()
                        });
                        score::refined(recordings, pair, &own.collect::<Vec<f32>>())
                    })
                    .collect::<Vec<_>>()
            })
            .collect();
        let bodies = |f: &dyn Fn(&Pair) -> Body| pairs.iter().map(f).collect::<Vec<_>>();
        let table = vec![
            ("truth".to_owned(), score::score(recordings, &pairs, &bodies(&|pair| pairs::bodies(recordings, pair).1))?),
            ("input".to_owned(), score::score(recordings, &pairs, &bodies(&|pair| pairs::bodies(recordings, pair).0))?),
            (
                "inertialize".to_owned(),
                score::score(recordings, &pairs, &bodies(&|pair| pairs::inertialized(recordings, pair)))?,
            ),
            ("rmr".to_owned(), score::score(recordings, &pairs, &refined)?),
        ];
        tables.push((set.clone(), table));
    }
    Ok(tables)
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
