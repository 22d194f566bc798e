//! Mirrors rows at the plane x = 0 and exchanges left and right, for the mirrored pass.

use super::columns::Row;
use super::{CONTACTS, LOWER_POINTS, POINT_COUNT};
use crate::body::mirror::opposite_role;
use crate::body::poses::ROLES;

/// Sign of each rotation plane in the mirror: x changes sign, and the first matrix column is negated.
const ROTATION_SIGNS: [f32; 6] = [1.0, -1.0, -1.0, -1.0, 1.0, 1.0];

/// Mirrors a row, or the change of a row.
pub fn mirror_row(row: &Row) -> Row {
    let (positions, rotations) = row.0.split_at(3 * POINT_COUNT);
    // Index of the point on the other side of the body; the hips keep index 0.
    let opposite_point = |point: usize| if point == 0 { 0 } else { 1 + (point - 1 + LOWER_POINTS / 2) % LOWER_POINTS };
    let position_plane = |(axis, plane): (usize, &[f32])| -> Vec<f32> {
        let sign = if axis == 0 { -1.0 } else { 1.0 };
        (0..POINT_COUNT).map(|point| sign * plane[opposite_point(point)]).collect()
    };
    let rotation_plane = |(plane, sign): (&[f32], f32)| -> Vec<f32> {
        (0..ROLES).map(|role| sign * plane[opposite_role(role)]).collect()
    };
    let positions = positions.chunks_exact(POINT_COUNT).enumerate().flat_map(position_plane);
    let rotations = rotations.chunks_exact(ROLES).zip(ROTATION_SIGNS).flat_map(rotation_plane);
    Row(positions.chain(rotations).collect())
}

/// Mirrors contacts, [[`CONTACTS`]].
pub fn mirror_contacts(contacts: &Row) -> Row {
    let mut out = contacts.clone();
    out.0.rotate_left(CONTACTS / 2);
    out
}
