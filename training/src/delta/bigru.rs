//! Delta's task on the refiner's recurrent layers, as a baseline for the transformer (docs/notes/delta.md).
//!
//! Rows, outputs, loss and windows are delta's. Two bidirectional gated layers ([`kinestitch::nn::recurrent`]) between
//! a dense encoder and decoder replace the attention. One difference: groups of lanes in a batch share the lengths of
//! their windows, because a recurrent layer runs all lanes together. The network is used for this comparison only.

use super::check::{self, check, ratios};
use super::learn::Normal;
use super::loss::Parts;
use super::sample::{Sample, Window, draw, sample};
use super::{STATISTICS, STRIDE};
use crate::checkpoint::fail;
use crate::recurrent::{Recurring, gradients};
use crate::run::{Batch, Training};
use crate::schedule::Schedule;
use crate::takes::{Source, Take};
use burn::module::Module;
use burn::nn::{Initializer, Linear, LinearConfig};
use burn::optim::{GradientsAccumulator, GradientsParams};
use burn::tensor::{Device, Tensor, TensorData, activation};
use kinestitch::error::{Error, Result};
use kinestitch::feature::delta::{INPUT, OUTPUT};
use kinestitch::nn::device::values;
use kinestitch::nn::recurrent::{CellKind, Recurrent};
use rand::SeedableRng;
use rand::rngs::StdRng;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::Path;

/// Lanes with windows of the same lengths.
const GROUP: usize = 16;
/// Attempts to draw a window before the takes count as too short.
const TRIES: usize = 1000;

/// Settings of a training run, read from a recipe file.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Recipe {
    /// Name of the run.
    pub name: String,
    /// Relative frequency of windows from each set.
    pub sets: BTreeMap<String, f64>,
    /// Sets whose validation split selects the best checkpoint.
    pub validation: Vec<String>,
    /// Width of encoder, decoder and each direction of the recurrent layers.
    pub hidden: usize,
    /// Schedule and optimizer.
    #[serde(flatten)]
    pub schedule: Schedule,
}

/// Encoder, two bidirectional layers, decoder.
#[derive(Module, Debug)]
pub struct Bigru {
    encoder: [Linear; 2],
    recurrent: [Recurrent; 2],
    decoder: [Linear; 2],
}

impl Bigru {
    /// Creates an untrained network, whose output is the interpolation.
    pub fn new(hidden: usize, device: &Device) -> Self {
        let linear = |from, to| LinearConfig::new(from, to).init(device);
        let last = LinearConfig::new(hidden, OUTPUT).with_initializer(Initializer::Zeros).init(device);
        let recurrent = |inputs| Recurrent::new(CellKind::Bgru, inputs, hidden, device);
        Self {
            encoder: [linear(INPUT, hidden), linear(hidden, hidden)],
            recurrent: [recurrent(hidden), recurrent(2 * hidden)],
            decoder: [linear(2 * hidden, hidden), last],
        }
    }

    /// Forward pass without gradients: normalised rows, [frames × lanes, [`INPUT`]] → [frames × lanes, [`OUTPUT`]].
    pub fn infer(&self, rows: Tensor<2>, lanes: usize) -> Tensor<2> {
        let states = self.recurrent.iter().fold(self.encode(rows.clone()), |rows, layer| layer.infer(rows, lanes));
        self.decode(rows, states)
    }
}

impl Recurring for Bigru {
    fn recurrent(&self) -> &[Recurrent; 2] {
        &self.recurrent
    }

    fn dropped(&self) -> f64 {
        0.0
    }

    fn encode(&self, rows: Tensor<2>) -> Tensor<2> {
        self.encoder.iter().fold(rows, |x, layer| activation::relu(layer.forward(x)))
    }

    fn decode(&self, _: Tensor<2>, states: Tensor<2>) -> Tensor<2> {
        self.decoder[1].forward(activation::relu(self.decoder[0].forward(states)))
    }
}

/// Recordings and recipe of the training.
pub struct BigruTraining<'a> {
    source: &'a Source,
    validation: Vec<Vec<Sample>>,
    normal: Normal,
    recipe: &'a Recipe,
}

impl<'a> BigruTraining<'a> {
    /// `held_out`: takes for validation.
    pub fn new(source: &'a Source, held_out: &[Take], recipe: &'a Recipe) -> Self {
        let mut rng = StdRng::seed_from_u64(recipe.schedule.seed);
        let samples: Vec<Sample> = (0..STATISTICS).map(|_| draw(source, &mut rng)).collect();
        Self { source, validation: check::samples(held_out, STRIDE), normal: Normal::of(&samples), recipe }
    }

    /// Windows of some lanes with the same lengths, and their normalised rows.
    fn windows(&self, batch: &Batch) -> Result<(Vec<Sample>, Tensor<2>)> {
        let mut shape = None;
        let samples: Result<Vec<Sample>> = batch
            .lanes
            .clone()
            .map(|lane| {
                let mut rng = batch.rng(lane);
                let own = Window::draw(&mut rng);
                let window = *shape.get_or_insert(own);
                let cut = (0..TRIES).find_map(|_| self.source.cut(&mut rng, window.frames()));
                let short = || format!("no recording has the {} frames of a window", window.frames());
                let cut = cut.ok_or_else(|| Error::Option { option: "data", message: short() })?;
                Ok(sample(&cut, window))
            })
            .collect();
        let samples = samples?;
        let rows = self.rows(&samples, batch.device);
        Ok((samples, rows))
    }

    /// Normalised rows of windows with the same lengths, [frames × windows, [`INPUT`]].
    fn rows(&self, samples: &[Sample], device: &Device) -> Tensor<2> {
        let frames = samples.first().map_or(0, |sample| sample.question.rows.len() / INPUT);
        let of = |frame| samples.iter().flat_map(move |sample| &sample.question.rows[frame * INPUT..][..INPUT]);
        let mut rows: Vec<f32> = (0..frames).flat_map(of).copied().collect();
        self.normal.apply(&mut rows);
        Tensor::from_data(TensorData::new(rows, [frames * samples.len(), INPUT]), device)
    }
}

/// Rows of the gap of one lane, [gap × [`OUTPUT`]], from rows of all `lanes`, [frames × lanes × [`OUTPUT`]].
fn gap_of(sample: &Sample, lane: usize, lanes: usize, rows: &[f32]) -> Vec<f32> {
    let rows = rows.chunks_exact(OUTPUT).skip(lane).step_by(lanes).skip(sample.question.past);
    rows.take(sample.truth.len()).flatten().copied().collect()
}

/// Loss of output rows, [frames × lanes, [`OUTPUT`]], and its parts. The gradient is computed by hand ([`super::loss`])
/// and put on the tape as the gradient of sum(rows × gradient).
fn losses(samples: &[Sample], out: Tensor<2>) -> Result<Vec<Tensor<1>>> {
    let (lanes, device) = (samples.len(), out.device());
    let rows = values(out.clone().without_autodiff())?;
    let mut by_rows = vec![0.0; rows.len()];
    let share = 1.0 / lanes as f32;
    let mut parts: Parts = Default::default();
    for (lane, sample) in samples.iter().enumerate() {
        let own = gap_of(sample, lane, lanes, &rows);
        let mut by_own = vec![0.0; own.len()];
        let one = sample.loss(&own, share, &mut by_own);
        parts.iter_mut().zip(one).for_each(|(sum, one)| *sum += one * share);
        let into = by_rows.chunks_exact_mut(OUTPUT).skip(lane).step_by(lanes).skip(sample.question.past);
        into.zip(by_own.chunks_exact(OUTPUT)).for_each(|(into, by)| into.copy_from_slice(by));
    }
    let by_rows = Tensor::<2>::from_data(TensorData::new(by_rows, out.dims()), &device);
    let slope = (out * by_rows).sum();
    let value = |value: f32| Tensor::<1>::from_data(TensorData::new(vec![value], [1]), &device);
    let total = slope.clone() - slope.detach() + value(parts.iter().sum());
    Ok(std::iter::once(total).chain(parts.map(value)).collect())
}

impl Training for BigruTraining<'_> {
    type Model = Bigru;
    const LOG: &'static [&'static str] = &["total", "rotation", "position", "change", "slide", "contact"];
    const VALIDATION: &'static [&'static str] = &["validation", "ratio_5", "ratio_15", "ratio_30", "ratio_45"];

    fn model(&self, from: Option<&Path>, device: &Device) -> Result<Bigru> {
        let model = Bigru::new(self.recipe.hidden, device);
        match from {
            Some(path) => model.try_load_file(path).map_err(|error| fail(path, error)),
            None => Ok(model),
        }
    }

    fn loss(&self, model: &Bigru, batch: &Batch) -> Result<Vec<Tensor<1>>> {
        let mut sums: Vec<Tensor<1>> = Vec::new();
        for group in groups(batch) {
            let (samples, rows) = self.windows(&group)?;
            let steps = model.encode(rows.clone()).split(samples.len(), 0);
            let states = model.recurrent.iter().fold(steps, |steps, layer| layer.forward(&steps));
            let part = group.lanes.len() as f32 / batch.lanes.len() as f32;
            let own = losses(&samples, model.decode(rows, Tensor::cat(states, 0)))?;
            let own: Vec<Tensor<1>> = own.into_iter().map(|loss| loss * part).collect();
            sums = match sums.is_empty() {
                true => own,
                false => sums.into_iter().zip(own).map(|(sum, own)| sum + own).collect(),
            };
        }
        Ok(sums)
    }

    fn gradients(&self, model: &Bigru, batch: &Batch) -> Result<(GradientsParams, Vec<f32>)> {
        let (mut sum, mut found) = (GradientsAccumulator::new(), vec![0.0; Self::LOG.len()]);
        for group in groups(batch) {
            let (samples, rows) = self.windows(&group)?;
            let (own, values) = gradients(model, &group, rows, |out| losses(&samples, out))?;
            sum.accumulate(model, own);
            let part = group.lanes.len() as f32 / batch.lanes.len() as f32;
            found.iter_mut().zip(values).for_each(|(sum, value)| *sum += part * value);
        }
        Ok((sum.grads(), found))
    }

    fn validate(&self, model: &Bigru, device: &Device) -> Result<Vec<f32>> {
        let scores = check(&self.validation, |samples| {
            let rows = values(model.infer(self.rows(samples, device), samples.len()))?;
            let of = |(lane, sample)| gap_of(sample, lane, samples.len(), &rows);
            Ok::<_, Error>(samples.iter().enumerate().flat_map(of).collect())
        })?;
        let (mean, ratios) = ratios(&scores);
        Ok(std::iter::once(mean).chain(ratios).collect())
    }
}

/// Splits a batch into groups of lanes with windows of the same lengths.
fn groups<'a>(batch: &Batch<'a>) -> Vec<Batch<'a>> {
    let Batch { seed, step, size, ref lanes, device } = *batch;
    let lanes: Vec<usize> = lanes.clone().collect();
    let alike = lanes.chunk_by(|a, b| a / GROUP == b / GROUP);
    alike.map(|own| Batch { seed, step, size, lanes: own[0]..own[0] + own.len(), device }).collect()
}
