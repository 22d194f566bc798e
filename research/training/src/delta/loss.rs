//! Loss of the delta in-betweener.
//!
//! The loss is the weighted sum of mean absolute differences (Oreshkin et al. 2022, section 3.4) of local rotations,
//! world rotations, world positions and their changes between frames, of the slide of planted feet, and of the cross
//! entropy of contacts. A window's weight is the inverse of the typical interpolation error at its length, so that
//! short and long gaps have the same influence.

use super::sample::Sample;
use crate::kinematics::{Planes, World, index_tensor, orthonormal, planes};
use crate::takes::FEET;
use burn::tensor::{Device, Int, Tensor, TensorData};
use glam::Vec3;
use kinestitch::body::interpolate::typical_correction;
use kinestitch::body::poses::{CONTACTS, Poses, ROLES, joint_positions};
use kinestitch::body::rotation6d::{POSE_VALUES, encode_rotations};
use kinestitch::feature::delta::CONTACT;

/// Weight of local rotations; the following constants are the weights of the other terms. Rotations, positions and the
/// entropy are means over the frames of a gap; changes and slide are sums over its steps, divided by the number of
/// frames. Rotations, positions and changes are also means over columns; the slide is a mean over the joints of
/// [`FEET`] and a sum over both ground axes; the entropy is a sum over the contacts.
const LOCAL_WEIGHT: f32 = 1.0;
const WORLD_WEIGHT: f32 = 1.0;
const POSITION_WEIGHT: f32 = 6.0;
/// Factor of heights, which vary less than the ground axes: L2P divides by the standard deviation.
const HEIGHT_FACTOR: f32 = 1.7;
const CHANGE_WEIGHT: f32 = 10.0;
const SLIDE_WEIGHT: f32 = 2.0;
const ENTROPY_WEIGHT: f32 = 0.01;

/// Computes the total loss of windows, then its terms: rotations, positions, changes, slide, contacts; means over the
/// windows. `rows`: output rows of the gaps, one window after the other, [rows, 139]. `targets`: those of the samples.
pub fn loss(rows: &Tensor<2>, samples: &[Sample], targets: &[Targets]) -> Vec<Tensor<1>> {
    let Truth { base, base_hips, units, positions, columns, local, offsets, weights, steps, contacts } =
        Truth::new(samples, targets, &rows.device());
    let output = |start: usize, count: usize| rows.clone().narrow(1, start, count);
    let rotations = base + output(0, POSE_VALUES) * units.clone().narrow(1, 0, 1); // [rows, 22 × 6]
    let hips = base_hips + output(POSE_VALUES, 3) * units.narrow(1, 1, 1);
    let by_column = rotations.clone().reshape([-1, ROLES as i32, 6]);
    let plane = |index: usize| by_column.clone().narrow(2, index, 1).squeeze_dim::<2>(2);
    let world = World::new(
        [0, 1, 2].map(|axis| hips.clone().narrow(1, axis, 1)),
        orthonormal([[0, 1, 2].map(plane), [3, 4, 5].map(plane)]),
        &offsets,
    );
    let mean = |values: Tensor<2>, weights: &Tensor<2>| (values.sum_dim(1) * weights.clone()).sum();
    let column_weight = 1.0 / POSE_VALUES as f32;
    let mut rotation = mean((rotations - local).abs(), &weights) * (LOCAL_WEIGHT * column_weight);
    for (predicted, truth) in world.columns().into_iter().flatten().zip(columns.into_iter().flatten()) {
        rotation = rotation + mean((predicted - truth).abs(), &weights) * (WORLD_WEIGHT * column_weight);
    }
    let zero = || Tensor::zeros([1], &rows.device());
    let (mut position, mut change, mut slide) = (zero(), zero(), zero());
    let feet = index_tensor(FEET.map(|role| role as usize), &rows.device());
    for ((axis, predicted), (truth, ends)) in world.positions().into_iter().enumerate().zip(positions) {
        let scale = if axis == 1 { HEIGHT_FACTOR } else { 1.0 } / (3 * ROLES) as f32;
        position = position + mean((predicted.clone() - truth.clone()).abs(), &weights) * (POSITION_WEIGHT * scale);
        let displacement = |positions: Tensor<2>| steps.displacements(positions, &ends);
        let predicted = displacement(predicted);
        change =
            change + mean((predicted.clone() - displacement(truth)).abs(), &steps.weights) * (CHANGE_WEIGHT * scale);
        if axis != 1 {
            let feet = predicted.select(1, feet.clone()).abs() * steps.planted.clone();
            slide = slide + mean(feet, &steps.weights) * (SLIDE_WEIGHT / CONTACTS as f32);
        }
    }
    let logits = output(CONTACT, CONTACTS);
    let magnitude = logits.clone().abs();
    // (x + |x|) / 2 instead of max(0, x), because its gradient is correct at 0, the output of an untrained network.
    let entropy = (logits.clone() + magnitude.clone()) * 0.5 - logits * contacts + (magnitude.neg().exp() + 1.0).log();
    let contact = mean(entropy, &weights) * ENTROPY_WEIGHT;
    let total = rotation.clone() + position.clone() + change.clone() + slide.clone() + contact.clone();
    vec![total, rotation, position, change, slide, contact]
}

/// Steps from each frame to the next. First those from each row to the next row, where a step from one window
/// to the next has the weight 0. Then the steps into the gaps of the windows, then the steps out of them.
struct Steps {
    /// First row of each window.
    first: Tensor<1, Int>,
    /// Last row of each window.
    last: Tensor<1, Int>,
    /// Weight of each step, [steps, 1].
    weights: Tensor<2>,
    /// Whether a foot is planted in the second frame, [steps, 4], 0 or 1; 0 for steps out of gaps, because samples have
    /// no contacts after their gaps.
    planted: Tensor<2>,
}

/// The recorded gaps and their interpolations, as tensors.
struct Truth {
    /// Rotations of the interpolation, [rows, 22 × 6].
    base: Tensor<2>,
    /// Positions of the hips of the interpolation, [rows, 3].
    base_hips: Tensor<2>,
    /// Units of predicted rotations and hips, [rows, 2].
    units: Tensor<2>,
    /// Recorded joint positions in the gaps, and in the frames before and after the gaps: for each axis [rows, 22] and
    /// twice [windows, 22].
    positions: [(Tensor<2>, [Tensor<2>; 2]); 3],
    /// First two columns of recorded world rotations.
    columns: [Planes; 2],
    /// Recorded local rotations, [rows, 22 × 6].
    local: Tensor<2>,
    /// Joint offsets of each row's skeleton, [rows, 22].
    offsets: Planes,
    /// Weight of each row, [rows, 1].
    weights: Tensor<2>,
    steps: Steps,
    /// Recorded contacts, [rows, 4].
    contacts: Tensor<2>,
}

/// Target values of the output for one window, computed from the recording; rows are the frames of the gap.
pub struct Targets {
    /// Rotations of the interpolation, [rows × 22 × 6].
    base: Vec<f32>,
    /// Recorded local rotations, [rows × 22 × 6].
    local: Vec<f32>,
    /// Recorded joint positions.
    positions: Vec<[Vec3; ROLES]>,
    /// First two columns of recorded world rotations.
    columns: [Vec<[Vec3; ROLES]>; 2],
}

impl Targets {
    /// Computes the targets of a sample.
    pub fn new(sample: &Sample) -> Self {
        let frames = || 0..sample.truth.len();
        let encode = |poses: &Poses| frames().flat_map(|frame| encode_rotations(poses.pose(frame))).collect();
        let world: Vec<_> = frames().map(|frame| sample.world_rotations(frame)).collect();
        let position =
            |frame: usize| joint_positions(sample.truth.hips[frame], sample.truth.pose(frame), &sample.offsets);
        Self {
            base: encode(&sample.input.base),
            local: encode(&sample.truth),
            positions: frames().map(position).collect(),
            columns: [0, 1].map(|index| world.iter().map(|pose| pose.map(|matrix| matrix.col(index))).collect()),
        }
    }
}

impl Truth {
    fn new(samples: &[Sample], targets: &[Targets], device: &Device) -> Self {
        let matrix = |values: Vec<f32>, columns: usize| {
            let rows = values.len() / columns;
            Tensor::<2>::from_data(TensorData::new(values, [rows, columns]), device)
        };
        let frames = || samples.iter().flat_map(|sample| (0..sample.truth.len()).map(move |frame| (sample, frame)));
        let weight = |sample: &Sample| window_weight(sample.truth.len()) / (sample.truth.len() * samples.len()) as f32;
        let poses =
            |values: fn(&Targets) -> &[f32]| matrix(targets.iter().flat_map(values).copied().collect(), POSE_VALUES);
        let column = |index: usize| planes(targets.iter().flat_map(|targets| &targets.columns[index]), device);
        let [x, y, z] = planes(targets.iter().flat_map(|targets| &targets.positions), device);
        let end = |index: usize| planes(samples.iter().map(|sample| &sample.ends[index]), device);
        let ([before_x, before_y, before_z], [after_x, after_y, after_z]) = (end(0), end(1));
        Self {
            base: poses(|targets| &targets.base),
            base_hips: matrix(
                frames().flat_map(|(sample, frame)| sample.input.base.hips[frame].to_array()).collect(),
                3,
            ),
            units: matrix(
                frames().flat_map(|(sample, frame)| typical_correction(frame + 1, sample.truth.len())).collect(),
                2,
            ),
            positions: [(x, [before_x, after_x]), (y, [before_y, after_y]), (z, [before_z, after_z])],
            columns: [column(0), column(1)],
            local: poses(|targets| &targets.local),
            offsets: planes(frames().map(|(sample, _)| &sample.offsets), device),
            weights: matrix(frames().map(|(sample, _)| weight(sample)).collect(), 1),
            steps: Steps::new(samples, weight, device),
            contacts: matrix(samples.iter().flat_map(|sample| sample.contacts.clone()).collect(), CONTACTS),
        }
    }
}

impl Steps {
    fn new(samples: &[Sample], weight: impl Fn(&Sample) -> f32, device: &Device) -> Self {
        let (mut first, mut last, mut weights, mut planted) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        for sample in samples {
            let gap = sample.truth.len();
            first.push(last.last().map_or(0, |last| last + 1));
            last.push(first[first.len() - 1] + gap - 1);
            weights.extend(std::iter::repeat_n(weight(sample), gap - 1));
            weights.push(0.0);
            planted.extend(&sample.contacts[CONTACTS..]);
            planted.extend([0.0; CONTACTS]);
        }
        // The last row has no next row.
        weights.pop();
        planted.truncate(weights.len() * CONTACTS);
        for _ in 0..2 {
            weights.extend(samples.iter().map(&weight));
        }
        planted.extend(samples.iter().flat_map(|sample| &sample.contacts[..CONTACTS]));
        planted.resize(weights.len() * CONTACTS, 0.0);
        let count = weights.len();
        Self {
            first: index_tensor(first, device),
            last: index_tensor(last, device),
            weights: Tensor::from_data(TensorData::new(weights, [count, 1]), device),
            planted: Tensor::from_data(TensorData::new(planted, [count, CONTACTS]), device),
        }
    }

    /// Returns the displacements of the joints along one axis, [steps, 22]. `positions`: those in the gaps, [rows, 22].
    /// `ends`: those in the frames before and after each gap, [windows, 22].
    fn displacements(&self, positions: Tensor<2>, [before, after]: &[Tensor<2>; 2]) -> Tensor<2> {
        let steps = positions.dims()[0] - 1;
        // Differences of neighbouring rows, because the gradient of a selection of rows is slow on graphics cards.
        let within = positions.clone().narrow(0, 1, steps) - positions.clone().narrow(0, 0, steps);
        let into = positions.clone().select(0, self.first.clone()) - before.clone();
        let out = after.clone() - positions.select(0, self.last.clone());
        Tensor::cat(vec![within, into, out], 0)
    }
}

/// Returns the inverse of a gap's typical interpolation error, relative to a gap of six steps. The exponent is a fit.
fn window_weight(gap: usize) -> f32 {
    (6.0 / (gap + 1) as f32).powf(0.85)
}
