//! Postures of the styles that recordings are of, measured and put into a weight file.

use super::Recipe;
use crate::error::{Error, Result};
use crate::feature::delta::Poses;
use crate::feature::posture::Posture;
use crate::method::dcmoe::posture::TENSORS;
use crate::method::dcmoe::{Config, NAME};
use crate::nn::weights::Weights;
use crate::nn::weights::write::{Named, Precision, to_bytes};
use crate::train::data::{Recording, Split};
use crate::train::takes::Take;

/// The postures of a recipe's styles, of recordings that train and their mirror images.
///
/// # Errors
/// [`Error::Option`] for a style without recordings.
pub fn measured(recordings: &[Recording], recipe: &Recipe) -> Result<Vec<Posture>> {
    let trains = |recording: &&Recording| recording.split == Split::Train && recipe.wants(recording).is_some();
    let posture = |style: &String| {
        let own = recordings.iter().filter(trains).filter(|recording| recording.style == *style).map(Take::of);
        let both: Vec<(Poses, f32)> =
            own.flat_map(|take| [(take.poses.mirrored(), take.ground), (take.poses, take.ground)]).collect();
        let seen: Vec<(&Poses, f32)> = both.iter().map(|(poses, ground)| (poses, *ground)).collect();
        let message = || format!("no recordings of the style {style} to train on");
        Posture::of(&seen).ok_or_else(|| Error::Option { option: "data", message: message() })
    };
    recipe.styles.iter().map(posture).collect()
}

/// A weight file of DC-MoE with these postures, in place of those it may have.
///
/// # Errors
/// [`Error::Weights`] where it is none of DC-MoE.
pub fn dressed(bytes: &[u8], styles: &[String], postures: &[Posture], precision: Precision) -> Result<Vec<u8>> {
    let file = Weights::read(bytes)?;
    file.expect(NAME, super::VERSION)?;
    let config = Config { styles: styles.to_vec(), ..file.config()? };
    let config = serde_json::to_value(config).map_err(|error| Error::Weights { message: error.to_string() })?;
    let own = file.names().into_iter().filter(|name| !TENSORS.contains(name));
    let tensor = |name: &str| {
        let shape = file.shape(name).unwrap_or_default();
        Ok(Named { name: name.to_owned(), values: file.tensor(name, &shape)?, shape })
    };
    let mut tensors: Vec<Named> = own.map(tensor).collect::<Result<_>>()?;
    let means: Vec<f32> = postures.iter().flat_map(|one| one.mean.iter().flat_map(|mean| mean.to_array())).collect();
    let spreads: Vec<f32> = postures.iter().flat_map(|one| one.spread).collect();
    let heights: Vec<f32> = postures.iter().map(|one| one.height).collect();
    tensors.extend(TENSORS.iter().zip([means, spreads, heights]).map(|(name, values)| Named::vector(name, &values)));
    to_bytes(&crate::nn::weights::Meta { config, ..file.meta.clone() }, &tensors, precision)
}
