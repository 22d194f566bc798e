//! Running average of a model's weights.

use crate::checkpoint::Folder;
use burn::module::{Module, ModuleMapper, ModuleVisitor, Param};
use burn::optim::GradientsParams;
use burn::tensor::Tensor;
use kinestitch::error::Result;

/// A model whose weights are the running average of another's.
pub struct Average<M> {
    /// The averaged model, without gradients.
    pub model: M,
    decay: f32,
}

impl<M: Module> Average<M> {
    /// Starts at the weights of a model. `decay`: share of the old average that a step keeps; smaller in the first
    /// steps, so that the start is forgotten.
    pub fn new(model: &M, decay: f32) -> Self {
        Self { model: model.clone().valid(), decay }
    }

    /// The average of a run's last checkpoint.
    ///
    /// # Errors
    /// Those of [`Folder::average`].
    pub fn restored(self, folder: &Folder) -> Result<Self> {
        Ok(Self { model: folder.average(self.model)?, decay: self.decay })
    }

    /// Adds the weights after a step, counted from 1.
    pub fn add(&mut self, model: &M, step: usize) {
        let keep = self.decay.min((1 + step) as f32 / (10 + step) as f32);
        let mut weights = Weights(GradientsParams::new());
        model.clone().valid().visit(&mut weights);
        self.model = self.model.clone().map(&mut Mix { weights: weights.0, keep });
    }
}

/// Collects parameters by id; the container is the one that Burn has for gradients.
struct Weights(GradientsParams);

impl ModuleVisitor for Weights {
    fn visit_float<const D: usize>(&mut self, param: &Param<Tensor<D>>) {
        self.0.register(param.id, param.val());
    }
}

struct Mix {
    weights: GradientsParams,
    keep: f32,
}

impl ModuleMapper for Mix {
    fn map_float<const D: usize>(&mut self, param: Param<Tensor<D>>) -> Param<Tensor<D>> {
        match self.weights.remove::<D>(param.id) {
            Some(weights) => param.map(|average| average * self.keep + weights * (1.0 - self.keep)),
            None => param,
        }
    }
}
