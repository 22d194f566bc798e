//! Forward and backward pass of linear layers with ReLU between them, on slices.

use crate::own::product::{Matrix, product};
use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};
use std::ops::Range;

/// A sequence of linear layers. Their parameters lie in one slice: per layer the weight, [inputs × outputs], then the
/// bias.
#[derive(Debug, Clone)]
pub struct Chain {
    widths: Vec<usize>,
}

/// Buffers of a pass, reused between steps.
#[derive(Debug, Clone, Default)]
pub struct Pass {
    /// Input of each layer, and last the output.
    rows: Vec<Vec<f32>>,
    masks: Vec<Vec<f32>>,
    by: [Vec<f32>; 2],
}

impl Pass {
    /// The output, [rows × outputs].
    pub fn out(&self) -> &[f32] {
        self.rows.last().map_or(&[], Vec::as_slice)
    }

    /// Gradient with respect to the input, [rows × inputs]; valid after the backward pass.
    pub fn by_input(&self) -> &[f32] {
        &self.by[0]
    }
}

impl Chain {
    /// Builds a chain from layer widths, first input to last output.
    pub fn new(widths: &[usize]) -> Self {
        Self { widths: widths.to_vec() }
    }

    /// Number of layers.
    pub fn layers(&self) -> usize {
        self.widths.len() - 1
    }

    /// Shape, [inputs, outputs], and slice ranges of a layer's weight and bias.
    pub fn layer(&self, layer: usize) -> ([usize; 2], [Range<usize>; 2]) {
        let shape = |layer: usize| [self.widths[layer], self.widths[layer + 1]];
        let start: usize = (0..layer).map(shape).map(|[inputs, outputs]| (inputs + 1) * outputs).sum();
        let [inputs, outputs] = shape(layer);
        let bias = start + inputs * outputs;
        ([inputs, outputs], [start..bias, bias..bias + outputs])
    }

    /// Number of parameters.
    pub fn len(&self) -> usize {
        self.layer(self.layers() - 1).1[1].end
    }

    /// Always false: there is at least one layer.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Random weights (He et al. 2015), zero biases.
    pub fn initial(&self, seed: u64) -> Vec<f32> {
        let mut weights = vec![0.0; self.len()];
        let mut rng = StdRng::seed_from_u64(seed);
        for layer in 0..self.layers() {
            let ([inputs, _], [weight, _]) = self.layer(layer);
            let bound = (6.0 / inputs as f32).sqrt();
            weights[weight].iter_mut().for_each(|weight| *weight = rng.random_range(-bound..bound));
        }
        weights
    }

    /// Forward pass of rows, [rows × inputs]. `keep`: share of each layer's output columns that dropout keeps, the last
    /// layer included. `random`: uniform numbers from 0 to 1.
    pub fn forward(&self, weights: &[f32], rows: &[f32], pass: &mut Pass, keep: f32, random: &mut impl FnMut() -> f32) {
        let count = rows.len() / self.widths[0];
        pass.rows.resize(self.layers() + 1, Vec::new());
        pass.masks.resize(self.layers(), Vec::new());
        pass.rows[0].clear();
        pass.rows[0].extend_from_slice(rows);
        for layer in 0..self.layers() {
            let ([inputs, outputs], [weight, bias]) = self.layer(layer);
            let (before, after) = pass.rows.split_at_mut(layer + 1);
            let out = &mut after[0];
            out.resize(count * outputs, 0.0);
            out.chunks_exact_mut(outputs).for_each(|row| row.copy_from_slice(&weights[bias.clone()]));
            let (rows, weight) = (Matrix::rows(&before[layer], inputs), Matrix::rows(&weights[weight], outputs));
            product([count, inputs, outputs], rows, weight, (out, outputs), 1.0, true);
            if layer + 1 < self.layers() {
                out.iter_mut().for_each(|value| *value = value.max(0.0));
            }
            let mask = &mut pass.masks[layer];
            mask.clear();
            if keep < 1.0 {
                mask.extend(out.iter().map(|_| if random() < keep { 1.0 / keep } else { 0.0 }));
                out.iter_mut().zip(&*mask).for_each(|(value, mask)| *value *= mask);
            }
        }
    }

    /// Backward pass of the last forward pass from the output gradient, [rows × outputs]. Adds to `gradient`, which is
    /// as long as `weights`.
    pub fn backward(&self, weights: &[f32], gradient: &mut [f32], by_out: &[f32], pass: &mut Pass) {
        let Pass { rows, masks, by: [by, next] } = pass;
        by.clear();
        by.extend_from_slice(by_out);
        for layer in (0..self.layers()).rev() {
            let ([inputs, outputs], [weight, bias]) = self.layer(layer);
            let count = by.len() / outputs;
            if !masks[layer].is_empty() {
                by.iter_mut().zip(&masks[layer]).for_each(|(by, mask)| *by *= mask);
            }
            if layer + 1 < self.layers() {
                by.iter_mut().zip(&rows[layer + 1]).for_each(|(by, after)| *by = if *after > 0.0 { *by } else { 0.0 });
            }
            let turned = Matrix::rows(&rows[layer], inputs).transposed();
            let by_rows = Matrix::rows(by, outputs);
            product([inputs, count, outputs], turned, by_rows, (&mut gradient[weight.clone()], outputs), 1.0, true);
            for row in by.chunks_exact(outputs) {
                gradient[bias.clone()].iter_mut().zip(row).for_each(|(sum, by)| *sum += by);
            }
            next.resize(count * inputs, 0.0);
            let turned = Matrix::rows(&weights[weight], outputs).transposed();
            product([count, outputs, inputs], by_rows, turned, (next, inputs), 1.0, false);
            std::mem::swap(by, next);
        }
    }
}
