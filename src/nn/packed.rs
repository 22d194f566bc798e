//! Linear layers on slices, for inference on the CPU: weights in panels, running sums in SIMD registers.
//!
//! Beside Burn because a recurrent step is one row times a matrix, the shape a general product is slowest at: it packs
//! the whole matrix anew for every step, where this packs once. Figures: [`crate::method::rmr::network`].

use crate::error::{Error, Result};
use burn::nn::Linear;
use burn::tensor::Tensor;
use glam::Vec4;

/// Layout for whole sequences: four rows at once share each weight that is read.
pub type Sequence = Packed<4, 2>;

/// Layout for single rows.
pub type Row = Packed<1, 6>;

/// A linear layer that works on `ROWS` rows and 4 × `VECTORS` columns at once. `ROWS` × `VECTORS` is the number of running
/// sums: fewer wait for one another, and more than about eight no longer fit 16 registers beside what they are fed with.
#[derive(Debug, Clone)]
pub struct Packed<const ROWS: usize, const VECTORS: usize> {
    /// Panel after panel of 4 × `VECTORS` columns, `inputs` rows each; columns that are too many are zero.
    panels: Vec<[Vec4; VECTORS]>,
    /// One for each panel.
    bias: Vec<[Vec4; VECTORS]>,
    inputs: usize,
    outputs: usize,
}

impl<const ROWS: usize, const VECTORS: usize> Packed<ROWS, VECTORS> {
    /// Columns of a panel.
    const WIDTH: usize = 4 * VECTORS;

    /// Packs the weights of a layer.
    ///
    /// # Errors
    /// [`Error::Weights`] where there are none or they cannot be read back from their device.
    pub fn new(layer: &Linear) -> Result<Self> {
        let weight = layer.weight.val(); // [inputs, outputs]
        let [inputs, outputs] = weight.dims();
        if inputs * outputs == 0 {
            return Err(Error::Weights { message: format!("a layer from {inputs} to {outputs} columns") });
        }
        let weight = values(weight)?;
        let bias = layer.bias.as_ref().map_or(Ok(vec![0.0; outputs]), |bias| values(bias.val()))?;
        let starts = || (0..outputs).step_by(Self::WIDTH);
        let rows = starts().flat_map(|start| weight.chunks_exact(outputs).map(move |row| cut(row, start)));
        let bias = starts().map(|start| cut(&bias, start)).collect();
        Ok(Self { panels: rows.collect(), bias, inputs, outputs })
    }

    /// Columns that go in.
    pub fn inputs(&self) -> usize {
        self.inputs
    }

    /// Columns that come out.
    pub fn outputs(&self) -> usize {
        self.outputs
    }

    /// Rows, [rows × inputs] → [rows × outputs].
    pub fn forward(&self, rows: &[f32]) -> Vec<f32> {
        let mut out = vec![0.0; rows.len() / self.inputs * self.outputs];
        self.forward_into(rows, &mut out);
        out
    }

    /// The same into `out`, [rows × outputs].
    pub fn forward_into(&self, rows: &[f32], out: &mut [f32]) {
        // Panels outside: one stays in the first cache while all rows pass.
        for (index, (panel, bias)) in self.panels.chunks_exact(self.inputs).zip(&self.bias).enumerate() {
            let columns = index * Self::WIDTH..self.outputs.min((index + 1) * Self::WIDTH);
            let mut blocks = rows.chunks_exact(ROWS * self.inputs);
            let mut places = out.chunks_exact_mut(self.outputs);
            for block in &mut blocks {
                let block = std::array::from_fn(|row| &block[row * self.inputs..]);
                for (sums, place) in sums::<ROWS, VECTORS>(block, panel, bias).iter().zip(&mut places) {
                    put(sums, &mut place[columns.clone()]);
                }
            }
            for (row, place) in blocks.remainder().chunks_exact(self.inputs).zip(&mut places) {
                let [sums] = sums([row], panel, bias);
                put(&sums, &mut place[columns.clone()]);
            }
        }
    }
}

/// `rows` times a panel, plus `bias`.
#[inline(always)]
fn sums<const ROWS: usize, const VECTORS: usize>(
    rows: [&[f32]; ROWS],
    panel: &[[Vec4; VECTORS]],
    bias: &[Vec4; VECTORS],
) -> [[Vec4; VECTORS]; ROWS] {
    let mut sums = [*bias; ROWS];
    let rows = rows.map(|row| &row[..panel.len()]); // spares a check of bounds for every product
    for (k, weights) in panel.iter().enumerate() {
        for row in 0..ROWS {
            let value = Vec4::splat(rows[row][k]);
            for vector in 0..VECTORS {
                sums[row][vector] += value * weights[vector];
            }
        }
    }
    sums
}

/// Writes the first columns of a panel's sums, as many as there is room for.
#[inline(always)]
fn put(sums: &[Vec4], out: &mut [f32]) {
    for (sum, out) in sums.iter().zip(out.chunks_mut(4)) {
        match out.len() {
            4 => sum.write_to_slice(out),
            rest => out.copy_from_slice(&sum.to_array()[..rest]),
        }
    }
}

/// Vectors of `row` from a column on; zero beyond its end.
fn cut<const VECTORS: usize>(row: &[f32], start: usize) -> [Vec4; VECTORS] {
    let at = |column: usize| row.get(column).copied().unwrap_or(0.0);
    std::array::from_fn(|vector| Vec4::from_array(std::array::from_fn(|lane| at(start + 4 * vector + lane))))
}

/// A tensor's values. With WebGPU they cannot be had without waiting.
///
/// # Errors
/// [`Error::Weights`] where they cannot be read back from their device.
pub fn values<const D: usize>(tensor: Tensor<D>) -> Result<Vec<f32>> {
    let fail =
        |message: String| Error::Weights { message: format!("weights cannot be read from the device: {message}") };
    let data = tensor.try_into_data().map_err(|error| fail(error.to_string()))?;
    data.try_into_vec().map_err(|error| fail(format!("{error:?}")))
}
