//! A matrix in single precision.

use super::panels::{Panels, Terms};
use crate::nn::simd::Simd;

/// Products of single-precision numbers.
#[derive(Debug, Clone, Copy)]
pub struct Floats;

impl Terms for Floats {
    type Weights = [f32; 8];
    type Value = f32;
    type Wide<S: Simd> = S::Floats;
    type Sums<S: Simd> = S::Floats;

    #[inline(always)]
    fn zero<S: Simd>(simd: S) -> S::Floats {
        simd.load_floats(&[0.0; 8])
    }

    #[inline(always)]
    fn widen<S: Simd>(simd: S, weights: &[f32; 8]) -> S::Floats {
        simd.load_floats(weights)
    }

    #[inline(always)]
    fn add<S: Simd>(simd: S, sums: S::Floats, weights: S::Floats, value: f32) -> S::Floats {
        simd.add_product(sums, weights, value)
    }

    #[inline(always)]
    fn store<S: Simd>(simd: S, sums: S::Floats) -> [f32; 8] {
        simd.store_floats(sums)
    }
}

/// Packs `weights`, [inputs × outputs], into panels.
pub fn pack(weights: &[f32], [inputs, outputs]: [usize; 2]) -> Panels<Floats> {
    Panels::new(inputs, outputs, |input, first| {
        let weight = |column: usize| if column < outputs { weights[input * outputs + column] } else { 0.0 };
        std::array::from_fn(|offset| weight(first + offset))
    })
}
