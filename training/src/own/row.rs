//! Row operations for hand-written gradients, written so that the compiler vectorises them.

/// Inner product of two rows, in sixteen partial sums so that it vectorises.
pub fn dot(a: &[f32], b: &[f32]) -> f32 {
    let mut sums = [0.0_f32; 16];
    let (a, b) = (a.chunks_exact(16), b.chunks_exact(16));
    let rest: f32 = a.remainder().iter().zip(b.remainder()).map(|(a, b)| a * b).sum();
    for (a, b) in a.zip(b) {
        for lane in 0..16 {
            sums[lane] += a[lane] * b[lane];
        }
    }
    sums.iter().sum::<f32>() + rest
}

/// Sum of a row, likewise in partial sums.
pub fn sum(row: &[f32]) -> f32 {
    let mut sums = [0.0_f32; 16];
    let chunks = row.chunks_exact(16);
    let rest: f32 = chunks.remainder().iter().sum();
    for chunk in chunks {
        for lane in 0..16 {
            sums[lane] += chunk[lane];
        }
    }
    sums.iter().sum::<f32>() + rest
}

/// Softmax in place; the row must not be empty.
pub fn softmax(row: &mut [f32]) {
    let top = row.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    row.iter_mut().for_each(|x| *x = exp(*x - top));
    let scale = 1.0 / sum(row);
    row.iter_mut().for_each(|x| *x *= scale);
}

/// e^x for x ≤ 0, with a relative error below 2e-7, in operations that vectorise: 2^n by the exponent's bits, the rest
/// by a polynomial (Cephes' `expf`).
#[inline(always)]
pub fn exp(x: f32) -> f32 {
    let scaled = x.max(-80.0) * std::f32::consts::LOG2_E;
    let whole = (scaled + 12_582_912.0) - 12_582_912.0; // nearest whole number, by rounding in the mantissa
    let part = (scaled - whole) * std::f32::consts::LN_2;
    let series = [1.987_569_1e-4, 1.398_2e-3, 8.333_452e-3, 4.166_579_6e-2, 1.666_666_6e-1, 0.5];
    let polynomial = series.iter().fold(0.0, |sum, factor| sum * part + factor);
    let power = f32::from_bits(((whole as i32 + 127) << 23) as u32);
    (polynomial * part * part + part + 1.0) * power
}
