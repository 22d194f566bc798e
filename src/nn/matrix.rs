//! Matrices for inference on the CPU, packed once into panels that the inner loop reads sequentially.
//!
//! They replace Burn's products because a recurrent step multiplies one row with a matrix. General products are slow in
//! this case: they pack the whole matrix in every step. The storage in the weight file decides the arithmetic: integers
//! are multiplied as integers ([`integer`]), all other values in single precision ([`float`]).

pub mod float;
pub mod integer;
mod panels;

use super::weights::{Stored, Weights, wrong};
use crate::error::Result;
use float::Floats;
use integer::Pairs;
use panels::Panels;

/// A matrix, [inputs × outputs].
#[derive(Debug, Clone)]
pub struct Matrix {
    inputs: usize,
    outputs: usize,
    kind: Kind,
}

/// Weights in one of the two arithmetics.
#[derive(Debug, Clone)]
enum Kind {
    Float(Panels<Floats>),
    /// Integers, and the scale of each column.
    Integer(Panels<Pairs>, Vec<f32>),
}

impl Matrix {
    /// Packs a matrix in single precision from `weights`, [inputs × outputs], in row-major order.
    ///
    /// # Errors
    /// [`crate::Error::Weights`] if the number of weights is wrong or zero.
    pub fn new(weights: &[f32], [inputs, outputs]: [usize; 2]) -> Result<Self> {
        if weights.is_empty() || weights.len() != inputs * outputs {
            return Err(wrong(format!("{} weights for {inputs} inputs and {outputs} outputs", weights.len())));
        }
        Ok(Self { inputs, outputs, kind: Kind::Float(float::pack(weights, [inputs, outputs])) })
    }

    /// Reads a tensor of a weight file.
    ///
    /// # Errors
    /// [`crate::Error::Weights`] if no tensor has this name and shape, or it is empty.
    pub fn read(weights: &Weights, name: &str, shape: [usize; 2]) -> Result<Self> {
        let [inputs, outputs] = shape;
        let mut matrices = Self::read_stack(weights, name, [1, inputs, outputs])?;
        // The stack has exactly one matrix.
        Ok(matrices.swap_remove(0))
    }

    /// Reads the matrices of a tensor of a weight file, [matrices × inputs × outputs].
    ///
    /// # Errors
    /// [`crate::Error::Weights`] if no tensor has this name and shape, or it is empty.
    pub fn read_stack(weights: &Weights, name: &str, [count, inputs, outputs]: [usize; 3]) -> Result<Vec<Self>> {
        let size = inputs * outputs;
        if count * size == 0 {
            return Err(wrong(format!("tensor \"{name}\" is empty")));
        }
        let is_matrix = weights.shape(name).is_some_and(|shape| shape.len() == 2);
        let shape: &[usize] = if is_matrix && count == 1 { &[inputs, outputs] } else { &[count, inputs, outputs] };
        match weights.stored(name, shape)? {
            Stored::Floats(values) => {
                values.chunks_exact(size).map(|matrix| Self::new(matrix, [inputs, outputs])).collect()
            }
            Stored::Integers(values, scales) => {
                let matrices = values.chunks_exact(size).zip(scales.chunks_exact(outputs)).map(|(values, scales)| {
                    let panels = integer::pack(values, [inputs, outputs]);
                    Self { inputs, outputs, kind: Kind::Integer(panels, scales.to_vec()) }
                });
                Ok(matrices.collect())
            }
        }
    }

    /// Returns the number of input columns.
    pub fn inputs(&self) -> usize {
        self.inputs
    }

    /// Returns the number of output columns.
    pub fn outputs(&self) -> usize {
        self.outputs
    }

    /// Multiplies rows, [rows × inputs], with the matrix, adds `bias`, `[outputs]`, and writes the result into `out`,
    /// [rows × outputs].
    pub fn multiply(&self, rows: &[f32], bias: &[f32], out: &mut [f32]) {
        match &self.kind {
            Kind::Float(panels) => {
                panels.multiply(rows, out);
                for out in out.chunks_exact_mut(self.outputs) {
                    out.iter_mut().zip(bias).for_each(|(out, bias)| *out += bias);
                }
            }
            Kind::Integer(panels, scales) => {
                let RoundedRows { pairs, scales: row_scales } = RoundedRows::new(rows, self.inputs);
                panels.multiply(&pairs, out);
                for (out, row_scale) in out.chunks_exact_mut(self.outputs).zip(row_scales) {
                    for ((out, scale), bias) in out.iter_mut().zip(scales).zip(bias) {
                        *out = *out * (scale * row_scale) + bias;
                    }
                }
            }
        }
    }

    /// Multiplies `row`, `[inputs]`, with the sum of `matrices` weighted by `factors`, and adds the result to `out`,
    /// `[outputs]`. All matrices must have the same shape.
    pub fn add_blend(matrices: &[Self], factors: &[f32], row: &[f32], out: &mut [f32]) {
        let rounded = RoundedRows::new(row, row.len());
        let mut product = vec![0.0; out.len()];
        // The products are summed instead of the matrices, which would read and write every weight once more.
        for (matrix, factor) in matrices.iter().zip(factors).filter(|(_, factor)| factor.abs() > MIN_FACTOR) {
            match &matrix.kind {
                Kind::Float(panels) => {
                    panels.multiply(row, &mut product);
                    out.iter_mut().zip(&product).for_each(|(out, product)| *out += factor * product);
                }
                Kind::Integer(panels, scales) => {
                    panels.multiply(&rounded.pairs, &mut product);
                    let factor = factor * rounded.scales.first().unwrap_or(&0.0);
                    for ((out, product), scale) in out.iter_mut().zip(&product).zip(scales) {
                        *out += product * (scale * factor);
                    }
                }
            }
        }
    }
}

/// Matrices with a smaller factor are skipped, because their contribution is about as small as rounding errors.
const MIN_FACTOR: f32 = 1e-6;

/// Rows rounded to integers.
struct RoundedRows {
    /// [rows × ⌈inputs / 2⌉]; two 16-bit integers in each element, the first in the low bits.
    pairs: Vec<i32>,
    /// Scale of the integers of each row.
    scales: Vec<f32>,
}

impl RoundedRows {
    fn new(rows: &[f32], inputs: usize) -> Self {
        let depth = inputs.div_ceil(2);
        let mut pairs = vec![0; rows.len() / inputs.max(1) * depth];
        let rows = rows.chunks_exact(inputs.max(1)).zip(pairs.chunks_exact_mut(depth.max(1)));
        let scales = rows.map(|(row, pairs)| integer::round(row, pairs)).collect();
        Self { pairs, scales }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::nn::weights::write::{NamedTensor, to_bytes};
    use crate::nn::weights::{Meta, Precision};

    fn wave(count: usize, step: f32) -> Vec<f32> {
        (0..count).map(|index| (step * index as f32).sin() * (0.1 + (index % 7) as f32)).collect()
    }

    /// Reference result in double precision.
    fn reference(rows: &[f32], weights: &[f32], bias: &[f32], [inputs, outputs]: [usize; 2]) -> Vec<f32> {
        let sum = |row: &[f32], column: usize| {
            let terms = row.iter().enumerate().map(|(k, x)| f64::from(*x) * f64::from(weights[k * outputs + column]));
            (terms.sum::<f64>() + f64::from(bias[column])) as f32
        };
        rows.chunks_exact(inputs).flat_map(|row| (0..outputs).map(move |column| sum(row, column))).collect()
    }

    fn file(tensor: &NamedTensor, precision: Precision) -> Vec<u8> {
        let empty = String::new;
        let meta = Meta { name: empty(), layout: 0, config: 0.into(), set: empty(), licence: empty() };
        to_bytes(&meta, std::slice::from_ref(tensor), precision).unwrap()
    }

    fn assert_close(actual: &[f32], expected: &[f32], tolerance: f32, case: &str) {
        let largest = expected.iter().fold(0.0_f32, |largest, value| largest.max(value.abs()));
        for (actual, expected) in actual.iter().zip(expected) {
            assert!((actual - expected).abs() <= tolerance * largest, "{case}: {actual} instead of {expected}");
        }
    }

    #[test]
    fn both_kinds_compute_the_product_with_the_stored_weights() {
        for shape @ [inputs, outputs] in [[1, 1], [2, 8], [21, 60], [161, 33], [256, 768], [1030, 9]] {
            let tensor =
                NamedTensor { name: "w".to_owned(), shape: shape.to_vec(), values: wave(inputs * outputs, 0.7) };
            for (name, precision) in Precision::ALL {
                let bytes = file(&tensor, precision);
                let weights = Weights::read(&bytes).unwrap();
                let stored = weights.tensor("w", &shape).unwrap();
                let matrix = Matrix::read(&weights, "w", shape).unwrap();
                assert_eq!(matches!(matrix.kind, Kind::Integer(..)), precision == Precision::Int8);
                for count in [0, 1, 3, 4, 5, 9] {
                    let (rows, bias) = (wave(count * inputs, 0.31), wave(outputs, 1.3));
                    let mut out = vec![0.0; count * outputs];
                    matrix.multiply(&rows, &bias, &mut out);
                    let tolerance = if precision == Precision::Int8 { 1e-3 } else { 1e-5 };
                    let expected = reference(&rows, &stored, &bias, shape);
                    assert_close(&out, &expected, tolerance, &format!("{name} {shape:?} {count}"));
                }
            }
        }
    }

    #[test]
    fn the_largest_sums_of_integers_do_not_overflow() {
        for inputs in [2, 512, 513, 4096] {
            let weights = vec![1.0; inputs * 8];
            let tensor = NamedTensor { name: "w".to_owned(), shape: vec![inputs, 8], values: weights.clone() };
            let bytes = file(&tensor, Precision::Int8);
            let matrix = Matrix::read(&Weights::read(&bytes).unwrap(), "w", [inputs, 8]).unwrap();
            for sign in [1.0, -1.0] {
                let mut out = vec![0.0; 8];
                matrix.multiply(&vec![3.0 * sign; inputs], &[0.0; 8], &mut out);
                assert_close(&out, &[3.0 * sign * inputs as f32; 8], 1e-4, &format!("{inputs}"));
            }
        }
    }

    #[test]
    fn a_blend_is_the_product_with_the_sum_of_the_matrices() {
        let (shape, factors) = ([3, 20, 30], [0.7, 0.0, 0.3]);
        let tensor = NamedTensor { name: "w".to_owned(), shape: shape.to_vec(), values: wave(3 * 600, 0.7) };
        for (name, precision) in Precision::ALL {
            let bytes = file(&tensor, precision);
            let weights = Weights::read(&bytes).unwrap();
            let stored = weights.tensor("w", &shape).unwrap();
            let sum: Vec<f32> = (0..600).map(|index| 0.7 * stored[index] + 0.3 * stored[1200 + index]).collect();
            let (row, bias) = (wave(20, 0.31), wave(30, 1.3));
            let mut out = bias.clone();
            Matrix::add_blend(&Matrix::read_stack(&weights, "w", shape).unwrap(), &factors, &row, &mut out);
            assert_close(&out, &reference(&row, &sum, &bias, [20, 30]), 1e-3, name);
        }
    }

    #[test]
    fn zero_rows_give_the_bias_and_nan_gives_nan() {
        let tensor = NamedTensor { name: "w".to_owned(), shape: vec![4, 3], values: wave(12, 0.7) };
        for (name, precision) in Precision::ALL {
            let bytes = file(&tensor, precision);
            let matrix = Matrix::read(&Weights::read(&bytes).unwrap(), "w", [4, 3]).unwrap();
            let mut out = vec![7.0; 3];
            matrix.multiply(&[0.0; 4], &[1.0, 2.0, 3.0], &mut out);
            assert_eq!(out, [1.0, 2.0, 3.0], "{name}");
            matrix.multiply(&[0.0, f32::NAN, 0.0, 0.0], &[0.0; 3], &mut out);
            assert!(out.iter().all(|value| value.is_nan()), "{name}: {out:?}");
        }
    }
}
