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
    /// Maximum norm of all gradients together; larger gradients are scaled down to it. [`Schedule::clip`] returns the
    /// default. Rejected by the judge, whose training does not use [`crate::run::train`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub clip: Option<f32>,
    /// Steps between checkpoints, each with a validation. [`Schedule::every`] returns the default. Rejected by the
    /// judge.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub every: Option<usize>,
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

    /// Returns the maximum norm of all gradients together; 1 if left out.
    pub fn clip(&self) -> f32 {
        self.clip.unwrap_or(1.0)
    }

    /// Returns the number of steps between checkpoints, at least 1; 200 if left out.
    pub fn every(&self) -> usize {
        self.every.unwrap_or(200).max(1)
    }

    /// Checks that a batch is not empty.
    ///
    /// # Errors
    /// [`Error::Option`] if it is.
    pub fn check_batch(&self) -> Result<()> {
        match self.batch {
            0 => Err(Error::Option { option: "batch", message: "a batch has 1 or more examples, not 0".to_owned() }),
            _ => Ok(()),
        }
    }

    /// Checks that the schedule sets neither an optimizer nor a decay, for methods with their own optimizer.
    ///
    /// # Errors
    /// [`Error::Option`] if it sets one of them.
    pub fn check_no_optimizer(&self) -> Result<()> {
        let fields = [("optimizer", self.optimizer.is_some()), ("decay", self.decay.is_some())];
        check_unset(fields, "this method has its own optimizer")
    }

    /// Checks that the schedule sets neither `clip` nor `every`, for methods that do not use [`crate::run::train`].
    ///
    /// # Errors
    /// [`Error::Option`] if it sets one of them.
    pub fn check_no_loop_settings(&self) -> Result<()> {
        let fields = [("clip", self.clip.is_some()), ("every", self.every.is_some())];
        check_unset(fields, "this method neither clips gradients nor writes checkpoints")
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

/// Checks that no field is set. `fields`: names, and whether they are set. `reason`: why the method rejects them.
fn check_unset(fields: [(&'static str, bool); 2], reason: &str) -> Result<()> {
    match fields.into_iter().find(|(_, is_set)| *is_set) {
        Some((option, _)) => Err(Error::Option { option, message: format!("{reason}: leave it out of the schedule") }),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_that_a_method_does_not_use_are_rejected() {
        let schedule = |fields: &str| -> Schedule {
            let text = format!(r#"{{ "steps": 1, "batch": 4, "rate": 0.01, "warmup": 1, "seed": 1{fields} }}"#);
            serde_json::from_str(&text).unwrap()
        };
        assert!(schedule("").check_no_optimizer().is_ok() && schedule("").check_no_loop_settings().is_ok());
        // Defaults are rejected too if the recipe states them.
        let of_optimizer = [("optimizer", r#", "optimizer": "adam""#), ("decay", r#", "decay": 0"#)];
        let of_loop = [("clip", r#", "clip": 1"#), ("every", r#", "every": 200"#)];
        let checks: [fn(&Schedule) -> Result<()>; 2] = [Schedule::check_no_optimizer, Schedule::check_no_loop_settings];
        for (fields, check) in [of_optimizer, of_loop].into_iter().zip(checks) {
            for (option, text) in fields {
                let message = check(&schedule(text)).unwrap_err().to_string();
                assert!(message.contains(option) && message.contains("leave it out"), "{message}");
            }
        }
    }

    #[test]
    fn an_empty_batch_is_rejected() {
        let schedule = |batch: usize| -> Schedule {
            let text = format!(r#"{{ "steps": 1, "batch": {batch}, "rate": 0.01, "warmup": 1, "seed": 1 }}"#);
            serde_json::from_str(&text).unwrap()
        };
        assert!(schedule(1).check_batch().is_ok() && schedule(0).check_batch().is_err());
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
        assert_eq!((schedule.optimizer, schedule.clip(), schedule.every()), (Some(Optimizer::AdamW), 1.0, 200));
        let rates: Vec<f64> = (0..=100).map(|step| schedule.rate_at(step)).collect();
        assert!(
            (rates[0] - 0.001).abs() < 1e-12 && (rates[10] - 0.01).abs() < 1e-12 && (rates[100] - 1e-4).abs() < 1e-9
        );
        assert!(rates[..10].is_sorted() && rates[10..].is_sorted_by(|a, b| a >= b));
    }
}
