//! Forward and backward pass of the transformer on slices, without a tensor per operation.
//!
//! Windows of different lengths are concatenated without padding; `spans` are their row ranges. Pre-norm layers without
//! gains (the following matrix absorbs them), feed-forward activation max(0, x)² (So et al. 2021, *Primer*: no
//! transcendental function, as good as GELU), attention with a bias per distance.

use crate::own::product::{Matrix, product};
use crate::own::row::{dot, softmax, sum};
use kinestitch::method::delta::network::{Linear, Parameters, Sizes};
use kinestitch::nn::attention::distance;
use std::ops::Range;

const EPSILON: f32 = 1e-5;

/// Values of one layer's forward pass that the backward pass needs.
#[derive(Default, Clone)]
struct Memory {
    first: Vec<f32>,    // [rows × width], normalised
    first_by: Vec<f32>, // [rows]
    qkv: Vec<f32>,      // [rows × 3 width]
    shares: Vec<f32>,   // per span and head [length × length]
    mixed: Vec<f32>,    // [rows × width]
    second: Vec<f32>,   // [rows × width], normalised
    second_by: Vec<f32>,
    inner: Vec<f32>,  // [rows × inner], max(0, x)
    square: Vec<f32>, // [rows × inner]
}

/// Buffers of a pass, reused between steps.
#[derive(Default, Clone)]
pub struct Pass {
    layers: Vec<Memory>,
    last: Vec<f32>,
    last_by: Vec<f32>,
    tokens: Vec<f32>,
    /// Output rows, [rows × output].
    pub out: Vec<f32>,
    by_token: Vec<f32>,
    by_wide: Vec<f32>,
    by_inner: Vec<f32>,
    scratch: Vec<f32>,
}

/// Transformer sizes with parameter ranges.
pub struct Network {
    /// Sizes.
    pub sizes: Sizes,
    /// Parameter ranges.
    pub parameters: Parameters,
}

impl Network {
    /// Network of the given sizes.
    pub fn new(sizes: Sizes) -> Self {
        Self { sizes, parameters: Parameters::of(&sizes) }
    }

    fn part<'a>(&self, values: &'a [f32], index: usize) -> &'a [f32] {
        &values[self.parameters.range(index)]
    }

    fn linear(&self, weights: &[f32], [matrix, bias]: Linear, rows: &[f32], out: &mut [f32], add: bool) {
        let [inputs, outputs] = self.parameters.all[matrix].shape;
        let bias = self.part(weights, bias);
        for row in out.chunks_exact_mut(outputs) {
            match add {
                true => row.iter_mut().zip(bias).for_each(|(row, bias)| *row += bias),
                false => row.copy_from_slice(bias),
            }
        }
        let shape = [rows.len() / inputs, inputs, outputs];
        let matrix = Matrix::rows(self.part(weights, matrix), outputs);
        product(shape, Matrix::rows(rows, inputs), matrix, (out, outputs), 1.0, true);
    }

    /// Adds the gradient of a linear layer. Writes the gradient of its rows to `by_rows`, if given.
    fn linear_back(
        &self,
        weights: &[f32],
        gradient: &mut [f32],
        [matrix, bias]: Linear,
        rows: &[f32],
        by_out: &[f32],
        by_rows: Option<&mut [f32]>,
    ) {
        let [inputs, outputs] = self.parameters.all[matrix].shape;
        let count = rows.len() / inputs;
        let sums = &mut gradient[self.parameters.range(bias)];
        for row in by_out.chunks_exact(outputs) {
            sums.iter_mut().zip(row).for_each(|(sum, row)| *sum += row);
        }
        let by = Matrix::rows(by_out, outputs);
        let out = (&mut gradient[self.parameters.range(matrix)], outputs);
        product([inputs, count, outputs], Matrix::rows(rows, inputs).transposed(), by, out, 1.0, true);
        if let Some(by_rows) = by_rows {
            let turned = Matrix::rows(self.part(weights, matrix), outputs).transposed();
            product([count, outputs, inputs], by, turned, (by_rows, inputs), 1.0, false);
        }
    }

    /// Forward pass of rows, [rows × input]; each span is one window. The result is [`Pass::out`].
    pub fn forward(&self, weights: &[f32], rows: &[f32], spans: &[Range<usize>], pass: &mut Pass) {
        let Sizes { input, output, width, layers, inner, .. } = self.sizes;
        let count = rows.len() / input;
        pass.tokens.resize(count * width, 0.0);
        pass.layers.resize_with(layers, Memory::default);
        self.linear(weights, self.parameters.input, rows, &mut pass.tokens, false);
        for (layer, memory) in self.parameters.layers.iter().zip(&mut pass.layers) {
            normalise(&pass.tokens, width, &mut memory.first, &mut memory.first_by);
            memory.qkv.resize(count * 3 * width, 0.0);
            self.linear(weights, layer.qkv, &memory.first, &mut memory.qkv, false);
            self.attend(self.part(weights, layer.bias), spans, memory);
            self.linear(weights, layer.out, &memory.mixed, &mut pass.tokens, true);
            normalise(&pass.tokens, width, &mut memory.second, &mut memory.second_by);
            memory.inner.resize(count * inner, 0.0);
            memory.square.resize(count * inner, 0.0);
            self.linear(weights, layer.first, &memory.second, &mut memory.inner, false);
            for (x, square) in memory.inner.iter_mut().zip(&mut memory.square) {
                *x = x.max(0.0);
                *square = *x * *x;
            }
            self.linear(weights, layer.second, &memory.square, &mut pass.tokens, true);
        }
        normalise(&pass.tokens, width, &mut pass.last, &mut pass.last_by);
        pass.out.resize(count * output, 0.0);
        self.linear(weights, self.parameters.output, &pass.last, &mut pass.out, false);
    }

    fn attend(&self, bias: &[f32], spans: &[Range<usize>], memory: &mut Memory) {
        let Sizes { width, heads, reach, .. } = self.sizes;
        let (size, wide) = (width / heads, 3 * width);
        let scale = 1.0 / (size as f32).sqrt();
        memory.mixed.resize(memory.qkv.len() / 3, 0.0);
        memory.shares.resize(spans.iter().map(|span| heads * span.len() * span.len()).sum(), 0.0);
        let mut shares = memory.shares.as_mut_slice();
        for span in spans {
            let length = span.len();
            for head in 0..heads {
                let (own, rest) = shares.split_at_mut(length * length);
                shares = rest;
                let at =
                    |part: usize| Matrix::rows(&memory.qkv[span.start * wide + part * width + head * size..], wide);
                let bias = &bias[head * (2 * reach + 1)..][..2 * reach + 1];
                for (query, row) in own.chunks_exact_mut(length).enumerate() {
                    match bias.get((reach.wrapping_sub(query))..).and_then(|bias| bias.get(..length)) {
                        Some(near) => row.copy_from_slice(near),
                        None => row
                            .iter_mut()
                            .enumerate()
                            .for_each(|(key, share)| *share = bias[distance(query, key, reach)]),
                    }
                }
                product([length, size, length], at(0), at(1).transposed(), (own, length), scale, true);
                own.chunks_exact_mut(length).for_each(softmax);
                let out = &mut memory.mixed[span.start * width + head * size..];
                product([length, length, size], Matrix::rows(own, length), at(2), (out, width), 1.0, false);
            }
        }
    }

    /// Backward pass from the output gradient, [rows × output]. Adds to `gradient`, which is as long as `weights`.
    pub fn backward(
        &self,
        weights: &[f32],
        gradient: &mut [f32],
        rows: &[f32],
        spans: &[Range<usize>],
        by_out: &[f32],
        pass: &mut Pass,
    ) {
        let Sizes { input, width, inner, .. } = self.sizes;
        let count = rows.len() / input;
        let Pass { layers, last, last_by, tokens, by_token, by_wide, by_inner, scratch, .. } = pass;
        by_token.resize(count * width, 0.0);
        by_wide.resize(count * 3 * width, 0.0);
        by_inner.resize(count * inner, 0.0);
        self.linear_back(weights, gradient, self.parameters.output, last, by_out, Some(by_token));
        // From here on `tokens` holds the gradient of the residual stream.
        tokens.fill(0.0);
        normalise_back(by_token, last, last_by, width, tokens);
        for (layer, memory) in self.parameters.layers.iter().zip(layers).rev() {
            self.linear_back(weights, gradient, layer.second, &memory.square, tokens, Some(by_inner));
            for (by, x) in by_inner.iter_mut().zip(&memory.inner) {
                *by *= 2.0 * x;
            }
            self.linear_back(weights, gradient, layer.first, &memory.second, by_inner, Some(by_token));
            normalise_back(by_token, &memory.second, &memory.second_by, width, tokens);
            self.linear_back(weights, gradient, layer.out, &memory.mixed, tokens, Some(by_token));
            let bias = self.parameters.range(layer.bias);
            self.attend_back(&mut gradient[bias], spans, memory, by_token, by_wide, scratch);
            self.linear_back(weights, gradient, layer.qkv, &memory.first, by_wide, Some(by_token));
            normalise_back(by_token, &memory.first, &memory.first_by, width, tokens);
        }
        self.linear_back(weights, gradient, self.parameters.input, rows, tokens, None);
    }

    fn attend_back(
        &self,
        by_bias: &mut [f32],
        spans: &[Range<usize>],
        memory: &Memory,
        by_mixed: &[f32],
        by_qkv: &mut [f32],
        scratch: &mut Vec<f32>,
    ) {
        let Sizes { width, heads, reach, .. } = self.sizes;
        let (size, wide) = (width / heads, 3 * width);
        let scale = 1.0 / (size as f32).sqrt();
        let mut shares = memory.shares.as_slice();
        for span in spans {
            let length = span.len();
            scratch.resize(length * length, 0.0);
            for head in 0..heads {
                let (own, rest) = shares.split_at(length * length);
                shares = rest;
                let place = |part: usize| span.start * wide + part * width + head * size;
                let at = |part: usize| Matrix::rows(&memory.qkv[place(part)..], wide);
                let by_out = Matrix::rows(&by_mixed[span.start * width + head * size..], width);
                let shares = Matrix::rows(own, length);
                let by_value = (&mut by_qkv[place(2)..], wide);
                product([length, length, size], shares.transposed(), by_out, by_value, 1.0, false);
                product([length, size, length], by_out, at(2).transposed(), (scratch, length), 1.0, false);
                let by_bias = &mut by_bias[head * (2 * reach + 1)..][..2 * reach + 1];
                for (query, (by, own)) in scratch.chunks_exact_mut(length).zip(own.chunks_exact(length)).enumerate() {
                    let mean: f32 = by.iter().zip(own).map(|(by, share)| by * share).sum();
                    by.iter_mut().zip(own).for_each(|(by, share)| *by = share * (*by - mean));
                    match by_bias.get_mut((reach.wrapping_sub(query))..).and_then(|bias| bias.get_mut(..length)) {
                        Some(near) => near.iter_mut().zip(by).for_each(|(sum, by)| *sum += *by),
                        None => by.iter().enumerate().for_each(|(key, by)| by_bias[distance(query, key, reach)] += by),
                    }
                }
                let by_score = Matrix::rows(scratch, length);
                let by_query = (&mut by_qkv[place(0)..], wide);
                product([length, length, size], by_score, at(1), by_query, scale, false);
                let by_key = (&mut by_qkv[place(1)..], wide);
                product([length, length, size], by_score.transposed(), at(0), by_key, scale, false);
            }
        }
    }
}

/// Normalises rows to mean 0 and variance 1. Writes 1 / standard deviation of each row to `by`.
fn normalise(rows: &[f32], width: usize, out: &mut Vec<f32>, by: &mut Vec<f32>) {
    out.resize(rows.len(), 0.0);
    by.resize(rows.len() / width, 0.0);
    for ((row, out), by) in rows.chunks_exact(width).zip(out.chunks_exact_mut(width)).zip(by) {
        let mean = sum(row) / width as f32;
        out.iter_mut().zip(row).for_each(|(out, x)| *out = x - mean);
        *by = 1.0 / (dot(out, out) / width as f32 + EPSILON).sqrt();
        out.iter_mut().for_each(|out| *out *= *by);
    }
}

/// Backward pass of [`normalise`]: adds the gradient of its input to `into`.
fn normalise_back(by_out: &[f32], out: &[f32], by: &[f32], width: usize, into: &mut [f32]) {
    let rows = by_out.chunks_exact(width).zip(out.chunks_exact(width)).zip(by).zip(into.chunks_exact_mut(width));
    for (((by_out, out), by), into) in rows {
        let (mean, along) = (sum(by_out) / width as f32, dot(by_out, out) / width as f32);
        for ((into, g), x) in into.iter_mut().zip(by_out).zip(out) {
            *into += by * (g - mean - x * along);
        }
    }
}
