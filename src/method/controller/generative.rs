//! Generative control: varies the requested path of a character as paths in recordings vary.
//!
//! Starke et al. 2020, *Local Motion Phases*, section 6: an encoder maps the control variables to a code of half the
//! width (eq. 9), and a decoder maps the code back (eq. 10). Here the control variables are the path from one second in
//! the past to one second in the future. Noise on the code gives another plausible path. The networks are trained with
//! a discriminator (eq. 11 to 13) by `training::generative`.
//!
//! Not in the paper: the noise has the conditional covariance of codes in recordings for a fixed past and a fixed end
//! of the path (`training::generative::spread`). The paper's noise, one deviation per column, also varies the
//! destination. Here the change that the noise causes is added to the path, so zero noise changes nothing; the paper
//! uses the decoder's output, which is not exact. Actions keep their requested values, because with varied actions a
//! dog sat and lay down on its path.
//!
//! Comparison with the paper's noise: research/notes/controller.md.

use crate::error::Result;
use crate::feature::controller::{NOW, SAMPLES, TRAJECTORY_WIDTH};
use crate::nn::activation::relu;
use crate::nn::dense::PackedDense;
use crate::nn::mixture::MAX_DEVIATIONS;
use crate::nn::normal::PackedNormal;
use crate::nn::weights::Weights;
use serde::{Deserialize, Serialize};

/// Name of the network in separate weight files, and prefix of its tensors' names.
pub const NAME: &str = "generative";
/// Number of layers of the encoder, and of the decoder.
pub const LAYERS: usize = 2;

/// Sizes of the networks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Sizes {
    /// Number of columns of the path.
    pub path: usize,
    /// Width of inner rows.
    pub hidden: usize,
    /// Number of columns of the code.
    pub code: usize,
}

impl Sizes {
    /// Returns the widths from the encoder's input to its output; the decoder has the same widths in reverse.
    pub fn encoder(&self) -> [usize; LAYERS + 1] {
        [self.path, self.hidden, self.code]
    }

    /// Returns the widths from the decoder's input to its output.
    pub fn decoder(&self) -> [usize; LAYERS + 1] {
        [self.code, self.hidden, self.path]
    }
}

/// Encoder and decoder, packed for the CPU.
#[derive(Debug, Clone)]
pub struct Generative {
    sizes: Sizes,
    normal: PackedNormal,
    encoder: Vec<PackedDense>,
    decoder: Vec<PackedDense>,
    /// [code × code]: a row of independent standard normal numbers times this matrix is the noise.
    spread: Vec<f32>,
}

/// Buffers of an evaluation.
#[derive(Debug, Clone, Default)]
pub struct Buffers {
    input: Vec<f32>,
    /// The decoded paths without and with noise.
    decoded: [Vec<f32>; 2],
    hidden: Vec<f32>,
    code: Vec<f32>,
}

impl Generative {
    /// Reads the networks of a weight file.
    ///
    /// # Errors
    /// [`crate::Error::Weights`] for invalid sizes, or tensors of other sizes.
    pub fn read(weights: &Weights, sizes: Sizes) -> Result<Self> {
        weights.check_sizes(&sizes.encoder())?;
        let layers = |name: &str, widths: [usize; LAYERS + 1]| -> Result<Vec<PackedDense>> {
            let layer = |(index, pair): (usize, &[usize])| {
                PackedDense::read(weights, &format!("{NAME}.{name}.{index}"), [pair[0], pair[1]])
            };
            widths.windows(2).enumerate().map(layer).collect()
        };
        Ok(Self {
            sizes,
            normal: PackedNormal::read(weights, &format!("{NAME}.path"), sizes.path)?,
            encoder: layers("encoder", sizes.encoder())?,
            decoder: layers("decoder", sizes.decoder())?,
            spread: weights.tensor(&format!("{NAME}.spread"), &[sizes.code; 2])?,
        })
    }

    /// Returns the number of columns of the code.
    pub fn code_width(&self) -> usize {
        self.sizes.code
    }

    /// Computes noise on the code with the covariance of recordings, `[code]`. `normal`: independent standard normal
    /// numbers, `[code]`.
    pub fn noise(&self, normal: &[f32], out: &mut Vec<f32>) {
        out.clear();
        out.resize(self.sizes.code, 0.0);
        for (number, row) in normal.iter().zip(self.spread.chunks_exact(self.sizes.code)) {
            out.iter_mut().zip(row).for_each(|(out, spread)| *out += number * spread);
        }
    }

    /// Varies the future of a raw path, [13 × sample], by noise on its code, `[code]`: adds the difference between the
    /// decoded paths (eq. 9 and 10) with and without noise.
    pub fn vary(&self, path: &mut [f32], noise: &[f32], buffers: &mut Buffers) {
        let Buffers { input, decoded: [decoded, varied], hidden, code } = buffers;
        input.clear();
        input.extend_from_slice(path);
        self.normal.normalise(input);
        for value in input.iter_mut() {
            *value = if value.is_finite() { value.clamp(-MAX_DEVIATIONS, MAX_DEVIATIONS) } else { 0.0 };
        }
        run(&self.encoder, input, hidden, code);
        run(&self.decoder, code, hidden, decoded);
        code.iter_mut().zip(noise).for_each(|(code, noise)| *code += noise);
        run(&self.decoder, code, hidden, varied);
        let sample = path.len() / SAMPLES;
        let changes = varied.iter().zip(&*decoded).zip(self.normal.deviation());
        for (column, (value, ((varied, decoded), deviation))) in path.iter_mut().zip(changes).enumerate() {
            let is_future = column / sample > NOW;
            // Requested actions are kept; only the trajectory varies.
            if is_future && column % sample < TRAJECTORY_WIDTH {
                *value += (varied - decoded) * deviation;
            }
        }
    }
}

/// Evaluates two layers with a ReLU between them.
fn run(layers: &[PackedDense], rows: &[f32], hidden: &mut Vec<f32>, out: &mut Vec<f32>) {
    let [first, last] = layers else { return };
    hidden.resize(first.outputs(), 0.0);
    first.forward_into(rows, hidden);
    relu(hidden);
    out.resize(last.outputs(), 0.0);
    last.forward_into(hidden, out);
}
