//! A matrix of eight-bit integers with a scale for each column, times rows rounded to sixteen bits.
//!
//! A row is divided by its own largest value, so the rounding error is at most 1/65534 of that: a hundredth of the
//! error of the weights. Sums are exact: the integers of a column are limited so that 32 bits cannot overflow.

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
        simd.zero()
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
    fn sums<S: Simd>(simd: S, sums: S::Sums) -> [f32; 8] {
        simd.totals(sums).map(|sum| sum as f32)
    }
}

/// Packs `weights`, [inputs × outputs], into panels.
pub fn pack(weights: &[i8], [inputs, outputs]: [usize; 2]) -> Panels<Pairs> {
    let at = |input: usize, column: usize| match input < inputs && column < outputs {
        true => weights[input * outputs + column],
        false => 0,
    };
    Panels::new(inputs.div_ceil(2), outputs, |pair, first| {
        std::array::from_fn(|index| at(2 * pair + index % 2, first + index / 2))
    })
}

/// Rounds a row to integers, two in each of `pairs`; returns their scale.
pub fn round(row: &[f32], pairs: &mut [i32]) -> f32 {
    // Positive floats are ordered like their bits; integer comparison is vectorised.
    let largest = row.iter().map(|value| value.abs().to_bits()).fold(0, u32::max);
    let (largest, most) = (f32::from_bits(largest), largest_integer(row.len()));
    let factor = if largest == 0.0 { 0.0 } else { most / largest };
    let integers: &mut [i16] = bytemuck::cast_slice_mut(pairs); // the first of two low: little endian
    for (integer, value) in integers.iter_mut().zip(row) {
        // Adding one half and truncating is faster in wasm than rounding.
        *integer = (value * factor + 0.5_f32.copysign(*value)) as i32 as i16;
    }
    largest / most
}

/// The largest integer for which a column of `inputs` weights cannot overflow 32 bits, whatever the weights.
fn largest_integer(inputs: usize) -> f32 {
    ((i32::MAX as f32 / 128.0 / inputs.max(1) as f32).floor()).clamp(1.0, 32767.0)
}
