//! Training of generative control: encoder, decoder and discriminator (Starke et al. 2020, eq. 9 to 13).
//!
//! Each row holds the path columns of one frame of the controller's recordings. As in the paper, the recipes give the
//! reconstruction loss five times the weight of the adversarial loss and the encoder a dropout rate of 0.3, and all
//! three networks are trained together. As in the authors' code, the reconstruction loss is a mean square error.
//!
//! Changes from the paper:
//! - Encoder and decoder minimise −log s_fake instead of log(1 − s_fake) (eq. 13). The gradient of the latter vanishes
//!   while the discriminator recognises reconstructed paths (Goodfellow et al. 2014, section 3).
//! - All hidden layers of the discriminator use ReLU.
//! - Each step updates all networks at once: the gradients of encoder and decoder use the weights that the
//!   discriminator has before the step. In alternating training, they would use its updated weights.

pub mod file;
pub mod network;
pub mod spread;

use crate::checkpoint;
use crate::controller::Data;
use crate::controller::sample::{FrameIndex, RowWriter, Source};
use crate::experts::normal::{Normal, column_groups};
use crate::recipe::{Header, check_dropout};
use crate::run::{Batch, Training};
use crate::schedule::{Schedule, adamw};
use burn::nn::{Dropout, DropoutConfig};
use burn::optim::ModuleOptimizer;
use burn::tensor::{Device, Tensor, TensorData};
use kinestitch::error::Result;
use kinestitch::feature::controller::Layout;
use kinestitch::method::controller::generative::Sizes;
use kinestitch::nn::device::values;
use network::Networks;
use rand::SeedableRng;
use rand::rngs::StdRng;
use serde::{Deserialize, Serialize};
use spread::spread;
use std::path::Path;

/// Number of training frames for the normalisation of paths and the covariance of the noise.
const STATISTICS_FRAMES: usize = 12_000;
/// Number of frames for validation.
const VALIDATION_FRAMES: usize = 2000;

/// Settings of a training run, read from a recipe file.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Recipe {
    /// Name of the run.
    pub name: String,
    /// Recipe file of the controller, in the same folder. Its set, licence and recordings are used.
    pub controller: String,
    /// Width of the hidden layers of encoder and decoder. The code is half as wide as a path.
    pub hidden: usize,
    /// Dropout rate of the encoder.
    pub dropout: f64,
    /// Weight of the reconstruction loss, λ of eq. 12.
    pub reconstruction: f32,
    /// Steps, batch size and learning rate of the run.
    pub schedule: Schedule,
}

impl Recipe {
    /// Returns the sizes of encoder and decoder for the paths of a layout.
    pub fn sizes(&self, layout: &Layout) -> Sizes {
        let path = layout.path().len();
        Sizes { path, hidden: self.hidden, code: path / 2 }
    }
}

/// Training of a recipe on the recordings of its controller.
pub struct GenerativeTraining<'a> {
    data: &'a Data,
    recipe: &'a Recipe,
    /// Header of the controller's recipe.
    header: &'a Header,
    /// Means and standard deviations of the path columns.
    normal: Normal,
    dropout: Dropout,
    /// Paths of training frames, not normalised, [frames × path], for the covariance of the noise.
    statistics_paths: Vec<f32>,
    /// Paths of validation frames, not normalised, [frames × path].
    validation_paths: Vec<f32>,
}

impl<'a> GenerativeTraining<'a> {
    /// Prepares the training: draws the frames for statistics and validation. `header`: header of the controller's recipe.
    ///
    /// # Errors
    /// Those of [`check_dropout`].
    pub fn new(data: &'a Data, recipe: &'a Recipe, header: &'a Header) -> Result<Self> {
        check_dropout(recipe.dropout)?;
        let layout = &data.writer.layout;
        let mut rng = StdRng::seed_from_u64(recipe.schedule.seed);
        let statistics_paths = draw(&data.writer, &data.train, STATISTICS_FRAMES, &mut rng);
        let groups = column_groups(layout.path(), layout.sample_width(), &[2, 2, 2, layout.actions]);
        let normal = Normal::measure(&statistics_paths, layout.path().len(), &groups);
        let validation_paths = draw(&data.writer, &data.validation, VALIDATION_FRAMES, &mut rng);
        let dropout = DropoutConfig::new(recipe.dropout).init();
        Ok(Self { data, recipe, header, normal, dropout, statistics_paths, validation_paths })
    }

    /// Creates a tensor of paths, [frames, path].
    fn tensor(&self, paths: Vec<f32>, device: &Device) -> Tensor<2> {
        let width = self.data.writer.layout.path().len();
        let count = paths.len() / width;
        Tensor::from_data(TensorData::new(paths, [count, width]), device)
    }
}

impl Training for GenerativeTraining<'_> {
    type Model = Networks;
    const LOG: &'static [&'static str] = &["total", "reconstruction", "adversarial", "discriminator"];
    const VALIDATION: &'static [&'static str] = &["held_out_rms", "discriminator_accuracy"];
    const OWN_OPTIMIZER: bool = true;

    fn average(&self) -> Option<f32> {
        Some(0.999)
    }

    fn optimizer(&self, _: &Schedule) -> ModuleOptimizer {
        adamw(0.0).init()
    }

    fn model(&self, from: Option<&Path>, device: &Device) -> Result<Networks> {
        let sizes = self.recipe.sizes(&self.data.writer.layout);
        let networks = Networks::untrained(&sizes, &self.normal, self.recipe.schedule.seed, device);
        match from {
            Some(path) => checkpoint::load_over_untrained(networks, path, self.header, Networks::is_stored),
            None => Ok(networks),
        }
    }

    fn loss(&self, model: &Networks, batch: &Batch) -> Result<Vec<Tensor<1>>> {
        let Data { writer, train, .. } = self.data;
        let paths = batch.lanes.clone().flat_map(|lane| draw(writer, train, 1, &mut batch.rng(lane))).collect();
        let paths = model.normalise(self.tensor(paths, batch.device));
        let [reconstruction, adversarial, discriminator] = model.losses(paths, &self.dropout);
        let total = reconstruction.clone() * self.recipe.reconstruction + adversarial.clone() + discriminator.clone();
        Ok(vec![total, reconstruction, adversarial, discriminator])
    }

    /// Sets the root of the covariance of the noise, from the codes of training frames ([`spread()`]).
    fn complete(&self, network: Networks, device: &Device) -> Result<Networks> {
        let paths = network.normalise(self.tensor(self.statistics_paths.clone(), device));
        let codes = values(network.encode(paths.clone(), None))?;
        Ok(network.with_spread(spread(&codes, &values(paths)?, &self.data.writer.layout)?))
    }

    /// Computes the root mean square error of the reconstruction, in standard deviations of the columns, and the
    /// discriminator's accuracy on recorded and reconstructed paths, 0 to 1; 0.5 is the accuracy of guessing.
    fn validate(&self, model: &Networks, device: &Device) -> Result<Vec<f32>> {
        let paths = model.normalise(self.tensor(self.validation_paths.clone(), device));
        let reconstructed = model.decode(model.encode(paths.clone(), None));
        let error = (reconstructed.clone() - paths.clone()).square().mean().sqrt().into_scalar::<f32>();
        let (real, fake) = (values(model.discriminate(paths))?, values(model.discriminate(reconstructed))?);
        let correct =
            real.iter().filter(|logit| **logit > 0.0).count() + fake.iter().filter(|logit| **logit <= 0.0).count();
        Ok(vec![error, correct as f32 / (real.len() + fake.len()).max(1) as f32])
    }
}

/// Draws random frames and returns their paths, not normalised, [count × path].
fn draw(writer: &RowWriter, source: &Source, count: usize, rng: &mut StdRng) -> Vec<f32> {
    let width = writer.layout.path().len();
    let mut paths = vec![0.0; count * width];
    for path in paths.chunks_exact_mut(width) {
        let FrameIndex { take, frame, .. } = source.draw(1, rng);
        writer.path(&source.takes()[take], frame, path);
    }
    paths
}
