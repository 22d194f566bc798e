//! Rotations as the first two columns of their matrices: six numbers without discontinuities, as networks read and
//! write them (Zhou et al. 2019, *On the Continuity of Rotation Representations in Neural Networks*).

use crate::body::poses::ROLES;
use glam::{Mat3, Quat, Vec3};

/// Number of values of an encoded pose.
pub const POSE_VALUES: usize = 6 * ROLES;

/// Returns the first two columns of each rotation's matrix, [22 × 6].
pub fn encode_rotations(rotations: &[Quat]) -> [f32; POSE_VALUES] {
    let mut out = [0.0; POSE_VALUES];
    for (rotation, out) in rotations.iter().zip(out.chunks_exact_mut(6)) {
        let matrix = Mat3::from_quat(*rotation);
        out[..3].copy_from_slice(&matrix.x_axis.to_array());
        out[3..].copy_from_slice(&matrix.y_axis.to_array());
    }
    out
}

/// Returns the rotation matrix whose first column is parallel to `first` and whose second column is as close to
/// `second` as possible.
pub fn orthonormalize(first: Vec3, second: Vec3) -> Mat3 {
    let x = first.normalize_or(Vec3::X);
    let y = (second - x * x.dot(second)).normalize_or(x.any_orthonormal_vector());
    Mat3::from_cols(x, y, x.cross(y))
}
