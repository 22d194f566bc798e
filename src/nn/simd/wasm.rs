//! WebAssembly's 128-bit vectors, two at a time.

use super::Simd;
use bytemuck::cast;
use core::arch::wasm32::*;

/// The vectors of `simd128`.
#[derive(Debug, Clone, Copy)]
pub struct Simd128;

impl Simd for Simd128 {
    type Floats = [v128; 2];
    type Sums = [v128; 2];
    type Pairs = [v128; 2];

    #[inline(always)]
    fn load_floats(self, values: &[f32; 8]) -> [v128; 2] {
        cast(*values)
    }

    #[inline(always)]
    fn add_product(self, sums: [v128; 2], weights: [v128; 2], value: f32) -> [v128; 2] {
        let value = f32x4_splat(value);
        [f32x4_add(sums[0], f32x4_mul(weights[0], value)), f32x4_add(sums[1], f32x4_mul(weights[1], value))]
    }

    #[inline(always)]
    fn store_floats(self, sums: [v128; 2]) -> [f32; 8] {
        cast(sums)
    }

    #[inline(always)]
    fn zero_sums(self) -> [v128; 2] {
        [i32x4_splat(0); 2]
    }

    #[inline(always)]
    fn widen(self, weights: &[i8; 16]) -> [v128; 2] {
        let weights = cast(*weights);
        [i16x8_extend_low_i8x16(weights), i16x8_extend_high_i8x16(weights)]
    }

    #[inline(always)]
    fn add_products(self, sums: [v128; 2], weights: [v128; 2], values: i32) -> [v128; 2] {
        let values = i32x4_splat(values);
        let add = |half: usize| i32x4_add(sums[half], i32x4_dot_i16x8(weights[half], values));
        [add(0), add(1)]
    }

    #[inline(always)]
    fn store_sums(self, sums: [v128; 2]) -> [i32; 8] {
        cast(sums)
    }
}
