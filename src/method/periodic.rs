//! Periodic autoencoder: Starke et al. 2022, *DeepPhase: Periodic Autoencoders for Learning Motion Phase Manifolds*.
//! The encoder describes a window of two seconds of motion by ten sine waves; the phase of each wave is a phase of the
//! motion.
//!
//! Two convolutions over time, with kernels as long as the window, map the velocities of all joints to ten curves. A
//! discrete Fourier transform gives amplitude, frequency and offset of each curve (eq. 3 to 5; [`spectrum`]). A linear
//! layer and atan2 give its phase (eq. 6). Two more convolutions, used only in training, reconstruct the velocities
//! from the sine waves.
//!
//! Changes from the paper: tanh, without normalisation, between the layers; 30 frames per second.

pub mod spectrum;

use crate::error::{Error, Result};
use crate::feature::periodic::{COLUMNS, VERSION, WINDOW, write_window};
use crate::nn::dense::PackedDense;
use crate::nn::weights::Weights;
use serde::{Deserialize, Serialize};
use spectrum::{SineWave, Spectrum};

/// Name of the network in weight files and the manifest.
pub const NAME: &str = "periodic";
/// Layout version of the network's rows.
pub const LAYOUT: u32 = VERSION;
/// Zero padding on each side of a window, frames: with a kernel as long as the window, the output then has as many
/// frames as the input.
pub const PAD: usize = WINDOW / 2;

/// Sizes of the network.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Sizes {
    /// Number of columns between the two convolutions of the encoder, and between those of the decoder.
    pub hidden: usize,
    /// Number of curves, and of sine waves: the latent channels.
    pub channels: usize,
}

impl Sizes {
    /// Returns the numbers of [input, output] columns of the four convolutions: two of the encoder, two of the decoder.
    pub fn convolutions(&self) -> [[usize; 2]; 4] {
        let Self { hidden, channels, .. } = *self;
        [[COLUMNS, hidden], [hidden, channels], [channels, hidden], [hidden, COLUMNS]]
    }
}

/// The encoder, packed for the CPU.
#[derive(Debug, Clone)]
pub struct Periodic {
    sizes: Sizes,
    /// Divisor of each column of a row, `[66]`.
    scale: Vec<f32>,
    /// The convolutions.
    layers: [PackedDense; 2],
    /// Weights of the linear layer of the phases, [channels × window × 2].
    phase_weights: Vec<f32>,
    /// Bias of the linear layer of the phases, [channels × 2].
    phase_bias: Vec<f32>,
    spectrum: Spectrum,
}

impl Periodic {
    /// Reads the network of a weight file.
    ///
    /// # Errors
    /// [`Error::Weights`] if the file belongs to another network, its sizes are inconsistent, or a scale is not
    /// positive.
    pub fn read(weights: &Weights) -> Result<Self> {
        weights.check_layout(NAME, LAYOUT)?;
        let sizes: Sizes = weights.config()?;
        weights.check_sizes(&[sizes.hidden, sizes.channels])?;
        let [first, second, ..] = sizes.convolutions();
        let layer = |index: usize, [inputs, outputs]: [usize; 2]| {
            PackedDense::read(weights, &format!("convolutions.{index}"), [WINDOW * inputs, outputs])
        };
        let scale = weights.tensor("scale", &[COLUMNS])?;
        if scale.iter().any(|scale| *scale < f32::EPSILON) {
            return Err(Error::Weights {
                message: "its tensor \"scale\" contains a number that is not positive".to_owned(),
            });
        }
        Ok(Self {
            sizes,
            scale,
            layers: [layer(0, first)?, layer(1, second)?],
            phase_weights: weights.tensor("shift.weight", &[sizes.channels, WINDOW * 2])?,
            phase_bias: weights.tensor("shift.bias", &[sizes.channels * 2])?,
            spectrum: Spectrum::new(),
        })
    }

    /// Returns the number of curves, and of sine waves.
    pub fn channels(&self) -> usize {
        self.sizes.channels
    }

    /// Computes the sine waves of the window around a frame, `[channels]`. `rows`:
    /// [`crate::feature::periodic::velocities`] of at least one frame. `frame`: index of a row.
    ///
    /// # Errors
    /// [`Error::Weights`] if the network's output is not finite.
    pub fn encode(&self, rows: &[f32], frame: usize) -> Result<Vec<SineWave>> {
        let mut values = vec![0.0; WINDOW * COLUMNS];
        write_window(rows, frame, &self.scale, &mut values);
        let [first, second] = &self.layers;
        let mut hidden = convolve(first, &values, COLUMNS);
        hidden.iter_mut().for_each(|x| *x = x.tanh());
        let latent = convolve(second, &hidden, self.sizes.hidden);
        let channels = self.sizes.channels;
        let sine_wave = |channel: usize| {
            let values: Vec<f32> = latent.iter().skip(channel).step_by(channels).copied().collect();
            let weights = &self.phase_weights[channel * WINDOW * 2..][..WINDOW * 2];
            let bias = &self.phase_bias[channel * 2..];
            let [cosine, sine] = spectrum::direction(&values, weights, [bias[0], bias[1]]);
            SineWave { phase: sine.atan2(cosine), ..self.spectrum.analyse(&values) }
        };
        let waves: Vec<SineWave> = (0..channels).map(sine_wave).collect();
        if !waves.iter().all(SineWave::is_finite) {
            let message = "the network's output is not finite; use other weights".to_owned();
            return Err(Error::Weights { message });
        }
        Ok(waves)
    }
}

/// Applies a convolution, with a kernel as long as the window, to rows: [window × columns] → [window × outputs].
fn convolve(layer: &PackedDense, rows: &[f32], columns: usize) -> Vec<f32> {
    let mut padded = vec![0.0; (WINDOW + 2 * PAD) * columns];
    padded[PAD * columns..][..rows.len()].copy_from_slice(rows);
    let mut out = vec![0.0; WINDOW * layer.outputs()];
    for (frame, out) in out.chunks_exact_mut(layer.outputs()).enumerate() {
        layer.forward_into(&padded[frame * columns..][..WINDOW * columns], out);
    }
    out
}
