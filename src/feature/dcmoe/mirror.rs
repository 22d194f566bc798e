//! Mirrors rows in x = 0, left and right exchanged, so that training has no preferred side.

use super::{CONTACT, GOAL, JOINT, MOVE, MOVES, PHASE, input_columns};
use crate::body::mirror::opposite;
use crate::body::poses::CONTACTS;

/// Mirrors an input row.
pub fn mirror_input(row: &[f32], out: &mut [f32]) {
    let [state, goal, path] = input_columns();
    exchange(&row[state.clone()], &mut out[state], JOINT, is_across);
    // A position and a rotation vector; mirroring negates x of the former, y and z of the latter.
    exchange(&row[goal.clone()], &mut out[goal], GOAL, |column| matches!(column, 0 | 4 | 5));
    // Pairs of x and z.
    for (column, (out, x)) in out[path.clone()].iter_mut().zip(&row[path]).enumerate() {
        *out = if column % 2 == 0 { -x } else { *x };
    }
}

/// Mirrors the joints and contacts of an output row, [[`PHASE`]].
pub fn mirror_output(row: &[f32], out: &mut [f32]) {
    exchange(&row[..MOVES], &mut out[..MOVES], MOVE, is_across);
    out[CONTACT..PHASE].copy_from_slice(&row[CONTACT..PHASE]);
    out[CONTACT..PHASE].rotate_left(CONTACTS / 2);
}

/// Whether a column of spatial vectors is an x component.
fn is_across(column: usize) -> bool {
    column.is_multiple_of(3)
}

/// Exchanges left and right, and negates some columns of every role.
fn exchange(row: &[f32], out: &mut [f32], width: usize, turns: impl Fn(usize) -> bool) {
    for (role, out) in out.chunks_exact_mut(width).enumerate() {
        for (column, (out, x)) in out.iter_mut().zip(&row[opposite(role) * width..]).enumerate() {
            *out = if turns(column) { -x } else { *x };
        }
    }
}
