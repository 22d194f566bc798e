//! Loss of the sampler's roll-outs (eq. 12 to 14): rotations, positions of the lower points, positions of all joints by
//! forward kinematics, the changes of these positions between frames, the slide of planted feet, and the agreement
//! between predicted points and rotations.
//!
//! The weights of rotations, positions, heights and changes equal the weights of the delta in-betweener
//! ([`crate::delta::loss`]), which were chosen by L2P. The weight of a window is the inverse of the typical
//! interpolation error at its length.

use crate::kinematics::{World, index_tensor};
use burn::tensor::Tensor;
use kinestitch::body::poses::ROLES;
use kinestitch::feature::manifold::POINTS;

/// Weight of the rotations; the following constants are the weights of the other terms.
const ROTATION: f32 = 1.0;
const POSITION: f32 = 6.0;
/// Weight of the positions of the lower points.
const LEG: f32 = 6.0;
/// Factor of heights, which vary less than the ground axes: L2P divides by the standard deviation.
const HEIGHT: f32 = 1.7;
const CHANGE: f32 = 10.0;
/// Weight of the agreement between predicted points and rotations.
const AGREE: f32 = 2.0;

/// Computes the world positions of all joints, [rows, 22] per axis. `offsets`: joint offsets of each row's skeleton,
/// [rows, 22] per axis.
fn places(rows: &Tensor<2>, offsets: &[Tensor<2>; 3]) -> [Tensor<2>; 3] {
    let plane = |plane: usize| rows.clone().narrow(1, 21 + ROLES * plane, ROLES);
    let hips = [0, 1, 2].map(|axis| rows.clone().narrow(1, 7 * axis, 1));
    World::new(hips, [[0, 1, 2].map(plane), [3, 4, 5].map(plane)], offsets).positions()
}

/// Computes the total loss, then its terms: rotations, positions, changes, slide, agreement. `made`: predicted rows,
/// [gap × lanes, columns]; `truth`: recorded rows including the frames before and after the gap, [lanes, columns] each;
/// `touching`: contacts of the gap, [gap × lanes, 4]; `sliding`: weight of the slide.
pub fn loss(
    made: Tensor<2>,
    truth: &[Tensor<2>],
    touching: Tensor<2>,
    offsets: &[Tensor<2>; 3],
    sliding: f32,
) -> Vec<Tensor<1>> {
    let (gap, lanes) = (truth.len() - 2, truth[0].dims()[0]);
    let rows = Tensor::cat(vec![truth[0].clone(), made, truth[gap + 1].clone()], 0); // [(gap + 2) × lanes, columns]
    let truth = Tensor::cat(truth.to_vec(), 0);
    let whole = (gap + 2) as f32 / gap as f32;
    let offsets = offsets.clone().map(|plane| plane.repeat_dim(0, gap + 2));
    let (own, wanted) = (places(&rows, &offsets), places(&truth, &offsets));
    let points = |rows: &Tensor<2>, axis: usize| rows.clone().narrow(1, 7 * axis, 7);
    let later = |plane: &Tensor<2>| {
        let steps = gap + 1;
        plane.clone().narrow(0, lanes, steps * lanes) - plane.clone().narrow(0, 0, steps * lanes)
    };
    let rotation =
        (rows.clone().narrow(1, 21, 6 * ROLES) - truth.clone().narrow(1, 21, 6 * ROLES)).abs().mean() * whole;
    let zero = || Tensor::zeros([1], &rows.device());
    let (mut position, mut change, mut slide, mut agree) = (zero(), zero(), zero(), zero());
    let feet = index_tensor([3, 4, 7, 8], &rows.device());
    let low = index_tensor(POINTS.map(|role| role as usize), &rows.device());
    for axis in 0..3 {
        let share = if axis == 1 { HEIGHT } else { 1.0 } / 3.0;
        let off = own[axis].clone() - wanted[axis].clone();
        position = position + off.clone().abs().mean() * (POSITION * share * whole);
        change = change + later(&off).abs().mean() * (CHANGE * share);
        let off = points(&rows, axis) - points(&truth, axis);
        position = position + off.clone().abs().mean() * (LEG * share * whole);
        change = change + later(&off).abs().mean() * (CHANGE * share);
        let apart = own[axis].clone().select(1, low.clone()) - points(&rows, axis);
        agree = agree + apart.abs().mean() * (AGREE * whole / 3.0);
        if axis != 1 {
            let gap_steps = |plane: Tensor<2>| later(&plane).narrow(0, 0, gap * lanes).abs();
            let joints = gap_steps(own[axis].clone().select(1, feet.clone()));
            let points = points(&rows, axis);
            let points = Tensor::cat(vec![points.clone().narrow(1, 2, 2), points.narrow(1, 5, 2)], 1);
            slide = slide + ((joints + gap_steps(points)) * touching.clone()).mean() * sliding;
        }
    }
    let weight = (6.0 / (gap + 1) as f32).powf(0.85);
    let parts = [rotation * ROTATION, position, change, slide, agree].map(|part| part * weight);
    let [a, b, c, d, e] = parts.clone();
    std::iter::once(a + b + c + d + e).chain(parts).collect()
}
