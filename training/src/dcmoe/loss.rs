//! Loss of output rows (eq. 3 to 6).
//!
//! As in eq. 3, the loss is a sum of norms in standard deviations, not of squares, so that outliers count linearly. Eq.
//! 4 uses the contacts of the recording; otherwise the network could avoid the loss by predicting no contact. Eq. 5 is
//! always zero here, because velocities are computed from positions.

use super::sample::Rows;
use crate::experts::matrix;
use crate::kinematics::index_tensor;
use crate::takes::FEET;
use burn::tensor::Tensor;
use kinestitch::body::poses::{CONTACTS, ROLES};
use kinestitch::feature::dcmoe::{CONTACT, MOVE, MOVES, OUTPUT, PHASE, PHASES};
use kinestitch::motion::rig::Role;
use kinestitch::nn::normal::Normal;

/// Weight of the joints' positions; the following constants are the weights of the other terms.
const PLACE: f32 = 1.0;
const TURN: f32 = 1.0;
const CONTACT_WEIGHT: f32 = 1.0;
const PHASE_WEIGHT: f32 = 0.5;
const HERTZ: f32 = 0.25;
const PLANTED: f32 = 1.0;
/// Factor of the hips, which move the whole body.
const HIPS: f32 = 6.0;
/// Factor of the feet, whose errors are the most visible.
const FOOT: f32 = 3.0;
/// Value below which norms are about quadratic, so that they are smooth near 0.
const QUADRATIC_BELOW: f32 = 0.1;
/// Unit of the movement of planted feet, metres per frame.
const SLIDE: f32 = 0.01;
/// Limit of the normalised truth on both sides of 0, standard deviations.
const FARTHEST: f32 = 8.0;

/// Returns the factor of a role in the norms of positions and rotations.
fn weight(role: usize) -> f32 {
    match Role::ALL[role] {
        Role::Hips => HIPS,
        role if FEET.contains(&role) => FOOT,
        _ => 1.0,
    }
}

/// Computes the norms of `count` columns from column `from` on, smooth near 0: [rows, groups, columns] of squares →
/// [rows, groups].
fn norms(squares: &Tensor<3>, from: usize, count: usize) -> Tensor<2> {
    let sum = squares.clone().narrow(2, from, count).sum_dim(2).squeeze_dim::<2>(2);
    (sum + QUADRATIC_BELOW * QUADRATIC_BELOW).sqrt() - QUADRATIC_BELOW
}

/// Computes the total loss of normalised output rows, [rows, output], then its terms: positions, rotations, contacts,
/// phases, planted feet; means over the rows. `raw`: `out`, denormalised with the statistics `normal`.
pub fn loss(out: Tensor<2>, raw: Tensor<2>, rows: &[Rows], normal: &Normal) -> Vec<Tensor<1>> {
    let (count, device) = (rows.len(), out.device());
    let each = 1.0 / count.max(1) as f32;
    let truth = matrix(rows.iter().flat_map(|row| &row.truth).copied().collect(), OUTPUT, &device);
    let truth = normal.normalise(truth).clamp(-FARTHEST, FARTHEST);
    let squares = (out - truth).square();

    let moves = squares.clone().narrow(1, 0, MOVES).reshape([count, ROLES, MOVE]);
    let weights = matrix((0..ROLES).map(weight).collect(), ROLES, &device);
    let of_moves = |norms: Tensor<2>, scale: f32| (norms * weights.clone()).sum() * (scale * each / ROLES as f32);
    let place = of_moves(norms(&moves, 0, 3), PLACE);
    let turn = of_moves(norms(&moves, 3, MOVE - 3), TURN);
    let contact = squares.clone().narrow(1, CONTACT, CONTACTS).sum() * (CONTACT_WEIGHT * each / CONTACTS as f32);
    let phases = squares.narrow(1, PHASE, OUTPUT - PHASE).reshape([count, PHASES, 3]);
    let phase = norms(&phases, 0, 2).sum() * PHASE_WEIGHT + norms(&phases, 2, 1).sum() * HERTZ;
    let phase = phase * (each / PHASES as f32);
    let planted = planted(raw, rows) * (PLANTED * each / CONTACTS as f32);

    let total = place.clone() + turn.clone() + contact.clone() + phase.clone() + planted.clone();
    vec![total, place, turn, contact, phase, planted]
}

/// Sums the movements of planted feet in raw output rows, in units of [`SLIDE`].
fn planted(raw: Tensor<2>, rows: &[Rows]) -> Tensor<1> {
    let (count, device) = (rows.len(), raw.device());
    let columns = || FEET.into_iter().flat_map(|role| (0..3).map(move |axis| role as usize * MOVE + axis));
    let off = |row: &Rows| -> Vec<f32> { columns().map(|at| (row.base[at] - row.now[at]) / SLIDE).collect() };
    let off = matrix(rows.iter().flat_map(off).collect(), 3 * CONTACTS, &device);
    let freedom = matrix(rows.iter().map(|row| row.freedom / SLIDE).collect(), 1, &device);
    let weights = matrix(rows.iter().flat_map(|row| row.planted).collect(), CONTACTS, &device);
    let moved = off + raw.select(1, index_tensor(columns(), &device)) * freedom;
    (norms(&moved.square().reshape([count, CONTACTS, 3]), 0, 3) * weights).sum()
}
