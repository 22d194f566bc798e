//! The header of recipes, the recipe of the refiner, and the refiner's weight files.

use crate::checkpoint::{self, Folder, file_error};
use crate::data::Sets;
use crate::schedule::Schedule;
use burn::tensor::Device;
use kinestitch::error::{Error, Result};
use kinestitch::method::rmr::{Config, Rmr};
use kinestitch::nn::recurrent::CellKind;
use kinestitch::nn::weights::{self, Meta, Network, Precision, Weights};
use serde::{Deserialize, Serialize};
use std::path::Path;

/// Name, weight set and licence: the first fields of a recipe. The recipes of all methods contain this header, except
/// two: the refiner's recipe has these fields itself, and generative control uses the header of its controller.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Header {
    /// Name of the run and of its weights.
    pub name: String,
    /// Weight set: `open` (any use) or `research` (no commercial use).
    pub set: String,
    /// Licence of the weights, a readable text.
    pub licence: String,
}

impl Header {
    /// Creates a header that [`Header::read_weights`] does not restrict, for commands that measure weights and make
    /// none.
    pub fn for_measurements() -> Self {
        Self { name: "measurements".to_owned(), set: "research".to_owned(), licence: String::new() }
    }

    /// Returns the weight set and the licence.
    pub fn terms(&self) -> (&str, &str) {
        (&self.set, &self.licence)
    }

    /// Creates the metadata of a weight file for a network of this name, layout version and configuration.
    ///
    /// # Errors
    /// [`Error::Weights`] if the configuration cannot be written as JSON.
    pub fn meta(&self, name: &str, layout: u32, config: &impl Serialize) -> Result<Meta> {
        let config = serde_json::to_value(config).map_err(|error| Error::Weights { message: error.to_string() })?;
        let Self { set, licence, .. } = self.clone();
        Ok(Meta { name: name.to_owned(), layout, config, set, licence })
    }

    /// Checks that the recipe uses open recordings only, unless its weight set is `research`. `names`: data sets of the
    /// recipe.
    ///
    /// # Errors
    /// [`Error::Option`] for a data set that is unknown or not open.
    pub fn check_open<'a>(&self, names: impl IntoIterator<Item = &'a String>, sets: &Sets) -> Result<()> {
        if self.set == "research" {
            return Ok(());
        }
        for name in names {
            if sets.set(name)?.weights != "open" {
                let Self { name: recipe, set, .. } = self;
                let message = format!(
                    "\"{name}\" is not open, and the weight set of \"{recipe}\" is \"{set}\": remove \"{name}\" from the \
                     recipe, or set \"set\" to \"research\""
                );
                return Err(Error::Option { option: "sets", message });
            }
        }
        Ok(())
    }

    /// Reads a weight file from which weights of this recipe are made. All commands that train on a weight file, or
    /// write a part of it into another file, read it by this function, so that open weights contain nothing of weights
    /// that are not open. An exception is `export-generative`, which requires equal weight sets and licences
    /// ([`crate::generative::file::merge`]).
    ///
    /// # Errors
    /// [`Error::File`] if it cannot be read, or if it is not open, unless the weight set of the recipe is `research`;
    /// [`Error::Weights`] if it is not a weight file.
    pub fn read_weights(&self, path: &Path) -> Result<Vec<u8>> {
        let bytes = std::fs::read(path).map_err(|error| file_error(path, error))?;
        let Meta { set: file_set, licence, .. } = Weights::read(&bytes)?.meta;
        if self.set == "research" || file_set == "open" || file_set == self.set {
            return Ok(bytes);
        }
        let Self { name, set, .. } = self;
        let message = format!(
            "the weight set of this file is \"{file_set}\" ({licence}), that of the recipe \"{name}\" is \"{set}\": use a \
             weight file of the set \"open\", or set \"set\" of the recipe to \"research\""
        );
        Err(file_error(path, message))
    }
}

/// Checks a probability of a recipe. `option`: its name.
///
/// # Errors
/// [`Error::Option`] if it is not from 0 to 1.
pub fn check_probability(option: &'static str, value: f64) -> Result<()> {
    if (0.0..=1.0).contains(&value) {
        return Ok(());
    }
    Err(Error::Option { option, message: format!("a probability, from 0 to 1, not {value}") })
}

/// Checks a dropout rate of a recipe.
///
/// # Errors
/// [`Error::Option`] if it is below 0, or not below 1.
pub fn check_dropout(rate: f64) -> Result<()> {
    if (0.0..1.0).contains(&rate) {
        return Ok(());
    }
    let message = format!("{rate} is not a dropout rate: it must be at least 0 and below 1");
    Err(Error::Option { option: "dropout", message })
}

/// Recipe of the refiner: settings of a training run, read from a file.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Recipe {
    /// Name of the run and of its weights.
    pub name: String,
    /// Data sets for training.
    pub sets: Vec<String>,
    /// Weight set: `open` or `research`.
    #[serde(default)]
    pub set: String,
    /// Licence of the weights, a readable text.
    #[serde(default)]
    pub licence: String,
    /// Schedule and optimizer.
    #[serde(flatten)]
    pub schedule: Schedule,
    /// Dropout between the recurrent layers.
    pub dropout: f64,
    /// Number of pairs that are drawn at the start and reused during the run.
    pub pairs: usize,
    /// Fraction of windows that are real seams, 0 to 1 ([`crate::seams`]).
    #[serde(default)]
    pub seams: f64,
}

impl Recipe {
    /// Returns name, weight set and licence.
    pub fn header(&self) -> Header {
        Header { name: self.name.clone(), set: self.set.clone(), licence: self.licence.clone() }
    }

    /// Returns the configuration of the network.
    pub fn config(&self) -> Config {
        Config { cell: CellKind::Bgru, dropout: self.dropout }
    }
}

/// Loads a weight file, or a checkpoint of a run (`.bpk`), into the model of a refiner recipe.
///
/// # Errors
/// [`Error::Weights`] if the file does not load, [`Error::File`] if it cannot be read.
pub fn load(recipe: &Recipe, path: &Path, device: &Device) -> Result<Rmr> {
    checkpoint::load_network(Rmr::blank(&recipe.config(), device), path, &recipe.header())
}

/// Writes the best checkpoint of a run as a weight file. Returns its size in bytes.
///
/// # Errors
/// [`Error::File`] if files cannot be read or written.
pub fn export(recipe: &Recipe, run: &Path, out: &Path, precision: Precision) -> Result<usize> {
    let config = recipe.config();
    let model = Folder::new(run)?.load_best(Rmr::blank(&config, &Device::flex()))?;
    let bytes = weights::write(&model, &config, (&recipe.set, &recipe.licence), precision)?;
    std::fs::write(out, &bytes).map_err(|error| file_error(out, error))?;
    Ok(bytes.len())
}

#[cfg(test)]
mod tests {
    use super::{Recipe, check_dropout, check_probability};
    use crate::periodic;

    const TEXT: &str = r#"{ "name": "n", "set": "open", "licence": "any", "sets": {}, "hidden": 1, "channels": 1,
        "decay": 0, "schedule": { "steps": 1, "batch": 1, "rate": 1, "warmup": 1, "seed": 1 } }"#;

    #[test]
    fn probabilities_outside_0_to_1_are_refused() {
        assert!([0.0, 0.5, 1.0].iter().all(|&value| check_probability("feedback", value).is_ok()));
        assert!([-0.1, 1.5, f64::NAN].iter().all(|&value| check_probability("feedback", value).is_err()));
    }

    #[test]
    fn dropout_rates_outside_their_range_are_refused() {
        assert!([0.0, 0.5].iter().all(|&rate| check_dropout(rate).is_ok()));
        assert!([-0.1, 1.0, f64::NAN].iter().all(|&rate| check_dropout(rate).is_err()));
    }

    #[test]
    fn the_refiners_recipe_has_no_unknown_field() {
        let text = r#"{ "name": "n", "sets": [], "steps": 1, "batch": 1, "rate": 1, "warmup": 1, "seed": 1, "every": 1,
            "dropout": 0, "pairs": 1, "seams": 0 }"#;
        let read = |text: &str| serde_json::from_str::<Recipe>(text);
        assert_eq!(read(text).unwrap().schedule.every(), 1);
        let unknown = read(&text.replace("seams", "seems")).unwrap_err().to_string();
        assert!(unknown.contains("seems"), "{unknown}");
    }

    #[test]
    fn a_recipe_has_its_header_at_the_top_and_no_unknown_field() {
        let read = |text: &str| serde_json::from_str::<periodic::Recipe>(text);
        let recipe = read(TEXT).unwrap();
        assert_eq!((recipe.header.name.as_str(), recipe.header.terms()), ("n", ("open", "any")));
        assert_eq!(serde_json::to_value(&recipe).unwrap()["licence"], "any", "written as it is read");
        let missing = read(&TEXT.replace(r#""licence": "any", "#, "")).unwrap_err().to_string();
        assert!(missing.contains("licence"), "{missing}");
        let unknown = read(&TEXT.replace("channels", "chanels")).unwrap_err().to_string();
        assert!(unknown.contains("chanels") || unknown.contains("channels"), "{unknown}");
        let added = read(&TEXT.replace(r#""hidden""#, r#""width": 2, "hidden""#)).unwrap_err().to_string();
        assert!(added.contains("width"), "{added}");
    }
}
