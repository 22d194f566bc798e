//! Rows seen in the mirror x → −x, left and right exchanged: a body has no better side.

use super::{CONTACT, GOAL, JOINT, MOVE, MOVES, PHASE, input_columns};
use crate::body::mirror::opposite;
use crate::body::poses::CONTACTS;

/// An input row seen in the mirror.
pub fn mirror_input(row: &[f32], out: &mut [f32]) {
    let [state, goal, path] = input_columns();
    exchange(&row[state.clone()], &mut out[state], JOINT, is_across);
    // A place and a rotation vector, of which the mirror turns the other two.
    exchange(&row[goal.clone()], &mut out[goal], GOAL, |column| matches!(column, 0 | 4 | 5));
    // Pairs of x and z.
    for (column, (out, x)) in out[path.clone()].iter_mut().zip(&row[path]).enumerate() {
        *out = if column % 2 == 0 { -x } else { *x };
    }
}

/// What an output row says of joints and contacts, [[`PHASE`]], seen in the mirror.
pub fn mirror_said(row: &[f32], out: &mut [f32]) {
    exchange(&row[..MOVES], &mut out[..MOVES], MOVE, is_across);
    out[CONTACT..PHASE].copy_from_slice(&row[CONTACT..PHASE]);
    out[CONTACT..PHASE].rotate_left(CONTACTS / 2);
}

/// Whether a column of vectors in space is their x.
fn is_across(column: usize) -> bool {
    column.is_multiple_of(3)
}

/// Exchanges left and right, and turns the signs of some columns of every role.
fn exchange(row: &[f32], out: &mut [f32], width: usize, turns: impl Fn(usize) -> bool) {
    for (role, out) in out.chunks_exact_mut(width).enumerate() {
        for (column, (out, x)) in out.iter_mut().zip(&row[opposite(role) * width..]).enumerate() {
            *out = if turns(column) { -x } else { *x };
        }
    }
}
