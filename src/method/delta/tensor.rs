//! The transformer on tensors, for WebGPU and for training.

use super::MAX_DEVIATIONS;
use super::network::{NAME, Sizes};
use crate::body::poses::{PAST, TARGET};
use crate::error::{Error, Result};
use crate::feature::delta::{INPUT, VERSION};
use crate::method::filler::MAX_GAP;
use crate::nn::attention::bias_column;
use crate::nn::weights::{self, Network, Weights};
use burn::module::{Module, Param};
use burn::nn::{Dropout, Linear, LinearConfig};
use burn::tensor::{Device, Int, Tensor, TensorData, activation};

/// Added to variances, as on the CPU ([`crate::nn::attention::normalise_into`]).
const EPSILON: f32 = 1e-5;
/// Largest number of tokens of an input.
const MAX_TOKENS: usize = PAST + MAX_GAP + TARGET;

/// One layer of the transformer. Shapes of its linear layers: [`super::network::Layer`].
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
        let linear = |inputs, outputs| LinearConfig::new(inputs, outputs).init(device);
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
    /// [`Error::Weights`] if the file cannot be loaded.
    pub fn load(bytes: &[u8], device: &Device) -> Result<Self> {
        let file = Weights::read(bytes)?;
        // Rejects the same files as the CPU implementation, with the same messages.
        super::Delta::read(&file)?;
        weights::into_module(&file, device)
    }

    /// Computes the output rows of all tokens of an input, [tokens × [`INPUT`]] → [tokens × output]. Does not block.
    ///
    /// # Errors
    /// [`Error::Option`] for rows that are incomplete, too many, or not finite; [`Error::Device`] if the device fails.
    pub async fn evaluate(&self, rows: &[f32]) -> Result<Vec<f32>> {
        let tokens = rows.len() / INPUT;
        if !rows.len().is_multiple_of(INPUT) || !(1..=MAX_TOKENS).contains(&tokens) {
            let message = format!("{} numbers instead of 1 to {MAX_TOKENS} rows of {INPUT} numbers", rows.len());
            return Err(Error::Option { option: "rows", message });
        }
        if let Some(index) = rows.iter().position(|value| !value.is_finite()) {
            return Err(Error::Option { option: "rows", message: format!("number {index} is not finite") });
        }
        let rows = Tensor::from_data(TensorData::new(rows.to_vec(), [tokens, INPUT]), &self.mean.val().device());
        let fail = |message: String| Error::Device { message };
        let data = self.forward(rows).into_data_async().await.map_err(|error| fail(error.to_string()))?;
        data.try_into_vec().map_err(|error| fail(error.to_string()))
    }

    /// Makes mean and deviation of the input constant, so that training does not change them.
    pub fn with_fixed_statistics(self) -> Self {
        Self { mean: self.mean.set_require_grad(false), deviation: self.deviation.set_require_grad(false), ..self }
    }

    /// Evaluates one window, raw rows [tokens, input] → [tokens, output].
    fn forward(&self, rows: Tensor<2>) -> Tensor<2> {
        let count = rows.dims()[0];
        self.forward_windows(rows, &[vec![count]], None)
    }

    /// Evaluates several windows, one after the other, raw rows [tokens, input] → [tokens, output]. `groups`: lengths
    /// of the windows, in groups; attention pads the windows of a group to the longest. `dropout`: dropout of attention
    /// outputs and inner rows, in training.
    pub fn forward_windows(&self, rows: Tensor<2>, groups: &[Vec<usize>], dropout: Option<&Dropout>) -> Tensor<2> {
        let device = rows.device();
        let groups: Vec<Group> = groups.iter().map(|lengths| Group::new(lengths, &device)).collect();
        let drop = |rows: Tensor<2>| match dropout {
            Some(dropout) => dropout.forward(rows),
            None => rows,
        };
        let rows = (rows - self.mean.val().unsqueeze::<2>()) / self.deviation.val().unsqueeze::<2>();
        let mut tokens = self.input.forward(rows.clamp(-MAX_DEVIATIONS, MAX_DEVIATIONS)); // [tokens, width]
        for layer in &self.layers {
            let qkv = layer.qkv.forward(normalise(tokens.clone())); // [tokens, 3 × width]
            tokens = tokens + layer.out.forward(drop(layer.attend(qkv, &groups)));
            let inner = activation::relu(layer.first.forward(normalise(tokens.clone()))); // [tokens, inner]
            tokens = tokens + layer.second.forward(drop(inner.clone() * inner));
        }
        self.output.forward(normalise(tokens))
    }
}

/// Windows of similar lengths that attention computes together.
struct Group {
    /// Number of windows.
    count: usize,
    /// Number of tokens of the longest window.
    longest: usize,
    /// Number of tokens of all windows.
    tokens: usize,
    /// Present if the lengths differ.
    padding: Option<Padding>,
}

/// Conversion between consecutive windows and windows padded to the longest.
struct Padding {
    /// Index of the row of each padded token, [windows × longest]; padding repeats the last row of its window.
    row_of_token: Tensor<1, Int>,
    /// Index of the padded token of each row.
    token_of_row: Tensor<1, Int>,
    /// Added to attention scores, [windows, 1, 1, longest]: 0, and a large negative number for padding.
    mask: Tensor<4>,
}

impl Group {
    fn new(lengths: &[usize], device: &Device) -> Self {
        let (count, longest) = (lengths.len(), lengths.iter().copied().max().unwrap_or(0));
        let padding = lengths.iter().any(|length| *length != longest).then(|| {
            let (mut row_of_token, mut token_of_row, mut mask, mut start) = (Vec::new(), Vec::new(), Vec::new(), 0);
            for (window, length) in lengths.iter().enumerate() {
                token_of_row.extend((0..*length).map(|token| (window * longest + token) as i32));
                row_of_token.extend((0..longest).map(|token| (start + token.min(length - 1)) as i32));
                mask.extend((0..longest).map(|token| if token < *length { 0.0_f32 } else { -1e9 }));
                start += length;
            }
            let indices = |indices: Vec<i32>| {
                let count = indices.len();
                Tensor::from_data(TensorData::new(indices, [count]), device)
            };
            let mask = Tensor::from_data(TensorData::new(mask, [count, 1, 1, longest]), device);
            Padding { row_of_token: indices(row_of_token), token_of_row: indices(token_of_row), mask }
        });
        Self { count, longest, tokens: lengths.iter().sum(), padding }
    }
}

impl Layer {
    /// Computes multi-head attention: every token mixes the values of all tokens of its window.
    fn attend(&self, qkv: Tensor<2>, groups: &[Group]) -> Tensor<2> {
        let mut start = 0;
        let outputs = groups.iter().map(|group| {
            let rows = qkv.clone().narrow(0, start, group.tokens);
            start += group.tokens;
            self.attend_group(rows, group)
        });
        Tensor::cat(outputs.collect(), 0)
    }

    /// Computes the attention within the windows of a group. `qkv`: queries, keys and values, [tokens, 3 × width].
    fn attend_group(&self, qkv: Tensor<2>, group: &Group) -> Tensor<2> {
        let [heads, distance_count] = self.distance.val().dims();
        let Group { count, longest, .. } = *group;
        let width = qkv.dims()[1] / 3;
        let head_width = width / heads;
        let qkv = match &group.padding {
            Some(padding) => qkv.select(0, padding.row_of_token.clone()),
            None => qkv,
        };
        // Splits one third of the columns into heads: 0 queries, 1 keys, 2 values.
        let split_heads = |third: usize| {
            let rows = qkv.clone().narrow(1, third * width, width);
            rows.reshape([count, longest, heads, head_width]).swap_dims(1, 2) // [windows, heads, tokens, head width]
        };
        let reach = distance_count / 2;
        let pairs = 0..longest * longest;
        let columns: Vec<i32> = pairs.map(|pair| bias_column(pair / longest, pair % longest, reach) as i32).collect();
        let columns = Tensor::<1, Int>::from_data(TensorData::new(columns, [longest * longest]), &qkv.device());
        let mut bias = self.distance.val().select(1, columns).reshape([1, heads, longest, longest]);
        if let Some(padding) = &group.padding {
            bias = bias + padding.mask.clone(); // [windows, heads, tokens, tokens]
        }
        let scores = split_heads(0).matmul(split_heads(1).swap_dims(2, 3)) / (head_width as f32).sqrt() + bias;
        let attended =
            activation::softmax(scores, 3).matmul(split_heads(2)).swap_dims(1, 2).reshape([count * longest, width]);
        match &group.padding {
            Some(padding) => attended.select(0, padding.token_of_row.clone()),
            None => attended,
        }
    }
}

/// Normalises each row to mean 0 and variance 1.
fn normalise(rows: Tensor<2>) -> Tensor<2> {
    let deviation = rows.clone() - rows.mean_dim(1);
    let variance = (deviation.clone() * deviation.clone()).mean_dim(1);
    deviation / (variance + EPSILON).sqrt()
}
