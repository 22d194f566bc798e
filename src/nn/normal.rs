//! Mean and standard deviation of rows, stored with the weights: the packed form. [`tensor`] is the form for
//! training.

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
    /// [`crate::Error::Weights`] where it is missing or has another width.
    pub fn read(weights: &Weights, name: &str, columns: usize) -> Result<Self> {
        let read = |part: &str| weights.tensor(&format!("{name}.{part}"), &[columns]);
        Ok(Self { mean: read("mean")?, deviation: read("deviation")? })
    }

    /// Standard deviation of each column: the size of one normalised unit.
    pub fn deviation(&self) -> &[f32] {
        &self.deviation
    }

    /// Raw → normalised, in place; of narrower rows, the first columns.
    pub fn normalise(&self, row: &mut [f32]) {
        for ((value, mean), deviation) in row.iter_mut().zip(&self.mean).zip(&self.deviation) {
            *value = (*value - mean) / deviation;
        }
    }

    /// Normalised → raw, in place; of narrower rows, the first columns.
    pub fn denormalise(&self, row: &mut [f32]) {
        for ((value, mean), deviation) in row.iter_mut().zip(&self.mean).zip(&self.deviation) {
            *value = *value * deviation + mean;
        }
    }
}
