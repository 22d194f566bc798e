//! Files of a run: checkpoints, and weight files to be merged into a controller's.

use super::learn::{Learned, Learner};
use super::spread::spread;
use crate::checkpoint::{fail, tensors};
use kinestitch::error::{Error, Result};
use kinestitch::feature::controller::{Layout, VERSION};
use kinestitch::method::controller::generative::{NAME, Sizes};
use kinestitch::method::controller::{Config, network};
use kinestitch::nn::weights::write::{Named, Precision, to_bytes};
use kinestitch::nn::weights::{Meta, Weights};
use std::path::Path;

fn meta(sizes: Sizes, (set, licence): (&str, &str)) -> Result<Meta> {
    let config = serde_json::to_value(sizes).map_err(|error| Error::Weights { message: error.to_string() })?;
    Ok(Meta { name: NAME.to_owned(), layout: VERSION, config, set: set.to_owned(), licence: licence.to_owned() })
}

/// Weight file with the averaged encoder and decoder. `rows`: normalised paths for the noise's covariance.
///
/// # Errors
/// Those of [`spread`] and [`to_bytes`].
pub fn weights(learner: &Learner, rows: &[f32], layout: &Layout, of: (&str, &str)) -> Result<Vec<u8>> {
    let Learner { sizes, normal, encoder, decoder, .. } = learner;
    let spread = spread(&encoder.averaged(rows), rows, layout)?;
    let mut all = vec![
        Named::vector(&format!("{NAME}.path.mean"), &normal.mean),
        Named::vector(&format!("{NAME}.path.deviation"), &normal.deviation),
        Named { name: format!("{NAME}.spread"), shape: vec![sizes.code; 2], values: spread },
    ];
    for (name, Learned { chain, trained, .. }) in [("encoder", encoder), ("decoder", decoder)] {
        for layer in 0..chain.layers() {
            let (shape, [weight, bias]) = chain.layer(layer);
            let name = format!("{NAME}.{name}.{layer}");
            let values = trained.average[weight].to_vec();
            all.push(Named { name: format!("{name}.weight"), shape: shape.to_vec(), values });
            all.push(Named::vector(&format!("{name}.bias"), &trained.average[bias]));
        }
    }
    to_bytes(&meta(*sizes, of)?, &all, Precision::F32)
}

/// Tensor name prefixes of the three networks in a checkpoint.
const CHECKPOINT: [&str; 3] = ["encoder.", "decoder.", "judge."];

/// Safetensors file with the complete training state.
pub(super) fn checkpoint(learner: &Learner, of: (&str, &str)) -> Result<Vec<u8>> {
    let Learner { encoder, decoder, judge, sizes, .. } = learner;
    let each = CHECKPOINT.into_iter().zip([encoder, decoder, judge]);
    let all: Vec<Named> = each.flat_map(|(name, learned)| learned.trained.stored(name)).collect();
    to_bytes(&meta(*sizes, of)?, &all, Precision::F32)
}

pub(super) fn restore(learner: &mut Learner, path: &Path, step: usize) -> Result<()> {
    let bytes = std::fs::read(path).map_err(|error| fail(path, error))?;
    let file = Weights::read(&bytes)?;
    let Learner { encoder, decoder, judge, .. } = learner;
    let mut each = CHECKPOINT.into_iter().zip([encoder, decoder, judge]);
    each.try_for_each(|(name, learned)| learned.trained.restore(&file, name, step))
}

/// Merges generative control into a controller's weight file. Used by `train export-generative`.
///
/// # Errors
/// [`Error::File`] and [`Error::Weights`] if one cannot be read, or they do not belong together.
pub fn together(controller: &Path, generative: &Path, precision: Precision) -> Result<Vec<u8>> {
    let read = |path: &Path| std::fs::read(path).map_err(|error| fail(path, error));
    let (controller, generative) = (read(controller)?, read(generative)?);
    let (into, from) = (Weights::read(&controller)?, Weights::read(&generative)?);
    into.check_layout(network::NAME, VERSION)?;
    from.check_layout(NAME, VERSION)?;
    if from.meta.licence != into.meta.licence {
        let message = format!("these are \"{}\", the controller \"{}\"", from.meta.licence, into.meta.licence);
        return Err(Error::Weights { message });
    }
    let config = Config { generative: Some(from.config()?), ..into.config()? };
    let config = serde_json::to_value(config).map_err(|error| Error::Weights { message: error.to_string() })?;
    let mut all = tensors(&into, |name| !name.starts_with(NAME))?;
    all.extend(tensors(&from, |_| true)?);
    to_bytes(&Meta { config, ..into.meta.clone() }, &all, precision)
}
