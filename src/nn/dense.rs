//! Linear layers in packed form. The form on tensors is Burn's `Linear`.

use super::matrix::Matrix;
use super::weights::{Weights, wrong};
use crate::error::Result;

/// A linear layer, packed.
#[derive(Debug, Clone)]
pub struct PackedDense {
    weight: Matrix,
    bias: Vec<f32>,
}

impl PackedDense {
    /// Packs a layer of `weight`, [inputs × outputs], and `bias`, `[outputs]`. `shape`: [inputs, outputs].
    ///
    /// # Errors
    /// [`crate::Error::Weights`] if a size disagrees with `shape`.
    pub fn new(weight: &[f32], bias: &[f32], shape: [usize; 2]) -> Result<Self> {
        if bias.len() != shape[1] {
            return Err(wrong(format!("a bias of {} columns for a layer with {} outputs", bias.len(), shape[1])));
        }
        Ok(Self { weight: Matrix::new(weight, shape)?, bias: bias.to_vec() })
    }

    /// Reads the layer `name` of a weight file.
    ///
    /// # Errors
    /// [`crate::Error::Weights`] if it is missing or has another shape.
    pub fn read(weights: &Weights, name: &str, [inputs, outputs]: [usize; 2]) -> Result<Self> {
        let weight = Matrix::read(weights, &format!("{name}.weight"), [inputs, outputs])?;
        Ok(Self { weight, bias: weights.tensor(&format!("{name}.bias"), &[outputs])? })
    }

    /// Returns the number of input columns.
    pub fn inputs(&self) -> usize {
        self.weight.inputs()
    }

    /// Returns the number of output columns.
    pub fn outputs(&self) -> usize {
        self.weight.outputs()
    }

    /// Applies the layer to rows, [rows × inputs] → [rows × outputs].
    pub fn forward(&self, rows: &[f32]) -> Vec<f32> {
        let mut out = vec![0.0; rows.len() / self.inputs() * self.outputs()];
        self.forward_into(rows, &mut out);
        out
    }

    /// Applies the layer to rows, [rows × inputs], and writes the result into `out`, [rows × outputs].
    pub fn forward_into(&self, rows: &[f32], out: &mut [f32]) {
        self.weight.multiply(rows, &self.bias, out);
    }
}
