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
use kinestitch::method::controller::{Config, network};
use kinestitch::nn::weights::module;
use kinestitch::nn::weights::write::{Precision, to_bytes};
use kinestitch::nn::weights::{Meta, Network, Weights};
use std::path::Path;

/// Encodes a weight file with encoder and decoder. Only training needs the discriminator. `of`: the controller's
/// header.
///
/// # Errors
/// Those of [`to_bytes`].
pub fn weights(networks: &Networks, sizes: Sizes, of: &Header) -> Result<Vec<u8>> {
    let mut all = module::tensors(networks)?;
    all.retain(|tensor| Networks::is_stored(&tensor.name));
    to_bytes(&of.meta(NAME, VERSION, &sizes)?, &all, Precision::F32)
}

/// Creates a weight file from a run's checkpoint (`.bpk`). `of`: the controller's recipe.
///
/// # Errors [`Error::File`] and [`Error::Weights`] if the checkpoint cannot be read, or has other sizes;
/// [`Error::Option`] for an unknown character.
pub fn export(recipe: &Recipe, of: &controller::Recipe, checkpoint: &Path) -> Result<Vec<u8>> {
    let sizes = recipe.sizes(&of.layout()?);
    let networks = checkpoint::load_network(Networks::blank(&sizes, &Device::flex()), checkpoint)?;
    weights(&networks, sizes, &of.header)
}

/// Merges generative control into a controller's weight file. Used by `train export-generative`.
///
/// # Errors
/// [`Error::File`] if the controller's file cannot be read, [`Error::Weights`] if they do not belong together.
pub fn merge(controller: &Path, generative: &[u8], precision: Precision) -> Result<Vec<u8>> {
    let controller = std::fs::read(controller).map_err(|error| file_error(controller, error))?;
    let (into, from) = (Weights::read(&controller)?, Weights::read(generative)?);
    into.check_layout(network::NAME, VERSION)?;
    from.check_layout(NAME, VERSION)?;
    if from.meta.licence != into.meta.licence {
        let message = format!(
            "the licence of generative control is \"{}\", the controller's is \"{}\"",
            from.meta.licence, into.meta.licence
        );
        return Err(Error::Weights { message });
    }
    let config = Config { generative: Some(from.config()?), ..into.config()? };
    let config = serde_json::to_value(config).map_err(|error| Error::Weights { message: error.to_string() })?;
    let mut all = read_tensors(&into, |name| !name.starts_with(NAME))?;
    all.extend(read_tensors(&from, |_| true)?);
    to_bytes(&Meta { config, ..into.meta.clone() }, &all, precision)
}
