//! One training step on two threads: half a batch each, gradients summed, AdamW.

use super::feet::{Feet, Frame, Weights};
use super::sample::{FrameIndex, Rows, Source};
use crate::experts::normal::{Normal, Normals, parts};
use crate::experts::{Network, Pass};
use crate::own::parameters::{TrainedParameters, Update, sum};
use kinestitch::feature::controller::JOINT;
use kinestitch::method::controller::network::Sizes;
use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};

/// Threads that share a batch.
const WORKERS: usize = 2;
/// Decay of the running average of the weights.
const AVERAGE: f32 = 0.999;
/// Frames of a lane with feedback of predictions (eight in the paper).
pub const FRAMES: usize = 8;
/// Loss weight of the root's step, contacts and hips: few columns that determine everything else.
const ROOT: f32 = 8.0;
const CONTACT: f32 = 2.0;

impl Normals {
    /// Statistics of random frames.
    pub fn of(rows: &Rows, source: &Source, sizes: &Sizes, count: usize, rng: &mut StdRng) -> Self {
        let mut input = vec![0.0; count * sizes.input];
        let mut gates = vec![0.0; count * sizes.gate];
        let mut output = vec![0.0; count * sizes.output];
        let mut phases = vec![0.0; rows.layout.gate()];
        for index in 0..count {
            let FrameIndex { take, frame, .. } = source.draw(1, rng);
            let take = &source.takes()[take];
            let own = &mut input[index * sizes.input..][..sizes.input];
            rows.input(take, frame, own, &mut phases);
            rows.gate(own, &phases, &mut gates[index * sizes.gate..][..sizes.gate]);
            rows.output(take, frame, &mut output[index * sizes.output..][..sizes.output]);
        }
        let layout = &rows.layout;
        let mut of_input = parts(layout.path(), layout.sample(), &[2, 2, 2, layout.actions]);
        of_input.extend([layout.style(), layout.contact()]);
        of_input.extend(parts(layout.state(), JOINT, &[3, 6, 3]));
        let mut of_output = parts(layout.out_path(), layout.sample(), &[2, 2, 2, layout.actions]);
        let root = layout.out_root();
        of_output.extend([root.start..root.start + 2, root.start + 2..root.end, layout.out_contact()]);
        of_output.extend(parts(layout.out_state(), JOINT, &[3, 6, 3]));
        let (phase, half) = (layout.out_phase(), layout.out_phase().len() / 2);
        of_output.extend([phase.start..phase.start + half, phase.start + half..phase.end]);
        Self {
            input: Normal::of(&input, sizes.input, &of_input),
            gate: Normal::of(&gates, sizes.gate, std::slice::from_ref(&(0..sizes.gate))),
            output: Normal::of(&output, sizes.output, &of_output),
        }
    }
}

/// Hyperparameters of a step.
#[derive(Debug, Clone, Copy)]
pub struct Rule {
    /// Lanes per step.
    pub batch: usize,
    /// Learning rate.
    pub rate: f32,
    /// Share of the frames whose input is the network's own prediction.
    pub feedback: f64,
    /// Standard deviation of the noise on joints and path, normalised.
    pub noise: f32,
    /// Share of hidden columns that dropout zeroes.
    pub dropout: f32,
    /// Weight decay.
    pub decay: f32,
    /// Share of the default style's frames without forward movement that are learned as another style.
    pub lend: f64,
    /// Weights of the foot losses.
    pub feet: Weights,
    /// Seed of the run.
    pub seed: u64,
}

#[derive(Default)]
struct Worker {
    pass: Pass,
    gradient: Vec<f32>,
    lanes: Vec<FrameIndex>,
    input: Vec<f32>,
    phases: Vec<f32>,
    gates: Vec<f32>,
    truth: Vec<f32>,
    /// Raw rows: input and expected output.
    raw: [Vec<f32>; 2],
    /// Gradient with respect to the raw prediction.
    by_prediction: Vec<f32>,
    /// Raw output of the previous frame.
    prediction: Vec<f32>,
    /// Phases of the input.
    given: Vec<f32>,
    loss: f32,
}

/// A network in training.
pub struct Learner {
    /// Sizes and parameter ranges.
    pub network: Network,
    /// Normalisation of rows.
    pub normals: Normals,
    feet: Feet,
    /// Parameters with averages and moments.
    pub trained: TrainedParameters,
    workers: Vec<Worker>,
}

impl Learner {
    /// Creates an untrained network.
    pub fn new(sizes: Sizes, normals: Normals, feet: Feet, seed: u64) -> Self {
        let network = Network::new(sizes);
        let weights = network.initial(seed);
        let none = || vec![0.0; weights.len()];
        let workers = (0..WORKERS).map(|_| Worker { gradient: none(), ..Worker::default() }).collect();
        Self { network, normals, feet, trained: TrainedParameters::new(weights), workers }
    }

    /// One step: the next frame of every lane. Lanes are redrawn every [`FRAMES`] steps. Returns the loss.
    pub fn learn(&mut self, rows: &Rows, source: &Source, rule: &Rule) -> f32 {
        let (network, normals, weights, step) =
            (&self.network, &self.normals, &self.trained.weights, self.trained.step);
        let feet = &self.feet;
        std::thread::scope(|scope| {
            for (index, worker) in self.workers.iter_mut().enumerate() {
                scope.spawn(move || {
                    // Seeded by step, so that a resumed run draws the same as an uninterrupted one.
                    let seed = (step * WORKERS + index) as u64 + 1;
                    let seed = rule.seed.wrapping_add(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15));
                    let mut rng = StdRng::seed_from_u64(seed);
                    if step.is_multiple_of(FRAMES) || worker.lanes.is_empty() {
                        let mut lane = || {
                            let at = source.draw(FRAMES, &mut rng);
                            let take = &source.takes()[at.take];
                            FrameIndex { style: rows.learned_as(take, at.frame, rule.lend, &mut rng), ..at }
                        };
                        worker.lanes = (0..rule.batch / WORKERS).map(|_| lane()).collect();
                        worker.prediction.clear();
                    }
                    worker.gradient.fill(0.0);
                    worker.learn(network, normals, feet, weights, rows, source, rule, &mut rng);
                });
            }
        });
        let (first, others) = self.workers.split_at_mut(1);
        let norm = sum(&mut first[0].gradient, others.iter().map(|other| other.gradient.as_slice()));
        self.apply(&self.trained.update(rule.rate, AVERAGE, norm, WORKERS), rule.decay);
        self.workers.iter().map(|worker| worker.loss).sum::<f32>() / WORKERS as f32
    }

    fn apply(&mut self, update: &Update, decay: f32) {
        self.trained.step += 1;
        let TrainedParameters { weights, average, moments: [first, second], .. } = &mut self.trained;
        let gradient = &self.workers[0].gradient;
        let part = weights.len().div_ceil(WORKERS);
        std::thread::scope(|scope| {
            let numbers = weights.chunks_mut(part).zip(average.chunks_mut(part));
            let moments = first.chunks_mut(part).zip(second.chunks_mut(part));
            for (((weights, average), (first, second)), gradient) in numbers.zip(moments).zip(gradient.chunks(part)) {
                scope.spawn(move || update.adam(decay, [weights, average], [first, second], gradient));
            }
        });
    }
}

impl Worker {
    #[allow(clippy::too_many_arguments)]
    fn learn(
        &mut self,
        network: &Network,
        normals: &Normals,
        feet: &Feet,
        weights: &[f32],
        rows: &Rows,
        source: &Source,
        rule: &Rule,
        rng: &mut StdRng,
    ) {
        let (count, sizes, layout) = (self.lanes.len(), &network.sizes, &rows.layout);
        let gate = layout.gate();
        self.input.resize(count * sizes.input, 0.0);
        self.phases.resize(count * gate, 0.0);
        self.gates.resize(count * sizes.gate, 0.0);
        self.truth.resize(count * sizes.output, 0.0);
        for (lane, at) in self.lanes.iter_mut().enumerate() {
            let take = &source.takes()[at.take];
            let input = &mut self.input[lane * sizes.input..][..sizes.input];
            let phases = &mut self.phases[lane * gate..][..gate];
            rows.input(take, at.frame, input, phases);
            rows.style(at.style, input);
            if !self.prediction.is_empty() && rng.random_bool(rule.feedback) {
                let prediction = &self.prediction[lane * sizes.output..][..sizes.output];
                rows.feed_back(prediction, &self.given[lane * gate..][..gate], input, phases);
            }
            rows.gate(input, phases, &mut self.gates[lane * sizes.gate..][..sizes.gate]);
            rows.output(take, at.frame, &mut self.truth[lane * sizes.output..][..sizes.output]);
            at.frame += take.stride;
        }
        self.given.clone_from(&self.phases);
        self.raw[0].clone_from(&self.input);
        self.raw[1].clone_from(&self.truth);
        normals.input.apply(&mut self.input);
        normals.gate.apply(&mut self.gates);
        normals.output.apply(&mut self.truth);
        let mut random = random(rng.random());
        if rule.noise > 0.0 {
            let width = rule.noise * 12.0_f32.sqrt();
            for row in self.input.chunks_exact_mut(sizes.input) {
                for column in layout.path().chain(layout.state()) {
                    row[column] += width * (random() - 0.5);
                }
            }
        }
        network.forward(weights, &self.input, &self.gates, &mut self.pass, 1.0 - rule.dropout, &mut random);
        self.prediction.clone_from(&self.pass.out);
        normals.output.undo(&mut self.prediction);
        // Gradient of the mean square over rows and columns.
        let mut by_out = std::mem::take(&mut self.pass.out);
        let share = 1.0 / (count * sizes.output) as f32;
        let (root, contact) = (layout.out_root(), layout.out_contact());
        let mut loss = 0.0;
        for (row, truth) in by_out.chunks_exact_mut(sizes.output).zip(self.truth.chunks_exact(sizes.output)) {
            for (column, (out, truth)) in row.iter_mut().zip(truth).enumerate() {
                let weight = if root.contains(&column) {
                    ROOT
                } else if contact.contains(&column) {
                    CONTACT
                } else {
                    1.0
                };
                let off = *out - truth;
                loss += share * weight * off * off;
                *out = 2.0 * share * weight * off;
            }
        }
        if rule.feet != Weights::default() {
            loss += self.feet(feet, normals, rows, source, rule.feet, &mut by_out);
        }
        network.backward(weights, &mut self.gradient, &by_out, &mut self.pass);
        self.pass.out = by_out;
        self.loss = loss;
    }
}

impl Worker {
    /// Computes the foot loss and adds its normalised gradient to `by_out`.
    fn feet(
        &mut self,
        feet: &Feet,
        normals: &Normals,
        rows: &Rows,
        source: &Source,
        weights: Weights,
        by_out: &mut [f32],
    ) -> f32 {
        let (layout, count) = (&rows.layout, self.lanes.len());
        let (input, output) = (layout.input(), layout.output());
        let share = 1.0 / count as f32;
        let mut sum = 0.0;
        for (lane, at) in self.lanes.iter().enumerate() {
            // The lane has already advanced to the next frame.
            let take = &source.takes()[at.take];
            let contacts = |frame: usize| take.contact(frame as isize, layout.contacts);
            let (before, after) = (contacts(at.frame - take.stride), contacts(at.frame));
            let frame = Frame {
                given: &self.raw[0][lane * input..][..input],
                prediction: &self.prediction[lane * output..][..output],
                truth: &self.raw[1][lane * output..][..output],
            };
            self.by_prediction.clear();
            self.by_prediction.resize(output, 0.0);
            let planted = |contact: usize| before[contact] > 0.5 && after[contact] > 0.5;
            sum += share * feet.loss(layout, &frame, planted, weights, (share, &mut self.by_prediction));
            let by_out = &mut by_out[lane * output..][..output];
            for ((by_out, by), deviation) in by_out.iter_mut().zip(&self.by_prediction).zip(&normals.output.deviation) {
                *by_out += by * deviation;
            }
        }
        sum
    }
}

/// Fast uniform random numbers from 0 to 1 (xorshift).
pub fn random(seed: u64) -> impl FnMut() -> f32 {
    let mut state = seed | 1;
    move || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 40) as f32 / (1u64 << 24) as f32
    }
}
