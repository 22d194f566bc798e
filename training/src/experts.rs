//! Forward and backward pass of the gate and the experts on slices.
//!
//! A blend of experts is one matrix product: the row is repeated to [experts × inputs], each copy multiplied by its
//! expert's share, and multiplied with the stacked expert matrices. So a layer takes one product forwards and two
//! backwards for any number of experts. The second backward product also gives the gradients of the shares.

pub mod normal;

use crate::own::product::{Matrix, product};
use crate::own::row::{dot, exp, softmax};
use kinestitch::nn::mixture::{LAYERS, Parameter, Sizes, parameters};
use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};

/// Network sizes with parameter ranges.
pub struct Network {
    /// Sizes.
    pub sizes: Sizes,
    /// Parameter ranges.
    pub parameters: Vec<Parameter>,
}

/// Buffers of a pass, reused between steps.
#[derive(Default)]
pub struct Pass {
    gates: [Vec<f32>; LAYERS],
    /// [rows × experts].
    pub shares: Vec<f32>,
    inners: [Vec<f32>; LAYERS],
    masks: [Vec<f32>; LAYERS],
    spread: [Vec<f32>; LAYERS],
    /// Output rows, normalised.
    pub out: Vec<f32>,
    by_spread: Vec<f32>,
    by_shares: Vec<f32>,
    by_inner: Vec<f32>,
    by_gate: [Vec<f32>; 2],
}

impl Network {
    /// Network of the given sizes.
    pub fn new(sizes: Sizes) -> Self {
        Self { sizes, parameters: parameters(&sizes) }
    }

    /// Number of parameters.
    pub fn len(&self) -> usize {
        self.parameters.last().map_or(0, |last| last.range().end)
    }

    /// Always false: there are layers.
    pub fn is_empty(&self) -> bool {
        self.parameters.is_empty()
    }

    /// Random weights, zero biases.
    pub fn initial(&self, seed: u64) -> Vec<f32> {
        let mut weights = vec![0.0; self.len()];
        let mut rng = StdRng::seed_from_u64(seed);
        for parameter in self.parameters.iter().filter(|parameter| parameter.name.ends_with("weight")) {
            let [.., inputs, outputs] = parameter.shape[..] else { continue };
            // A blend of many random matrices is smaller than each of them.
            let blend = if parameter.shape.len() == 3 { 2.0 } else { 1.0 };
            let bound = blend * (6.0 / (inputs + outputs) as f32).sqrt();
            weights[parameter.range()].iter_mut().for_each(|weight| *weight = rng.random_range(-bound..bound));
        }
        weights
    }

    /// Weight and bias of a layer: 0 to 2 are the gate's, 3 to 5 the experts'.
    fn parts<'a>(&self, values: &'a [f32], layer: usize) -> [&'a [f32]; 2] {
        [0, 1].map(|part| &values[self.parameters[2 * layer + part].range()])
    }

    /// Forward pass of normalised rows, [rows × input] and [rows × gate]. `keep`: share of hidden columns that dropout
    /// keeps. `random`: uniform numbers from 0 to 1.
    pub fn forward(
        &self,
        weights: &[f32],
        rows: &[f32],
        gates: &[f32],
        pass: &mut Pass,
        keep: f32,
        random: &mut impl FnMut() -> f32,
    ) {
        let (count, experts) = (rows.len() / self.sizes.input, self.sizes.experts);
        pass.gates[0].clear();
        pass.gates[0].extend_from_slice(gates);
        for (layer, [inputs, outputs]) in self.sizes.gates().into_iter().enumerate() {
            let [weight, bias] = self.parts(weights, layer);
            let (before, after) = pass.gates.split_at_mut(layer + 1);
            let out = if layer + 1 < LAYERS { &mut after[0] } else { &mut pass.shares };
            out.resize(count * outputs, 0.0);
            out.chunks_exact_mut(outputs).for_each(|row| row.copy_from_slice(bias));
            let rows = Matrix::rows(&before[layer], inputs);
            product([count, inputs, outputs], rows, Matrix::rows(weight, outputs), (out, outputs), 1.0, true);
            match layer + 1 < LAYERS {
                true => elu(out),
                false => out.chunks_exact_mut(experts).for_each(softmax),
            }
        }
        pass.inners[0].clear();
        pass.inners[0].extend_from_slice(rows);
        for (layer, [inputs, outputs]) in self.sizes.layers().into_iter().enumerate() {
            let [weight, bias] = self.parts(weights, LAYERS + layer);
            let (before, after) = pass.inners.split_at_mut(layer + 1);
            let mask = &mut pass.masks[layer];
            mask.clear();
            if keep < 1.0 {
                mask.extend((0..count * inputs).map(|_| if random() < keep { 1.0 / keep } else { 0.0 }));
                before[layer].iter_mut().zip(&*mask).for_each(|(value, mask)| *value *= mask);
            }
            let wide = &mut pass.spread[layer];
            spread(&before[layer], inputs, &pass.shares, experts, wide);
            let out = if layer + 1 < LAYERS { &mut after[0] } else { &mut pass.out };
            out.resize(count * outputs, 0.0);
            let shares = Matrix::rows(&pass.shares, experts);
            product([count, experts, outputs], shares, Matrix::rows(bias, outputs), (out, outputs), 1.0, false);
            let shape = [count, experts * inputs, outputs];
            let wide = Matrix::rows(wide, experts * inputs);
            product(shape, wide, Matrix::rows(weight, outputs), (out, outputs), 1.0, true);
            if layer + 1 < LAYERS {
                elu(out);
            }
        }
    }

    /// Backward pass from the output gradient, [rows × output], which is overwritten. Adds to `gradient`, which is as
    /// long as `weights`.
    pub fn backward(&self, weights: &[f32], gradient: &mut [f32], by_out: &[f32], pass: &mut Pass) {
        let (count, experts) = (by_out.len() / self.sizes.output, self.sizes.experts);
        let Pass { gates, shares, inners, masks, spread, by_spread, by_shares, by_inner, by_gate, .. } = pass;
        by_shares.clear();
        by_shares.resize(count * experts, 0.0);
        by_inner.clear();
        by_inner.extend_from_slice(by_out);
        for (layer, [inputs, outputs]) in self.sizes.layers().into_iter().enumerate().rev() {
            let [weight, bias] = self.parts(weights, LAYERS + layer);
            let wide = experts * inputs;
            let by = Matrix::rows(by_inner, outputs);
            {
                let place = self.parameters[2 * (LAYERS + layer)].range();
                let turned = Matrix::rows(&spread[layer], wide).transposed();
                product([wide, count, outputs], turned, by, (&mut gradient[place], outputs), 1.0, true);
                let place = self.parameters[2 * (LAYERS + layer) + 1].range();
                let turned = Matrix::rows(shares, experts).transposed();
                product([experts, count, outputs], turned, by, (&mut gradient[place], outputs), 1.0, true);
            }
            let turned = Matrix::rows(bias, outputs).transposed();
            product([count, outputs, experts], by, turned, (by_shares, experts), 1.0, true);
            by_spread.resize(count * wide, 0.0);
            let turned = Matrix::rows(weight, outputs).transposed();
            product([count, outputs, wide], by, turned, (by_spread, wide), 1.0, false);
            by_inner.resize(count * inputs, 0.0);
            let rows = inners[layer].chunks_exact(inputs).zip(by_inner.chunks_exact_mut(inputs));
            for (row, ((inner, by_inner), by_spread)) in rows.zip(by_spread.chunks_exact(wide)).enumerate() {
                by_inner.fill(0.0);
                for expert in 0..experts {
                    let at = row * experts + expert;
                    let by = &by_spread[expert * inputs..][..inputs];
                    by_shares[at] += dot(inner, by);
                    let share = shares[at];
                    by_inner.iter_mut().zip(by).for_each(|(sum, by)| *sum += share * by);
                }
            }
            if !masks[layer].is_empty() {
                by_inner.iter_mut().zip(&masks[layer]).for_each(|(by, mask)| *by *= mask);
            }
            if layer > 0 {
                // The stored input is masked too, so the gradient is zero where the mask is zero.
                let keep = masks[layer].iter().copied().fold(1.0, f32::max);
                elu_back(&inners[layer], keep, by_inner);
            }
        }
        for (by, shares) in by_shares.chunks_exact_mut(experts).zip(shares.chunks_exact(experts)) {
            let mean = dot(by, shares);
            by.iter_mut().zip(shares).for_each(|(by, share)| *by = share * (*by - mean));
        }
        let [by_now, by_next] = by_gate;
        by_now.clear();
        by_now.extend_from_slice(by_shares);
        for (layer, [inputs, outputs]) in self.sizes.gates().into_iter().enumerate().rev() {
            let [weight, _] = self.parts(weights, layer);
            let by = Matrix::rows(by_now, outputs);
            let turned = Matrix::rows(&gates[layer], inputs).transposed();
            let place = self.parameters[2 * layer].range();
            product([inputs, count, outputs], turned, by, (&mut gradient[place], outputs), 1.0, true);
            let sums = &mut gradient[self.parameters[2 * layer + 1].range()];
            for row in by_now.chunks_exact(outputs) {
                sums.iter_mut().zip(row).for_each(|(sum, by)| *sum += by);
            }
            if layer > 0 {
                by_next.resize(count * inputs, 0.0);
                let turned = Matrix::rows(weight, outputs).transposed();
                product([count, outputs, inputs], by, turned, (by_next, inputs), 1.0, false);
                elu_back(&gates[layer], 1.0, by_next);
                std::mem::swap(by_now, by_next);
            }
        }
    }
}

/// Repeats each row once per expert, multiplied by its share: [rows × experts × width].
fn spread(rows: &[f32], width: usize, shares: &[f32], experts: usize, out: &mut Vec<f32>) {
    out.resize(rows.len() * experts, 0.0);
    let each = rows.chunks_exact(width).zip(shares.chunks_exact(experts));
    for ((row, shares), out) in each.zip(out.chunks_exact_mut(width * experts)) {
        for (share, out) in shares.iter().zip(out.chunks_exact_mut(width)) {
            out.iter_mut().zip(row).for_each(|(out, value)| *out = share * value);
        }
    }
}

fn elu(values: &mut [f32]) {
    values.iter_mut().for_each(|value| *value = if *value > 0.0 { *value } else { exp(*value) - 1.0 });
}

/// Backward pass of ELU, from its output. `keep`: scale of dropout for the columns kept.
fn elu_back(after: &[f32], keep: f32, by: &mut [f32]) {
    by.iter_mut().zip(after).for_each(|(by, after)| *by *= if *after > 0.0 { 1.0 } else { after / keep + 1.0 });
}
