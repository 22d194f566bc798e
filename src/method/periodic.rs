//! Periodic autoencoder: Starke et al. 2022, *DeepPhase: Periodic Autoencoders for Learning Motion Phase Manifolds*. What a body
//! does over two seconds as ten sine waves; where each wave is, is a phase of the motion.
//!
//! Two convolutions along time, as long as the window, turn the velocities of all joints into ten curves. Of each curve a
//! discrete Fourier transform says amplitude, frequency and offset (eq. 3 to 5; [`spectrum`]), a linear layer and the real
//! atan2 its phase (eq. 6). Two more convolutions, which only training needs, make the velocities anew from the sine waves.
//!
//! Changed from the paper: tanh and no normalisation between the layers; 30 frames a second.

pub mod spectrum;

use crate::error::{Error, Result};
use crate::feature::periodic::{COLUMNS, VERSION, WINDOW, window};
use crate::nn::dense::PackedDense;
use crate::nn::weights::Weights;
use serde::{Deserialize, Serialize};
use spectrum::{Curve, Spectrum};

/// Name of the network in weight files and the manifest.
pub const NAME: &str = "periodic";
/// Version of its rows.
pub const LAYOUT: u32 = VERSION;
/// Frames on each side of a window that count as nothing, so that a convolution reaches as far as the window.
pub const PAD: usize = WINDOW / 2;

/// Sizes of the network.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Sizes {
    /// Columns between the two convolutions.
    pub hidden: usize,
    /// Curves.
    pub channels: usize,
}

impl Sizes {
    /// [inputs, outputs] of the four convolutions, a frame.
    pub fn convolutions(&self) -> [[usize; 2]; 4] {
        let Self { hidden, channels, .. } = *self;
        [[COLUMNS, hidden], [hidden, channels], [channels, hidden], [hidden, COLUMNS]]
    }
}

/// The encoder, packed for the CPU.
#[derive(Debug, Clone)]
pub struct Periodic {
    sizes: Sizes,
    scale: Vec<f32>,
    layers: [PackedDense; 2],
    /// [channels × window × 2].
    shift: Vec<f32>,
    /// [channels × 2].
    shift_bias: Vec<f32>,
    spectrum: Spectrum,
}

impl Periodic {
    /// Packs a weight file.
    ///
    /// # Errors
    /// [`Error::Weights`] where it is of another network or of sizes that do not fit.
    pub fn read(weights: &Weights) -> Result<Self> {
        weights.expect(NAME, LAYOUT)?;
        let sizes: Sizes = weights.config()?;
        weights.check_sizes(&[sizes.hidden, sizes.channels])?;
        let [first, second, ..] = sizes.convolutions();
        let layer = |index: usize, [inputs, outputs]: [usize; 2]| {
            PackedDense::read(weights, &format!("convolutions.{index}"), [WINDOW * inputs, outputs])
        };
        let scale = weights.tensor("scale", &[COLUMNS])?;
        if scale.iter().any(|scale| *scale < f32::EPSILON) {
            return Err(Error::Weights {
                message: "its scale holds a number that nothing can be divided by".to_owned(),
            });
        }
        Ok(Self {
            sizes,
            scale,
            layers: [layer(0, first)?, layer(1, second)?],
            shift: weights.tensor("shift.weight", &[sizes.channels, WINDOW * 2])?,
            shift_bias: weights.tensor("shift.bias", &[sizes.channels * 2])?,
            spectrum: Spectrum::new(),
        })
    }

    /// Curves it makes of a motion.
    pub fn channels(&self) -> usize {
        self.sizes.channels
    }

    /// The curves around a frame of `rows` ([`crate::feature::periodic::velocities`]), [channels]; at least one frame.
    ///
    /// # Errors
    /// [`Error::Weights`] where the network makes numbers that are not finite.
    pub fn encode(&self, rows: &[f32], frame: usize) -> Result<Vec<Curve>> {
        let mut values = vec![0.0; WINDOW * COLUMNS];
        window(rows, frame, &self.scale, &mut values);
        let [first, second] = &self.layers;
        let mut hidden = convolved(first, &values, COLUMNS);
        hidden.iter_mut().for_each(|x| *x = x.tanh());
        let latent = convolved(second, &hidden, self.sizes.hidden);
        let channels = self.sizes.channels;
        let one = |channel: usize| {
            let curve: Vec<f32> = latent.iter().skip(channel).step_by(channels).copied().collect();
            let (shift, bias) = (&self.shift[channel * WINDOW * 2..][..WINDOW * 2], &self.shift_bias[channel * 2..]);
            let [cosine, sine] = spectrum::direction(&curve, shift, [bias[0], bias[1]]);
            Curve { phase: sine.atan2(cosine), ..self.spectrum.analysed(&curve).curve }
        };
        let curves: Vec<Curve> = (0..channels).map(one).collect();
        if !curves.iter().all(Curve::is_finite) {
            let message = "the network made numbers that are not finite; use other weights".to_owned();
            return Err(Error::Weights { message });
        }
        Ok(curves)
    }
}

/// Rows, [window × columns], through a convolution as long as the window: [window × outputs].
fn convolved(layer: &PackedDense, rows: &[f32], columns: usize) -> Vec<f32> {
    let mut padded = vec![0.0; (WINDOW + 2 * PAD) * columns];
    padded[PAD * columns..][..rows.len()].copy_from_slice(rows);
    let mut out = vec![0.0; WINDOW * layer.outputs()];
    for (at, out) in out.chunks_exact_mut(layer.outputs()).enumerate() {
        layer.forward_into(&padded[at * columns..][..WINDOW * columns], out);
    }
    out
}
