//! Loss of output rows (Chu and Yang 2024, eq. 3 to 6).
//!
//! As in eq. 3, the terms of joints and phases are norms of errors, measured in standard deviations. Norms grow linearly
//! with the error, so outliers have less influence than with squared errors. The errors of contacts are squared. Eq. 4
//! penalises the movement of feet in contact; here, it penalises that of all joints in contact. This training uses the
//! recorded contacts for it; otherwise the network could avoid the loss by predicting no contact. Eq. 5 is always zero
//! here, because velocities are computed from positions.

use super::sample::Rows;
use crate::experts::matrix;
use crate::kinematics::index_tensor;
use crate::takes::FEET;
use burn::tensor::Tensor;
use kinestitch::body::poses::ROLES;
use kinestitch::feature::dcmoe::{CONTACT, MOVE, MOVES, OUTPUT, PHASE, PHASES, SUPPORTS};
use kinestitch::motion::rig::Role;
use kinestitch::nn::normal::Normal;

/// Weight of the positions of joints; the following constants are the weights of the other terms.
const POSITION_WEIGHT: f32 = 1.0;
const ROTATION_WEIGHT: f32 = 1.0;
const CONTACT_WEIGHT: f32 = 1.0;
const PHASE_WEIGHT: f32 = 0.5;
const FREQUENCY_WEIGHT: f32 = 0.25;
const PLANTED_WEIGHT: f32 = 1.0;
/// Factor of the errors of the hips, which move the whole body.
const HIPS_FACTOR: f32 = 6.0;
/// Factor of the errors of the feet, which are the most visible ones.
const FOOT_FACTOR: f32 = 3.0;
/// Norm below which the result of [`norms`] is about quadratic, and therefore smooth at 0.
const MAX_QUADRATIC_NORM: f32 = 0.1;
/// Number of contacts of which a mean is taken: that of the feet, so that contacts of hands add to them.
const CONTACT_UNIT: f32 = FEET.len() as f32;
/// Unit of the movement of planted joints, metres per frame.
const SLIDE_UNIT: f32 = 0.01;
/// Unit of the absolute error of positions, metres.
const ABSOLUTE_POSITION_UNIT: f32 = 0.03;
/// Unit of the absolute error of axes, which are unit vectors: about six degrees.
const ABSOLUTE_AXIS_UNIT: f32 = 0.1;
/// The normalised truth is clamped to this distance from 0, standard deviations.
const MAX_TRUTH: f32 = 8.0;

/// Returns the factor of the position and rotation errors of a role.
fn role_factor(role: usize) -> f32 {
    match Role::ALL[role] {
        Role::Hips => HIPS_FACTOR,
        role if FEET.contains(&role) => FOOT_FACTOR,
        _ => 1.0,
    }
}

/// Computes the norm of `count` columns of each group, from column `first` on; smooth at 0 (see
/// [`MAX_QUADRATIC_NORM`]). `squares`: squared columns, [rows, groups, columns]. Returns [rows, groups].
fn norms(squares: &Tensor<3>, first: usize, count: usize) -> Tensor<2> {
    let sum = squares.clone().narrow(2, first, count).sum_dim(2).squeeze_dim::<2>(2);
    (sum + MAX_QUADRATIC_NORM * MAX_QUADRATIC_NORM).sqrt() - MAX_QUADRATIC_NORM
}

/// Computes the losses of normalised output rows `out`, [rows, output]: positions, rotations, contacts, phases, planted
/// joints; means over the rows. `raw`: `out`, denormalised by `normal`. `rows`: recorded values of the same rows.
pub fn losses(out: Tensor<2>, raw: Tensor<2>, rows: &[Rows], normal: &Normal) -> [Tensor<1>; 5] {
    let (count, device) = (rows.len(), out.device());
    let row_weight = 1.0 / count.max(1) as f32;
    let truth = matrix(rows.iter().flat_map(|row| &row.truth).copied().collect(), OUTPUT, &device);
    let truth = normal.normalise(truth).clamp(-MAX_TRUTH, MAX_TRUTH);
    let squares = (out - truth).square();

    let moves = squares.clone().narrow(1, 0, MOVES).reshape([count, ROLES, MOVE]);
    let factors = matrix((0..ROLES).map(role_factor).collect(), ROLES, &device);
    let weighted_mean =
        |norms: Tensor<2>, weight: f32| (norms * factors.clone()).sum() * (weight * row_weight / ROLES as f32);
    let position = weighted_mean(norms(&moves, 0, 3), POSITION_WEIGHT);
    let rotation = weighted_mean(norms(&moves, 3, MOVE - 3), ROTATION_WEIGHT);
    let contact =
        squares.clone().narrow(1, CONTACT, SUPPORTS.len()).sum() * (CONTACT_WEIGHT * row_weight / CONTACT_UNIT);
    let phases = squares.narrow(1, PHASE, OUTPUT - PHASE).reshape([count, PHASES, 3]);
    let phase = norms(&phases, 0, 2).sum() * PHASE_WEIGHT + norms(&phases, 2, 1).sum() * FREQUENCY_WEIGHT;
    let phase = phase * (row_weight / PHASES as f32);
    let planted = sum_slide(raw, rows) * (PLANTED_WEIGHT * row_weight / CONTACT_UNIT);

    [position, rotation, contact, phase, planted]
}

/// Computes the error of predicted bodies against the recording in world space, which later frames inherit; mean over
/// rows and roles. `errors`: predicted minus recorded joints, [rows, roles, 9].
pub fn absolute_error(errors: Tensor<3>) -> Tensor<1> {
    let ([count, _, _], device) = (errors.dims(), errors.device());
    let factors = matrix((0..ROLES).map(role_factor).collect(), ROLES, &device);
    let units = [vec![ABSOLUTE_POSITION_UNIT; 3], vec![ABSOLUTE_AXIS_UNIT; MOVE - 3]].concat();
    let units = matrix(units, MOVE, &device).unsqueeze::<3>();
    let squares = (errors / units).square();
    let error = norms(&squares, 0, 3) + norms(&squares, 3, MOVE - 3);
    (error * factors).sum() / (count.max(1) * ROLES) as f32
}

/// Sums the movements of planted joints from the current to the predicted frame, in units of [`SLIDE_UNIT`]. `raw`: raw
/// output rows, [rows, output].
fn sum_slide(raw: Tensor<2>, rows: &[Rows]) -> Tensor<1> {
    let (count, device) = (rows.len(), raw.device());
    let columns = || SUPPORTS.into_iter().flat_map(|role| (0..3).map(move |axis| role as usize * MOVE + axis));
    let extrapolated_move = |row: &Rows| -> Vec<f32> {
        columns().map(|column| (row.extrapolation[column] - row.current[column]) / SLIDE_UNIT).collect()
    };
    let extrapolated_move = matrix(rows.iter().flat_map(extrapolated_move).collect(), 3 * SUPPORTS.len(), &device);
    let prediction_weights = matrix(rows.iter().map(|row| row.prediction_weight / SLIDE_UNIT).collect(), 1, &device);
    let weights = matrix(rows.iter().flat_map(|row| row.planted).collect(), SUPPORTS.len(), &device);
    let moved = extrapolated_move + raw.select(1, index_tensor(columns(), &device)) * prediction_weights;
    (norms(&moved.square().reshape([count, SUPPORTS.len(), 3]), 0, 3) * weights).sum()
}
