//! One training step: first the discriminator on recorded and reconstructed paths, then encoder and decoder against it.

use crate::chain::{Chain, Pass};
use crate::controller::learn::random;
use crate::controller::sample::{FrameIndex, Rows, Source};
use crate::experts::normal::Normal;
use crate::own::parameters::{TrainedParameters, sum};
use kinestitch::method::controller::generative::Sizes;
use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};

/// Hidden widths of the discriminator (eq. 11).
const JUDGE: [usize; 3] = [128, 64, 32];
/// Decay of the running average of the weights.
const AVERAGE: f32 = 0.999;

/// Hyperparameters of a step.
#[derive(Debug, Clone, Copy)]
pub struct Rule {
    /// Rows per step.
    pub batch: usize,
    /// Learning rate.
    pub rate: f32,
    /// Share of the encoder's columns that dropout zeroes.
    pub dropout: f32,
    /// λ of eq. 12.
    pub reconstruction: f32,
    /// Seed of the run.
    pub seed: u64,
}

/// A chain in training.
pub struct Learned {
    /// Its layers.
    pub chain: Chain,
    /// Its parameters.
    pub trained: TrainedParameters,
    gradient: Vec<f32>,
    pass: Pass,
}

impl Learned {
    fn new(widths: &[usize], seed: u64) -> Self {
        let chain = Chain::new(widths);
        let weights = chain.initial(seed);
        Self {
            gradient: vec![0.0; weights.len()],
            trained: TrainedParameters::new(weights),
            chain,
            pass: Pass::default(),
        }
    }

    fn forward(&mut self, rows: &[f32], keep: f32, random: &mut impl FnMut() -> f32) -> &[f32] {
        self.chain.forward(&self.trained.weights, rows, &mut self.pass, keep, random);
        self.pass.out()
    }

    /// Backward pass: adds to the gradient, and returns the gradient of the input.
    fn backward(&mut self, by_out: &[f32]) -> &[f32] {
        self.chain.backward(&self.trained.weights, &mut self.gradient, by_out, &mut self.pass);
        self.pass.by_input()
    }

    /// Output with the averaged weights.
    pub fn averaged(&self, rows: &[f32]) -> Vec<f32> {
        let mut pass = Pass::default();
        self.chain.forward(&self.trained.average, rows, &mut pass, 1.0, &mut || 1.0);
        pass.out().to_vec()
    }

    fn apply(&mut self, rate: f32) {
        let norm = sum(&mut self.gradient, [].into_iter());
        let update = self.trained.update(rate, AVERAGE, norm, 1);
        self.trained.step += 1;
        let TrainedParameters { weights, average, moments: [first, second], .. } = &mut self.trained;
        update.adam(0.0, [weights, average], [first, second], &self.gradient);
        self.gradient.fill(0.0);
    }
}

/// The three networks in training.
pub struct Learner {
    /// Sizes of encoder and decoder.
    pub sizes: Sizes,
    /// Normalisation of paths.
    pub normal: Normal,
    /// Encoder, decoder and discriminator.
    pub encoder: Learned,
    /// Code → path.
    pub decoder: Learned,
    /// Path → logit of having been recorded.
    pub judge: Learned,
}

impl Learner {
    /// Creates untrained networks.
    pub fn new(sizes: Sizes, normal: Normal, seed: u64) -> Self {
        let judge = [&[sizes.path][..], &JUDGE, &[1]].concat();
        Self {
            sizes,
            normal,
            encoder: Learned::new(&sizes.encoder(), seed),
            decoder: Learned::new(&sizes.decoder(), seed + 1),
            judge: Learned::new(&judge, seed + 2),
        }
    }

    /// One step. Returns the reconstruction loss, the adversarial loss and the discriminator's loss.
    pub fn learn(&mut self, rows: &Rows, source: &Source, rule: &Rule) -> [f32; 3] {
        // Seeded by step, so that a resumed run draws the same as an uninterrupted one.
        let step = self.encoder.trained.step as u64 + 1;
        let mut rng = StdRng::seed_from_u64(rule.seed.wrapping_add(step.wrapping_mul(0x9e37_79b9_7f4a_7c15)));
        let mut real = draw(rows, source, rule.batch, &mut rng);
        self.normal.apply(&mut real);
        let mut random = random(rng.random());
        let code = self.encoder.forward(&real, 1.0 - rule.dropout, &mut random);
        let made = self.decoder.forward(code, 1.0, &mut random).to_vec();

        let share = 1.0 / rule.batch as f32;
        let mut judged = 0.0;
        for (rows, target) in [(&real, 1.0), (&made, 0.0)] {
            let (loss, by) = cross_entropy(self.judge.forward(rows, 1.0, &mut random), target, share);
            self.judge.backward(&by);
            judged += loss;
        }
        self.judge.apply(rule.rate);

        let (adversarial, by) = cross_entropy(self.judge.forward(&made, 1.0, &mut random), 1.0, share);
        let mut by_made = self.judge.backward(&by).to_vec();
        self.judge.gradient.fill(0.0);
        let share = 1.0 / made.len() as f32;
        let mut reconstruction = 0.0;
        for (by, (made, real)) in by_made.iter_mut().zip(made.iter().zip(&real)) {
            let off = made - real;
            reconstruction += share * off * off;
            *by += rule.reconstruction * 2.0 * share * off;
        }
        let by_code = self.decoder.backward(&by_made);
        self.encoder.backward(by_code);
        self.decoder.apply(rule.rate);
        self.encoder.apply(rule.rate);
        [reconstruction, adversarial, judged]
    }

    /// For normalised rows: root mean square error of the reconstruction, in standard deviations; and the
    /// discriminator's accuracy on recorded and reconstructed rows (one half is chance).
    pub fn check(&self, rows: &[f32]) -> [f32; 2] {
        let made = self.decoder.averaged(&self.encoder.averaged(rows));
        let off: f64 = made.iter().zip(rows).map(|(a, b)| f64::from(a - b).powi(2)).sum();
        let (real, fake) = (self.judge.averaged(rows), self.judge.averaged(&made));
        let right =
            real.iter().filter(|logit| **logit > 0.0).count() + fake.iter().filter(|logit| **logit <= 0.0).count();
        let count = rows.len().max(1) as f64;
        [(off / count).sqrt() as f32, right as f32 / (real.len() + fake.len()).max(1) as f32]
    }
}

/// Raw paths of random frames, [count × path].
pub fn draw(rows: &Rows, source: &Source, count: usize, rng: &mut StdRng) -> Vec<f32> {
    let width = rows.layout.path().len();
    let mut out = vec![0.0; count * width];
    for out in out.chunks_exact_mut(width) {
        let FrameIndex { take, frame, .. } = source.draw(1, rng);
        rows.path(&source.takes()[take], frame, out);
    }
    out
}

/// Cross entropy with `target`, times `share`, and its gradient with respect to the logits.
fn cross_entropy(logits: &[f32], target: f32, share: f32) -> (f32, Vec<f32>) {
    let loss = |logit: &f32| logit.max(0.0) - logit * target + (-logit.abs()).exp().ln_1p();
    let by = logits.iter().map(|logit| share * (1.0 / (1.0 + (-logit).exp()) - target)).collect();
    (share * logits.iter().map(loss).sum::<f32>(), by)
}
