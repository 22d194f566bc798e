//! Training schedule of a recipe: steps, batch size, learning rate and optimizer.

use burn::optim::decay::WeightDecayConfig;
use burn::optim::{AdamConfig, AdamWConfig, ModuleOptimizer};
use kinestitch::error::{Error, Result};
use serde::{Deserialize, Serialize};

/// Training schedule of a recipe.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Schedule {
    /// Number of steps of the whole schedule.
    pub steps: usize,
    /// Number of lanes (training examples) per step.
    pub batch: usize,
    /// Learning rate after warm-up. Without `cooldown`, the rate then falls to a hundredth along a cosine.
    pub rate: f64,
    /// Steps of linear warm-up.
    pub warmup: usize,
    /// Number of final steps in which the rate falls linearly to zero. Before these steps the rate is constant, so the
    /// length of the run can be decided later. A run that has cooled down can be continued with more `steps`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cooldown: Option<usize>,
    /// Seed of all random numbers.
    pub seed: u64,
    /// Optimizer; Adam if left out. Rejected by methods with their own optimizer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub optimizer: Option<Optimizer>,
    /// Weight decay; none if left out. Rejected by methods with their own optimizer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub decay: Option<f32>,
    /// Maximum norm of all gradients together; larger gradients are scaled down to it.
    #[serde(default = "default_clip")]
    pub clip: f32,
    /// Steps between checkpoints, each with a validation.
    #[serde(default = "default_every")]
    pub every: usize,
}

/// Creates AdamW with β₂ = 0.98 and ε = 1e-9 (Vaswani et al. 2017, section 5.3), for methods with their own optimizer.
/// `decay`: decoupled weight decay.
pub fn adamw(decay: f32) -> AdamWConfig {
    AdamWConfig::new().with_beta_2(0.98).with_epsilon(1e-9).with_weight_decay(decay)
}

/// An optimizer by name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Optimizer {
    /// Kingma and Ba 2015, with weight decay added to the gradient.
    #[default]
    Adam,
    /// Adam with decoupled weight decay (Loshchilov and Hutter 2019).
    AdamW,
    /// Adam with a non-decreasing second moment (Reddi et al. 2018).
    Amsgrad,
}

fn default_clip() -> f32 {
    1.0
}

fn default_every() -> usize {
    200
}

impl Schedule {
    /// Returns the learning rate of a step, counted from 0.
    pub fn rate_at(&self, step: usize) -> f64 {
        if let Some(cooldown) = self.cooldown {
            let rising = (step + 1) as f64 / self.warmup.max(1) as f64;
            let falling = self.steps.saturating_sub(step) as f64 / cooldown.max(1) as f64;
            return self.rate * rising.min(falling).min(1.0);
        }
        if step < self.warmup {
            return self.rate * (step + 1) as f64 / self.warmup as f64;
        }
        let progress = (step - self.warmup) as f64 / self.steps.saturating_sub(self.warmup).max(1) as f64;
        let floor = 0.01 * self.rate;
        floor + 0.5 * (self.rate - floor) * (1.0 + (std::f64::consts::PI * progress.min(1.0)).cos())
    }

    /// Checks that the schedule sets neither an optimizer nor a decay, for methods with their own optimizer.
    ///
    /// # Errors
    /// [`Error::Option`] if it sets one of them.
    pub fn check_no_optimizer(&self) -> Result<()> {
        for (option, is_set) in [("optimizer", self.optimizer.is_some()), ("decay", self.decay.is_some())] {
            if is_set {
                let message = "this method has its own optimizer: leave it out of the schedule".to_owned();
                return Err(Error::Option { option, message });
            }
        }
        Ok(())
    }

    /// Creates the optimizer. It does not clip gradients, because Burn clips the gradient of each tensor separately;
    /// the training loop clips all gradients together.
    pub fn optimizer(&self) -> ModuleOptimizer {
        let decay = self.decay.filter(|decay| *decay > 0.0).map(WeightDecayConfig::new);
        match self.optimizer.unwrap_or_default() {
            Optimizer::Adam => AdamConfig::new().with_weight_decay(decay).init(),
            Optimizer::Amsgrad => AdamConfig::new().with_weight_decay(decay).with_amsgrad(true).init(),
            Optimizer::AdamW => AdamWConfig::new().with_weight_decay(self.decay.unwrap_or_default()).init(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_method_with_its_own_optimizer_rejects_another() {
        let schedule = |fields: &str| -> Schedule {
            let text = format!(r#"{{ "steps": 1, "batch": 4, "rate": 0.01, "warmup": 1, "seed": 1{fields} }}"#);
            serde_json::from_str(&text).unwrap()
        };
        assert!(schedule("").check_no_optimizer().is_ok());
        for (option, text) in [("optimizer", r#", "optimizer": "adam""#), ("decay", r#", "decay": 0"#)] {
            let message = schedule(text).check_no_optimizer().unwrap_err().to_string();
            assert!(message.contains(option) && message.contains("leave it out"), "{message}");
        }
    }

    #[test]
    fn with_a_cool_down_the_rate_is_constant_and_then_falls_to_zero() {
        let text = r#"{ "steps": 100, "batch": 4, "rate": 0.01, "warmup": 10, "cooldown": 20, "seed": 1 }"#;
        let schedule: Schedule = serde_json::from_str(text).unwrap();
        let rates: Vec<f64> = (0..=100).map(|step| schedule.rate_at(step)).collect();
        assert!((rates[0] - 0.001).abs() < 1e-12 && rates[100] == 0.0);
        assert!(rates[9..=80].iter().all(|rate| *rate == 0.01) && rates[80..].is_sorted_by(|a, b| a > b));
    }

    #[test]
    fn the_rate_warms_up_and_falls_to_a_hundredth() {
        let text = r#"{ "steps": 100, "batch": 4, "rate": 0.01, "warmup": 10, "seed": 1, "optimizer": "adamw" }"#;
        let schedule: Schedule = serde_json::from_str(text).unwrap();
        assert_eq!((schedule.optimizer, schedule.clip, schedule.every), (Some(Optimizer::AdamW), 1.0, 200));
        let rates: Vec<f64> = (0..=100).map(|step| schedule.rate_at(step)).collect();
        assert!(
            (rates[0] - 0.001).abs() < 1e-12 && (rates[10] - 0.01).abs() < 1e-12 && (rates[100] - 1e-4).abs() < 1e-9
        );
        assert!(rates[..10].is_sorted() && rates[10..].is_sorted_by(|a, b| a >= b));
    }
}
