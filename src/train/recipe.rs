//! Recipes, and the weight files they make.

use crate::error::{Error, Result};
use crate::feature::layout::Refiner;
use crate::method::rmr::Rmr;
use crate::nn::normal::Normal;
use crate::nn::recurrent::CellKind;
use crate::nn::weights;
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
    /// Steps of the whole schedule.
    pub steps: usize,
    /// Windows a step.
    pub batch: usize,
    /// Largest learning rate, after warm-up; decays by a cosine to a hundredth.
    pub rate: f64,
    /// Steps of linear warm-up.
    pub warmup: usize,
    /// Dropout between the recurrent layers.
    pub dropout: f64,
    /// Pairs drawn at the start, reused over the run.
    pub pairs: usize,
    /// Seed of everything random.
    pub seed: u64,
}

impl Recipe {
    /// Reads a recipe file (JSON).
    ///
    /// # Errors
    /// [`Error::Clip`] where it cannot be read or lacks a field.
    pub fn read(path: &Path) -> Result<Self> {
        let fail = |message: String| Error::Clip { clip: path.display().to_string(), message };
        let text = std::fs::read(path).map_err(|error| fail(error.to_string()))?;
        serde_json::from_slice(&text).map_err(|error| fail(error.to_string()))
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

    /// Learning rate of a step.
    pub fn rate_at(&self, step: usize) -> f64 {
        if step < self.warmup {
            return self.rate * (step + 1) as f64 / self.warmup as f64;
        }
        let done = (step - self.warmup) as f64 / (self.steps - self.warmup).max(1) as f64;
        let floor = 0.01 * self.rate;
        floor + 0.5 * (self.rate - floor) * (1.0 + (std::f64::consts::PI * done.min(1.0)).cos())
    }
}

/// An untrained model on a device, to load weights into.
fn blank(kind: CellKind, dropout: f64, device: &Device) -> Rmr {
    let (zeros, ones) = (vec![0.0; Refiner::WIDTH], vec![1.0; Refiner::WIDTH]);
    Rmr::new(kind, Normal::new(&zeros, &ones, device), dropout, device)
}

/// The model of a recipe with the weights of a file.
///
/// # Errors
/// [`Error::Weights`] where the file does not load, [`Error::Clip`] where it cannot be read.
pub fn load(recipe: &Recipe, path: &Path, device: &Device) -> Result<Rmr> {
    let bytes = std::fs::read(path)
        .map_err(|error| Error::Clip { clip: path.display().to_string(), message: error.to_string() })?;
    weights::from_bytes(blank(recipe.cell()?, recipe.dropout, device), Refiner::VERSION, &bytes)
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
/// [`Error::Clip`] where files cannot be read or written.
pub fn export(recipe: &Recipe, run: &Path, out: &Path) -> Result<usize> {
    let fail = |path: &Path, message: String| Error::Clip { clip: path.display().to_string(), message };
    let best = run.join("best.bpk");
    let blank = blank(recipe.cell()?, recipe.dropout, &Device::flex());
    let model = blank.try_load_file(&best).map_err(|error| fail(&best, error.to_string()))?;
    let bytes = weights::to_bytes(model, Refiner::VERSION)?;
    std::fs::write(out, &bytes).map_err(|error| fail(out, error.to_string()))?;
    Ok(bytes.len())
}
