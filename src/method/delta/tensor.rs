//! The transformer on tensors, for WebGPU and for training.

use super::FARTHEST;
use super::network::{NAME, Sizes};
use crate::body::poses::{PAST, TARGET};
use crate::error::{Error, Result};
use crate::feature::delta::{INPUT, VERSION};
use crate::method::filler::LONGEST;
use crate::nn::attention::distance;
use crate::nn::weights::{self, Network, Weights};
use burn::module::{Module, Param};
use burn::nn::{Dropout, Linear, LinearConfig};
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
        // Refuses the files that the CPU version refuses, with the same messages.
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

    /// The network with mean and deviation of its input as constants, which training does not change.
    pub fn with_fixed_statistics(self) -> Self {
        Self { mean: self.mean.set_require_grad(false), deviation: self.deviation.set_require_grad(false), ..self }
    }

    /// Raw rows, [tokens, input] → [tokens, output].
    fn forward(&self, rows: Tensor<2>) -> Tensor<2> {
        let count = rows.dims()[0];
        self.forward_windows(rows, &[vec![count]], None)
    }

    /// Raw rows of several windows, one after the other, [tokens, input] → [tokens, output]. `groups`: lengths of the
    /// windows, in groups that attention pads to their longest. `dropout`: of attention outputs and inner rows, in
    /// training.
    pub fn forward_windows(&self, rows: Tensor<2>, groups: &[Vec<usize>], dropout: Option<&Dropout>) -> Tensor<2> {
        let device = rows.device();
        let groups: Vec<Group> = groups.iter().map(|lengths| Group::new(lengths, &device)).collect();
        let drop = |rows: Tensor<2>| match dropout {
            Some(dropout) => dropout.forward(rows),
            None => rows,
        };
        let rows = (rows - self.mean.val().unsqueeze::<2>()) / self.deviation.val().unsqueeze::<2>();
        let mut tokens = self.input.forward(rows.clamp(-FARTHEST, FARTHEST)); // [tokens, width]
        for layer in &self.layers {
            let qkv = layer.qkv.forward(normalised(tokens.clone())); // [tokens, 3 × width]
            tokens = tokens + layer.out.forward(drop(layer.attend(qkv, &groups)));
            let inner = activation::relu(layer.first.forward(normalised(tokens.clone()))); // [tokens, inner]
            tokens = tokens + layer.second.forward(drop(inner.clone() * inner));
        }
        self.output.forward(normalised(tokens))
    }
}

/// Windows of similar lengths, which attention computes together.
struct Group {
    /// Number of windows, and tokens of the longest.
    size: [usize; 2],
    /// Tokens of all windows.
    tokens: usize,
    /// Where lengths differ: see [`Padding`].
    padding: Option<Padding>,
}

/// Conversion between rows one after the other and rows padded to the longest window.
struct Padding {
    /// Row of each padded token, [windows × longest]; padding repeats the last row of its window.
    padded: Tensor<1, Int>,
    /// Padded token of each row.
    rows: Tensor<1, Int>,
    /// Added to the scores of keys, [windows, 1, 1, longest]: 0, or very low for padding.
    mask: Tensor<4>,
}

impl Group {
    fn new(lengths: &[usize], device: &Device) -> Self {
        let (count, longest) = (lengths.len(), lengths.iter().copied().max().unwrap_or(0));
        let padding = lengths.iter().any(|length| *length != longest).then(|| {
            let (mut padded, mut rows, mut mask, mut start) = (Vec::new(), Vec::new(), Vec::new(), 0);
            for (window, length) in lengths.iter().enumerate() {
                rows.extend((0..*length).map(|at| (window * longest + at) as i32));
                padded.extend((0..longest).map(|at| (start + at.min(length - 1)) as i32));
                mask.extend((0..longest).map(|at| if at < *length { 0.0_f32 } else { -1e9 }));
                start += length;
            }
            let ids = |ids: Vec<i32>| {
                let count = ids.len();
                Tensor::from_data(TensorData::new(ids, [count]), device)
            };
            let mask = Tensor::from_data(TensorData::new(mask, [count, 1, 1, longest]), device);
            Padding { padded: ids(padded), rows: ids(rows), mask }
        });
        Self { size: [count, longest], tokens: lengths.iter().sum(), padding }
    }
}

impl Layer {
    /// Multi-head attention: every token mixes the values of all tokens of its window.
    fn attend(&self, qkv: Tensor<2>, groups: &[Group]) -> Tensor<2> {
        let mut start = 0;
        let parts = groups.iter().map(|group| {
            let rows = qkv.clone().narrow(0, start, group.tokens);
            start += group.tokens;
            self.attend_group(rows, group)
        });
        Tensor::cat(parts.collect(), 0)
    }

    fn attend_group(&self, qkv: Tensor<2>, group: &Group) -> Tensor<2> {
        let [heads, columns] = self.distance.val().dims();
        let [count, longest] = group.size;
        let width = qkv.dims()[1] / 3;
        let size = width / heads;
        let qkv = match &group.padding {
            Some(padding) => qkv.select(0, padding.padded.clone()),
            None => qkv,
        };
        let part = |part: usize| {
            let rows = qkv.clone().narrow(1, part * width, width);
            rows.reshape([count, longest, heads, size]).swap_dims(1, 2) // [windows, heads, tokens, size]
        };
        let reach = columns / 2;
        let pairs = 0..longest * longest;
        let at: Vec<i32> = pairs.map(|pair| distance(pair / longest, pair % longest, reach) as i32).collect();
        let at = Tensor::<1, Int>::from_data(TensorData::new(at, [longest * longest]), &qkv.device());
        let mut bias = self.distance.val().select(1, at).reshape([1, heads, longest, longest]);
        if let Some(padding) = &group.padding {
            bias = bias + padding.mask.clone(); // [windows, heads, tokens, tokens]
        }
        let scores = part(0).matmul(part(1).swap_dims(2, 3)) / (size as f32).sqrt() + bias;
        let mixed = activation::softmax(scores, 3).matmul(part(2)).swap_dims(1, 2).reshape([count * longest, width]);
        match &group.padding {
            Some(padding) => mixed.select(0, padding.rows.clone()),
            None => mixed,
        }
    }
}

/// Rows normalised to mean 0 and variance 1.
fn normalised(rows: Tensor<2>) -> Tensor<2> {
    let off = rows.clone() - rows.mean_dim(1);
    let variance = (off.clone() * off.clone()).mean_dim(1);
    off / (variance + EPSILON).sqrt()
}
