//! Easing: weights that begin and end without a kink.

/// 3x² − 2x³ for `x` within 0..1: from 0 to 1 with no slope at either end.
pub fn smoothstep(x: f32) -> f32 {
    x * x * (3.0 - 2.0 * x)
}
