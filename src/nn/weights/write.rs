//! Encodes tensors as the bytes of a weight file.

use super::{KEY, MAX_VALUE, Meta, SCALE, is_plausible, wrong};
use crate::error::Result;
use half::f16;
use safetensors::{Dtype, serialize, tensor::View};
use std::borrow::Cow;

/// Storage format of tensors of two and more dimensions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Precision {
    /// Four bytes per value.
    F32,
    /// Two bytes per value.
    F16,
    /// One byte per value, and a scale for each column of each matrix.
    Int8,
}

impl Precision {
    /// All formats with their names on command lines.
    pub const ALL: [(&'static str, Precision); 3] =
        [("f32", Precision::F32), ("f16", Precision::F16), ("int8", Precision::Int8)];
}

/// A tensor by its path in the network.
#[derive(Debug, Clone, PartialEq)]
pub struct NamedTensor {
    /// Path in the module.
    pub name: String,
    /// Dimensions; a matrix is [inputs × outputs].
    pub shape: Vec<usize>,
    /// Values, the last dimension innermost.
    pub values: Vec<f32>,
}

impl NamedTensor {
    /// Creates a named vector.
    pub fn vector(name: &str, values: &[f32]) -> Self {
        Self { name: name.to_owned(), shape: vec![values.len()], values: values.to_vec() }
    }
}

/// Encodes a weight file. Equal tensors always give equal bytes.
///
/// # Errors
/// [`crate::Error::Weights`] for values that are not finite or exceed half precision, and for shapes that disagree
/// with their values.
pub fn to_bytes(meta: &Meta, tensors: &[NamedTensor], precision: Precision) -> Result<Vec<u8>> {
    let mut stored = Vec::new();
    for NamedTensor { name, shape, values } in tensors {
        if shape.iter().product::<usize>() != values.len() {
            return Err(wrong(format!("tensor \"{name}\" has {} values for the shape {shape:?}", values.len())));
        }
        if let Some(value) = values.iter().find(|value| !is_plausible(**value)) {
            let message = format!("tensor \"{name}\" holds {value:e}, which is beyond {MAX_VALUE:e} or not a number");
            return Err(wrong(message));
        }
        match (precision, &shape[..]) {
            (Precision::F16, [_, _, ..]) => {
                let values: Vec<f16> = values.iter().map(|&value| f16::from_f32(value)).collect();
                if !values.iter().all(|value| value.is_finite()) {
                    return Err(wrong(format!("tensor \"{name}\" holds a value too large for half precision")));
                }
                let data = values.iter().flat_map(|value| value.to_le_bytes()).collect();
                stored.push((name.clone(), Stored { kind: Dtype::F16, shape: shape.clone(), data }));
            }
            (Precision::Int8, [stacks @ .., rows, columns]) if !values.is_empty() => {
                let (data, scales) = to_integers(values, *rows, *columns);
                stored.push((name.clone(), Stored { kind: Dtype::I8, shape: shape.clone(), data }));
                stored.push((format!("{name}{SCALE}"), store_f32(&[stacks, &[*columns]].concat(), &scales)));
            }
            _ => stored.push((name.clone(), store_f32(shape, values))),
        }
    }
    let meta = serde_json::to_string(meta).map_err(|error| wrong(error.to_string()))?;
    let metadata = [(KEY.to_owned(), meta)].into_iter().collect();
    serialize(stored, Some(metadata)).map_err(|error| wrong(error.to_string()))
}

/// Stores values in single precision.
fn store_f32(shape: &[usize], values: &[f32]) -> Stored {
    let data = values.iter().flat_map(|value| value.to_le_bytes()).collect();
    Stored { kind: Dtype::F32, shape: shape.to_vec(), data }
}

/// Rounds matrices of `rows` × `columns` to integers. Returns them as bytes, and the scale of each column of each
/// matrix.
fn to_integers(values: &[f32], rows: usize, columns: usize) -> (Vec<u8>, Vec<f32>) {
    let mut scales = Vec::with_capacity(values.len() / rows);
    let mut bytes = Vec::with_capacity(values.len());
    for matrix in values.chunks_exact(rows * columns) {
        let first = scales.len();
        scales.extend((0..columns).map(|column| choose_scale(matrix.iter().skip(column).step_by(columns))));
        for row in matrix.chunks_exact(columns) {
            bytes.extend(row.iter().zip(&scales[first..]).map(|(value, scale)| to_integer(*value, *scale) as i8 as u8));
        }
    }
    (bytes, scales)
}

/// Divides a value by its scale, rounds it, and clamps it to eight bits.
fn to_integer(value: f32, scale: f32) -> f32 {
    if scale > 0.0 { (value / scale).round().clamp(-127.0, 127.0) } else { 0.0 }
}

/// Chooses the scale of a column: the scale with the least squared error among 16 candidates. The smallest candidate
/// clips values above 0.625 of the largest value.
fn choose_scale<'a>(column: impl Iterator<Item = &'a f32> + Clone) -> f32 {
    let largest = column.clone().fold(0.0_f32, |largest, value| largest.max(value.abs()));
    let error =
        |scale: f32| -> f32 { column.clone().map(|&value| (value - scale * to_integer(value, scale)).powi(2)).sum() };
    let scales = (0..16).map(|step| largest * (1.0 - 0.025 * step as f32) / 127.0);
    scales.map(|scale| (scale, error(scale))).min_by(|a, b| a.1.total_cmp(&b.1)).map_or(0.0, |(scale, _)| scale)
}

/// A tensor as stored in the file.
struct Stored {
    kind: Dtype,
    shape: Vec<usize>,
    data: Vec<u8>,
}

impl View for Stored {
    fn dtype(&self) -> Dtype {
        self.kind
    }

    fn shape(&self) -> &[usize] {
        &self.shape
    }

    fn data(&self) -> Cow<'_, [u8]> {
        Cow::Borrowed(&self.data)
    }

    fn data_len(&self) -> usize {
        self.data.len()
    }
}
