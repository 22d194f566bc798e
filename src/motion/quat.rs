//! Unit quaternions: signs, rotation vectors, means, rotations from two directions, and mirroring.

use glam::{Mat3, Quat, Vec3};

/// Returns the same rotation with w ≥ 0.
pub fn with_positive_w(rotation: Quat) -> Quat {
    if rotation.w < 0.0 { -rotation } else { rotation }
}

/// Returns q or −q, which are the same rotation: the one nearer to `reference`. This keeps sequences continuous.
pub fn with_nearest_sign(rotation: Quat, reference: Quat) -> Quat {
    if rotation.dot(reference) < 0.0 { -rotation } else { rotation }
}

/// Returns whether two rotations are equal within 9e-4 rad. Signs do not matter.
pub fn is_same_rotation(a: Quat, b: Quat) -> bool {
    // The difference is compared, not the dot product with 1: the rounding of a unit quaternion's length exceeds 1e-7.
    (a - with_nearest_sign(b, a)).length_squared() < 2e-7
}

/// Returns the rotation vector (axis × angle, radians) of a unit quaternion, with an angle of at most π.
pub fn log(rotation: Quat) -> Vec3 {
    let rotation = with_positive_w(rotation);
    let sine = rotation.xyz().length();
    // For a small angle a, sin(a/2) ≈ a/2. There acos(w) would lose precision; atan2 does not.
    let scale = if sine < 1e-7 { 2.0 } else { 2.0 * sine.atan2(rotation.w) / sine };
    rotation.xyz() * scale
}

/// Returns the rotation of a rotation vector: the inverse of [`log`].
pub fn exp(vector: Vec3) -> Quat {
    Quat::from_scaled_axis(vector)
}

/// Computes the mean of rotations that are near each other: the normalised sum of their quaternions, all with the sign
/// of the first. Returns the identity for an empty list.
pub fn mean(rotations: impl Iterator<Item = Quat>) -> Quat {
    let mut first: Option<Quat> = None;
    let mut sum = Quat::from_xyzw(0.0, 0.0, 0.0, 0.0);
    for rotation in rotations {
        sum += with_nearest_sign(rotation, *first.get_or_insert(rotation));
    }
    if sum.length_squared() > 1e-12 { sum.normalize() } else { first.unwrap_or(Quat::IDENTITY) }
}

/// Computes the rotation that turns direction `from.0` exactly to `to.0`, and `from.1` as near to `to.1` as possible.
/// `None` if the two vectors of a pair are parallel, or one of them is zero.
pub fn align(from: (Vec3, Vec3), to: (Vec3, Vec3)) -> Option<Quat> {
    let basis = |(first, second): (Vec3, Vec3)| -> Option<Mat3> {
        let x = first.try_normalize()?;
        let y = second.reject_from_normalized(x).try_normalize()?;
        Some(Mat3::from_cols(x, y, x.cross(y)))
    };
    Some(Quat::from_mat3(&(basis(to)? * basis(from)?.transpose())).normalize())
}

/// Mirrors a rotation in the plane x = 0: a rotation about x keeps its sign, rotations about y and z change it.
pub fn mirror_rotation(rotation: Quat) -> Quat {
    Quat::from_xyzw(rotation.x, -rotation.y, -rotation.z, rotation.w)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn log_and_exp_are_inverse_and_signs_do_not_matter() {
        for vector in [Vec3::ZERO, Vec3::new(1e-9, 0.0, 0.0), Vec3::new(0.3, -0.8, 1.1), Vec3::new(0.0, 3.1, 0.0)] {
            let rotation = exp(vector);
            assert!(log(rotation).distance(vector) < 1e-5 && log(-rotation).distance(vector) < 1e-5, "{vector}");
        }
        assert_eq!(with_positive_w(-Quat::IDENTITY), Quat::IDENTITY);
        assert_eq!(with_nearest_sign(Quat::IDENTITY, -Quat::IDENTITY), -Quat::IDENTITY);
    }

    #[test]
    fn rotations_are_the_same_whatever_the_rounding_of_their_length() {
        let rotation = Quat::from_xyzw(0.5, 0.5, 0.5, 0.4999996);
        assert!(is_same_rotation(rotation, rotation) && is_same_rotation(rotation, -rotation));
        assert!(!is_same_rotation(rotation, Quat::from_rotation_y(2e-3) * rotation));
    }

    #[test]
    fn the_mean_ignores_signs() {
        let rotations = [0.1_f32, 0.2, 0.3].map(Quat::from_rotation_y);
        let mean = mean([rotations[0], -rotations[1], rotations[2]].into_iter());
        assert!(mean.angle_between(rotations[1]) < 1e-3);
    }

    #[test]
    fn align_takes_the_first_axis_exactly() {
        let rotation = align((Vec3::X, Vec3::Y), (Vec3::Z, Vec3::new(0.1, 1.0, 5.0))).unwrap();
        assert!((rotation * Vec3::X).distance(Vec3::Z) < 1e-6);
        assert!((rotation * Vec3::Y).distance(Vec3::new(0.1, 1.0, 0.0).normalize()) < 1e-6);
        assert_eq!(align((Vec3::X, Vec3::X), (Vec3::X, Vec3::Y)), None);
    }
}
