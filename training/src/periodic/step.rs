//! Forward and backward pass of the periodic autoencoder on slices, per window.
//!
//! A convolution as long as the window is one matrix product with overlapping rows: row t is the padded window from
//! frame t on.

use crate::own::product::{Matrix, product};
use kinestitch::feature::periodic::WINDOW;
use kinestitch::method::periodic::spectrum::{Analysed, BINS, Curve, LEAST, Spectrum, direction, hertz, seconds};
use kinestitch::method::periodic::{PAD, Sizes};
use std::f32::consts::TAU;
use std::ops::Range;

/// Added to the squared length in the denominator of atan2's gradient.
const SHORTEST: f32 = 1e-4;

/// A parameter: name, shape and range in the parameter vector.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Parameter {
    /// Name in the weight file.
    pub name: String,
    /// Shape in the weight file.
    pub shape: Vec<usize>,
    /// Range in the parameter vector.
    pub range: Range<usize>,
}

/// Network sizes with parameter ranges: weight and bias of four convolutions, then of the phase layer.
pub struct Network {
    /// Sizes.
    pub sizes: Sizes,
    /// Parameter ranges.
    pub parameters: Vec<Parameter>,
    spectrum: Spectrum,
}

/// Reused buffers of a pass.
#[derive(Default)]
pub struct Pass {
    /// Padded input of each convolution: [(window + 2 pad) × columns].
    padded: [Vec<f32>; 4],
    by_padded: Vec<f32>,
    /// Outputs of each convolution.
    outs: [Vec<f32>; 4],
    by: [Vec<f32>; 2],
    wide: Vec<f32>,
}

/// A latent curve and its parameters.
struct Encoded {
    curve: Vec<f32>,
    analysed: Analysed,
    way: [f32; 2],
    phase: f32,
}

impl Network {
    /// Network of the given sizes.
    pub fn new(sizes: Sizes) -> Self {
        let mut parameters: Vec<Parameter> = Vec::new();
        let mut add = |name: String, shape: Vec<usize>| {
            let start = parameters.last().map_or(0, |last| last.range.end);
            let range = start..start + shape.iter().product::<usize>();
            parameters.push(Parameter { name, shape, range });
        };
        for (layer, [inputs, outputs]) in sizes.convolutions().into_iter().enumerate() {
            add(format!("convolutions.{layer}.weight"), vec![WINDOW * inputs, outputs]);
            add(format!("convolutions.{layer}.bias"), vec![outputs]);
        }
        add("shift.weight".to_owned(), vec![sizes.channels, WINDOW * 2]);
        add("shift.bias".to_owned(), vec![sizes.channels * 2]);
        Self { sizes, parameters, spectrum: Spectrum::new() }
    }

    /// Number of parameters.
    pub fn len(&self) -> usize {
        self.parameters.last().map_or(0, |last| last.range.end)
    }

    /// Always false: there are layers.
    pub fn is_empty(&self) -> bool {
        self.parameters.is_empty()
    }

    fn part<'a>(&self, values: &'a [f32], index: usize) -> &'a [f32] {
        &values[self.parameters[index].range.clone()]
    }

    /// Reconstruction loss (mean square) of a window, [window × 66]. Adds its gradient times `share` to `gradient`, if
    /// given.
    pub fn learn(
        &self,
        weights: &[f32],
        window: &[f32],
        share: f32,
        gradient: Option<&mut [f32]>,
        pass: &mut Pass,
    ) -> f32 {
        let channels = self.sizes.channels;
        let (hidden, found) = self.encode(weights, window, pass);
        let Pass { padded, outs, .. } = pass;
        let mut waves = vec![0.0; WINDOW * channels];
        for (channel, Encoded { analysed, phase, .. }) in found.iter().enumerate() {
            let wave = analysed.curve;
            for at in 0..WINDOW {
                waves[at * channels + channel] =
                    wave.amplitude * (TAU * wave.frequency * seconds(at) + phase).sin() + wave.offset;
            }
        }
        self.convolve(weights, 2, &waves, padded, outs);
        let after = tanh(&outs[2]);
        self.convolve(weights, 3, &after, padded, outs);
        let count = window.len() as f32;
        let loss = outs[3].iter().zip(window).map(|(out, x)| (out - x).powi(2)).sum::<f32>() / count;
        let Some(gradient) = gradient else { return loss };

        pass.by[0].clear();
        pass.by[0].extend(pass.outs[3].iter().zip(window).map(|(out, x)| 2.0 * share / count * (out - x)));
        self.back(weights, 3, gradient, pass);
        let by_after = &mut pass.by[0];
        by_after.iter_mut().zip(&after).for_each(|(by, x)| *by *= 1.0 - x * x);
        self.back(weights, 2, gradient, pass);
        let by_waves = std::mem::take(&mut pass.by[0]);
        let mut by_latent = vec![0.0; WINDOW * channels];
        for (channel, Encoded { curve, analysed, way, phase }) in found.iter().enumerate() {
            let wave = analysed.curve;
            let (mut by_amplitude, mut by_frequency, mut by_phase, mut by_offset) = (0.0, 0.0, 0.0, 0.0);
            for at in 0..WINDOW {
                let by = by_waves[at * channels + channel];
                let (sine, cosine) = (TAU * wave.frequency * seconds(at) + phase).sin_cos();
                by_amplitude += by * sine;
                by_phase += by * wave.amplitude * cosine;
                by_frequency += by * wave.amplitude * cosine * TAU * seconds(at);
                by_offset += by;
            }
            let square = way[0] * way[0] + way[1] * way[1] + SHORTEST;
            let by_way = [-way[1] / square * by_phase, way[0] / square * by_phase];
            let shift = self.parameters[8].range.start + channel * 2 * WINDOW;
            for at in 0..WINDOW {
                for of in 0..2 {
                    gradient[shift + 2 * at + of] += by_way[of] * curve[at];
                    by_latent[at * channels + channel] += by_way[of] * weights[shift + 2 * at + of];
                }
                by_latent[at * channels + channel] += by_offset / WINDOW as f32;
            }
            let bias = self.parameters[9].range.start + 2 * channel;
            (0..2).for_each(|of| gradient[bias + of] += by_way[of]);
            let (power, root) = (analysed.power + LEAST, (analysed.power + LEAST).sqrt());
            for bin in 0..BINS {
                let by_amplitude = by_amplitude / (WINDOW as f32 * root);
                let by_power = by_amplitude + by_frequency * (hertz(bin) - wave.frequency) / power;
                let [cosine, sine] = [analysed.cosine[bin], analysed.sine[bin]].map(|part| 2.0 * part * by_power);
                let rows = bin * WINDOW..(bin + 1) * WINDOW;
                let tables = self.spectrum.cosines[rows.clone()].iter().zip(&self.spectrum.sines[rows]);
                for (at, (c, s)) in tables.enumerate() {
                    by_latent[at * channels + channel] += cosine * c + sine * s;
                }
            }
        }
        pass.by[0] = by_latent;
        self.back(weights, 1, gradient, pass);
        let by_hidden = &mut pass.by[0];
        by_hidden.iter_mut().zip(&hidden).for_each(|(by, x)| *by *= 1.0 - x * x);
        self.back(weights, 0, gradient, pass);
        loss
    }

    /// Curve parameters of a window, [window × 66]: [channels].
    pub fn curves(&self, weights: &[f32], window: &[f32], pass: &mut Pass) -> Vec<Curve> {
        let (_, found) = self.encode(weights, window, pass);
        found.into_iter().map(|one| Curve { phase: one.phase, ..one.analysed.curve }).collect()
    }

    /// Hidden row, and the parameters of each latent curve.
    fn encode(&self, weights: &[f32], window: &[f32], pass: &mut Pass) -> (Vec<f32>, Vec<Encoded>) {
        let channels = self.sizes.channels;
        let Pass { padded, outs, .. } = pass;
        self.convolve(weights, 0, window, padded, outs);
        let hidden = tanh(&outs[0]);
        self.convolve(weights, 1, &hidden, padded, outs);
        let one = |channel: usize| {
            let curve: Vec<f32> = outs[1].iter().skip(channel).step_by(channels).copied().collect();
            let analysed = self.spectrum.analysed(&curve);
            let shift = &self.part(weights, 8)[channel * 2 * WINDOW..][..2 * WINDOW];
            let bias = &self.part(weights, 9)[2 * channel..];
            let way = direction(&curve, shift, [bias[0], bias[1]]);
            Encoded { phase: way[1].atan2(way[0]), curve, analysed, way }
        };
        let found = (0..channels).map(one).collect();
        (hidden, found)
    }

    fn convolve(
        &self,
        weights: &[f32],
        layer: usize,
        rows: &[f32],
        padded: &mut [Vec<f32>; 4],
        outs: &mut [Vec<f32>; 4],
    ) {
        let [inputs, outputs] = self.sizes.convolutions()[layer];
        let (padded, out) = (&mut padded[layer], &mut outs[layer]);
        padded.resize((WINDOW + 2 * PAD) * inputs, 0.0);
        padded[PAD * inputs..][..rows.len()].copy_from_slice(rows);
        out.resize(WINDOW * outputs, 0.0);
        let bias = self.part(weights, 2 * layer + 1);
        out.chunks_exact_mut(outputs).for_each(|out| out.copy_from_slice(bias));
        let weight = Matrix::rows(self.part(weights, 2 * layer), outputs);
        let shape = [WINDOW, WINDOW * inputs, outputs];
        product(shape, Matrix::rows(padded, inputs), weight, (out, outputs), 1.0, true);
    }

    /// Backward pass of a convolution: replaces its output gradient, `by[0]`, by its input gradient.
    fn back(&self, weights: &[f32], layer: usize, gradient: &mut [f32], pass: &mut Pass) {
        let [inputs, outputs] = self.sizes.convolutions()[layer];
        let Pass { padded, by_padded, by: [by, next], wide, .. } = pass;
        let long = WINDOW * inputs;
        let rows = Matrix::rows(&padded[layer], inputs).transposed();
        let place = self.parameters[2 * layer].range.clone();
        product([long, WINDOW, outputs], rows, Matrix::rows(by, outputs), (&mut gradient[place], outputs), 1.0, true);
        let bias = &mut gradient[self.parameters[2 * layer + 1].range.clone()];
        by.chunks_exact(outputs).for_each(|row| bias.iter_mut().zip(row).for_each(|(sum, by)| *sum += by));
        if layer == 0 {
            return;
        }
        wide.resize(WINDOW * long, 0.0);
        let weight = Matrix::rows(self.part(weights, 2 * layer), outputs).transposed();
        product([WINDOW, outputs, long], Matrix::rows(by, outputs), weight, (wide, long), 1.0, false);
        by_padded.clear();
        by_padded.resize((WINDOW + 2 * PAD) * inputs, 0.0);
        for (at, row) in wide.chunks_exact(long).enumerate() {
            by_padded[at * inputs..][..long].iter_mut().zip(row).for_each(|(sum, by)| *sum += by);
        }
        next.clear();
        next.extend_from_slice(&by_padded[PAD * inputs..][..WINDOW * inputs]);
        std::mem::swap(by, next);
    }
}

fn tanh(rows: &[f32]) -> Vec<f32> {
    rows.iter().map(|x| x.tanh()).collect()
}
