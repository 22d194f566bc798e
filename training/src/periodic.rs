//! Training of the periodic autoencoder: recipe, loop and checkpoints. Forward and backward pass are written over
//! slices ([`step`]). `tests/periodic.rs` checks the gradients against differences of the loss.

pub mod check;
pub mod source;
pub mod step;

use crate::checkpoint::{Folder, State, fail, stored};
use crate::own::parameters::{TrainedParameters, sum};
use crate::own::{self, Learning};
use crate::run::Run;
use crate::schedule::Level;
use crate::takes::{Take, of_shares};
use check::advance;
use kinestitch::error::{Error, Result};
use kinestitch::feature::periodic::{COLUMNS, VERSION, WINDOW};
use kinestitch::method::periodic::{NAME, Periodic, Sizes};
use kinestitch::nn::weights::write::{Named, Precision, to_bytes};
use kinestitch::nn::weights::{Meta, Weights};
use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};
use serde::{Deserialize, Serialize};
use source::Source;
use std::collections::BTreeMap;
use std::path::Path;
use step::{Network, Pass};

/// Decay of the running average of the weights.
const AVERAGE: f32 = 0.999;
/// Stride between the walking frames of validation.
const STRIDE: usize = 40;

/// Settings of a training run, read from a recipe file.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Recipe {
    /// Name of the run and of its weights.
    pub name: String,
    /// Weight set: `open` or `research`.
    pub set: String,
    /// Permitted use of the weights, in words.
    pub licence: String,
    /// Relative frequency of windows from each set.
    pub sets: BTreeMap<String, f64>,
    /// Columns between the two convolutions.
    pub hidden: usize,
    /// Number of latent channels.
    pub channels: usize,
    /// Weight decay.
    pub decay: f32,
    /// Length and learning rate of the run.
    pub schedule: Level,
}

/// Random weights, zero biases.
pub fn initial(network: &Network, seed: u64) -> Vec<f32> {
    let mut rng = StdRng::seed_from_u64(seed);
    let mut weights = vec![0.0; network.len()];
    for parameter in network.parameters.iter().filter(|parameter| parameter.name.ends_with("weight")) {
        let [inputs, outputs] = match parameter.name.starts_with("shift") {
            true => [WINDOW, 2],
            false => [parameter.shape[0], parameter.shape[1]],
        };
        let bound = (6.0 / (inputs + outputs) as f32).sqrt();
        weights[parameter.range.clone()].iter_mut().for_each(|weight| *weight = rng.random_range(-bound..bound));
    }
    weights
}

/// A model in training.
struct Training<'a> {
    network: Network,
    trained: TrainedParameters,
    scale: Vec<f32>,
    source: Source,
    held_out: &'a [Take],
    recipe: &'a Recipe,
    pass: Pass,
    gradient: Vec<f32>,
}

impl Learning for Training<'_> {
    const PARTS: &'static [&'static str] = &["loss"];

    fn learn(&mut self, step: usize) -> Vec<f32> {
        let Self { network, trained, scale, source, recipe, pass, gradient, .. } = self;
        // Seeded by step, so that a resumed run draws the same as an uninterrupted one.
        let mut rng =
            StdRng::seed_from_u64(recipe.schedule.seed ^ (step as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15));
        let share = 1.0 / recipe.schedule.batch as f32;
        let (mut loss, mut window) = (0.0, vec![0.0; WINDOW * COLUMNS]);
        gradient.fill(0.0);
        for _ in 0..recipe.schedule.batch {
            source.window(&mut rng, scale, &mut window);
            loss += share * network.learn(&trained.weights, &window, share, Some(gradient), pass);
        }
        let norm = sum(gradient, [].into_iter());
        let update = trained.update(recipe.schedule.rate_at(step) as f32, AVERAGE, norm, 1);
        trained.step += 1;
        let TrainedParameters { weights, average, moments: [first, second], .. } = trained;
        update.adam(recipe.decay, [weights, average], [first, second], gradient);
        vec![loss]
    }

    fn errors(&self) -> Vec<String> {
        ["advance", "weighted"].map(str::to_owned).to_vec()
    }

    fn validate(&self) -> (f32, Vec<f32>) {
        let found = self.network().and_then(|bytes| Periodic::read(&Weights::read(&bytes)?));
        // Reads the bytes just written, which cannot fail.
        let found = found.and_then(|network| advance(&network, self.held_out, STRIDE)).unwrap_or_default();
        (1.0 - found.strongest, vec![found.strongest, found.weighted])
    }

    fn network(&self) -> Result<Vec<u8>> {
        weights(&self.network, &self.trained.average, &self.scale, self.recipe, Precision::F32)
    }

    fn checkpoint(&self) -> Result<Vec<u8>> {
        let mut tensors = self.trained.stored("");
        tensors.push(Named::vector("scale", &self.scale));
        to_bytes(&meta(self.recipe)?, &tensors, Precision::F32)
    }
}

/// Trains by a recipe on takes by set ([`own::train`]). The best checkpoint has the largest share of walking frames in
/// `held_out` whose phases advance.
///
/// # Errors
/// [`Error::File`] if files cannot be read or written, [`Error::Weights`] for weights of other sizes, [`Error::Option`]
/// if a set has no takes or the loss is not finite.
pub fn train(takes: BTreeMap<String, Vec<Take>>, held_out: &[Take], recipe: &Recipe, run: &Run) -> Result<State> {
    let folder = Folder::new(&run.folder)?;
    let source = Source::new(of_shares(takes, &recipe.sets)?)?;
    let network = Network::new(Sizes { hidden: recipe.hidden, channels: recipe.channels });
    let (mut scale, mut trained) = (Vec::new(), TrainedParameters::new(initial(&network, recipe.schedule.seed)));
    let resumed = if run.resume { folder.state()? } else { None };
    match &resumed {
        Some(state) => {
            let path = folder.file("last.safetensors");
            let bytes = std::fs::read(&path).map_err(|error| fail(&path, error))?;
            let file = Weights::read(&bytes)?;
            trained.restore(&file, "", state.step)?;
            scale.extend(file.tensor("scale", &[COLUMNS])?);
        }
        None => scale.extend(source.scale(&mut StdRng::seed_from_u64(recipe.schedule.seed))),
    }
    let gradient = vec![0.0; network.len()];
    let mut training = Training { network, trained, scale, source, held_out, recipe, pass: Pass::default(), gradient };
    own::train(&mut training, resumed.unwrap_or(State::START), &recipe.schedule, run)
}

fn meta(recipe: &Recipe) -> Result<Meta> {
    let sizes = Sizes { hidden: recipe.hidden, channels: recipe.channels };
    let config = serde_json::to_value(sizes).map_err(|error| Error::Weights { message: error.to_string() })?;
    let (set, licence) = (recipe.set.clone(), recipe.licence.clone());
    Ok(Meta { name: NAME.to_owned(), layout: VERSION, config, set, licence })
}

/// Weight file with the network.
///
/// # Errors
/// Those of [`to_bytes`].
pub fn weights(network: &Network, values: &[f32], scale: &[f32], recipe: &Recipe, kind: Precision) -> Result<Vec<u8>> {
    let mut tensors = vec![Named::vector("scale", scale)];
    tensors.extend(network.parameters.iter().map(|parameter| Named {
        name: parameter.name.clone(),
        shape: parameter.shape.clone(),
        values: values[parameter.range.clone()].to_vec(),
    }));
    to_bytes(&meta(recipe)?, &tensors, kind)
}

/// Encoder of a weight file in another precision. Used by `train export-periodic`. The decoder is needed in training
/// only.
///
/// # Errors
/// [`Error::File`] and [`Error::Weights`] if it cannot be read.
pub fn encoder(path: &Path, precision: Precision) -> Result<Vec<u8>> {
    let decodes = |name: &str| name.starts_with("convolutions.2") || name.starts_with("convolutions.3");
    stored(path, (NAME, VERSION), precision, |name| !decodes(name))
}
