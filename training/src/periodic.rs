//! Training of the periodic autoencoder ([`kinestitch::method::periodic`]): recipe, loss, validation and weight files.

pub mod check;
pub mod network;
pub mod source;

use crate::checkpoint;
use crate::recipe::Header;
use crate::run::{Batch, Training};
use crate::schedule::{Schedule, adamw};
use crate::takes::{Take, takes_with_shares};
use burn::optim::ModuleOptimizer;
use burn::tensor::{Device, Tensor, TensorData};
use check::advance;
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

/// Interval between the frames that are tested in validation.
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
    /// Width of the layer between the two convolutions of the encoder, and of the decoder.
    pub hidden: usize,
    /// Number of latent channels.
    pub channels: usize,
    /// Weight decay.
    pub decay: f32,
    /// Length and learning rate of the run.
    pub schedule: Schedule,
}

impl Recipe {
    /// Sizes of the network.
    pub fn sizes(&self) -> Sizes {
        Sizes { hidden: self.hidden, channels: self.channels }
    }
}

/// Trains the network of a recipe on takes grouped by data set.
pub struct PeriodicTraining<'a> {
    source: Source,
    held_out: &'a [Take],
    recipe: &'a Recipe,
}

impl<'a> PeriodicTraining<'a> {
    /// The best checkpoint has the largest share of walking frames in `held_out` whose phases advance.
    ///
    /// # Errors
    /// [`kinestitch::Error::Option`] if a set has no takes.
    pub fn new(takes: BTreeMap<String, Vec<Take>>, held_out: &'a [Take], recipe: &'a Recipe) -> Result<Self> {
        Ok(Self { source: Source::new(takes_with_shares(takes, &recipe.sets)?)?, held_out, recipe })
    }
}

impl Training for PeriodicTraining<'_> {
    type Model = Autoencoder;
    const LOG: &'static [&'static str] = &["loss"];
    const VALIDATION: &'static [&'static str] = &["stalled", "advance", "weighted"];
    const AVERAGE: Option<f32> = Some(0.999);
    const OWN_OPTIMIZER: bool = true;

    fn optimizer(&self, _: &Schedule) -> ModuleOptimizer {
        adamw(self.recipe.decay).init()
    }

    fn model(&self, from: Option<&Path>, device: &Device) -> Result<Autoencoder> {
        let seed = self.recipe.schedule.seed;
        let scale = self.source.scale(&mut StdRng::seed_from_u64(seed));
        let untrained = Autoencoder::untrained(&self.recipe.sizes(), &scale, seed, device);
        match from {
            Some(path) => checkpoint::load_over_untrained(untrained, path, is_stored),
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
        Ok(vec![model.loss(model.normalised(windows))])
    }

    /// Share of walking frames in which the phase of the strongest channel does not advance; in which it does; and the
    /// same share as a mean over all channels, weighted by amplitude.
    fn validate(&self, model: &Autoencoder, _: &Device) -> Result<Vec<f32>> {
        let bytes = encoder(self.recipe, model, Precision::F32)?;
        let found = advance(&Periodic::read(&Weights::read(&bytes)?)?, self.held_out, STRIDE)?;
        Ok(vec![1.0 - found.strongest, found.strongest, found.weighted])
    }
}

/// Whether weight files have a parameter, by its name: those of the encoder.
fn is_stored(name: &str) -> bool {
    !(name.starts_with("convolutions.2") || name.starts_with("convolutions.3"))
}

/// Weight file with the encoder of a network. The decoder is needed in training only.
///
/// # Errors
/// [`kinestitch::Error::Weights`] if it does not fit `precision`.
pub fn encoder(recipe: &Recipe, model: &Autoencoder, precision: Precision) -> Result<Vec<u8>> {
    let mut tensors = tensors(model)?;
    tensors.retain(|tensor| is_stored(&tensor.name));
    to_bytes(&recipe.header.meta(NAME, VERSION, &recipe.sizes())?, &tensors, precision)
}

/// Weight file with the encoder of a run's checkpoint (`.bpk`).
///
/// # Errors
/// [`kinestitch::Error::File`] and [`kinestitch::Error::Weights`] if it cannot be read, or has other sizes.
pub fn export(recipe: &Recipe, checkpoint: &Path, precision: Precision) -> Result<Vec<u8>> {
    let blank = Autoencoder::blank(&recipe.sizes(), &Device::flex());
    encoder(recipe, &checkpoint::load_network(blank, checkpoint)?, precision)
}
