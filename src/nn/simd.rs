//! Vector arithmetic for the inner loops of [`crate::nn::matrix`], with eight sums at once.
//!
//! Wasm has 128-bit instructions, which are enabled by `-C target-feature=+simd128`. Integers are faster there: one
//! instruction multiplies eight pairs of 16-bit numbers and adds every two products, and a second one adds these to the
//! sums. In single precision, two instructions process only four products. On x86-64, `pulp` detects the features of
//! the processor and wraps 256-bit instructions. With fused multiply-add, floats need about as many instructions as
//! integers, but four times the memory.

#[cfg(target_arch = "wasm32")]
mod wasm;
#[cfg(target_arch = "x86_64")]
mod x86;

/// Arithmetic on the vectors of one instruction set.
pub trait Simd: Copy {
    /// Eight numbers.
    type Floats: Copy;
    /// Eight sums of integers.
    type Sums: Copy;
    /// Sixteen weights, two of each column.
    type Pairs: Copy;

    /// Loads numbers from memory.
    fn load_floats(self, values: &[f32; 8]) -> Self::Floats;
    /// Computes `sums + weights × value`.
    fn add_product(self, sums: Self::Floats, weights: Self::Floats, value: f32) -> Self::Floats;
    /// Stores numbers to memory.
    fn store_floats(self, sums: Self::Floats) -> [f32; 8];

    /// Returns sums of zero.
    fn zero_sums(self) -> Self::Sums;
    /// Widens weights, two of each column side by side, to 16 bits.
    fn widen(self, weights: &[i8; 16]) -> Self::Pairs;
    /// Computes `sums + weights[0] × values[0] + weights[1] × values[1]` for each column. `values`: two 16-bit numbers,
    /// the first in the low bits.
    fn add_products(self, sums: Self::Sums, weights: Self::Pairs, values: i32) -> Self::Sums;
    /// Stores sums to memory.
    fn store_sums(self, sums: Self::Sums) -> [i32; 8];
}

/// Code that runs on vectors. `call` and everything it calls must be `#[inline(always)]`; only then is it compiled
/// for the vector instructions.
pub trait Work {
    /// Runs the code.
    fn call<S: Simd>(self, simd: S);
}

/// Runs `work` on the widest vectors available.
#[inline(always)]
pub fn run(work: impl Work) {
    #[cfg(target_arch = "x86_64")]
    if let Some(simd) = x86::widest() {
        return x86::run(simd, work);
    }
    #[cfg(target_arch = "wasm32")]
    return work.call(wasm::Simd128);
    #[cfg(not(target_arch = "wasm32"))]
    work.call(Plain);
}

/// Arrays in place of vectors, for processors without a supported instruction set.
#[derive(Debug, Clone, Copy)]
pub struct Plain;

impl Simd for Plain {
    type Floats = [f32; 8];
    type Sums = [i32; 8];
    type Pairs = [i8; 16];

    #[inline(always)]
    fn load_floats(self, values: &[f32; 8]) -> [f32; 8] {
        *values
    }

    #[inline(always)]
    fn add_product(self, sums: [f32; 8], weights: [f32; 8], value: f32) -> [f32; 8] {
        std::array::from_fn(|column| sums[column] + weights[column] * value)
    }

    #[inline(always)]
    fn store_floats(self, sums: [f32; 8]) -> [f32; 8] {
        sums
    }

    #[inline(always)]
    fn zero_sums(self) -> [i32; 8] {
        [0; 8]
    }

    #[inline(always)]
    fn widen(self, weights: &[i8; 16]) -> [i8; 16] {
        *weights
    }

    #[inline(always)]
    fn add_products(self, sums: [i32; 8], weights: [i8; 16], values: i32) -> [i32; 8] {
        let (first, second) = (i32::from(values as i16), values >> 16);
        std::array::from_fn(|column| {
            sums[column] + i32::from(weights[2 * column]) * first + i32::from(weights[2 * column + 1]) * second
        })
    }

    #[inline(always)]
    fn store_sums(self, sums: [i32; 8]) -> [i32; 8] {
        sums
    }
}
