//! Self-attention over the tokens of a window, with a bias by distance, packed for the CPU.
//!
//! Windows are short (at most some 130 tokens), so the scores of one query fit the first-level cache; queries, keys
//! and values are read where the dense layer before wrote them.

use super::activation::softmax;
use glam::Vec4;

/// Heads of an attention and its bias by distance.
#[derive(Debug, Clone)]
pub struct Attention {
    width: usize,
    heads: usize,
    reach: usize,
    /// [heads, 2 × reach + 1].
    bias: Vec<f32>,
}

impl Attention {
    /// `bias` is [heads, 2 × reach + 1]; column `reach` is for the token itself, later columns for later keys. `None`
    /// where the bias has another size, or the width of a head is not a multiple of four.
    pub fn new(width: usize, heads: usize, reach: usize, bias: Vec<f32>) -> Option<Self> {
        let fits = heads > 0 && width.is_multiple_of(4 * heads) && bias.len() == heads * (2 * reach + 1);
        fits.then_some(Self { width, heads, reach, bias })
    }

    /// Mixes queries, keys and values, [tokens × 3 × width], into [tokens × width].
    pub fn forward_into(&self, qkv: &[f32], out: &mut [f32]) {
        let (width, size) = (self.width, self.width / self.heads);
        let tokens = qkv.len() / (3 * width);
        let scale = 1.0 / (size as f32).sqrt();
        let mut shares = vec![0.0_f32; tokens];
        for head in 0..self.heads {
            let part = |token: usize, part: usize| &qkv[(3 * token + part) * width + head * size..][..size];
            let bias = &self.bias[head * (2 * self.reach + 1)..][..2 * self.reach + 1];
            for query in 0..tokens {
                let own = part(query, 0);
                for (key, share) in shares.iter_mut().enumerate() {
                    *share = scale * dot(own, part(key, 1)) + bias[distance(query, key, self.reach)];
                }
                softmax(&mut shares);
                let mixed = &mut out[query * width + head * size..][..size];
                mixed.fill(0.0);
                for (key, share) in shares.iter().enumerate() {
                    for (mixed, value) in mixed.chunks_exact_mut(4).zip(part(key, 2).chunks_exact(4)) {
                        (Vec4::from_slice(mixed) + *share * Vec4::from_slice(value)).write_to_slice(mixed);
                    }
                }
            }
        }
    }
}

/// Column of the bias for a query and a key token; distances beyond `reach` use the outermost columns.
pub fn distance(query: usize, key: usize, reach: usize) -> usize {
    (key + reach).saturating_sub(query).min(2 * reach)
}

fn dot(a: &[f32], b: &[f32]) -> f32 {
    let sum = a.chunks_exact(4).zip(b.chunks_exact(4));
    sum.fold(Vec4::ZERO, |sum, (a, b)| sum + Vec4::from_slice(a) * Vec4::from_slice(b)).element_sum()
}

/// Normalises rows to mean 0 and variance 1, without gain or bias (the next layer contains them).
pub fn normalise_into(rows: &[f32], width: usize, out: &mut [f32]) {
    for (row, out) in rows.chunks_exact(width).zip(out.chunks_exact_mut(width)) {
        let mean = row.iter().sum::<f32>() / width as f32;
        let variance = row.iter().map(|x| (x - mean) * (x - mean)).sum::<f32>() / width as f32;
        let by = 1.0 / (variance + 1e-5).sqrt();
        out.iter_mut().zip(row).for_each(|(out, x)| *out = (x - mean) * by);
    }
}
