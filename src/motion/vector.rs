//! Vectors: mirror image in the plane x = 0, and nearest coordinate axis.

use glam::Vec3;

/// Mirrors a point or a direction in the plane x = 0.
pub fn mirror_point(point: Vec3) -> Vec3 {
    Vec3::new(-point.x, point.y, point.z)
}

/// Returns the coordinate axis, with sign, that is nearest to a vector.
pub fn nearest_axis(vector: Vec3) -> Vec3 {
    match vector.abs().max_position() {
        0 => Vec3::X * vector.x.signum(),
        1 => Vec3::Y * vector.y.signum(),
        _ => Vec3::Z * vector.z.signum(),
    }
}
