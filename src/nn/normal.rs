//! Normalisation of rows by the mean and standard deviation of each column, which are stored with the weights. This is
//! the packed form; `tensor` is the form for training.

#[cfg(feature = "flex")]
mod tensor;

#[cfg(feature = "flex")]
pub use tensor::Normal;

use super::weights::Weights;
use crate::error::Result;

/// Normalises columns of rows, packed.
#[derive(Debug, Clone)]
pub struct PackedNormal {
    mean: Vec<f32>,
    deviation: Vec<f32>,
}

impl PackedNormal {
    /// Reads the normalisation `name` of a weight file.
    ///
    /// # Errors
    /// [`crate::Error::Weights`] if it is missing or has another width.
    pub fn read(weights: &Weights, name: &str, columns: usize) -> Result<Self> {
        let read = |suffix: &str| weights.tensor(&format!("{name}.{suffix}"), &[columns]);
        Ok(Self { mean: read("mean")?, deviation: read("deviation")? })
    }

    /// Returns the standard deviation of each column: the size of one normalised unit.
    pub fn deviation(&self) -> &[f32] {
        &self.deviation
    }

    /// Normalises a raw row in place. A narrower row consists of the first columns.
    pub fn normalise(&self, row: &mut [f32]) {
        for ((value, mean), deviation) in row.iter_mut().zip(&self.mean).zip(&self.deviation) {
            *value = (*value - mean) / deviation;
        }
    }

    /// Converts a normalised row to raw values in place. A narrower row consists of the first columns.
    pub fn denormalise(&self, row: &mut [f32]) {
        for ((value, mean), deviation) in row.iter_mut().zip(&self.mean).zip(&self.deviation) {
            *value = *value * deviation + mean;
        }
    }
}
