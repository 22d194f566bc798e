//! Parameters in training: values, their running average, and the moments of the gradient (AdamW).

use kinestitch::error::Result;
use kinestitch::nn::weights::Weights;
use kinestitch::nn::weights::write::Named;

/// Names in checkpoints.
const NAMES: [&str; 4] = ["weights", "average", "first", "second"];
const BETAS: [f32; 2] = [0.9, 0.98];
const EPSILON: f32 = 1e-9;
/// Largest gradient norm; longer gradients are clipped.
const LONGEST: f32 = 1.0;

/// All parameters of a network in one vector.
#[derive(Debug, Clone)]
pub struct TrainedParameters {
    /// Values.
    pub weights: Vec<f32>,
    /// Running average of the values; validated and saved.
    pub average: Vec<f32>,
    /// First and second moments of the gradient.
    pub moments: [Vec<f32>; 2],
    /// Steps done.
    pub step: usize,
}

impl TrainedParameters {
    /// State before the first step.
    pub fn new(weights: Vec<f32>) -> Self {
        let none = || vec![0.0; weights.len()];
        Self { average: weights.clone(), moments: [none(), none()], step: 0, weights }
    }

    /// Tensors of a checkpoint. `of`: prefix of their names, if there are several networks.
    pub fn stored(&self, of: &str) -> Vec<Named> {
        let [first, second] = &self.moments;
        let values = [&self.weights, &self.average, first, second];
        NAMES.iter().zip(values).map(|(name, values)| Named::vector(&format!("{of}{name}"), values)).collect()
    }

    /// Restores the state from a checkpoint.
    ///
    /// # Errors
    /// [`kinestitch::Error::Weights`] for another size.
    pub fn restore(&mut self, file: &Weights, of: &str, step: usize) -> Result<()> {
        let shape = [self.weights.len()];
        let [weights, average, first, second] = NAMES.map(|name| file.tensor(&format!("{of}{name}"), &shape));
        *self = Self { weights: weights?, average: average?, moments: [first?, second?], step };
        Ok(())
    }

    /// Update rule of the next step. Gradients are sums over `workers`; their mean has the length `norm`. `old`: decay
    /// of the running average, reduced in the first steps.
    pub fn update(&self, rate: f32, old: f32, norm: f32, workers: usize) -> Update {
        let time = self.step as i32 + 1;
        Update {
            rate,
            correct: BETAS.map(|beta| 1.0 / (1.0 - beta.powi(time))),
            keep: old.min((1 + time) as f32 / (10 + time) as f32),
            scale: (LONGEST / norm.max(1e-12)).min(1.0) / workers as f32,
        }
    }
}

/// Update rule of one step.
#[derive(Debug, Clone, Copy)]
pub struct Update {
    /// Learning rate.
    pub rate: f32,
    /// Decay of the running average.
    pub keep: f32,
    /// Factor of the gradients.
    pub scale: f32,
    /// Bias correction of the moments.
    correct: [f32; 2],
}

impl Update {
    /// AdamW (Loshchilov and Hutter 2019) on a range of parameters, with their averages, moments and gradients.
    pub fn adam(
        &self,
        decay: f32,
        [weights, average]: [&mut [f32]; 2],
        [first, second]: [&mut [f32]; 2],
        gradient: &[f32],
    ) {
        let shrink = 1.0 - self.rate * decay;
        let (numbers, moments) = (weights.iter_mut().zip(average), first.iter_mut().zip(second));
        for (((weight, average), (first, second)), g) in numbers.zip(moments).zip(gradient) {
            let g = *g * self.scale;
            *first += (1.0 - BETAS[0]) * (g - *first);
            *second += (1.0 - BETAS[1]) * (g * g - *second);
            let step = self.correct[0] * *first / ((self.correct[1] * *second).sqrt() + EPSILON);
            *weight = *weight * shrink - self.rate * step;
            *average += (1.0 - self.keep) * (*weight - *average);
        }
    }
}

/// Sums the gradients of several workers into the first. Returns the norm of their mean.
pub fn sum<'a>(first: &mut [f32], others: impl ExactSizeIterator<Item = &'a [f32]>) -> f32 {
    let workers = 1 + others.len();
    for other in others {
        first.iter_mut().zip(other).for_each(|(sum, other)| *sum += other);
    }
    first.iter().map(|g| f64::from(g * g)).sum::<f64>().sqrt() as f32 / workers as f32
}
