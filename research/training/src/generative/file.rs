//! Weight files of generative control, and their merge into the weight file of a controller.

use super::Recipe;
use super::network::Networks;
use crate::checkpoint::{self, file_error, read_tensors};
use crate::controller;
use crate::recipe::Header;
use burn::tensor::Device;
use kinestitch::error::{Error, Result};
use kinestitch::feature::controller::VERSION;
use kinestitch::method::controller::generative::{NAME, Sizes};
use kinestitch::method::controller::{Config, Network as ControllerNetwork, network};
use kinestitch::nn::weights::module;
use kinestitch::nn::weights::write::{Precision, to_bytes};
use kinestitch::nn::weights::{Meta, Network, Weights};
use std::path::Path;

/// Encodes a weight file with encoder and decoder. The discriminator is left out, because only training needs it.
/// `header`: header of the controller's recipe.
///
/// # Errors
/// Those of [`to_bytes`].
pub fn weights(networks: &Networks, sizes: Sizes, header: &Header) -> Result<Vec<u8>> {
    let mut tensors = module::tensors(networks)?;
    tensors.retain(|tensor| Networks::is_stored(&tensor.name));
    to_bytes(&header.meta(NAME, VERSION, &sizes)?, &tensors, Precision::F32)
}

/// Creates a weight file from a run's checkpoint (`.bpk`). `controller`: the controller's recipe.
///
/// # Errors
/// [`Error::File`] and [`Error::Weights`] if the checkpoint cannot be read, or has other sizes;
/// [`Error::Option`] for an unknown character.
pub fn export(recipe: &Recipe, controller: &controller::Recipe, checkpoint: &Path) -> Result<Vec<u8>> {
    let sizes = recipe.sizes(&controller.layout()?);
    let networks = checkpoint::load_network(Networks::blank(&sizes, &Device::flex()), checkpoint, &controller.header)?;
    weights(&networks, sizes, &controller.header)
}

/// Merges generative control into a controller's weight file. Used by `train export-generative`.
///
/// # Errors
/// [`Error::File`] if the controller's file cannot be read, or if the weight sets or licences of the files differ;
/// [`Error::Weights`] if one of the files holds another network, or if their columns differ.
pub fn merge(controller_path: &Path, generative: &[u8], precision: Precision) -> Result<Vec<u8>> {
    let bytes = std::fs::read(controller_path).map_err(|error| file_error(controller_path, error))?;
    let (controller, generative) = (Weights::read(&bytes)?, Weights::read(generative)?);
    controller.check_layout(network::NAME, VERSION)?;
    generative.check_layout(NAME, VERSION)?;
    let terms = |file: &Weights| format!("\"{}\" ({})", file.meta.set, file.meta.licence);
    if terms(&generative) != terms(&controller) {
        let message = format!(
            "the weight set of generative control is {}, that of this controller is {}: use a controller of the same set",
            terms(&generative),
            terms(&controller)
        );
        return Err(file_error(controller_path, message));
    }
    let config = Config { generative: Some(generative.config()?), ..controller.config()? };
    let config = serde_json::to_value(config).map_err(|error| Error::Weights { message: error.to_string() })?;
    let mut tensors = read_tensors(&controller, |name| !name.starts_with(NAME))?;
    tensors.extend(read_tensors(&generative, |_| true)?);
    let merged = to_bytes(&Meta { config, ..controller.meta.clone() }, &tensors, precision)?;
    // Controllers of different characters, or with different actions, have other columns.
    ControllerNetwork::read(&Weights::read(&merged)?)?;
    Ok(merged)
}
