//! A small network that distinguishes windows of seams from recorded ones: three linear layers and ReLU.

use crate::error::Result;
use crate::nn::activation::relu;
use crate::nn::dense::PackedDense;
use crate::nn::weights::{Weights, wrong};

/// Columns are clamped to this many standard deviations, so that the output does not diverge for unusual poses.
pub const MAX_DEVIATIONS: f32 = 4.0;

/// The network, packed for the CPU.
#[derive(Debug, Clone)]
pub struct Detector {
    /// Standard deviation of each column.
    deviation: Vec<f32>,
    layers: [PackedDense; 3],
}

impl Detector {
    /// Reads the network from a weight file. `columns`: number of columns of a projected window. `[first, second]`:
    /// widths of the two inner layers.
    ///
    /// # Errors
    /// [`crate::Error::Weights`] for tensors that are missing or have other sizes, and for a standard deviation below
    /// [`f32::EPSILON`].
    pub fn read(weights: &Weights, columns: usize, [first, second]: [usize; 2]) -> Result<Self> {
        let deviation = weights.tensor("deviation", &[columns])?;
        // `Weights::tensor` refuses values that are not finite.
        if deviation.iter().any(|deviation| *deviation < f32::EPSILON) {
            return Err(wrong("the standard deviation of a column is zero, negative or too small"));
        }
        let layer = |index: usize, shape: [usize; 2]| -> Result<PackedDense> {
            let weight = weights.tensor(&format!("detector.{index}.weight"), &shape)?;
            // In single precision even if the file stores integers: the layers are narrow, so rounding their inputs to
            // integers would cost more time than it saves.
            PackedDense::new(&weight, &weights.tensor(&format!("detector.{index}.bias"), &[shape[1]])?, shape)
        };
        let layers = [layer(0, [columns, first])?, layer(1, [first, second])?, layer(2, [second, 1])?];
        Ok(Self { deviation, layers })
    }

    /// Computes the log odds that each window is from a seam, [windows × columns] → `[windows]`. `windows`: projected
    /// windows, see [`super`].
    pub fn log_odds(&self, windows: &[f32]) -> Vec<f32> {
        let mut values = windows.to_vec();
        normalise(&mut values, &self.deviation);
        let [first, second, last] = &self.layers;
        let mut inner = first.forward(&values);
        relu(&mut inner);
        let mut inner = second.forward(&inner);
        relu(&mut inner);
        last.forward(&inner)
    }
}

/// Divides each column of rows, [rows × columns], by its standard deviation, `[columns]`, and clamps it to
/// ±[`MAX_DEVIATIONS`]. No mean is subtracted, because the bias of the projection makes it 0.
pub fn normalise(rows: &mut [f32], deviation: &[f32]) {
    for row in rows.chunks_exact_mut(deviation.len()) {
        row.iter_mut()
            .zip(deviation)
            .for_each(|(x, deviation)| *x = (*x / deviation).clamp(-MAX_DEVIATIONS, MAX_DEVIATIONS));
    }
}
