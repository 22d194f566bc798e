//! Easing: weights with zero slope at both ends.

/// Returns 3x² − 2x³ for `x` in 0..=1: rises from 0 to 1 with zero slope at both ends.
pub fn smoothstep(x: f32) -> f32 {
    x * x * (3.0 - 2.0 * x)
}
