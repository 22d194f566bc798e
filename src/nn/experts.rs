//! Expert layers: the weights of several linear layers, blended separately for every row (Zhang et al. 2018,
//! *Mode-Adaptive Neural Networks for Quadruped Motion Control*, eq. 4).
//!
//! The product of a row with blended matrices equals the blend of the products, so no blended matrix is computed. A
//! single row through DC-MoE, 474 → 256 → 256 → 414 columns with eight experts, reads 2.4 million weights. Memory
//! bandwidth is the limit, and eight-bit integers need a quarter of it. `bench experts` measures the time.

#[cfg(feature = "flex")]
mod tensor;

#[cfg(feature = "flex")]
pub use tensor::Experts;

use super::matrix::Matrix;
use super::weights::Weights;
use crate::error::Result;

/// An expert layer, packed.
#[derive(Debug, Clone)]
pub struct PackedExperts {
    weights: Vec<Matrix>,
    /// [experts × outputs].
    bias: Vec<f32>,
    outputs: usize,
}

impl PackedExperts {
    /// Reads the layer `name` of a weight file: `.weight`, [experts × inputs × outputs], and `.bias`, [experts ×
    /// outputs].
    ///
    /// # Errors
    /// [`crate::Error::Weights`] if it is missing or has another shape.
    pub fn read(weights: &Weights, name: &str, shape: [usize; 3]) -> Result<Self> {
        let [experts, _, outputs] = shape;
        let bias = weights.tensor(&format!("{name}.bias"), &[experts, outputs])?;
        Ok(Self { weights: Matrix::read_stack(weights, &format!("{name}.weight"), shape)?, bias, outputs })
    }

    /// Returns the number of output columns.
    pub fn outputs(&self) -> usize {
        self.outputs
    }

    /// Applies the layers, blended by `expert_weights`, `[experts]`, to one row, `[inputs]` → `[outputs]`.
    pub fn apply_row(&self, row: &[f32], expert_weights: &[f32], out: &mut [f32]) {
        out.fill(0.0);
        for (bias, weight) in self.bias.chunks_exact(self.outputs).zip(expert_weights) {
            out.iter_mut().zip(bias).for_each(|(out, bias)| *out += weight * bias);
        }
        Matrix::add_blend(&self.weights, expert_weights, row, out);
    }
}
