//! One training step: the next frame of every lane, with AdamW.

use super::loss::{Parts, loss};
use super::sample::{Lane, Rows, Source};
use crate::controller::learn::random;
use crate::experts::normal::{Normal, Normals, parts};
use crate::experts::{Network, Pass};
use crate::own::parameters::{TrainedParameters, sum};
use kinestitch::body::poses::ROLES;
use kinestitch::feature::controller::JOINT;
use kinestitch::feature::dcmoe::{CHANNELS, CONTACT, INPUT, MOVE, OUTPUT, PHASE, SAMPLES, input_columns};
use kinestitch::nn::mixture::Sizes;
use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};

/// Decay of the running average of the weights.
const AVERAGE: f32 = 0.999;
/// Rows sampled for the statistics.
const STATISTICS: usize = 6000;
/// Share of the rows whose target is partly masked; and the share of masked joints in them.
const MASKED: f64 = 0.1;
const MASKED_JOINTS: f64 = 0.5;
/// Clamp of normalised values, standard deviations.
const FARTHEST: f32 = 8.0;

/// Hyperparameters of a step.
#[derive(Debug, Clone, Copy)]
pub struct Rule {
    /// Lanes per step.
    pub batch: usize,
    /// Frames per lane.
    pub frames: usize,
    /// Learning rate.
    pub rate: f32,
    /// Probability that a frame's input is the network's own prediction.
    pub feedback: f64,
    /// Standard deviation of the noise on joints, normalised.
    pub noise: f32,
    /// Share of hidden columns that dropout zeroes.
    pub dropout: f32,
    /// Weight decay.
    pub decay: f32,
    /// Seed of the run.
    pub seed: u64,
}

#[derive(Default)]
struct Worker {
    lanes: Vec<Lane>,
    rows: Vec<Rows>,
    input: Vec<f32>,
    gates: Vec<f32>,
    truth: Vec<f32>,
    by_out: Vec<f32>,
    pass: Pass,
    gradient: Vec<f32>,
    loss: Parts,
}

/// A network in training.
pub struct Learner {
    /// Sizes and parameter ranges.
    pub network: Network,
    /// Normalisation of rows.
    pub normals: Normals,
    /// Parameters with averages and moments.
    pub trained: TrainedParameters,
    workers: Vec<Worker>,
}

/// Statistics of random rows of the recordings.
pub fn measured(source: &Source, sizes: &Sizes, seed: u64) -> Normals {
    let mut rng = StdRng::seed_from_u64(seed);
    let (mut input, mut gates, mut output) = (Vec::new(), Vec::new(), Vec::new());
    let mut rows = blank(sizes);
    for _ in 0..STATISTICS {
        source.draw(1, &mut rng).rows(source, 0.0, &mut rng, &mut rows);
        input.extend_from_slice(&rows.input);
        gates.extend_from_slice(&rows.gate);
        output.extend_from_slice(&rows.truth);
    }
    let [state, goal, path] = input_columns();
    let mut of_input = parts(state, JOINT, &[3, 6, 3]);
    of_input.extend(parts(goal, 6, &[3, 3]));
    of_input.extend(parts(path, 6, &[2, 2, 2]));
    let mut of_output = parts(0..MOVE * ROLES, MOVE, &[3, 6]);
    of_output.extend([CONTACT..PHASE, PHASE..OUTPUT]);
    // Only phases are normalised; the gate's other columns are already of order 1.
    let phases = 0..2 * CHANNELS * SAMPLES;
    let mut gate = Normal::of(&gates, sizes.gate, std::slice::from_ref(&phases));
    gate.mean.fill(0.0);
    gate.deviation[phases.end..].fill(1.0);
    Normals {
        input: Normal::of(&input, sizes.input, &of_input),
        gate,
        output: Normal::of(&output, sizes.output, &of_output),
    }
}

fn blank(sizes: &Sizes) -> Rows {
    Rows { input: vec![0.0; sizes.input], gate: vec![0.0; sizes.gate], ..Rows::default() }
}

impl Learner {
    /// Creates an untrained network.
    pub fn new(sizes: Sizes, normals: Normals, seed: u64, threads: usize) -> Self {
        let network = Network::new(sizes);
        let mut weights = network.initial(seed);
        // Small last weights: the untrained network lets the body keep its velocity.
        if let Some(last) = network.parameters.iter().rev().find(|parameter| parameter.name.ends_with("weight")) {
            weights[last.range()].iter_mut().for_each(|weight| *weight *= 0.1);
        }
        let worker = || Worker { gradient: vec![0.0; weights.len()], ..Worker::default() };
        let workers = (0..threads.max(1)).map(|_| worker()).collect();
        Self { network, normals, trained: TrainedParameters::new(weights), workers }
    }

    /// One step. Returns the parts of the loss.
    pub fn learn(&mut self, source: &Source, rule: &Rule) -> Parts {
        let (network, normals, weights, step) =
            (&self.network, &self.normals, &self.trained.weights, self.trained.step);
        let count = self.workers.len();
        std::thread::scope(|scope| {
            for (index, worker) in self.workers.iter_mut().enumerate() {
                scope.spawn(move || {
                    let seed = ((step * count + index) as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
                    let mut rng = StdRng::seed_from_u64(rule.seed.wrapping_add(seed));
                    worker.learn(network, normals, weights, source, rule, rule.batch / count, &mut rng);
                });
            }
        });
        let (first, others) = self.workers.split_at_mut(1);
        let gradient = &mut first[0].gradient;
        let norm = sum(gradient, others.iter().map(|other| other.gradient.as_slice()));
        let update = self.trained.update(rule.rate, AVERAGE, norm, count);
        self.trained.step += 1;
        let TrainedParameters { weights, average, moments: [first, second], .. } = &mut self.trained;
        update.adam(rule.decay, [weights, average], [first, second], gradient);
        let mean = |part: usize| self.workers.iter().map(|worker| worker.loss[part]).sum::<f32>() / count as f32;
        std::array::from_fn(mean)
    }
}

impl Worker {
    #[allow(clippy::too_many_arguments)]
    fn learn(
        &mut self,
        network: &Network,
        normals: &Normals,
        weights: &[f32],
        source: &Source,
        rule: &Rule,
        count: usize,
        rng: &mut StdRng,
    ) {
        let sizes = &network.sizes;
        self.lanes.retain(|lane| !lane.is_done());
        while self.lanes.len() < count {
            self.lanes.push(source.draw(rule.frames, rng));
        }
        self.rows.resize_with(count, || blank(sizes));
        for rows in [&mut self.input, &mut self.gates, &mut self.truth] {
            rows.clear();
        }
        for (lane, rows) in self.lanes.iter_mut().zip(&mut self.rows) {
            lane.rows(source, rule.feedback, rng, rows);
            self.input.extend_from_slice(&rows.input);
            self.gates.extend_from_slice(&rows.gate);
            self.truth.extend_from_slice(&rows.truth);
        }
        normals.input.apply(&mut self.input);
        normals.gate.apply(&mut self.gates);
        normalised(&normals.output, &mut self.truth);
        let mut noise = random(rng.random());
        let [state, goal, _] = input_columns();
        for row in self.input.chunks_exact_mut(INPUT) {
            let width = rule.noise * 12.0_f32.sqrt();
            row[state.clone()].iter_mut().for_each(|x| *x += width * (noise() - 0.5));
            if rng.random_bool(MASKED) {
                for joint in row[goal.clone()].chunks_exact_mut(6).skip(1) {
                    if rng.random_bool(MASKED_JOINTS) {
                        joint.fill(0.0);
                    }
                }
            }
        }
        network.forward(weights, &self.input, &self.gates, &mut self.pass, 1.0 - rule.dropout, &mut noise);
        self.by_out.resize(count * OUTPUT, 0.0);
        self.loss = [0.0; 5];
        let outs = self.pass.out.chunks_exact_mut(OUTPUT).zip(self.truth.chunks_exact(OUTPUT));
        let lanes = self.lanes.iter_mut().zip(&self.rows).zip(self.by_out.chunks_exact_mut(OUTPUT));
        for ((out, truth), ((lane, rows), by)) in outs.zip(lanes) {
            let own = loss(out, truth, rows, &normals.output, 1.0 / count as f32, by);
            self.loss.iter_mut().zip(own).for_each(|(sum, part)| *sum += part);
            normals.output.undo(out);
            lane.advance(source, out, rows);
        }
        self.gradient.fill(0.0);
        network.backward(weights, &mut self.gradient, &self.by_out, &mut self.pass);
    }
}

/// [`Normal::apply`], clamped to [`FARTHEST`].
fn normalised(normal: &Normal, rows: &mut [f32]) {
    for row in rows.chunks_exact_mut(normal.mean.len()) {
        for ((x, mean), deviation) in row.iter_mut().zip(&normal.mean).zip(&normal.deviation) {
            *x = ((*x - mean) / deviation).clamp(-FARTHEST, FARTHEST);
        }
    }
}
