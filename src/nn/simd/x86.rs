//! 256-bit vectors of x86-64, with the safe wrappers of `pulp`.

use super::{Simd, Work};
use bytemuck::cast;
use core::arch::x86_64::{__m256, __m256i};
use pulp::NullaryFnOnce;
use pulp::x86::V3;

/// Detects AVX2 and fused multiply-add; `None` if the processor lacks them.
#[inline(always)]
pub fn widest() -> Option<V3> {
    V3::try_new()
}

/// Runs `work`, compiled for these vectors.
#[inline(always)]
pub fn run<W: Work>(simd: V3, work: W) {
    struct Call<W>(V3, W);
    impl<W: Work> NullaryFnOnce for Call<W> {
        type Output = ();
        #[inline(always)]
        fn call(self) {
            self.1.call(self.0);
        }
    }
    simd.vectorize(Call(simd, work));
}

impl Simd for V3 {
    type Floats = __m256;
    type Sums = __m256i;
    type Pairs = __m256i;

    #[inline(always)]
    fn load_floats(self, values: &[f32; 8]) -> __m256 {
        cast(*values)
    }

    #[inline(always)]
    fn add_product(self, sums: __m256, weights: __m256, value: f32) -> __m256 {
        self.fma._mm256_fmadd_ps(weights, self.avx._mm256_set1_ps(value), sums)
    }

    #[inline(always)]
    fn store_floats(self, sums: __m256) -> [f32; 8] {
        cast(sums)
    }

    #[inline(always)]
    fn zero_sums(self) -> __m256i {
        self.avx._mm256_setzero_si256()
    }

    #[inline(always)]
    fn widen(self, weights: &[i8; 16]) -> __m256i {
        self.avx2._mm256_cvtepi8_epi16(cast(*weights))
    }

    #[inline(always)]
    fn add_products(self, sums: __m256i, weights: __m256i, values: i32) -> __m256i {
        let products = self.avx2._mm256_madd_epi16(weights, self.avx._mm256_set1_epi32(values));
        self.avx2._mm256_add_epi32(sums, products)
    }

    #[inline(always)]
    fn store_sums(self, sums: __m256i) -> [i32; 8] {
        cast(sums)
    }
}
