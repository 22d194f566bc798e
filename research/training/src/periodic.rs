//! Training of the periodic autoencoder ([`kinestitch::method::periodic`]): recipe, loss, validation and weight files.

pub mod check;
pub mod network;
pub mod source;

use crate::checkpoint;
use crate::recipe::Header;
use crate::run::{Batch, Training};
use crate::schedule::{Schedule, adamw};
use crate::takes::{Take, takes_with_weights};
use burn::optim::ModuleOptimizer;
use burn::tensor::{Device, Tensor, TensorData};
use check::measure_advance;
use kinestitch::error::Result;
use kinestitch::feature::periodic::{COLUMNS, VERSION, WINDOW};
use kinestitch::method::periodic::{NAME, Periodic, Sizes};
use kinestitch::nn::weights::module::tensors;
use kinestitch::nn::weights::write::{Precision, to_bytes};
use kinestitch::nn::weights::{Network, Weights};
use network::Autoencoder;
use rand::SeedableRng;
use rand::rngs::StdRng;
use serde::{Deserialize, Serialize};
use source::Source;
use std::collections::BTreeMap;
use std::path::Path;

/// Frames between the frames that validation measures.
const STRIDE: usize = 40;

/// Settings of a training run, read from a recipe file.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Recipe {
    /// Name, set and licence.
    #[serde(flatten)]
    pub header: Header,
    /// Sampling weight of each data set.
    pub sets: BTreeMap<String, f64>,
    /// Number of columns between the two convolutions of the encoder, and between those of the decoder.
    pub hidden: usize,
    /// Number of latent channels.
    pub channels: usize,
    /// Weight decay.
    pub decay: f32,
    /// Length and learning rate of the run.
    pub schedule: Schedule,
}

impl Recipe {
    /// Returns the sizes of the network.
    pub fn sizes(&self) -> Sizes {
        Sizes { hidden: self.hidden, channels: self.channels }
    }
}

/// Training of the network of a recipe, on takes grouped by data set.
pub struct PeriodicTraining<'a> {
    source: Source,
    held_out: &'a [Take],
    recipe: &'a Recipe,
}

impl<'a> PeriodicTraining<'a> {
    /// Prepares the training. `takes`: training takes by data set. `held_out`: takes for validation; the best
    /// checkpoint is the one in which the strongest channel's phase advances in the largest fraction of their
    /// walking frames.
    ///
    /// # Errors
    /// [`kinestitch::Error::Option`] if a set has no takes, or if all takes are shorter than half a window.
    pub fn new(takes: BTreeMap<String, Vec<Take>>, held_out: &'a [Take], recipe: &'a Recipe) -> Result<Self> {
        Ok(Self { source: Source::new(takes_with_weights(takes, &recipe.sets)?)?, held_out, recipe })
    }
}

impl Training for PeriodicTraining<'_> {
    type Model = Autoencoder;
    const LOG: &'static [&'static str] = &["loss"];
    const VALIDATION: &'static [&'static str] = &["stalled", "advance", "weighted"];
    const OWN_OPTIMIZER: bool = true;

    fn average(&self) -> Option<f32> {
        Some(0.999)
    }

    fn optimizer(&self, _: &Schedule) -> ModuleOptimizer {
        adamw(self.recipe.decay).init()
    }

    fn model(&self, from: Option<&Path>, device: &Device) -> Result<Autoencoder> {
        let seed = self.recipe.schedule.seed;
        let scale = self.source.scale(&mut StdRng::seed_from_u64(seed));
        let untrained = Autoencoder::untrained(&self.recipe.sizes(), &scale, seed, device);
        match from {
            Some(path) => checkpoint::load_over_untrained(untrained, path, &self.recipe.header, is_stored),
            None => Ok(untrained),
        }
    }

    fn loss(&self, model: &Autoencoder, batch: &Batch) -> Result<Vec<Tensor<1>>> {
        let lanes = batch.lanes.len();
        let mut windows = vec![0.0; lanes * WINDOW * COLUMNS];
        for (lane, window) in batch.lanes.clone().zip(windows.chunks_exact_mut(WINDOW * COLUMNS)) {
            self.source.write_window(&mut batch.rng(lane), &[1.0; COLUMNS], window);
        }
        let windows = Tensor::from_data(TensorData::new(windows, [lanes, WINDOW, COLUMNS]), batch.device);
        Ok(vec![model.loss(model.normalise(windows))])
    }

    /// Measures the fraction of walking frames in which the strongest channel's phase does not advance; the fraction in
    /// which it advances; and the mean of the latter over all channels, weighted by amplitude. Validates with the
    /// library's encoder, which reads a weight file.
    fn validate(&self, model: &Autoencoder, _: &Device) -> Result<Vec<f32>> {
        let bytes = encoder_file(self.recipe, model, Precision::F32)?;
        let advance = measure_advance(&Periodic::read(&Weights::read(&bytes)?)?, self.held_out, STRIDE)?;
        Ok(vec![1.0 - advance.strongest, advance.strongest, advance.weighted])
    }
}

/// Returns whether weight files contain a parameter: they contain the encoder's, but not the decoder's.
fn is_stored(name: &str) -> bool {
    !(name.starts_with("convolutions.2") || name.starts_with("convolutions.3"))
}

/// Encodes a weight file with the encoder of a network. Only training needs the decoder.
///
/// # Errors
/// [`kinestitch::Error::Weights`] if a weight is out of the range of `precision`.
pub fn encoder_file(recipe: &Recipe, model: &Autoencoder, precision: Precision) -> Result<Vec<u8>> {
    let mut tensors = tensors(model)?;
    tensors.retain(|tensor| is_stored(&tensor.name));
    to_bytes(&recipe.header.meta(NAME, VERSION, &recipe.sizes())?, &tensors, precision)
}

/// Creates a weight file with the encoder from a run's checkpoint (`.bpk`). Returns its bytes.
///
/// # Errors
/// [`kinestitch::Error::File`] and [`kinestitch::Error::Weights`] if the checkpoint cannot be read, or its
/// tensor shapes do not match the recipe.
pub fn export(recipe: &Recipe, checkpoint: &Path, precision: Precision) -> Result<Vec<u8>> {
    let blank = Autoencoder::blank(&recipe.sizes(), &Device::flex());
    encoder_file(recipe, &checkpoint::load_network(blank, checkpoint, &recipe.header)?, precision)
}
