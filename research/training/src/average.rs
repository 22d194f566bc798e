//! Running average of a model's weights.

use crate::checkpoint::Folder;
use burn::module::{Module, ModuleMapper, ModuleVisitor, Param};
use burn::optim::GradientsParams;
use burn::tensor::Tensor;
use kinestitch::error::{Error, Result};

/// Exponential moving average of a model's weights.
pub struct Average<M> {
    /// The averaged model, without gradients.
    pub model: M,
    decay: f32,
}

impl<M: Module> Average<M> {
    /// Creates an average that starts at the weights of a model. `decay`: factor of the old average in each step, at
    /// least 0 and below 1. The factor is smaller in the first steps, so that the initial weights lose their influence.
    ///
    /// # Errors
    /// [`Error::Option`] if `decay` is not at least 0 and below 1.
    pub fn new(model: &M, decay: f32) -> Result<Self> {
        if !(0.0..1.0).contains(&decay) {
            let message = format!("the decay of averaged weights is at least 0 and below 1, not {decay}");
            return Err(Error::Option { option: "average", message });
        }
        Ok(Self { model: model.clone().valid(), decay })
    }

    /// Loads the average of a run's last checkpoint.
    ///
    /// # Errors
    /// Those of [`Folder::load_average`].
    pub fn restore(self, folder: &Folder) -> Result<Self> {
        Ok(Self { model: folder.load_average(self.model)?, decay: self.decay })
    }

    /// Adds the weights of the model after a step, counted from 1.
    pub fn add(&mut self, model: &M, step: usize) {
        let decay = self.decay.min((1 + step) as f32 / (10 + step) as f32);
        let mut weights = Weights(GradientsParams::new());
        model.clone().valid().visit(&mut weights);
        self.model = self.model.clone().map(&mut Mix { weights: weights.0, decay });
    }
}

/// Collects parameters by id, in Burn's container for gradients.
struct Weights(GradientsParams);

impl ModuleVisitor for Weights {
    fn visit_float<const D: usize>(&mut self, param: &Param<Tensor<D>>) {
        self.0.register(param.id, param.val());
    }
}

/// Mixes collected weights into the average.
struct Mix {
    weights: GradientsParams,
    decay: f32,
}

impl ModuleMapper for Mix {
    fn map_float<const D: usize>(&mut self, param: Param<Tensor<D>>) -> Param<Tensor<D>> {
        match self.weights.remove::<D>(param.id) {
            Some(weights) => param.map(|average| average * self.decay + weights * (1.0 - self.decay)),
            None => param,
        }
    }
}
