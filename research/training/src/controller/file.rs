//! Weight files of the controller.

use super::take::Take;
use super::{Data, Recipe};
use crate::checkpoint::{self, file_error, write_atomically};
use crate::experts::Mixture;
use burn::tensor::Device;
use kinestitch::error::Result;
use kinestitch::feature::controller::VERSION;
use kinestitch::method::controller::Config;
use kinestitch::method::controller::network::NAME;
use kinestitch::nn::weights::write::{NamedTensor, Precision, to_bytes};
use serde::{Deserialize, Serialize};
use std::path::Path;

/// File of [`Body`] in a run's folder.
const BODY: &str = "body.json";

/// Measurements of the recordings. Weight files contain them besides the network.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Body {
    /// Offsets of the skeleton's joints, metres.
    pub offsets: Vec<[f32; 3]>,
    /// Heights of the contact joints during contact, metres.
    pub rest: Vec<f32>,
    /// Joint states of a standing body in root space, [joints × 12].
    pub start: Vec<f32>,
}

impl Body {
    /// Measures the recordings.
    pub fn measure(data: &Data) -> Self {
        let (start, rest) = measure_standing(data);
        Self { offsets: data.offsets.iter().map(|offset| offset.to_array()).collect(), rest, start }
    }

    /// Writes the measurements to a run's folder.
    ///
    /// # Errors
    /// [`kinestitch::Error::File`] if the file cannot be written.
    pub fn save(&self, folder: &Path) -> Result<()> {
        let path = folder.join(BODY);
        std::fs::create_dir_all(folder).map_err(|error| file_error(folder, error))?;
        write_atomically(&path, &serde_json::to_vec_pretty(self).map_err(|error| file_error(&path, error))?)
    }
}

/// Encodes a network as a weight file.
///
/// # Errors
/// [`kinestitch::Error::Weights`] if a weight is out of the range of `precision`, [`kinestitch::Error::Option`] for an
/// invalid recipe.
pub fn weights(recipe: &Recipe, body: &Body, model: &Mixture, precision: Precision) -> Result<Vec<u8>> {
    let config = Config {
        sizes: recipe.sizes()?,
        character: recipe.character.clone(),
        actions: recipe.actions.clone(),
        styles: recipe.styles.clone(),
        other_styles: recipe.other_styles.len() as u8,
        offsets: body.offsets.clone(),
        rest: body.rest.clone(),
        fastest: recipe.fastest,
        generative: None,
    };
    let mut tensors = model.tensors()?;
    tensors.push(NamedTensor::vector("start", &body.start));
    to_bytes(&recipe.header.meta(NAME, VERSION, &config)?, &tensors, precision)
}

/// Creates a weight file from a run's checkpoint (`.bpk`) and the [`Body`] in the same folder.
///
/// # Errors
/// [`kinestitch::Error::File`] and [`kinestitch::Error::Weights`] if files cannot be read, or if their sizes differ
/// from those of the recipe; [`kinestitch::Error::Option`] for an invalid recipe.
pub fn export(recipe: &Recipe, checkpoint: &Path, precision: Precision) -> Result<Vec<u8>> {
    let model = Mixture::blank(&recipe.sizes()?, &Device::flex()).load(checkpoint, (NAME, VERSION), &recipe.header)?;
    weights(recipe, &checkpoint::read_json(&checkpoint.with_file_name(BODY))?, &model, precision)
}

/// Measures the joint states of the calmest standing frame of the training recordings, and the median height of each
/// contact joint during contact, metres.
fn measure_standing(data: &Data) -> (Vec<f32>, Vec<f32>) {
    let (writer, takes) = (&data.writer, data.train.takes());
    // Mean speed of the joints, with penalties for actions other than standing and for contact joints in the air.
    let unrest = |take: &Take, frame: usize| {
        let speed: f32 = (0..take.joints).map(|joint| take.joint(frame, joint).velocity.length()).sum();
        let contacts: f32 = take.contact(frame as isize, writer.layout.contacts).iter().sum();
        speed / take.joints as f32 + (1.0 - take.actions[frame][0]) * 10.0 + (writer.layout.contacts as f32 - contacts)
    };
    let frames = takes.iter().flat_map(|take| (take.stride..take.frames()).step_by(7).map(move |frame| (take, frame)));
    let calmest = frames.map(|(take, frame)| (unrest(take, frame), take, frame)).min_by(|a, b| a.0.total_cmp(&b.0));
    let mut start = vec![0.0; writer.layout.state().len()];
    if let Some((_, take, frame)) = calmest {
        writer.state(take, frame, &mut start);
    }
    let rest = writer.character.contacts.iter().enumerate().map(|(index, contact)| {
        let heights = takes.iter().flat_map(|take| {
            let is_in_contact = move |frame: &usize| take.contact(*frame as isize, writer.layout.contacts)[index] > 0.5;
            (0..take.frames()).filter(is_in_contact).map(move |frame| take.position(frame, contact.joint).y)
        });
        let mut heights: Vec<f32> = heights.collect();
        heights.sort_by(f32::total_cmp);
        heights.get(heights.len() / 2).copied().unwrap_or(0.0)
    });
    (start, rest.collect())
}
