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
use kinestitch::body::poses::{CONTACTS, ROLES, joint_positions};
use kinestitch::body::rotation6d::{POSE_VALUES, encode_rotations};
use kinestitch::feature::delta::CONTACT;

/// Weight of local rotations; the following constants are the weights of the other terms. All terms are means over
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
/// windows. `rows`: output rows of the gaps, one window after the other, [rows, 139].
pub fn loss(rows: &Tensor<2>, samples: &[Sample]) -> Vec<Tensor<1>> {
    let Truth { base, base_hips, units, positions, columns, local, offsets, weights, steps, contacts } =
        Truth::new(samples, &rows.device());
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
        let displacement = |positions: Tensor<2>| {
            let positions = Tensor::cat(vec![positions, ends.clone()], 0);
            positions.clone().select(0, steps.to.clone()) - positions.select(0, steps.from.clone())
        };
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

/// Steps from each frame to the next, from the last frame before a gap to the first frame after the gap.
struct Steps {
    /// Row of the first frame of each step. Rows 0 and up are the frames of all gaps. After them follow two rows per
    /// window: the frames before and after its gap.
    from: Tensor<1, Int>,
    /// Row of the second frame of each step.
    to: Tensor<1, Int>,
    /// Weight of each step, [steps, 1].
    weights: Tensor<2>,
    /// Whether a foot is planted in the second frame, [steps, 4], 0 or 1.
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
    /// [2 × windows, 22].
    positions: [(Tensor<2>, Tensor<2>); 3],
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

impl Truth {
    fn new(samples: &[Sample], device: &Device) -> Self {
        let matrix = |values: Vec<f32>, columns: usize| {
            let rows = values.len() / columns;
            Tensor::<2>::from_data(TensorData::new(values, [rows, columns]), device)
        };
        let frames = || samples.iter().flat_map(|sample| (0..sample.truth.len()).map(move |frame| (sample, frame)));
        let weight = |sample: &Sample| window_weight(sample.truth.len()) / (sample.truth.len() * samples.len()) as f32;
        let world: Vec<_> = frames().map(|(sample, frame)| sample.world_rotations(frame)).collect();
        let column = |index: usize| {
            let axes: Vec<[Vec3; ROLES]> = world.iter().map(|pose| pose.map(|matrix| matrix.col(index))).collect();
            planes(&axes, device)
        };
        let pose = |(sample, frame): (&Sample, usize)| {
            joint_positions(sample.truth.hips[frame], sample.truth.pose(frame), &sample.offsets)
        };
        let positions: Vec<[Vec3; ROLES]> = frames().map(pose).collect();
        let [x, y, z] = planes(&positions, device);
        let [end_x, end_y, end_z] = planes(samples.iter().flat_map(|sample| &sample.ends), device);
        Self {
            base: matrix(
                frames().flat_map(|(sample, frame)| encode_rotations(sample.input.base.pose(frame))).collect(),
                POSE_VALUES,
            ),
            base_hips: matrix(
                frames().flat_map(|(sample, frame)| sample.input.base.hips[frame].to_array()).collect(),
                3,
            ),
            units: matrix(
                frames().flat_map(|(sample, frame)| typical_correction(frame + 1, sample.truth.len())).collect(),
                2,
            ),
            positions: [(x, end_x), (y, end_y), (z, end_z)],
            columns: [column(0), column(1)],
            local: matrix(
                frames().flat_map(|(sample, frame)| encode_rotations(sample.truth.pose(frame))).collect(),
                POSE_VALUES,
            ),
            offsets: planes(frames().map(|(sample, _)| &sample.offsets), device),
            weights: matrix(frames().map(|(sample, _)| weight(sample)).collect(), 1),
            steps: Steps::new(samples, weight, device),
            contacts: matrix(samples.iter().flat_map(|sample| sample.contacts.clone()).collect(), CONTACTS),
        }
    }
}

impl Steps {
    fn new(samples: &[Sample], weight: impl Fn(&Sample) -> f32, device: &Device) -> Self {
        let rows: usize = samples.iter().map(|sample| sample.truth.len()).sum();
        let (mut from, mut to, mut weights, mut planted) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        let mut start = 0;
        for (window, sample) in samples.iter().enumerate() {
            let gap = sample.truth.len();
            let end = rows + 2 * window;
            from.extend(std::iter::once(end).chain(start..start + gap));
            to.extend((start..start + gap).chain([end + 1]));
            weights.extend(std::iter::repeat_n(weight(sample), gap + 1));
            planted.extend(&sample.contacts);
            planted.extend([0.0; CONTACTS]);
            start += gap;
        }
        let count = weights.len();
        Self {
            from: index_tensor(from, device),
            to: index_tensor(to, device),
            weights: Tensor::from_data(TensorData::new(weights, [count, 1]), device),
            planted: Tensor::from_data(TensorData::new(planted, [count, CONTACTS]), device),
        }
    }
}

/// Returns the inverse of a gap's typical interpolation error, relative to a gap of six steps. The exponent is a fit.
fn window_weight(gap: usize) -> f32 {
    (6.0 / (gap + 1) as f32).powf(0.85)
}
