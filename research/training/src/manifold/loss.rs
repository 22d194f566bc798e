//! Loss of the sampler's rollouts (Tang et al. 2022, eq. 12 to 14): rotations, positions of the lower points,
//! positions of all joints by forward kinematics, the changes of these positions between frames, the slide of planted
//! feet, and the agreement between predicted points and rotations.
//!
//! The weights of rotations, positions, heights and changes equal the weights of the delta in-betweener
//! ([`crate::delta::loss`]), which were chosen by L2P. The weight of a window is the inverse of the typical
//! interpolation error at its length.

use crate::kinematics::{World, index_tensor};
use crate::takes::FEET;
use burn::tensor::Tensor;
use kinestitch::body::poses::ROLES;
use kinestitch::feature::manifold::POINTS;

/// Weight of the rotations; the following constants are the weights of the other terms.
const ROTATION_WEIGHT: f32 = 1.0;
const POSITION_WEIGHT: f32 = 6.0;
/// Weight of the positions of the lower points.
const LOWER_POINT_WEIGHT: f32 = 6.0;
/// Factor of heights, which vary less than the ground axes: L2P divides by the standard deviation.
const HEIGHT_FACTOR: f32 = 1.7;
const CHANGE_WEIGHT: f32 = 10.0;
/// Weight of the agreement between predicted points and rotations.
const AGREEMENT_WEIGHT: f32 = 2.0;

/// Computes the world positions of all joints by forward kinematics, [rows, 22] per axis. `offsets`: joint offsets of
/// each row's skeleton, [rows, 22] per axis.
fn world_positions(rows: &Tensor<2>, offsets: &[Tensor<2>; 3]) -> [Tensor<2>; 3] {
    // A row has three planes of 7 points, of which the first is the hips; then six planes of 22 rotations.
    let plane = |plane: usize| rows.clone().narrow(1, 21 + ROLES * plane, ROLES);
    let hips = [0, 1, 2].map(|axis| rows.clone().narrow(1, 7 * axis, 1));
    World::new(hips, [[0, 1, 2].map(plane), [3, 4, 5].map(plane)], offsets).positions()
}

/// Computes the total loss, then its terms: rotations, positions, changes, slide, agreement. `predicted`: [gap × lanes,
/// columns]; `truth`: recorded rows including the frames before and after the gap, [lanes, columns] each;
/// `planted`: recorded contacts of the gap, [gap × lanes, 4]; `offsets`: joint offsets of each lane's skeleton,
/// [lanes, 22] per axis; `slide_weight`: weight of the slide.
pub fn loss(
    predicted: Tensor<2>,
    truth: &[Tensor<2>],
    planted: Tensor<2>,
    offsets: &[Tensor<2>; 3],
    slide_weight: f32,
) -> Vec<Tensor<1>> {
    let (gap, lanes) = (truth.len() - 2, truth[0].dims()[0]);
    let rows = Tensor::cat(vec![truth[0].clone(), predicted, truth[gap + 1].clone()], 0); // [(gap + 2) × lanes, …]
    let truth = Tensor::cat(truth.to_vec(), 0);
    // The frames before and after the gap have no error; this factor converts a mean over all frames to a mean over
    // the gap.
    let gap_factor = (gap + 2) as f32 / gap as f32;
    let offsets = offsets.clone().map(|plane| plane.repeat_dim(0, gap + 2));
    let (joints, true_joints) = (world_positions(&rows, &offsets), world_positions(&truth, &offsets));
    let points = |rows: &Tensor<2>, axis: usize| rows.clone().narrow(1, 7 * axis, 7);
    // Changes from each frame to the next, [(gap + 1) × lanes, columns].
    let steps = |plane: &Tensor<2>| {
        let count = (gap + 1) * lanes;
        plane.clone().narrow(0, lanes, count) - plane.clone().narrow(0, 0, count)
    };
    let rotation =
        (rows.clone().narrow(1, 21, 6 * ROLES) - truth.clone().narrow(1, 21, 6 * ROLES)).abs().mean() * gap_factor;
    let zero = || Tensor::zeros([1], &rows.device());
    let (mut position, mut change, mut slide, mut agreement) = (zero(), zero(), zero(), zero());
    let feet = index_tensor(FEET.map(|role| role as usize), &rows.device());
    let lower_points = index_tensor(POINTS.map(|role| role as usize), &rows.device());
    for axis in 0..3 {
        let axis_weight = if axis == 1 { HEIGHT_FACTOR } else { 1.0 } / 3.0;
        let error = joints[axis].clone() - true_joints[axis].clone();
        position = position + error.clone().abs().mean() * (POSITION_WEIGHT * axis_weight * gap_factor);
        change = change + steps(&error).abs().mean() * (CHANGE_WEIGHT * axis_weight);
        let error = points(&rows, axis) - points(&truth, axis);
        position = position + error.clone().abs().mean() * (LOWER_POINT_WEIGHT * axis_weight * gap_factor);
        change = change + steps(&error).abs().mean() * (CHANGE_WEIGHT * axis_weight);
        let difference = joints[axis].clone().select(1, lower_points.clone()) - points(&rows, axis);
        agreement = agreement + difference.abs().mean() * (AGREEMENT_WEIGHT * gap_factor / 3.0);
        if axis != 1 {
            let gap_steps = |plane: Tensor<2>| steps(&plane).narrow(0, 0, gap * lanes).abs();
            let joint_steps = gap_steps(joints[axis].clone().select(1, feet.clone()));
            let points = points(&rows, axis);
            // Ankle and toe of the left leg, then of the right leg.
            let points = Tensor::cat(vec![points.clone().narrow(1, 2, 2), points.narrow(1, 5, 2)], 1);
            slide = slide + ((joint_steps + gap_steps(points)) * planted.clone()).mean() * slide_weight;
        }
    }
    // Inverse of the typical interpolation error of this gap length, relative to a gap of five frames.
    let weight = (6.0 / (gap + 1) as f32).powf(0.85);
    let terms = [rotation * ROTATION_WEIGHT, position, change, slide, agreement].map(|term| term * weight);
    let total = terms.clone().into_iter().reduce(|a, b| a + b).unwrap_or_else(zero);
    std::iter::once(total).chain(terms).collect()
}
