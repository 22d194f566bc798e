//! Losses of the refiner (RMR, section 5.1), summed over columns and averaged over frames and batch.
//!
//! The losses of the pose and of the beginning are smooth L1: quadratic below [`KNEE`] standard deviations. The
//! untrained network returns its input. With plain L1, training does not leave this state, because most frames need no
//! change: in 500 steps, the first five digits of the validation error did not change.

use burn::tensor::{Tensor, TensorData, activation};
use kinestitch::feature::layout::{ColumnRange, RefinerRow};
use kinestitch::nn::normal::Normal;

/// Number of frames of the loss of the beginning, T_begin.
const BEGIN_FRAMES: usize = 5;
/// Error at which the smooth L1 loss changes from quadratic to linear, standard deviations.
const KNEE: f32 = 0.3;
/// Weight of the loss of changes between frames. The paper's discussion proposes this loss against sudden pose changes.
const SMOOTH_WEIGHT: f32 = 1.0;
/// Weight of the loss of foot contacts. Losses without a constant have weight 1.
const FOOT_WEIGHT: f32 = 0.5;
/// Weight of the loss of the lower body's world displacements and of the changes of these displacements, both in
/// standard deviations of the displacement.
const MOTION_WEIGHT: f32 = 0.5;
/// Weight of a planted foot's horizontal displacement, per metre and frame: 4 mm weigh as much as one standard
/// deviation. With a weight of 100, feet do not slide in pairs, but at real seams they slide almost as much as in the
/// drafts.
const SLIDE_WEIGHT: f32 = 250.0;
/// Lower-body joints of the contact columns, as indices into `feature::encode::LOWER_BODY_ROLES`.
const CONTACT_JOINTS: [usize; 4] = [3, 4, 7, 8];

/// Total loss and its terms, scalar tensors.
pub struct Loss {
    /// Weighted sum of the terms and of the loss on changes between frames.
    pub total: Tensor<1>,
    /// Pose, trajectory, foot contact, beginning, motion, slide.
    pub terms: [Tensor<1>; 6],
}

/// Computes the losses of normalised rows, [frames × lanes, 161], time-major. Contacts of `refined` are logits.
/// `truth_weights`, `[lanes]`: weight of each lane's deviations from the truth.
pub fn loss(normal: &Normal, refined: Tensor<2>, truth: Tensor<2>, input: Tensor<2>, truth_weights: &[f32]) -> Loss {
    let [rows, _] = refined.dims();
    let batch = truth_weights.len();
    let frames = rows / batch;
    let poses = RefinerRow::CONTACT.start;
    let weights = TensorData::new(truth_weights.repeat(frames), [rows, 1]);
    let weights = Tensor::<2>::from_data(weights, &refined.device()); // [frames × lanes, 1]
    let weights = |rows: usize| weights.clone().narrow(0, 0, rows);
    let pose = smooth_l1(refined.clone().narrow(1, 0, poses), truth.clone().narrow(1, 0, poses), weights(rows));

    let contact = |rows: Tensor<2>| columns(rows, RefinerRow::CONTACT); // [frames × batch, 4]
    let contact_truth = contact(normal.denormalise(truth.clone()));
    let foot = l1(activation::sigmoid(contact(refined.clone())), contact_truth);

    let path = |rows: Tensor<2>| trajectory(columns(normal.denormalise(rows), RefinerRow::ROOT), frames, batch);
    let trajectory = l1(path(refined.clone()), path(truth.clone()));

    // sig(t / T_begin) = 1 − 1 / (1 + exp(5 − 10 t / T_begin)): nearly 1 at first, nearly 0 at T_begin.
    let begin = (0..BEGIN_FRAMES).map(|t| {
        let frame = |rows: &Tensor<2>| rows.clone().slice([t * batch..(t + 1) * batch, 0..poses]);
        let x = (t + 1) as f32 / BEGIN_FRAMES as f32;
        let weight = 1.0 - 1.0 / (1.0 + (5.0 - 10.0 * x).exp());
        smooth_l1(frame(&refined), frame(&input), weights(batch)) * (weight / BEGIN_FRAMES as f32)
    });
    let begin = begin.reduce(|a, b| a + b).unwrap_or_else(|| pose.clone() * 0.0);

    let change = |rows: &Tensor<2>| {
        let poses = rows.clone().narrow(1, 0, poses);
        let later = poses.clone().narrow(0, batch, (frames - 1) * batch);
        later - poses.narrow(0, 0, (frames - 1) * batch) // [(frames − 1) × batch, 157]
    };
    let change_weights = weights((frames - 1) * batch);
    let smooth = l1(change(&refined) * change_weights.clone(), change(&truth) * change_weights) * SMOOTH_WEIGHT;

    // The library places the refined poses on the root trajectory of the input, which is the truth's trajectory.
    // Therefore the slide of feet is measured on that trajectory.
    let raw_truth = normal.denormalise(truth).narrow(0, batch, (frames - 1) * batch); // [(frames − 1) × batch, 161]
    let positions = columns(normal.denormalise(refined), RefinerRow::POSITION);
    // [(frames − 1) × batch, 33]
    let moved = displacement(positions, columns(raw_truth.clone(), RefinerRow::ROOT), batch);
    let unit = columns(normal.deviation(), RefinerRow::VELOCITY);
    let error = (moved.clone() - columns(raw_truth.clone(), RefinerRow::VELOCITY)) / unit;
    let later = error.clone().narrow(0, batch, (frames - 2) * batch);
    let change = later - error.clone().narrow(0, 0, (frames - 2) * batch); // [(frames − 2) × batch, 33]
    let mean_norm = |error: Tensor<2>| {
        let [rows, _] = error.dims();
        (error.abs() * weights(rows)).sum() / rows as f32
    };
    let motion = mean_norm(error) + mean_norm(change);
    let slide = planted_movement(moved, contact(raw_truth));

    let total = pose.clone()
        + trajectory.clone()
        + foot.clone() * FOOT_WEIGHT
        + begin.clone()
        + smooth
        + motion.clone() * MOTION_WEIGHT
        + slide.clone() * SLIDE_WEIGHT;
    Loss { total, terms: [pose, trajectory, foot, begin, motion, slide] }
}

/// Measures the mean horizontal movement of refined joints during contacts of the truth, on the truth's ground path,
/// metres per frame.
pub fn slide(normal: &Normal, refined: Tensor<2>, truth: Tensor<2>, lanes: usize) -> Tensor<1> {
    let [rows, _] = refined.dims();
    let truth = normal.denormalise(truth).narrow(0, lanes, rows - lanes); // [(frames − 1) × lanes, 161]
    let positions = columns(normal.denormalise(refined), RefinerRow::POSITION);
    let moved = displacement(positions, columns(truth.clone(), RefinerRow::ROOT), lanes); // [(frames − 1) × lanes, 33]
    planted_movement(moved, columns(truth, RefinerRow::CONTACT))
}

/// Computes the horizontal movement |x| + |z| of planted joints: the sum over joints, the mean over rows. `moved`:
/// displacements, [rows, 33]; `planted`: contacts, [rows, 4], 0 or 1.
fn planted_movement(moved: Tensor<2>, planted: Tensor<2>) -> Tensor<1> {
    let [rows, _] = moved.dims();
    let slides = CONTACT_JOINTS.iter().enumerate().map(|(i, joint)| {
        let horizontal = moved.clone().narrow(1, 3 * joint, 1).abs() + moved.clone().narrow(1, 3 * joint + 2, 1).abs();
        horizontal * planted.clone().narrow(1, i, 1) // [rows, 1]
    });
    Tensor::cat(slides.collect(), 1).sum() / rows as f32
}

/// Selects a range of columns.
fn columns(rows: Tensor<2>, range: ColumnRange) -> Tensor<2> {
    rows.narrow(1, range.start, range.width)
}

/// Computes the L1 distance: sum over columns, mean over rows.
fn l1(a: Tensor<2>, b: Tensor<2>) -> Tensor<1> {
    let [rows, _] = a.dims();
    (a - b).abs().sum() / rows as f32
}

/// Computes the L1 distance with a quadratic range: |d| − knee / 2 above the knee, d² / (2 knee) below. `weight`: per
/// row, [rows, 1].
fn smooth_l1(a: Tensor<2>, b: Tensor<2>, weight: Tensor<2>) -> Tensor<1> {
    let [rows, _] = a.dims();
    let distance = (a - b).abs(); // [rows, columns]
    let clamped = distance.clone().clamp_max(KNEE);
    // clamped² / (2 knee) + (distance − clamped) equals both cases.
    ((clamped.clone() * clamped.clone() * (0.5 / KNEE) + distance - clamped) * weight).sum() / rows as f32
}

/// Computes the world displacement of joints in the previous frame's root space, as in the velocity columns.
/// `positions`: in root space, [frames × batch, 33]. `roots`: root displacements (x, θ, z), [(frames − 1) × batch, 3].
fn displacement(positions: Tensor<2>, roots: Tensor<2>, batch: usize) -> Tensor<2> {
    let [rows, width] = positions.dims();
    let previous = positions.clone().narrow(0, 0, rows - batch);
    let current = positions.narrow(0, batch, rows - batch);
    let column = |i: usize| roots.clone().narrow(1, i, 1); // [(frames − 1) × batch, 1]
    let (sin, cos) = (column(1).sin(), column(1).cos());
    let axis = |i: usize| {
        let joints = current.clone().reshape([rows - batch, width / 3, 3]);
        joints.narrow(2, i, 1).reshape([rows - batch, width / 3]) // [(frames − 1) × batch, 11]
    };
    let x = axis(0) * cos.clone() + axis(2) * sin.clone() + column(0);
    let z = axis(2) * cos - axis(0) * sin + column(2);
    let rotated = Tensor::stack::<3>(vec![x, axis(1), z], 2).reshape([rows - batch, width]);
    rotated - previous
}

/// Accumulates root displacements (x, θ, z), [frames × batch, 3], to the root transformations g_t: metres and radians
/// in the first frame's root space.
fn trajectory(steps: Tensor<2>, frames: usize, batch: usize) -> Tensor<2> {
    let column = |i: usize| steps.clone().narrow(1, i, 1).reshape([frames, batch]); // [frames, batch]
    let (x, heading_change, z) = (column(0), column(1), column(2));
    let heading = heading_change.clone().cumsum(0);
    let previous_heading = heading.clone() - heading_change;
    let (sin, cos) = (previous_heading.clone().sin(), previous_heading.cos());
    // From root space to world space: a rotation about y.
    let world_x = (x.clone() * cos.clone() + z.clone() * sin.clone()).cumsum(0);
    let world_z = (z * cos - x * sin).cumsum(0);
    Tensor::cat([world_x, heading, world_z].map(|t| t.reshape([frames * batch, 1])).to_vec(), 1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use burn::tensor::Device;
    use kinestitch::body::to_canonical;
    use kinestitch::feature::encode;
    use kinestitch::motion::{bvh, rig};

    #[test]
    fn displacement_equals_the_velocity_columns() {
        let clip = bvh::parse("turn", include_bytes!("../../../tests/fixtures/ada-turn.bvh")).unwrap().clip;
        let clip = to_canonical(&clip, &rig::infer(&clip)).unwrap().clip;
        let frames = clip.frames();
        let rows = encode::rows(&clip, 0..frames, 0.0, [0.0; 4]);
        let rows = Tensor::from_data(TensorData::new(rows, [frames, RefinerRow::WIDTH]), &Device::flex());
        let later = |rows: Tensor<2>| rows.narrow(0, 1, frames - 1);
        let moved = displacement(
            columns(rows.clone(), RefinerRow::POSITION),
            columns(later(rows.clone()), RefinerRow::ROOT),
            1,
        );
        let error = (moved - columns(later(rows), RefinerRow::VELOCITY)).abs().max().into_scalar::<f32>();
        assert!(error < 1e-5, "{error} m");
    }
}
