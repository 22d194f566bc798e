//! Batches of the refiner's pairs as tensors. A lane is one window of a batch.

use crate::data::Recording;
use crate::pairs::{self, Pair, WINDOW};
use burn::tensor::{Device, Tensor, TensorData};
use kinestitch::error::Result;
use kinestitch::feature::layout::RefinerRow;
use kinestitch::nn::normal::Normal;

/// Computes the normalised rows (input, truth) of pairs: time-major, [`WINDOW` × pairs, 161] each.
///
/// # Errors
/// Those of [`pairs::cut`].
pub fn batch(
    recordings: &[Recording],
    pairs: &[&Pair],
    normal: &Normal,
    device: &Device,
) -> Result<(Tensor<2>, Tensor<2>)> {
    let lanes: Vec<_> = pairs.iter().map(|pair| pairs::rows(recordings, pair)).collect::<Result<_>>()?;
    Ok(stack_lanes(&lanes, normal, device))
}

/// Stacks lanes of raw rows (input, truth), [`WINDOW` × 161] each, to a batch of normalised rows as in [`batch`].
pub fn stack_lanes(lanes: &[(Vec<f32>, Vec<f32>)], normal: &Normal, device: &Device) -> (Tensor<2>, Tensor<2>) {
    let mut input = vec![0.0; WINDOW * lanes.len() * RefinerRow::WIDTH];
    let mut truth = input.clone();
    for (lane, (lane_input, lane_truth)) in lanes.iter().enumerate() {
        for frame in 0..WINDOW {
            let source = frame * RefinerRow::WIDTH..(frame + 1) * RefinerRow::WIDTH;
            let start = (frame * lanes.len() + lane) * RefinerRow::WIDTH;
            input[start..][..RefinerRow::WIDTH].copy_from_slice(&lane_input[source.clone()]);
            truth[start..][..RefinerRow::WIDTH].copy_from_slice(&lane_truth[source]);
        }
    }
    let tensor = |values: Vec<f32>| {
        let data = TensorData::new(values, [WINDOW * lanes.len(), RefinerRow::WIDTH]);
        normal.normalise(Tensor::from_data(data, device)).detach() // [frames × lanes, 161]
    };
    (tensor(input), tensor(truth))
}

/// Splits rows into `WINDOW` time steps of [batch, 161].
pub fn steps(rows: &Tensor<2>) -> Vec<Tensor<2>> {
    let batch = rows.dims()[0] / WINDOW;
    (0..WINDOW).map(|frame| rows.clone().narrow(0, frame * batch, batch)).collect()
}
