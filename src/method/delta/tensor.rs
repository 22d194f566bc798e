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

    /// Rejects the same files as the CPU implementation, with the same messages.
    fn check(_: &Sizes, weights: &Weights) -> Result<()> {
        super::Delta::read(weights).map(drop)
    }

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
        weights::into_module(&Weights::read(bytes)?, device)
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
        self.forward_windows(rows, &Windows { groups: vec![vec![count]], picked: None, blocks: 1 }, None)
    }

    /// Evaluates several windows, one after the other, raw rows [tokens, input]. Returns the output of the picked rows,
    /// [picked, output]. `dropout`: dropout of attention outputs and inner rows, in training.
    pub fn forward_windows(&self, rows: Tensor<2>, windows: &Windows, dropout: Option<&Dropout>) -> Tensor<2> {
        let device = rows.device();
        // The gradient of a selection of rows is slow on graphics cards: it adds one row after the other. So the rows
        // are padded once, before the first layer, and not in each layer.
        let padding = Padding::new(windows);
        let groups: Vec<Group> = windows.groups.iter().map(|lengths| Group::new(lengths, &device)).collect();
        let drop = |rows: Tensor<3>| match dropout {
            Some(dropout) => dropout.forward(rows),
            None => rows,
        };
        let rows = (rows - self.mean.val().unsqueeze::<2>()) / self.deviation.val().unsqueeze::<2>();
        let rows = rows.clamp(-MAX_DEVIATIONS, MAX_DEVIATIONS);
        let rows = match &padding {
            Some(padding) => rows.select(0, indices(&padding.row_of_token, &device)),
            None => rows,
        };
        let split = |rows: Tensor<2>| {
            let [count, columns] = rows.dims();
            rows.reshape([windows.blocks, count / windows.blocks, columns])
        };
        let mut tokens = self.input.forward(split(rows)); // [blocks, tokens per block, width]
        for layer in &self.layers {
            let qkv = layer.qkv.forward(normalise(tokens.clone())); // […, 3 × width]
            let attended = split(layer.attend(qkv.flatten(0, 1), &groups));
            tokens = tokens + layer.out.forward(drop(attended));
            let inner = activation::relu(layer.first.forward(normalise(tokens.clone()))); // […, inner]
            tokens = tokens + layer.second.forward(drop(inner.clone() * inner));
        }
        let tokens: Tensor<2> = tokens.flatten(0, 1);
        let tokens = match &padding {
            Some(padding) => tokens.select(0, indices(&padding.token_of_row, &device)),
            None => tokens,
        };
        self.output.forward(normalise(tokens))
    }
}

/// Creates a tensor of indices.
fn indices(indices: &[i32], device: &Device) -> Tensor<1, Int> {
    Tensor::from_data(TensorData::new(indices.to_vec(), [indices.len()]), device)
}

/// Windows that are evaluated at once.
pub struct Windows {
    /// Lengths of the windows, in groups. Attention pads the windows of a group to the longest.
    pub groups: Vec<Vec<usize>>,
    /// Rows whose output is wanted; `None` for all.
    pub picked: Option<Vec<usize>>,
    /// Number of blocks that the rows are split into, at least 1. The gradients of the blocks are computed in
    /// parallel, then added, which is faster on graphics cards if there are thousands of rows.
    pub blocks: usize,
}

/// Conversion between consecutive windows and windows padded to the longest of their group.
struct Padding {
    /// Index of the row of each token. Padding repeats the last row of its window; the last block is padded with row 0.
    row_of_token: Vec<i32>,
    /// Index of the token of each row whose output is wanted.
    token_of_row: Vec<i32>,
}

impl Padding {
    /// Returns `None` if nothing is padded and the output of all rows is wanted.
    fn new(Windows { groups, picked, blocks }: &Windows) -> Option<Self> {
        let (mut row_of_token, mut token_of_row) = (Vec::new(), Vec::new());
        for lengths in groups {
            let longest = lengths.iter().copied().max().unwrap_or(0);
            for length in lengths {
                let (row, token) = (token_of_row.len(), row_of_token.len());
                row_of_token.extend((0..longest).map(|index| (row + index.min(length - 1)) as i32));
                token_of_row.extend((token..token + length).map(|token| token as i32));
            }
        }
        row_of_token.resize(row_of_token.len().next_multiple_of(*blocks), 0);
        match picked {
            Some(rows) => token_of_row = rows.iter().map(|row| token_of_row[*row]).collect(),
            None if row_of_token.len() == token_of_row.len() => return None,
            None => {}
        }
        Some(Self { row_of_token, token_of_row })
    }
}

/// Windows of similar lengths that attention computes together.
struct Group {
    /// Number of windows.
    count: usize,
    /// Number of tokens of each window, padded.
    longest: usize,
    /// Added to attention scores, [windows, 1, 1, longest]: 0, and a large negative number for padding. Present if the
    /// lengths differ.
    mask: Option<Tensor<4>>,
}

impl Group {
    fn new(lengths: &[usize], device: &Device) -> Self {
        let (count, longest) = (lengths.len(), lengths.iter().copied().max().unwrap_or(0));
        let mask = lengths.iter().any(|length| *length != longest).then(|| {
            let value = |length: usize, token| if token < length { 0.0_f32 } else { -1e9 };
            let mask = lengths.iter().flat_map(|length| (0..longest).map(move |token| value(*length, token)));
            let mask: Vec<f32> = mask.collect();
            Tensor::from_data(TensorData::new(mask, [count, 1, 1, longest]), device)
        });
        Self { count, longest, mask }
    }
}

impl Layer {
    /// Computes multi-head attention: every token mixes the values of all tokens of its window.
    fn attend(&self, qkv: Tensor<2>, groups: &[Group]) -> Tensor<2> {
        let mut start = 0;
        let mut outputs = Vec::with_capacity(groups.len() + 1);
        for group in groups {
            let tokens = group.count * group.longest;
            outputs.push(self.attend_group(qkv.clone().narrow(0, start, tokens), group));
            start += tokens;
        }
        let [rows, columns] = qkv.dims();
        if start < rows {
            // The padding of the last block.
            outputs.push(Tensor::zeros([rows - start, columns / 3], &qkv.device()));
        }
        Tensor::cat(outputs, 0)
    }

    /// Computes the attention within the windows of a group. `qkv`: queries, keys and values, [tokens, 3 × width].
    fn attend_group(&self, qkv: Tensor<2>, group: &Group) -> Tensor<2> {
        let [heads, _] = self.distance.dims();
        let Group { count, longest, .. } = *group;
        let width = qkv.dims()[1] / 3;
        let head_width = width / heads;
        // Splits one third of the columns into heads: 0 queries, 1 keys, 2 values.
        let split_heads = |third: usize| {
            let rows = qkv.clone().narrow(1, third * width, width);
            rows.reshape([count, longest, heads, head_width]).swap_dims(1, 2) // [windows, heads, tokens, head width]
        };
        let mut bias = self.distance_bias(longest);
        if let Some(mask) = &group.mask {
            bias = bias + mask.clone(); // [windows, heads, tokens, tokens]
        }
        let scores = split_heads(0).matmul(split_heads(1).swap_dims(2, 3)) / (head_width as f32).sqrt() + bias;
        activation::softmax(scores, 3).matmul(split_heads(2)).swap_dims(1, 2).reshape([count * longest, width])
    }

    /// Returns the bias of each pair of tokens, [1, heads, tokens, tokens]: query, key.
    fn distance_bias(&self, tokens: usize) -> Tensor<4> {
        let [heads, columns] = self.distance.dims();
        let columns: Vec<i32> = (1..=2 * tokens).map(|key| bias_column(tokens, key, columns / 2) as i32).collect();
        // Biases of the distances 1 - tokens to tokens. All queries read the same row, each one column further left.
        // Rows of even length, read as rows that are one column shorter, are shifted like this.
        let row = self.distance.val().select(1, indices(&columns, &self.distance.val().device()));
        let rows = row.unsqueeze_dim::<3>(1).repeat_dim(1, tokens).reshape([heads, 2 * tokens * tokens]);
        let shifted = rows.narrow(1, tokens - 1, tokens * (2 * tokens - 1));
        shifted.reshape([1, heads, tokens, 2 * tokens - 1]).narrow(3, 0, tokens)
    }
}

/// Normalises each row to mean 0 and variance 1.
fn normalise<const D: usize>(rows: Tensor<D>) -> Tensor<D> {
    let deviation = rows.clone() - rows.mean_dim(D - 1);
    let variance = (deviation.clone() * deviation.clone()).mean_dim(D - 1);
    deviation / (variance + EPSILON).sqrt()
}
