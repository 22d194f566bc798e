//! Loss of output rows: mean square of the normalised columns, and the feet.

use super::feet::{Feet, Frames, Weights};
use super::lane::Batched;
use crate::experts::matrix;
use burn::tensor::Tensor;
use kinestitch::feature::controller::Layout;
use kinestitch::nn::mixture::FARTHEST;
use kinestitch::nn::normal::Normal;

/// Weights of the root's step and of the contacts: few columns that determine everything else.
const ROOT: f32 = 8.0;
const CONTACT: f32 = 2.0;

/// Normalised rows, clamped.
pub fn normalised(normal: &Normal, rows: Tensor<2>) -> Tensor<2> {
    normal.normalise(rows).clamp(-FARTHEST, FARTHEST)
}

/// Loss of normalised output rows, [rows, output], mean over rows and columns. `raw`: the same rows, denormalised with
/// the statistics `normal`.
pub fn loss(
    (out, raw): (Tensor<2>, Tensor<2>),
    batch: &Batched,
    layout: &Layout,
    normal: &Normal,
    (feet, weights): (&Feet, Weights),
) -> Tensor<1> {
    let (device, outputs) = (out.device(), layout.output());
    let truth = matrix(batch.truth.clone(), outputs, &device);
    let mut columns = vec![1.0; outputs];
    columns[layout.out_root()].fill(ROOT);
    columns[layout.out_contact()].fill(CONTACT);
    let columns = matrix(columns, outputs, &device);
    let squares = (out - normalised(normal, truth.clone())).square();
    let loss = (squares * columns).mean();
    if weights == Weights::default() {
        return loss;
    }
    let given = matrix(batch.input.clone(), layout.input(), &device);
    let planted = matrix(batch.planted.clone(), layout.contacts, &device);
    loss + feet.loss(layout, &Frames { given, prediction: raw, truth, planted }, weights)
}
