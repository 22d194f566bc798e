//! Batches of pairs as tensors.

use crate::error::Result;
use crate::feature::layout::Refiner;
use crate::nn::normal::Normal;
use crate::train::pack::Recording;
use crate::train::pairs::{self, Pair, WINDOW};
use burn::tensor::{Device, Tensor, TensorData};

/// A batch as normalised steps: (input, truth), `WINDOW` tensors of [batch, 161] each.
///
/// # Errors
/// Those of [`pairs::cut`].
pub fn batch(
    recordings: &[Recording],
    pairs: &[&Pair],
    normal: &Normal,
    device: &Device,
) -> Result<(Vec<Tensor<2>>, Tensor<2>)> {
    let mut input = vec![0.0; WINDOW * pairs.len() * Refiner::WIDTH];
    let mut truth = input.clone();
    for (lane, pair) in pairs.iter().enumerate() {
        let (from, to) = pairs::rows(recordings, pair)?;
        for frame in 0..WINDOW {
            let (here, there) = (frame * Refiner::WIDTH, (frame * pairs.len() + lane) * Refiner::WIDTH);
            input[there..there + Refiner::WIDTH].copy_from_slice(&from[here..here + Refiner::WIDTH]);
            truth[there..there + Refiner::WIDTH].copy_from_slice(&to[here..here + Refiner::WIDTH]);
        }
    }
    let tensor = |values: Vec<f32>| {
        let data = TensorData::new(values, [WINDOW * pairs.len(), Refiner::WIDTH]);
        normal.normalise(Tensor::from_data(data, device)).detach() // [frames × batch, 161]
    };
    let input = tensor(input);
    let steps = (0..WINDOW).map(|frame| input.clone().narrow(0, frame * pairs.len(), pairs.len())).collect();
    Ok((steps, tensor(truth)))
}
