//! Recipes, and the weight files they make.

use crate::error::{Error, Result};
use crate::feature::layout::Refiner;
use crate::method::rmr::Rmr;
use crate::nn::normal::Normal;
use crate::nn::recurrent::CellKind;
use crate::nn::weights::burnpack as weights;
use crate::train::checkpoint::{Folder, fail};
use crate::train::schedule::Schedule;
use burn::module::Module;
use burn::tensor::Device;
use serde::{Deserialize, Serialize};
use std::path::Path;

/// Recurrent layers by the names that recipes use.
pub const CELLS: [(&str, CellKind); 4] =
    [("bgru", CellKind::Bgru), ("gru", CellKind::Gru), ("blstm", CellKind::Blstm), ("lstm", CellKind::Lstm)];

/// Everything that decides what comes out, read from a recipe file.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Recipe {
    /// Name of the run and of its weights.
    pub name: String,
    /// Data sets it trains on.
    pub sets: Vec<String>,
    /// Recurrent layer: `bgru`, `gru`, `blstm`, `lstm`.
    pub cell: String,
    /// How it learns.
    #[serde(flatten)]
    pub schedule: Schedule,
    /// Dropout between the recurrent layers.
    pub dropout: f64,
    /// Pairs drawn at the start, reused over the run.
    pub pairs: usize,
}

impl Recipe {
    /// Reads a recipe file (JSON).
    ///
    /// # Errors
    /// [`Error::File`] where it cannot be read or lacks a field.
    pub fn read(path: &Path) -> Result<Self> {
        let text = std::fs::read(path).map_err(|error| fail(path, error))?;
        serde_json::from_slice(&text).map_err(|error| fail(path, error))
    }

    /// The recurrent layer.
    ///
    /// # Errors
    /// [`Error::Option`] for an unknown name.
    pub fn cell(&self) -> Result<CellKind> {
        let found = CELLS.into_iter().find(|(name, _)| *name == self.cell);
        found.map(|(_, kind)| kind).ok_or_else(|| {
            let message = format!("\"{}\" is not one of {}", self.cell, CELLS.map(|(name, _)| name).join(", "));
            Error::Option { option: "cell", message }
        })
    }
}

/// An untrained model on a device, to load weights into.
fn blank(kind: CellKind, dropout: f64, device: &Device) -> Rmr {
    let (zeros, ones) = (vec![0.0; Refiner::WIDTH], vec![1.0; Refiner::WIDTH]);
    Rmr::new(kind, Normal::new(&zeros, &ones, device), dropout, device)
}

/// The model of a recipe with the weights of a file: a weight file, or a checkpoint of a run (`.bpk`).
///
/// # Errors
/// [`Error::Weights`] where the file does not load, [`Error::File`] where it cannot be read.
pub fn load(recipe: &Recipe, path: &Path, device: &Device) -> Result<Rmr> {
    let blank = blank(recipe.cell()?, recipe.dropout, device);
    if path.extension().is_some_and(|ending| ending == "bpk") {
        return blank.try_load_file(path).map_err(|error| fail(path, error));
    }
    let bytes = std::fs::read(path).map_err(|error| fail(path, error))?;
    weights::from_bytes(blank, Refiner::VERSION, &bytes)
}

/// The model of a weight file of any recurrent layer, with that layer's name in a recipe.
///
/// # Errors
/// [`Error::Weights`] where the file does not load.
pub fn load_any(bytes: &[u8], device: &Device) -> Result<(&'static str, Rmr)> {
    let load = |(name, kind)| Ok((name, weights::from_bytes(blank(kind, 0.0, device), Refiner::VERSION, bytes)?));
    let [first, others @ ..] = CELLS;
    others.into_iter().fold(load(first), |found, cell| found.or_else(|error| load(cell).map_err(|_: Error| error)))
}

/// Writes the best checkpoint of a run as a weight file, in half precision; returns its size in bytes.
///
/// # Errors
/// [`Error::File`] where files cannot be read or written.
pub fn export(recipe: &Recipe, run: &Path, out: &Path) -> Result<usize> {
    let model = Folder::new(run)?.best(blank(recipe.cell()?, recipe.dropout, &Device::flex()))?;
    let bytes = weights::to_bytes(model, Refiner::VERSION)?;
    std::fs::write(out, &bytes).map_err(|error| fail(out, error))?;
    Ok(bytes.len())
}
