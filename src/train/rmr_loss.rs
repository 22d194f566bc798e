//! Losses of the refiner: RMR, section 5.1, summed over columns and averaged over frames and batch.
//!
//! Pose and beginning are smooth L1, quadratic below [`KNEE`] deviations. Plain L1 was tried first: with a network
//! that starts as the identity, the frames that need no change hold it there (500 steps, validation error unmoved to
//! five digits).

use crate::feature::layout::{Column, Refiner};
use crate::nn::normal::Normal;
use burn::tensor::{Tensor, activation};

/// Frames that the beginning loss covers.
const BEGIN_FRAMES: usize = 5;
/// Error, in standard deviations, at which the loss turns from quadratic to linear.
const KNEE: f32 = 0.3;
/// Weight of the change from frame to frame, which the paper's discussion proposes against sudden pose differences.
const SMOOTH_WEIGHT: f32 = 1.0;
/// Weight of the foot contact loss; the others weigh 1.
const FOOT_WEIGHT: f32 = 0.5;

/// The loss and its parts, each a scalar tensor.
pub struct Loss {
    /// Weighted sum.
    pub total: Tensor<1>,
    /// Pose, trajectory, foot contact, beginning.
    pub parts: [Tensor<1>; 4],
}

/// `refined`, `truth`, `input`: normalised rows, [frames × batch, 161], time-major. Contacts of `refined` are logits.
pub fn loss(normal: &Normal, refined: Tensor<2>, truth: Tensor<2>, input: Tensor<2>, batch: usize) -> Loss {
    let [rows, _] = refined.dims();
    let frames = rows / batch;
    let poses = Refiner::CONTACT.start;
    let pose = smooth_l1(refined.clone().narrow(1, 0, poses), truth.clone().narrow(1, 0, poses));

    let contact = |rows: Tensor<2>| columns(rows, Refiner::CONTACT); // [frames × batch, 4]
    let contact_truth = contact(normal.denormalise(truth.clone()));
    let foot = l1(activation::sigmoid(contact(refined.clone())), contact_truth);

    let path = |rows: Tensor<2>| trajectory(columns(normal.denormalise(rows), Refiner::ROOT), frames, batch);
    let trajectory = l1(path(refined.clone()), path(truth.clone()));

    // sig(t / T_begin) = 1 − 1 / (1 + exp(5 − 10 t / T_begin)): full weight first, none after T_begin.
    let begin = (0..BEGIN_FRAMES).map(|t| {
        let frame = |rows: &Tensor<2>| rows.clone().slice([t * batch..(t + 1) * batch, 0..poses]);
        let x = (t + 1) as f32 / BEGIN_FRAMES as f32;
        let weight = 1.0 - 1.0 / (1.0 + (5.0 - 10.0 * x).exp());
        smooth_l1(frame(&refined), frame(&input)) * (weight / BEGIN_FRAMES as f32)
    });
    let begin = begin.reduce(|a, b| a + b).unwrap_or_else(|| pose.clone() * 0.0);

    let change = |rows: &Tensor<2>| {
        let poses = rows.clone().narrow(1, 0, poses);
        let later = poses.clone().narrow(0, batch, (frames - 1) * batch);
        later - poses.narrow(0, 0, (frames - 1) * batch) // [(frames − 1) × batch, 157]
    };
    let smooth = l1(change(&refined), change(&truth)) * SMOOTH_WEIGHT;

    let total = pose.clone() + trajectory.clone() + foot.clone() * FOOT_WEIGHT + begin.clone() + smooth;
    Loss { total, parts: [pose, trajectory, foot, begin] }
}

fn columns(rows: Tensor<2>, column: Column) -> Tensor<2> {
    rows.narrow(1, column.start, column.width)
}

/// Sum over columns, mean over rows.
fn l1(a: Tensor<2>, b: Tensor<2>) -> Tensor<1> {
    let [rows, _] = a.dims();
    (a - b).abs().sum() / rows as f32
}

/// [`l1`], but quadratic below the knee: |d| − knee / 2 above it, d² / (2 knee) below.
fn smooth_l1(a: Tensor<2>, b: Tensor<2>) -> Tensor<1> {
    let [rows, _] = a.dims();
    let distance = (a - b).abs(); // [rows, columns]
    let near = distance.clone().clamp_max(KNEE);
    // near² / (2 knee) + (distance − near) equals both branches.
    (near.clone() * near.clone() * (0.5 / KNEE) + distance - near).sum() / rows as f32
}

/// Displacements (x, θ, z), [frames × batch, 3] → accumulated root transformations g_t of the same shape:
/// metres and radians from the first frame's root.
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
