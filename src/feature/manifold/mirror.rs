//! Mirrors rows in x = 0, left and right exchanged, so that training has no preferred side.

use super::columns::Row;
use super::{CONTACTS, LOW, PLACES};
use crate::body::mirror::opposite;
use crate::body::poses::ROLES;

/// Signs of the planes of a rotation's first two columns. Mirroring also negates the first column.
const TURNS: [f32; 6] = [1.0, -1.0, -1.0, -1.0, 1.0, 1.0];

/// Mirrors a row, or a change of one.
pub fn mirrored(row: &Row) -> Row {
    let (places, turns) = row.0.split_at(3 * PLACES);
    let point = |at: usize| if at == 0 { 0 } else { 1 + (at - 1 + LOW / 2) % LOW };
    let place = |(axis, plane): (usize, &[f32])| -> Vec<f32> {
        let sign = if axis == 0 { -1.0 } else { 1.0 };
        (0..PLACES).map(|at| sign * plane[point(at)]).collect()
    };
    let turn =
        |(plane, sign): (&[f32], f32)| -> Vec<f32> { (0..ROLES).map(|role| sign * plane[opposite(role)]).collect() };
    let places = places.chunks_exact(PLACES).enumerate().flat_map(place);
    Row(places.chain(turns.chunks_exact(ROLES).zip(TURNS).flat_map(turn)).collect())
}

/// Mirrors contacts, [[`CONTACTS`]].
pub fn mirrored_contacts(contacts: &Row) -> Row {
    let mut out = contacts.clone();
    out.0.rotate_left(CONTACTS / 2);
    out
}
