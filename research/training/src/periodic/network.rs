//! The periodic autoencoder (Starke et al. 2022, *DeepPhase*) on tensors, with the decoder that only training needs.
//!
//! A convolution as long as the window is one matrix product with overlapping rows: row t is the padded window from
//! frame t on.

use crate::kinematics::index_tensor;
use burn::module::{Module, Param};
use burn::nn::{Linear, LinearConfig};
use burn::tensor::{Device, Tensor, TensorData};
use kinestitch::feature::periodic::{COLUMNS, VERSION, WINDOW};
use kinestitch::method::periodic::spectrum::{BINS, MIN_POWER, Spectrum, hertz, seconds};
use kinestitch::method::periodic::{NAME, PAD, Sizes};
use kinestitch::nn::weights::{Network, Weights};
use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};
use std::f32::consts::TAU;

/// Term added to the squared length of a direction before the direction is normalised, because a constant curve has no
/// direction.
const MIN_SQUARED_LENGTH: f32 = 1e-4;

/// Layer that computes the direction of a curve's phase.
#[derive(Module, Debug)]
struct Shift {
    /// Weights, [channels, window × 2].
    weight: Param<Tensor<2>>,
    /// Biases, [channels × 2].
    bias: Param<Tensor<1>>,
}

/// Encoder and decoder.
#[derive(Module, Debug)]
pub struct Autoencoder {
    /// Units of the columns of a window, [66]; not trained.
    scale: Param<Tensor<1>>,
    /// Two convolutions of the encoder, then two of the decoder.
    convolutions: Vec<Linear>,
    shift: Shift,
}

/// Parameters of the sine waves that approximate a batch's latent curves. Rows are ordered by lane, then by channel.
pub struct Waves {
    /// Amplitudes, [lanes × channels, 1].
    pub amplitude: Tensor<2>,
    /// Frequencies in hertz, [lanes × channels, 1].
    pub frequency: Tensor<2>,
    /// Mean values, [lanes × channels, 1].
    pub offset: Tensor<2>,
    /// Cosine and sine of the phase, not normalised, [lanes × channels, 2].
    pub direction: Tensor<2>,
}

impl Network for Autoencoder {
    const NAME: &str = NAME;
    const LAYOUT: u32 = VERSION;
    type Config = Sizes;

    fn check(sizes: &Sizes, weights: &Weights) -> kinestitch::Result<()> {
        weights.check_sizes(&[sizes.hidden, sizes.channels])
    }

    fn blank(sizes: &Sizes, device: &Device) -> Self {
        let layer = |[inputs, outputs]: [usize; 2]| LinearConfig::new(WINDOW * inputs, outputs).init(device);
        Self {
            scale: Param::from_tensor(Tensor::ones([COLUMNS], device)).set_require_grad(false),
            convolutions: sizes.convolutions().map(layer).into(),
            shift: Shift {
                weight: Param::from_tensor(Tensor::zeros([sizes.channels, WINDOW * 2], device)),
                bias: Param::from_tensor(Tensor::zeros([sizes.channels * 2], device)),
            },
        }
    }
}

impl Autoencoder {
    /// Creates a network with random weights and zero biases. `scale`: units of the columns, `[66]`.
    pub fn untrained(sizes: &Sizes, scale: &[f32], seed: u64, device: &Device) -> Self {
        let mut rng = StdRng::seed_from_u64(seed);
        let mut random = |shape: [usize; 2], inputs: usize, outputs: usize| {
            let bound = (6.0 / (inputs + outputs) as f32).sqrt();
            let values: Vec<f32> = (0..shape[0] * shape[1]).map(|_| rng.random_range(-bound..bound)).collect();
            Param::from_tensor(Tensor::from_data(TensorData::new(values, shape), device))
        };
        let layer = |[inputs, outputs]: [usize; 2]| Linear {
            weight: random([WINDOW * inputs, outputs], WINDOW * inputs, outputs),
            bias: Some(Param::from_tensor(Tensor::zeros([outputs], device))),
        };
        let convolutions = sizes.convolutions().map(layer).into();
        let weight = random([sizes.channels, WINDOW * 2], WINDOW, 2);
        let bias = Param::from_tensor(Tensor::zeros([sizes.channels * 2], device));
        let scale = Tensor::from_data(TensorData::new(scale.to_vec(), [COLUMNS]), device);
        let scale = Param::from_tensor(scale).set_require_grad(false);
        Self { scale, convolutions, shift: Shift { weight, bias } }
    }

    /// Divides windows in metres per second by the scale, [lanes, window, 66].
    pub fn normalise(&self, windows: Tensor<3>) -> Tensor<3> {
        windows / self.scale.val().unsqueeze::<3>()
    }

    /// Encodes normalised windows, [lanes, window, 66], to sine waves.
    pub fn encode(&self, windows: Tensor<3>) -> Waves {
        let device = windows.device();
        let lanes = windows.dims()[0];
        let hidden = convolve(&self.convolutions[0], windows).tanh();
        let curves = convolve(&self.convolutions[1], hidden).swap_dims(1, 2); // [lanes, channels, window]
        let channels = curves.dims()[1];
        let rows = curves.clone().reshape([lanes * channels, WINDOW]);
        let Spectrum { cosines, sines } = Spectrum::new();
        let table = matrix([cosines, sines].concat(), 2 * BINS, &device).transpose(); // [window, 2 × bins]
        let squares = rows.clone().matmul(table).square();
        let power = squares.clone().narrow(1, 0, BINS) + squares.narrow(1, BINS, BINS); // [rows, bins]
        let hertz = matrix((0..BINS).map(hertz).collect(), 1, &device);
        let total = power.clone().sum_dim(1) + MIN_POWER; // [rows, 1]
        let weight = self.shift.weight.val().reshape([1, channels, WINDOW, 2]);
        let direction = (curves.unsqueeze_dim::<4>(3) * weight).sum_dim(2).reshape([lanes, channels * 2]);
        Waves {
            amplitude: total.clone().sqrt() * (2.0 / WINDOW as f32),
            frequency: (power * hertz).sum_dim(1) / total,
            offset: rows.mean_dim(1),
            direction: (direction + self.shift.bias.val().unsqueeze::<2>()).reshape([lanes * channels, 2]),
        }
    }

    /// Reconstructs normalised windows, [lanes, window, 66], from sine waves.
    pub fn decode(&self, waves: Waves, lanes: usize) -> Tensor<3> {
        let Waves { amplitude, frequency, offset, direction } = waves;
        let seconds = matrix((0..WINDOW).map(seconds).collect(), 1, &frequency.device());
        let angle = frequency * seconds * TAU; // [rows, window]
        let length = (direction.clone().square().sum_dim(1) + MIN_SQUARED_LENGTH).sqrt();
        let [cosine, sine] = [0, 1].map(|column| direction.clone().narrow(1, column, 1) / length.clone());
        let rows = (angle.clone().sin() * cosine + angle.cos() * sine) * amplitude + offset;
        let channels = rows.dims()[0] / lanes.max(1);
        let waves = rows.reshape([lanes, channels, WINDOW]).swap_dims(1, 2); // [lanes, window, channels]
        let hidden = convolve(&self.convolutions[2], waves).tanh();
        convolve_to_wide(&self.convolutions[3], hidden)
    }

    /// Computes the mean squared error of the reconstruction of normalised windows.
    pub fn loss(&self, windows: Tensor<3>) -> Tensor<1> {
        let lanes = windows.dims()[0];
        (self.decode(self.encode(windows.clone()), lanes) - windows).square().mean()
    }
}

/// Applies a convolution as long as the window, [lanes, window, columns] → [lanes, window, outputs]. One product per
/// lane reads the overlapping rows in place.
fn convolve(layer: &Linear, rows: Tensor<3>) -> Tensor<3> {
    let columns = rows.dims()[2];
    let overlapping: Tensor<3> = pad(rows).flatten::<2>(1, 2).unfold(1, WINDOW * columns, columns);
    // `Linear::forward` would join the lanes to one matrix, which copies the rows.
    let out = overlapping.matmul(layer.weight.val().unsqueeze::<3>());
    match &layer.bias {
        Some(bias) => out + bias.val().unsqueeze::<3>(),
        None => out,
    }
}

/// Applies a convolution like [`convolve`], but by one product of copied rows. This is faster if there are more outputs
/// than columns: [`convolve`] writes one gradient of the weights per lane, which is then larger than the rows, and the
/// gradient of `unfold` is slow.
fn convolve_to_wide(layer: &Linear, rows: Tensor<3>) -> Tensor<3> {
    let ([lanes, _, columns], device) = (rows.dims(), rows.device());
    let first = |lane: usize| (0..WINDOW).map(move |frame| lane * (WINDOW + 2 * PAD) + frame);
    let frames = (0..lanes).flat_map(first).flat_map(|first| first..first + WINDOW);
    let overlapping = pad(rows).flatten::<2>(0, 1).select(0, index_tensor(frames, &device));
    let out = layer.forward(overlapping.reshape([lanes * WINDOW, WINDOW * columns]));
    let outputs = out.dims()[1];
    out.reshape([lanes, WINDOW, outputs])
}

/// Adds [`PAD`] rows of zeros before and after each window, [lanes, window + 2 × pad, columns].
fn pad(rows: Tensor<3>) -> Tensor<3> {
    let [lanes, _, columns] = rows.dims();
    let zeros = Tensor::zeros([lanes, PAD, columns], &rows.device());
    Tensor::cat(vec![zeros.clone(), rows, zeros], 1)
}

/// Creates a matrix of `rows` rows.
fn matrix(values: Vec<f32>, rows: usize, device: &Device) -> Tensor<2> {
    let columns = values.len() / rows;
    Tensor::from_data(TensorData::new(values, [rows, columns]), device)
}
