//! Self-attention over the tokens of a window, with a bias by distance, packed for the CPU.
//!
//! Windows are short (at most about 130 tokens), so the scores of one query fit the first-level cache. Queries, keys
//! and values are read directly from the output of the preceding dense layer.

use super::activation::softmax;
use glam::Vec4;

/// Multi-head self-attention. A token is one frame, and the distance of two tokens is counted in tokens.
#[derive(Debug, Clone)]
pub struct Attention {
    width: usize,
    heads: usize,
    reach: usize,
    /// [heads, 2 × reach + 1].
    bias: Vec<f32>,
}

impl Attention {
    /// Creates the layer. `width`: columns of a token. `reach`: largest distance with its own bias. `bias`:
    /// [heads, 2 × reach + 1]; column `reach` is for the token itself, later columns for later keys. Returns `None` if
    /// the bias has another size, or the width of a head is not a multiple of four.
    pub fn new(width: usize, heads: usize, reach: usize, bias: Vec<f32>) -> Option<Self> {
        let fits = heads > 0 && width.is_multiple_of(4 * heads) && bias.len() == heads * (2 * reach + 1);
        fits.then_some(Self { width, heads, reach, bias })
    }

    /// Computes the attention from queries, keys and values, [tokens × 3 × width], into `out`, [tokens × width].
    pub fn forward_into(&self, qkv: &[f32], out: &mut [f32]) {
        let (width, size) = (self.width, self.width / self.heads);
        let tokens = qkv.len() / (3 * width);
        let scale = 1.0 / (size as f32).sqrt();
        let mut weights = vec![0.0_f32; tokens];
        for head in 0..self.heads {
            // `index`: 0 for the query, 1 for the key, 2 for the value of a token.
            let vector = |token: usize, index: usize| &qkv[(3 * token + index) * width + head * size..][..size];
            let bias = &self.bias[head * (2 * self.reach + 1)..][..2 * self.reach + 1];
            for query in 0..tokens {
                let query_vector = vector(query, 0);
                for (key, weight) in weights.iter_mut().enumerate() {
                    *weight = scale * dot(query_vector, vector(key, 1)) + bias[bias_column(query, key, self.reach)];
                }
                softmax(&mut weights);
                let mixed = &mut out[query * width + head * size..][..size];
                mixed.fill(0.0);
                for (key, weight) in weights.iter().enumerate() {
                    for (mixed, value) in mixed.chunks_exact_mut(4).zip(vector(key, 2).chunks_exact(4)) {
                        (Vec4::from_slice(mixed) + *weight * Vec4::from_slice(value)).write_to_slice(mixed);
                    }
                }
            }
        }
    }
}

/// Returns the bias column for a query and a key token. Distances beyond `reach` use the outermost columns.
pub fn bias_column(query: usize, key: usize, reach: usize) -> usize {
    (key + reach).saturating_sub(query).min(2 * reach)
}

fn dot(a: &[f32], b: &[f32]) -> f32 {
    let sum = a.chunks_exact(4).zip(b.chunks_exact(4));
    sum.fold(Vec4::ZERO, |sum, (a, b)| sum + Vec4::from_slice(a) * Vec4::from_slice(b)).element_sum()
}

/// Normalises rows to mean 0 and variance 1 (layer normalisation). Gain and bias are part of the next layer's weights.
pub fn normalise_into(rows: &[f32], width: usize, out: &mut [f32]) {
    for (row, out) in rows.chunks_exact(width).zip(out.chunks_exact_mut(width)) {
        let mean = row.iter().sum::<f32>() / width as f32;
        let variance = row.iter().map(|x| (x - mean) * (x - mean)).sum::<f32>() / width as f32;
        let scale = 1.0 / (variance + 1e-5).sqrt();
        out.iter_mut().zip(row).for_each(|(out, x)| *out = (x - mean) * scale);
    }
}
