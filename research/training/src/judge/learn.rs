//! Trains the detector of a judge: a network that distinguishes windows around seams from windows of recordings.

use super::project::Projection;
use crate::schedule::Schedule;
use burn::module::Module;
use burn::nn::{Dropout, DropoutConfig, Linear, LinearConfig};
use burn::optim::GradientsParams;
use burn::tensor::{Device, Distribution, Tensor, TensorData, activation};
use kinestitch::error::{Error, Result};
use kinestitch::judge::detector::normalise;
use kinestitch::nn::weights::module::tensors;
use kinestitch::nn::weights::write::NamedTensor;
use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};
use serde::{Deserialize, Serialize};

/// The detector on tensors: three linear layers with ReLU and dropout between them.
#[derive(Module, Debug)]
struct Mlp {
    /// The layers. The name of the field is the prefix of the tensors' names in the weight file.
    detector: Vec<Linear>,
    dropout: Dropout,
}

/// Regularisation against overfitting to the people of the training data: dropout, noise and mirroring. Each example is
/// mirrored with probability 1/2, even if dropout and noise are 0.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Variation {
    /// Dropout rate of the hidden layers.
    pub dropout: f64,
    /// Standard deviation of the noise on each column, relative to the column's standard deviation.
    pub noise: f64,
}

impl Mlp {
    fn new(columns: usize, [first, second]: [usize; 2], dropout: f64, device: &Device) -> Self {
        let layer = |from, to| LinearConfig::new(from, to).init(device);
        let detector = vec![layer(columns, first), layer(first, second), layer(second, 1)];
        Self { detector, dropout: DropoutConfig::new(dropout).init() }
    }

    /// Computes log odds, [rows × 1], from normalised rows.
    fn forward(&self, rows: Tensor<2>) -> Tensor<2> {
        let last = self.detector.len() - 1;
        let apply_hidden = |x, layer: &Linear| self.dropout.forward(activation::relu(layer.forward(x)));
        let inner = self.detector[..last].iter().fold(rows, apply_hidden);
        self.detector[last].forward(inner)
    }
}

/// Projected windows with and without seams. Training draws from both in turn, across steps if a batch is odd.
pub struct Examples<'a> {
    /// Projected windows of seams, [rows × columns].
    pub seams: &'a [f32],
    /// Projected windows of recordings, [rows × columns].
    pub recorded: &'a [f32],
}

/// Trains a detector on examples. Returns its tensors, and the running average of the loss at the end.
///
/// # Errors
/// [`Error::Option`] if there are no examples or the loss is not finite, and those of [`tensors`].
pub fn train_detector(
    examples: &Examples,
    projection: &Projection,
    hidden: [usize; 2],
    variation: Option<Variation>,
    schedule: &Schedule,
) -> Result<(Vec<NamedTensor>, f32)> {
    if examples.seams.is_empty() || examples.recorded.is_empty() {
        let message = "no windows around seams, or none of recordings: add longer recordings".to_owned();
        return Err(Error::Option { option: "data", message });
    }
    let device = Device::flex();
    let tape = device.clone().autodiff();
    device.seed(schedule.seed);
    let columns = projection.deviation.len();
    let mut model = Mlp::new(columns, hidden, variation.map_or(0.0, |variation| variation.dropout), &tape);
    let mut optimizer = schedule.optimizer();
    let mut mean_loss = 0.0;
    for step in 0..schedule.steps {
        // Multiples of an odd constant: every step has another seed.
        let mut rng = StdRng::seed_from_u64(schedule.seed ^ (step as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15));
        let mut rows = Vec::with_capacity(schedule.batch * columns);
        let mut labels = Vec::with_capacity(schedule.batch);
        for index in 0..schedule.batch {
            let is_seam = (step * schedule.batch + index).is_multiple_of(2);
            let source = if is_seam { examples.seams } else { examples.recorded };
            let row = rng.random_range(0..source.len() / columns);
            rows.extend_from_slice(&source[row * columns..][..columns]);
            if variation.is_some() && rng.random_bool(0.5) {
                let start = rows.len() - columns;
                rows[start..].iter_mut().zip(&projection.mirror).for_each(|(x, sign)| *x *= sign);
            }
            labels.push(f32::from(u8::from(is_seam)));
        }
        normalise(&mut rows, &projection.deviation);
        let mut rows = Tensor::<2>::from_data(TensorData::new(rows, [schedule.batch, columns]), &tape);
        if let Some(Variation { noise, .. }) = variation {
            rows = rows + Tensor::random([schedule.batch, columns], Distribution::Normal(0.0, noise), &tape);
        }
        let labels = Tensor::<2>::from_data(TensorData::new(labels, [schedule.batch, 1]), &tape);
        let log_odds = model.forward(rows);
        // Binary cross-entropy, in the form without overflow for large log odds. Labels: 1 for seams, 0 for recordings.
        let loss = (activation::relu(log_odds.clone()) - log_odds.clone() * labels
            + (log_odds.abs().neg().exp() + 1.0).log())
        .mean();
        let value = loss.clone().into_scalar::<f32>();
        if !value.is_finite() {
            let message = format!("the loss of step {step} is not finite; use a lower rate");
            return Err(Error::Option { option: "rate", message });
        }
        mean_loss = if step == 0 { value } else { 0.99 * mean_loss + 0.01 * value };
        let gradients = GradientsParams::from_grads(loss.backward(), &model);
        model = optimizer.step(schedule.rate_at(step), model, gradients);
    }
    Ok((tensors(&model.valid())?, mean_loss))
}

/// Computes the area under the ROC curve: the probability that a random value of `positives` exceeds a random value of
/// `negatives`. Pairs of equal values count as one half. Returns 0 if either list is empty.
pub fn auc(positives: &[f32], negatives: &[f32]) -> f64 {
    let mut values: Vec<(f32, bool)> =
        positives.iter().map(|x| (*x, true)).chain(negatives.iter().map(|x| (*x, false))).collect();
    values.sort_by(|a, b| a.0.total_cmp(&b.0));
    // Number of values of `negatives` below the current value.
    let (mut count_below, mut sum) = (0.0, 0.0);
    for tied in values.chunk_by(|a, b| a.0 == b.0) {
        let tied_positives = tied.iter().filter(|(_, is_positive)| *is_positive).count() as f64;
        let tied_negatives = tied.len() as f64 - tied_positives;
        sum += tied_positives * (count_below + 0.5 * tied_negatives);
        count_below += tied_negatives;
    }
    sum / (positives.len() as f64 * negatives.len() as f64).max(1.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn auc_is_the_fraction_of_pairs_with_a_larger_positive() {
        assert_eq!(auc(&[1.0, 2.0], &[1.0, 2.0]), 0.5);
        assert_eq!(auc(&[3.0, 4.0], &[1.0, 2.0]), 1.0);
        assert_eq!(auc(&[1.0, 4.0], &[2.0, 3.0]), 0.5);
        assert_eq!(auc(&[1.0, 3.0], &[2.0, 4.0]), 0.25);
    }

    /// Creates the projection of windows with one column.
    fn projection() -> Projection {
        let (scale, weight, bias, mirror) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        Projection { scale, weight, bias, mirror, deviation: vec![1.0] }
    }

    #[test]
    fn a_batch_of_one_example_draws_seams_and_recordings_in_turn() {
        let schedule = r#"{ "steps": 400, "batch": 1, "rate": 0.05, "warmup": 1, "seed": 1 }"#;
        let schedule: Schedule = serde_json::from_str(schedule).unwrap();
        // Equal windows cannot be told apart: the loss stays near ln 2, unless all labels are the same.
        let examples = Examples { seams: &[1.0], recorded: &[1.0] };
        let (_, loss) = train_detector(&examples, &projection(), [2, 2], None, &schedule).unwrap();
        assert!(loss > 0.5, "{loss}");
    }

    #[test]
    fn training_without_examples_is_an_error() {
        let schedule = r#"{ "steps": 1, "batch": 1, "rate": 1, "warmup": 1, "seed": 1 }"#;
        let schedule: Schedule = serde_json::from_str(schedule).unwrap();
        let examples = Examples { seams: &[], recorded: &[1.0] };
        let error = train_detector(&examples, &projection(), [1, 1], None, &schedule).err().unwrap().to_string();
        assert!(error.contains("longer recordings"), "{error}");
    }
}
