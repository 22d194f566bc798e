//! Postures of styles, measured on recordings and written into a weight file.

use super::Recipe;
use super::style::confident::confirm_labels;
use super::style::{WINDOW, rows, takes, windows};
use crate::checkpoint::read_tensors;
use crate::data::{Recording, Split};
use crate::takes::Cut;
use kinestitch::body::poses::Poses;
use kinestitch::error::{Error, Result};
use kinestitch::feature::posture::Posture;
use kinestitch::method::dcmoe::posture::TENSORS;
use kinestitch::method::dcmoe::{Config, NAME};
use kinestitch::nn::weights::Weights;
use kinestitch::nn::weights::write::{NamedTensor, Precision, to_bytes};

/// Posture of a style, with the number of windows that it was measured on.
pub struct Measured {
    /// The posture.
    pub posture: Posture,
    /// Number of one-second windows that kept their label, and number of all windows with this label.
    pub windows: [usize; 2],
}

/// Measures the postures of a recipe's styles on the training recordings and their mirror images. Uses only windows
/// whose label passes confident learning ([`confirm_labels`]).
///
/// # Errors
/// [`Error::Option`] if a style has no window whose label passes.
pub fn measure(recordings: &[Recording], recipe: &Recipe) -> Result<Vec<Measured>> {
    let takes = takes(recordings, recipe, Split::Train);
    let windows_of_take = |take: usize| windows(&takes[take].1, WINDOW).map(move |cut| (take, cut));
    let (take_indices, cuts): (Vec<usize>, Vec<Cut>) = (0..takes.len()).flat_map(windows_of_take).unzip();
    let is_confirmed = confirm_labels(&rows(&takes, WINDOW), &take_indices, recipe.styles.len());
    let measure_style = |(style, name): (usize, &String)| {
        let labelled: Vec<usize> = (0..cuts.len()).filter(|window| takes[take_indices[*window]].0 == style).collect();
        let confirmed: Vec<&Cut> =
            labelled.iter().filter(|window| is_confirmed[**window]).map(|window| &cuts[*window]).collect();
        let motions: Vec<(Poses, f32)> = confirmed
            .iter()
            .map(|cut| (cut.poses(0, WINDOW), cut.ground()))
            .flat_map(|(poses, ground)| [(poses.mirrored(), ground), (poses, ground)])
            .collect();
        let motions: Vec<(&Poses, f32)> = motions.iter().map(|(poses, ground)| (poses, *ground)).collect();
        let message = || format!("no training recording has a window of one second that shows the style {name}");
        let posture = Posture::measure(&motions).ok_or_else(|| Error::Option { option: "data", message: message() })?;
        Ok(Measured { posture, windows: [confirmed.len(), labelled.len()] })
    };
    recipe.styles.iter().enumerate().map(measure_style).collect()
}

/// Writes the postures of a recipe's styles into a weight file of DC-MoE, replacing existing ones. The file gets the
/// weight set and the licence of the recipe, because the postures are measured on its recordings.
///
/// # Errors
/// [`Error::Weights`] if the file holds another network.
pub fn add_postures(bytes: &[u8], recipe: &Recipe, postures: &[Posture], precision: Precision) -> Result<Vec<u8>> {
    let file = Weights::read(bytes)?;
    file.check_layout(NAME, super::VERSION)?;
    let config = Config { styles: recipe.styles.clone(), ..file.config()? };
    let mut tensors = read_tensors(&file, |name| !TENSORS.contains(&name))?;
    let concatenate = |values: fn(&Posture) -> Vec<f32>| postures.iter().flat_map(values).collect::<Vec<f32>>();
    let values = [
        concatenate(|posture| posture.mean.map(|mean| mean.to_array()).concat()),
        concatenate(|posture| posture.spread.map(|spread| spread.to_array()).concat()),
        concatenate(|posture| vec![posture.height]),
        concatenate(|posture| posture.speeds.to_vec()),
    ];
    tensors.extend(TENSORS.iter().zip(values).map(|(name, values)| NamedTensor::vector(name, &values)));
    to_bytes(&recipe.header.meta(NAME, super::VERSION, &config)?, &tensors, precision)
}
