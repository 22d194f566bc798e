//! The transformer on tensors, for WebGPU.

use super::FARTHEST;
use super::network::{NAME, Sizes};
use crate::body::poses::{PAST, TARGET};
use crate::error::{Error, Result};
use crate::feature::delta::{INPUT, VERSION};
use crate::method::filler::LONGEST;
use crate::nn::attention::distance;
use crate::nn::weights::{self, Network, Weights};
use burn::module::{Module, Param};
use burn::nn::{Linear, LinearConfig};
use burn::tensor::{Device, Int, Tensor, TensorData, activation};

/// Added to variances, as on the CPU ([`crate::nn::attention::normalise_into`]).
const EPSILON: f32 = 1e-5;
/// Largest number of tokens of an input.
const MOST: usize = PAST + LONGEST + TARGET;

#[derive(Module, Debug)]
struct Layer {
    qkv: Linear,
    out: Linear,
    first: Linear,
    second: Linear,
    /// Bias of each head by distance, [heads, 2 × reach + 1].
    distance: Param<Tensor<2>>,
}

/// The network, on a device.
#[derive(Module, Debug)]
pub struct Delta {
    mean: Param<Tensor<1>>,
    deviation: Param<Tensor<1>>,
    input: Linear,
    layers: Vec<Layer>,
    output: Linear,
}

impl Network for Delta {
    const NAME: &str = NAME;
    const LAYOUT: u32 = VERSION;
    type Config = Sizes;

    fn blank(sizes: &Sizes, device: &Device) -> Self {
        let linear = |from, to| LinearConfig::new(from, to).init(device);
        let Sizes { input, output, width, layers, heads, inner, reach } = *sizes;
        let layer = || Layer {
            qkv: linear(width, 3 * width),
            out: linear(width, width),
            first: linear(width, inner),
            second: linear(inner, width),
            distance: Param::from_tensor(Tensor::zeros([heads, 2 * reach + 1], device)),
        };
        Self {
            mean: Param::from_tensor(Tensor::zeros([input], device)),
            deviation: Param::from_tensor(Tensor::ones([input], device)),
            input: linear(input, width),
            layers: (0..layers).map(|_| layer()).collect(),
            output: linear(width, output),
        }
    }
}

impl Delta {
    /// Loads the network of a weight file.
    ///
    /// # Errors
    /// [`Error::Weights`] where the file cannot be loaded.
    pub fn load(bytes: &[u8], device: &Device) -> Result<Self> {
        let file = Weights::read(bytes)?;
        // Refuses what the CPU version refuses, with the same messages.
        super::Delta::read(&file)?;
        weights::into_module(&file, device)
    }

    /// Output rows for all tokens of an input, [tokens × [`INPUT`]] → [tokens × output]. Never blocks.
    ///
    /// # Errors
    /// [`Error::Option`] for rows that are incomplete, too many, or not finite; [`Error::Device`] where the device
    /// fails.
    pub async fn rows(&self, rows: &[f32]) -> Result<Vec<f32>> {
        let tokens = rows.len() / INPUT;
        if !rows.len().is_multiple_of(INPUT) || !(1..=MOST).contains(&tokens) {
            let message = format!("{} numbers where 1 to {MOST} rows of {INPUT} are needed", rows.len());
            return Err(Error::Option { option: "rows", message });
        }
        if let Some(at) = rows.iter().position(|value| !value.is_finite()) {
            return Err(Error::Option { option: "rows", message: format!("number {at} is not finite") });
        }
        let rows = Tensor::from_data(TensorData::new(rows.to_vec(), [tokens, INPUT]), &self.mean.val().device());
        let fail = |message: String| Error::Device { message };
        let data = self.forward(rows).into_data_async().await.map_err(|error| fail(error.to_string()))?;
        data.try_into_vec().map_err(|error| fail(error.to_string()))
    }

    /// Raw rows, [tokens, input] → [tokens, output].
    fn forward(&self, rows: Tensor<2>) -> Tensor<2> {
        let [count, _] = rows.dims();
        let rows = (rows - self.mean.val().unsqueeze::<2>()) / self.deviation.val().unsqueeze::<2>();
        let mut tokens = self.input.forward(rows.clamp(-FARTHEST, FARTHEST)); // [tokens, width]
        for layer in &self.layers {
            let qkv = layer.qkv.forward(normalised(tokens.clone())); // [tokens, 3 × width]
            tokens = tokens + layer.out.forward(layer.attend(qkv, count));
            let inner = activation::relu(layer.first.forward(normalised(tokens.clone()))); // [tokens, inner]
            tokens = tokens + layer.second.forward(inner.clone() * inner);
        }
        self.output.forward(normalised(tokens))
    }
}

impl Layer {
    /// Multi-head attention: every token mixes the values of all tokens.
    fn attend(&self, qkv: Tensor<2>, count: usize) -> Tensor<2> {
        let [heads, columns] = self.distance.val().dims();
        let width = qkv.dims()[1] / 3;
        let size = width / heads;
        let part = |part: usize| {
            let rows = qkv.clone().narrow(1, part * width, width);
            rows.reshape([count, heads, size]).swap_dims(0, 1) // [heads, tokens, size]
        };
        let reach = columns / 2;
        let at: Vec<i32> = (0..count * count).map(|pair| distance(pair / count, pair % count, reach) as i32).collect();
        let at = Tensor::<1, Int>::from_data(TensorData::new(at, [count * count]), &qkv.device());
        let bias = self.distance.val().select(1, at).reshape([heads, count, count]);
        let scores = part(0).matmul(part(1).swap_dims(1, 2)) / (size as f32).sqrt() + bias; // [heads, tokens, tokens]
        activation::softmax(scores, 2).matmul(part(2)).swap_dims(0, 1).reshape([count, width])
    }
}

/// Rows normalised to mean 0 and variance 1.
fn normalised(rows: Tensor<2>) -> Tensor<2> {
    let off = rows.clone() - rows.mean_dim(1);
    let variance = (off.clone() * off.clone()).mean_dim(1);
    off / (variance + EPSILON).sqrt()
}
