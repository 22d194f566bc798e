//! Products of rows with a matrix of eight-bit integers that has a scale for each column.
//!
//! Rows are rounded to sixteen bits, each with a scale of its own. Up to 512 inputs, the rounding error is at most
//! 1/65534 of the largest value of the row, less than a hundredth of the error of the weights. Sums are exact: rows of
//! more inputs are rounded to smaller integers, so that 32 bits cannot overflow.

use super::panels::{Panels, Terms};
use crate::nn::simd::Simd;

/// Products of pairs of integers.
#[derive(Debug, Clone, Copy)]
pub struct Pairs;

impl Terms for Pairs {
    type Weights = [i8; 16];
    type Value = i32;
    type Wide<S: Simd> = S::Pairs;
    type Sums<S: Simd> = S::Sums;

    #[inline(always)]
    fn zero<S: Simd>(simd: S) -> S::Sums {
        simd.zero_sums()
    }

    #[inline(always)]
    fn widen<S: Simd>(simd: S, weights: &[i8; 16]) -> S::Pairs {
        simd.widen(weights)
    }

    #[inline(always)]
    fn add<S: Simd>(simd: S, sums: S::Sums, weights: S::Pairs, values: i32) -> S::Sums {
        simd.add_products(sums, weights, values)
    }

    #[inline(always)]
    fn store<S: Simd>(simd: S, sums: S::Sums) -> [f32; 8] {
        simd.store_sums(sums).map(|sum| sum as f32)
    }
}

/// Packs `weights`, [inputs × outputs], into panels.
pub fn pack(weights: &[i8], [inputs, outputs]: [usize; 2]) -> Panels<Pairs> {
    let weight = |input: usize, column: usize| match input < inputs && column < outputs {
        true => weights[input * outputs + column],
        false => 0,
    };
    Panels::new(inputs.div_ceil(2), outputs, |pair, first| {
        std::array::from_fn(|index| weight(2 * pair + index % 2, first + index / 2))
    })
}

/// Rounds a row to 16-bit integers, two in each element of `pairs`. Returns the value of the integer 1.
pub fn round(row: &[f32], pairs: &mut [i32]) -> f32 {
    // Positive floats have the same order as their bits, and the compiler vectorises comparisons of integers.
    let largest = row.iter().map(|value| value.abs().to_bits()).fold(0, u32::max);
    let (largest, max_integer) = (f32::from_bits(largest), max_integer(row.len()));
    let factor = if largest == 0.0 { 0.0 } else { max_integer / largest };
    let integers: &mut [i16] = bytemuck::cast_slice_mut(pairs); // little endian: the first of two is in the low bits
    for (integer, value) in integers.iter_mut().zip(row) {
        // Adding one half and truncating is faster in wasm than rounding.
        *integer = (value * factor + 0.5_f32.copysign(*value)) as i32 as i16;
    }
    largest / max_integer
}

/// Returns the largest integer of a row for which a sum of `inputs` products with 8-bit weights cannot overflow 32
/// bits.
fn max_integer(inputs: usize) -> f32 {
    ((i32::MAX as f32 / 128.0 / inputs.max(1) as f32).floor()).clamp(1.0, 32767.0)
}
