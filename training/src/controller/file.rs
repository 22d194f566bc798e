//! Files of a run: checkpoints to resume from, and weight files.

use super::feet::Feet;
use super::learn::Learner;
use super::take::Take;
use super::{Data, Recipe};
use crate::checkpoint::{self, fail};
use crate::experts::normal::Normals;
use crate::own::parameters::TrainedParameters;
use kinestitch::error::{Error, Result};
use kinestitch::feature::controller::VERSION;
use kinestitch::method::controller::Config;
use kinestitch::method::controller::network::{NAME, Sizes};
use kinestitch::nn::weights::write::{Named, Precision, to_bytes};
use kinestitch::nn::weights::{Meta, Weights};
use std::path::Path;

fn meta(recipe: &Recipe, config: serde_json::Value) -> Meta {
    let (set, licence) = (recipe.set.clone(), recipe.licence.clone());
    Meta { name: NAME.to_owned(), layout: VERSION, config, set, licence }
}

/// Weight file with the averaged network.
///
/// # Errors
/// Those of [`to_bytes`].
pub fn weights(data: &Data, recipe: &Recipe, learner: &Learner, precision: Precision) -> Result<Vec<u8>> {
    let (start, rest) = standing(data);
    let config = Config {
        sizes: learner.network.sizes,
        character: recipe.character.clone(),
        gate: recipe.gate,
        actions: recipe.actions.clone(),
        styles: recipe.styles.clone(),
        offsets: data.offsets.iter().map(|offset| offset.to_array()).collect(),
        rest,
        fastest: recipe.fastest,
        generative: None,
    };
    let config = serde_json::to_value(config).map_err(|error| Error::Weights { message: error.to_string() })?;
    let mut tensors = learner.normals.stored();
    tensors.push(Named::vector("start", &start));
    tensors.extend(learner.network.parameters.iter().map(|parameter| Named {
        name: parameter.name.clone(),
        shape: parameter.shape.clone(),
        values: learner.trained.average[parameter.range()].to_vec(),
    }));
    to_bytes(&meta(recipe, config), &tensors, precision)
}

/// Joints of the calmest standing frame of the recordings, and the heights of the contact joints during contact.
fn standing(data: &Data) -> (Vec<f32>, Vec<f32>) {
    let (rows, takes) = (&data.rows, data.train.takes());
    let calm = |take: &Take, frame: usize| {
        let speed: f32 = (0..take.joints).map(|joint| take.joint(frame, joint).velocity.length()).sum();
        let touching: f32 = take.contact(frame as isize, rows.layout.contacts).iter().sum();
        speed / take.joints as f32 + (1.0 - take.actions[frame][0]) * 10.0 + (rows.layout.contacts as f32 - touching)
    };
    let frames = takes.iter().flat_map(|take| (take.stride..take.frames()).step_by(7).map(move |at| (take, at)));
    let calmest = frames.map(|(take, at)| (calm(take, at), take, at)).min_by(|a, b| a.0.total_cmp(&b.0));
    let mut start = vec![0.0; rows.layout.state().len()];
    if let Some((_, take, frame)) = calmest {
        rows.state(take, frame, &mut start);
    }
    let rest = rows.character.contacts.iter().enumerate().map(|(index, contact)| {
        let heights = takes.iter().flat_map(|take| {
            let touches = move |frame: &usize| take.contact(*frame as isize, rows.layout.contacts)[index] > 0.5;
            (0..take.frames()).filter(touches).map(move |frame| take.place(frame, contact.joint).y)
        });
        let mut heights: Vec<f32> = heights.collect();
        heights.sort_by(f32::total_cmp);
        heights.get(heights.len() / 2).copied().unwrap_or(0.0)
    });
    (start, rest.collect())
}

/// Safetensors file with the complete training state.
pub(super) fn checkpoint(recipe: &Recipe, learner: &Learner) -> Result<Vec<u8>> {
    let tensors: Vec<Named> = learner.trained.stored("").into_iter().chain(learner.normals.stored()).collect();
    to_bytes(&meta(recipe, serde_json::Value::Null), &tensors, Precision::F32)
}

pub(super) fn restore(learner: &mut Learner, path: &Path, step: usize) -> Result<()> {
    let bytes = std::fs::read(path).map_err(|error| fail(path, error))?;
    let file = Weights::read(&bytes)?;
    learner.trained.restore(&file, "", step)?;
    learner.normals = Normals::read(&file, &learner.network.sizes)?;
    Ok(())
}

/// Learner initialised from a weight file, including its statistics.
///
/// # Errors
/// [`Error::File`] and [`Error::Weights`] if it cannot be read, or has other sizes.
pub(super) fn begin(path: &Path, sizes: Sizes, feet: Feet, seed: u64) -> Result<Learner> {
    let bytes = std::fs::read(path).map_err(|error| fail(path, error))?;
    let file = Weights::read(&bytes)?;
    file.check_layout(NAME, VERSION)?;
    let mut learner = Learner::new(sizes, Normals::read(&file, &sizes)?, feet, seed);
    let mut weights = Vec::with_capacity(learner.network.len());
    for parameter in &learner.network.parameters {
        weights.extend(file.tensor(&parameter.name, &parameter.shape)?);
    }
    learner.trained = TrainedParameters::new(weights);
    Ok(learner)
}

/// Converts a weight file to another precision. Used by `train export-controller`.
///
/// # Errors
/// [`Error::File`] and [`Error::Weights`] if it cannot be read.
pub fn stored(path: &Path, precision: Precision) -> Result<Vec<u8>> {
    checkpoint::stored(path, (NAME, VERSION), precision, |_| true)
}
