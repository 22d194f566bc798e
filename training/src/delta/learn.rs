//! One training step on two threads: half a batch each, gradients summed, AdamW.

use super::loss::Parts;
use super::muon::Muon;
use super::sample::{Sample, draw};
use super::step::{Network, Pass};
use crate::own::parameters::{TrainedParameters, Update, sum};
use crate::takes::Source;
use kinestitch::error::Result;
use kinestitch::feature::delta::{INPUT, OUTPUT};
use kinestitch::method::delta::FARTHEST;
use kinestitch::method::delta::network::Sizes;
use kinestitch::nn::weights::Weights;
use kinestitch::nn::weights::write::Named;
use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};
use std::ops::Range;

/// Threads that share a batch.
const WORKERS: usize = 2;
const WEIGHT_DECAY: f32 = 0.02;
/// Decay of the running average of the weights.
const AVERAGE: f32 = 0.998;

/// Mean and standard deviation of the input columns.
#[derive(Debug, Clone, Default)]
pub struct Normal {
    /// [[`INPUT`]].
    pub mean: Vec<f32>,
    /// [[`INPUT`]].
    pub deviation: Vec<f32>,
}

impl Normal {
    /// Statistics of samples.
    pub fn of(samples: &[Sample]) -> Self {
        let (mut sum, mut squares, mut count) = (vec![0.0_f64; INPUT], vec![0.0_f64; INPUT], 0.0);
        for row in samples.iter().flat_map(|sample| sample.question.rows.chunks_exact(INPUT)) {
            count += 1.0;
            for (column, x) in row.iter().enumerate() {
                sum[column] += f64::from(*x);
                squares[column] += f64::from(*x).powi(2);
            }
        }
        let mean: Vec<f64> = sum.iter().map(|sum| sum / count).collect();
        let deviation =
            squares.iter().zip(&mean).map(|(squares, mean)| (squares / count - mean * mean).max(0.0).sqrt());
        // Nearly constant columns (a foot's offset in its own bone) would amplify noise.
        let deviation = deviation.map(|deviation| deviation.max(3e-3) as f32).collect();
        Self { mean: mean.iter().map(|mean| *mean as f32).collect(), deviation }
    }

    /// Tensors for a weight file.
    pub fn stored(&self) -> [Named; 2] {
        [Named::vector("mean", &self.mean), Named::vector("deviation", &self.deviation)]
    }

    /// Reads them from a weight file.
    ///
    /// # Errors
    /// [`kinestitch::Error::Weights`] if they are missing.
    pub fn read(file: &Weights) -> Result<Self> {
        Ok(Self { mean: file.tensor("mean", &[INPUT])?, deviation: file.tensor("deviation", &[INPUT])? })
    }

    /// Normalises rows in place.
    pub fn apply(&self, rows: &mut [f32]) {
        for row in rows.chunks_exact_mut(INPUT) {
            for ((x, mean), deviation) in row.iter_mut().zip(&self.mean).zip(&self.deviation) {
                *x = ((*x - mean) / deviation).clamp(-FARTHEST, FARTHEST);
            }
        }
    }
}

#[derive(Default)]
struct Worker {
    pass: Pass,
    gradient: Vec<f32>,
    parts: Parts,
}

/// A network in training.
pub struct Learner {
    /// Sizes and parameter ranges.
    pub network: Network,
    /// Input statistics.
    pub normal: Normal,
    /// Parameters with averages and moments.
    pub trained: TrainedParameters,
    /// Learning rate of the layers' matrices, updated by [`Muon`], as a multiple of the others'; 0 uses AdamW for all.
    pub hidden: f32,
    workers: Vec<Worker>,
    muon: [Muon; WORKERS],
}

impl Learner {
    /// Creates an untrained network, whose output is the interpolation.
    pub fn new(sizes: Sizes, normal: Normal, hidden: f32, seed: u64) -> Self {
        let network = Network::new(sizes);
        let mut weights = vec![0.0; network.parameters.len()];
        let mut rng = StdRng::seed_from_u64(seed);
        // Small initial weights of the residual branches keep the residual stream's size independent of the number of
        // layers.
        let small = 1.0 / (2.0 * sizes.layers as f32).sqrt();
        for parameter in &network.parameters.all {
            let is = |name: &str| parameter.name.ends_with(name);
            if !is("weight") || parameter.name.starts_with("output") {
                continue;
            }
            let branch = if is("out.weight") || is("second.weight") { small } else { 1.0 };
            let bound = branch * (3.0 / parameter.shape[0] as f32).sqrt();
            weights[parameter.range()].iter_mut().for_each(|weight| *weight = rng.random_range(-bound..bound));
        }
        let none = || vec![0.0; weights.len()];
        let workers = (0..WORKERS).map(|_| Worker { gradient: none(), ..Worker::default() }).collect();
        Self { network, normal, trained: TrainedParameters::new(weights), hidden, workers, muon: Default::default() }
    }

    /// One step over `batch` windows at a learning rate. Returns the parts of the loss.
    pub fn learn(&mut self, source: &Source, batch: usize, rate: f64, seed: u64) -> Parts {
        let (network, normal, weights, step) = (&self.network, &self.normal, &self.trained.weights, self.trained.step);
        std::thread::scope(|scope| {
            for (index, worker) in self.workers.iter_mut().enumerate() {
                scope.spawn(move || {
                    // Seeded by step, so that a resumed run draws the same as an uninterrupted one.
                    let seed = seed.wrapping_add((step * WORKERS + index) as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15);
                    let mut rng = StdRng::seed_from_u64(seed);
                    let samples: Vec<Sample> = (0..batch / WORKERS).map(|_| draw(source, &mut rng)).collect();
                    worker.gradient.fill(0.0);
                    worker.parts = gradient(network, normal, weights, &samples, &mut worker.gradient, &mut worker.pass);
                });
            }
        });
        let (first, others) = self.workers.split_at_mut(1);
        let norm = sum(&mut first[0].gradient, others.iter().map(|other| other.gradient.as_slice()));
        self.apply(&self.trained.update(rate as f32, AVERAGE, norm, WORKERS));
        let parts = self.workers.iter().map(|worker| worker.parts);
        parts.fold([0.0; 5], |sum, parts| std::array::from_fn(|part| sum[part] + parts[part] / WORKERS as f32))
    }

    /// Output rows of the averaged network, [windows × gap × [`OUTPUT`]].
    pub fn rows(&self, samples: &[Sample], pass: &mut Pass) -> Vec<f32> {
        let (rows, spans) = stacked(&self.normal, samples);
        self.network.forward(&self.trained.average, &rows, &spans, pass);
        let of = |(sample, span): (&Sample, &Range<usize>)| {
            pass.out[(span.start + sample.question.past) * OUTPUT..][..sample.truth.len() * OUTPUT].to_vec()
        };
        samples.iter().zip(&spans).flat_map(of).collect()
    }

    fn apply(&mut self, update: &Update) {
        self.trained.step += 1;
        let (all, hidden) = (&self.network.parameters.all, self.hidden);
        let TrainedParameters { weights, average, moments: [first, second], .. } = &mut self.trained;
        let (worker, _) = self.workers.split_at_mut(1);
        let mut jobs: [(usize, Vec<Job<'_>>); WORKERS] = Default::default();
        let mut rest = (
            weights.as_mut_slice(),
            average.as_mut_slice(),
            first.as_mut_slice(),
            second.as_mut_slice(),
            worker[0].gradient.as_mut_slice(),
        );
        for parameter in all {
            let count = parameter.range().len();
            let (weights, weights_rest) = rest.0.split_at_mut(count);
            let (average, average_rest) = rest.1.split_at_mut(count);
            let (first, first_rest) = rest.2.split_at_mut(count);
            let (second, second_rest) = rest.3.split_at_mut(count);
            let (gradient, gradient_rest) = rest.4.split_at_mut(count);
            rest = (weights_rest, average_rest, first_rest, second_rest, gradient_rest);
            let is_hidden = hidden > 0.0 && parameter.name.starts_with("layers") && parameter.name.ends_with("weight");
            let job = Job { shape: parameter.shape, is_hidden, weights, average, first, second, gradient };
            let least = usize::from(jobs[0].0 > jobs[1].0);
            jobs[least].0 += if is_hidden { 10 * count } else { count };
            jobs[least].1.push(job);
        }
        std::thread::scope(|scope| {
            for ((_, jobs), muon) in jobs.into_iter().zip(&mut self.muon) {
                scope.spawn(move || {
                    for job in jobs {
                        match job.is_hidden {
                            true => job.muon(muon, hidden, update),
                            false => job.adam(update),
                        }
                    }
                });
            }
        });
    }
}

/// A parameter with everything for its update.
struct Job<'a> {
    shape: [usize; 2],
    is_hidden: bool,
    weights: &'a mut [f32],
    average: &'a mut [f32],
    first: &'a mut [f32],
    second: &'a mut [f32],
    gradient: &'a mut [f32],
}

impl Job<'_> {
    fn adam(self, update: &Update) {
        let decay = if self.shape[0] > 1 { WEIGHT_DECAY } else { 0.0 };
        update.adam(decay, [self.weights, self.average], [self.first, self.second], self.gradient);
    }

    /// Queries, keys and values are updated as separate matrices.
    fn muon(self, muon: &mut Muon, hidden: f32, update: &Update) {
        let Update { keep, scale, .. } = *update;
        let rate = update.rate * hidden;
        let [rows, columns] = self.shape;
        self.gradient.iter_mut().for_each(|g| *g *= scale);
        let parts = if columns == 3 * rows { 3 } else { 1 };
        let width = columns / parts;
        let size = 0.2 * rate * (rows.max(width) as f32).sqrt();
        let mut one = vec![0.0; rows * width];
        let mut momentum = vec![0.0; rows * width];
        for part in 0..parts {
            let own = |row: usize| row * columns + part * width..row * columns + (part + 1) * width;
            for (row, (one, momentum)) in one.chunks_exact_mut(width).zip(momentum.chunks_exact_mut(width)).enumerate()
            {
                one.copy_from_slice(&self.gradient[own(row)]);
                momentum.copy_from_slice(&self.first[own(row)]);
            }
            muon.update(&mut one, &mut momentum, [rows, width]);
            for (row, (one, momentum)) in one.chunks_exact(width).zip(momentum.chunks_exact(width)).enumerate() {
                self.first[own(row)].copy_from_slice(momentum);
                for (weight, step) in self.weights[own(row)].iter_mut().zip(one) {
                    *weight = *weight * (1.0 - rate * WEIGHT_DECAY) - size * step;
                }
            }
        }
        for (average, weight) in self.average.iter_mut().zip(self.weights) {
            *average += (1.0 - keep) * (*weight - *average);
        }
    }
}

/// Normalised rows of samples, concatenated, and the row range of each.
pub fn stacked(normal: &Normal, samples: &[Sample]) -> (Vec<f32>, Vec<Range<usize>>) {
    let (mut rows, mut spans) = (Vec::new(), Vec::with_capacity(samples.len()));
    for sample in samples {
        let start = rows.len() / INPUT;
        rows.extend_from_slice(&sample.question.rows);
        spans.push(start..rows.len() / INPUT);
    }
    normal.apply(&mut rows);
    (rows, spans)
}

/// Adds the gradient of the mean loss over samples.
pub fn gradient(
    network: &Network,
    normal: &Normal,
    weights: &[f32],
    samples: &[Sample],
    into: &mut [f32],
    pass: &mut Pass,
) -> Parts {
    let (rows, spans) = stacked(normal, samples);
    network.forward(weights, &rows, &spans, pass);
    let mut by_out = vec![0.0; pass.out.len()];
    let share = 1.0 / samples.len() as f32;
    let mut parts = [0.0; 5];
    for (sample, span) in samples.iter().zip(&spans) {
        let own = (span.start + sample.question.past) * OUTPUT..;
        let own = own.start..own.start + sample.truth.len() * OUTPUT;
        let one = sample.loss(&pass.out[own.clone()], share, &mut by_out[own]);
        parts.iter_mut().zip(one).for_each(|(sum, one)| *sum += one * share);
    }
    network.backward(weights, into, &rows, &spans, &by_out, pass);
    parts
}
