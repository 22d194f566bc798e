//! Losses of the refiner (RMR, section 5.1), summed over columns and averaged over frames and batch.
//!
//! The pose and beginning losses are smooth L1: quadratic below [`KNEE`] standard deviations. With plain L1, a network
//! that starts as the identity stays there, because most frames need no change (500 steps without a change of the
//! validation error in five digits).

use burn::tensor::{Tensor, TensorData, activation};
use kinestitch::feature::layout::{ColumnRange, RefinerRow};
use kinestitch::nn::normal::Normal;

/// Frames of the beginning loss.
const BEGIN_FRAMES: usize = 5;
/// Error at which the loss turns from quadratic to linear, standard deviations.
const KNEE: f32 = 0.3;
/// Weight of the change between frames, which the paper's discussion proposes against sudden pose changes.
const SMOOTH_WEIGHT: f32 = 1.0;
/// Weight of the foot contact loss; the others weigh 1.
const FOOT_WEIGHT: f32 = 0.5;
/// Weights of the world displacement of the lower body and of its change, in standard deviations of the displacement.
const MOTION_WEIGHT: f32 = 0.5;
/// Weight of a planted foot's horizontal displacement, per metre and frame: 4 mm weigh as much as one standard
/// deviation. A weight of 100 was enough for pairs, but real seams slid almost as much as their drafts.
const SLIDE_WEIGHT: f32 = 250.0;
/// Lower-body joints of the contact columns, as indices into `feature::encode::LOWER_BODY_ROLES`.
const CONTACT_JOINTS: [usize; 4] = [3, 4, 7, 8];

/// Total loss and its parts, scalar tensors.
pub struct Loss {
    /// Weighted sum.
    pub total: Tensor<1>,
    /// Pose, trajectory, foot contact, beginning, motion, slide.
    pub parts: [Tensor<1>; 6],
}

/// Losses of normalised rows, [frames × lanes, 161], time-major. Contacts of `refined` are logits. `near`, [lanes]:
/// weight of staying with the truth in each lane.
pub fn loss(normal: &Normal, refined: Tensor<2>, truth: Tensor<2>, input: Tensor<2>, near: &[f32]) -> Loss {
    let [rows, _] = refined.dims();
    let batch = near.len();
    let frames = rows / batch;
    let poses = RefinerRow::CONTACT.start;
    let near = TensorData::new(near.repeat(frames), [rows, 1]);
    let near = Tensor::<2>::from_data(near, &refined.device()); // [frames × lanes, 1]
    let near = |rows: usize| near.clone().narrow(0, 0, rows);
    let pose = smooth_l1(refined.clone().narrow(1, 0, poses), truth.clone().narrow(1, 0, poses), near(rows));

    let contact = |rows: Tensor<2>| columns(rows, RefinerRow::CONTACT); // [frames × batch, 4]
    let contact_truth = contact(normal.denormalise(truth.clone()));
    let foot = l1(activation::sigmoid(contact(refined.clone())), contact_truth);

    let path = |rows: Tensor<2>| trajectory(columns(normal.denormalise(rows), RefinerRow::ROOT), frames, batch);
    let trajectory = l1(path(refined.clone()), path(truth.clone()));

    // sig(t / T_begin) = 1 − 1 / (1 + exp(5 − 10 t / T_begin)): full weight at first, none after T_begin.
    let begin = (0..BEGIN_FRAMES).map(|t| {
        let frame = |rows: &Tensor<2>| rows.clone().slice([t * batch..(t + 1) * batch, 0..poses]);
        let x = (t + 1) as f32 / BEGIN_FRAMES as f32;
        let weight = 1.0 - 1.0 / (1.0 + (5.0 - 10.0 * x).exp());
        smooth_l1(frame(&refined), frame(&input), near(batch)) * (weight / BEGIN_FRAMES as f32)
    });
    let begin = begin.reduce(|a, b| a + b).unwrap_or_else(|| pose.clone() * 0.0);

    let change = |rows: &Tensor<2>| {
        let poses = rows.clone().narrow(1, 0, poses);
        let later = poses.clone().narrow(0, batch, (frames - 1) * batch);
        later - poses.narrow(0, 0, (frames - 1) * batch) // [(frames − 1) × batch, 157]
    };
    let later = near((frames - 1) * batch);
    let smooth = l1(change(&refined) * later.clone(), change(&truth) * later) * SMOOTH_WEIGHT;

    // The output poses are placed on the input's root trajectory (the truth's), so feet must not slide there.
    let truth = normal.denormalise(truth).narrow(0, batch, (frames - 1) * batch); // [(frames − 1) × batch, 161]
    let positions = columns(normal.denormalise(refined), RefinerRow::POSITION);
    let moved = displacement(positions, columns(truth.clone(), RefinerRow::ROOT), batch); // [(frames − 1) × batch, 33]
    let unit = columns(normal.deviation(), RefinerRow::VELOCITY);
    let wrong = (moved.clone() - columns(truth.clone(), RefinerRow::VELOCITY)) / unit;
    let later = wrong.clone().narrow(0, batch, (frames - 2) * batch);
    let change = later - wrong.clone().narrow(0, 0, (frames - 2) * batch); // [(frames − 2) × batch, 33]
    let size = |wrong: Tensor<2>| {
        let [rows, _] = wrong.dims();
        (wrong.abs() * near(rows)).sum() / rows as f32
    };
    let motion = size(wrong) + size(change);
    let slide = way(moved, contact(truth));

    let total = pose.clone()
        + trajectory.clone()
        + foot.clone() * FOOT_WEIGHT
        + begin.clone()
        + smooth
        + motion.clone() * MOTION_WEIGHT
        + slide.clone() * SLIDE_WEIGHT;
    Loss { total, parts: [pose, trajectory, foot, begin, motion, slide] }
}

/// Horizontal movement of refined joints during contacts of the truth, on the truth's path, metres per frame and lane.
pub fn slide(normal: &Normal, refined: Tensor<2>, truth: Tensor<2>, lanes: usize) -> Tensor<1> {
    let [rows, _] = refined.dims();
    let truth = normal.denormalise(truth).narrow(0, lanes, rows - lanes); // [(frames − 1) × lanes, 161]
    let positions = columns(normal.denormalise(refined), RefinerRow::POSITION);
    let moved = displacement(positions, columns(truth.clone(), RefinerRow::ROOT), lanes); // [(frames − 1) × lanes, 33]
    way(moved, columns(truth, RefinerRow::CONTACT))
}

/// Mean horizontal movement of planted joints: `moved`, [rows, 33]; `planted`, [rows, 4], 0 or 1.
fn way(moved: Tensor<2>, planted: Tensor<2>) -> Tensor<1> {
    let [rows, _] = moved.dims();
    let slides = CONTACT_JOINTS.iter().enumerate().map(|(i, joint)| {
        let horizontal = moved.clone().narrow(1, 3 * joint, 1).abs() + moved.clone().narrow(1, 3 * joint + 2, 1).abs();
        horizontal * planted.clone().narrow(1, i, 1) // [rows, 1]
    });
    Tensor::cat(slides.collect(), 1).sum() / rows as f32
}

fn columns(rows: Tensor<2>, column: ColumnRange) -> Tensor<2> {
    rows.narrow(1, column.start, column.width)
}

/// Sum over columns, mean over rows.
fn l1(a: Tensor<2>, b: Tensor<2>) -> Tensor<1> {
    let [rows, _] = a.dims();
    (a - b).abs().sum() / rows as f32
}

/// [`l1`] with a quadratic part: |d| − knee / 2 above the knee, d² / (2 knee) below. `weight`: per row, [rows, 1].
fn smooth_l1(a: Tensor<2>, b: Tensor<2>, weight: Tensor<2>) -> Tensor<1> {
    let [rows, _] = a.dims();
    let distance = (a - b).abs(); // [rows, columns]
    let below = distance.clone().clamp_max(KNEE);
    // below² / (2 knee) + (distance − below) equals both branches.
    ((below.clone() * below.clone() * (0.5 / KNEE) + distance - below) * weight).sum() / rows as f32
}

/// World displacement of joints in the previous frame's root space, as in the velocity columns. `positions` in root
/// space, [frames × batch, 33]; `roots`: displacements (x, θ, z), [(frames − 1) × batch, 3].
fn displacement(positions: Tensor<2>, roots: Tensor<2>, batch: usize) -> Tensor<2> {
    let [rows, width] = positions.dims();
    let before = positions.clone().narrow(0, 0, rows - batch);
    let now = positions.narrow(0, batch, rows - batch);
    let column = |i: usize| roots.clone().narrow(1, i, 1); // [(frames − 1) × batch, 1]
    let (sin, cos) = (column(1).sin(), column(1).cos());
    let axis = |i: usize| {
        let joints = now.clone().reshape([rows - batch, width / 3, 3]);
        joints.narrow(2, i, 1).reshape([rows - batch, width / 3]) // [(frames − 1) × batch, 11]
    };
    let x = axis(0) * cos.clone() + axis(2) * sin.clone() + column(0);
    let z = axis(2) * cos - axis(0) * sin + column(2);
    let turned = Tensor::stack::<3>(vec![x, axis(1), z], 2).reshape([rows - batch, width]);
    turned - before
}

/// Accumulated root transformations g_t from displacements (x, θ, z), [frames × batch, 3]: metres and radians in the
/// first frame's root space.
fn trajectory(steps: Tensor<2>, frames: usize, batch: usize) -> Tensor<2> {
    let column = |i: usize| steps.clone().narrow(1, i, 1).reshape([frames, batch]); // [frames, batch]
    let (x, turn, z) = (column(0), column(1), column(2));
    let heading = turn.clone().cumsum(0);
    let before = heading.clone() - turn;
    let (sin, cos) = (before.clone().sin(), before.cos());
    // Root frame → world: x right of +z, rotation about y.
    let world_x = (x.clone() * cos.clone() + z.clone() * sin.clone()).cumsum(0);
    let world_z = (z * cos - x * sin).cumsum(0);
    Tensor::cat([world_x, heading, world_z].map(|t| t.reshape([frames * batch, 1])).to_vec(), 1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use burn::tensor::Device;
    use kinestitch::body::canonical;
    use kinestitch::feature::encode;
    use kinestitch::motion::{bvh, rig};

    #[test]
    fn displacement_is_what_the_velocity_columns_hold() {
        let clip = bvh::parse("turn", include_bytes!("../../tests/fixtures/ada-turn.bvh")).unwrap().clip;
        let clip = canonical(&clip, &rig::infer(&clip)).unwrap().clip;
        let frames = clip.frames();
        let rows = encode::rows(&clip, 0..frames, 0.0, [0.0; 4]);
        let rows = Tensor::from_data(TensorData::new(rows, [frames, RefinerRow::WIDTH]), &Device::flex());
        let later = |rows: Tensor<2>| rows.narrow(0, 1, frames - 1);
        let moved = displacement(
            columns(rows.clone(), RefinerRow::POSITION),
            columns(later(rows.clone()), RefinerRow::ROOT),
            1,
        );
        let wrong = (moved - columns(later(rows), RefinerRow::VELOCITY)).abs().max().into_scalar::<f32>();
        assert!(wrong < 1e-5, "{wrong} m");
    }
}
