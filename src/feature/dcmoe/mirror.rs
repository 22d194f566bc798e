//! Mirrors rows at the plane x = 0 and exchanges left and right, for the mirrored pass.

use super::{CONTACT, GOAL, HANDS, JOINT_WIDTH, MOVE, MOVES, PHASE, input_columns};
use crate::body::mirror::opposite_role;

/// Mirrors an input row, [[`super::INPUT`]].
pub fn mirror_input(row: &[f32], out: &mut [f32]) {
    let [state, goal, path] = input_columns();
    exchange(&row[state.clone()], &mut out[state], JOINT_WIDTH, is_x);
    // A joint of the target is a position, whose x changes sign, and a rotation vector, whose y and z change sign.
    exchange(&row[goal.clone()], &mut out[goal], GOAL, |column| matches!(column, 0 | 4 | 5));
    // The path has pairs of x and z; x changes sign.
    for (column, (out, x)) in out[path.clone()].iter_mut().zip(&row[path]).enumerate() {
        *out = if column % 2 == 0 { -x } else { *x };
    }
}

/// Mirrors the columns of joints and contacts of an output row, the first [`PHASE`]; leaves out the phases.
pub fn mirror_output(row: &[f32], out: &mut [f32]) {
    exchange(&row[..MOVES], &mut out[..MOVES], MOVE, is_x);
    let contacts = &mut out[CONTACT..PHASE];
    contacts.copy_from_slice(&row[CONTACT..PHASE]);
    contacts[..HANDS.start].rotate_left(HANDS.start / 2);
    contacts[HANDS].reverse();
}

/// Whether a column is the x component of a three-dimensional vector.
fn is_x(column: usize) -> bool {
    column.is_multiple_of(3)
}

/// Exchanges the `width` columns of left and right roles. Negates the columns of a role that `is_negated` selects.
fn exchange(row: &[f32], out: &mut [f32], width: usize, is_negated: impl Fn(usize) -> bool) {
    for (role, out) in out.chunks_exact_mut(width).enumerate() {
        for (column, (out, x)) in out.iter_mut().zip(&row[opposite_role(role) * width..]).enumerate() {
            *out = if is_negated(column) { -x } else { *x };
        }
    }
}
