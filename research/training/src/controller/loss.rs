//! Loss of the controller: weighted mean squared error of the normalised output columns.

use crate::experts::matrix;
use burn::tensor::Tensor;
use kinestitch::feature::controller::Layout;
use kinestitch::nn::mixture::MAX_DEVIATIONS;
use kinestitch::nn::normal::Normal;

/// Weight of the root's motion. The root has only three columns, but they move all joints.
const ROOT_WEIGHT: f32 = 8.0;
/// Weight of the contacts, which have few columns too. All other columns have weight 1.
const CONTACT_WEIGHT: f32 = 2.0;

/// Normalises rows, and clamps them to ±[`MAX_DEVIATIONS`] standard deviations.
pub fn normalise(normal: &Normal, rows: Tensor<2>) -> Tensor<2> {
    normal.normalise(rows).clamp(-MAX_DEVIATIONS, MAX_DEVIATIONS)
}

/// Computes the mean loss of normalised output rows, [rows, output]. `truth`: raw recorded rows, [rows × output].
/// `normal`: statistics that normalise `truth`.
pub fn loss(rows: Tensor<2>, truth: Vec<f32>, layout: &Layout, normal: &Normal) -> Tensor<1> {
    let (device, outputs) = (rows.device(), layout.output_width());
    let truth = normalise(normal, matrix(truth, outputs, &device));
    let mut weights = vec![1.0; outputs];
    weights[layout.out_root()].fill(ROOT_WEIGHT);
    weights[layout.out_contact()].fill(CONTACT_WEIGHT);
    ((rows - truth).square() * matrix(weights, outputs, &device)).mean()
}
