//! Periodic curves through a few keys, as in animation software.

use kinestitch::motion::ease::smoothstep;

/// Keys (ascending phase in 0..1, value), joined by monotone cubics (Fritsch & Carlson 1980), which never overshoot a
/// key. The period is 1.
#[derive(Debug, Clone, Copy)]
pub struct Curve(pub &'static [(f32, f32)]);

impl Curve {
    /// Returns the value at any phase.
    pub fn at(self, phase: f32) -> f32 {
        let keys = self.0;
        let count = keys.len() as isize;
        let phase = phase.rem_euclid(1.0);
        // Index of the key at or before the phase; −1 is the last key of the previous cycle.
        let left = keys.iter().rposition(|key| key.0 <= phase).map_or(-1, |i| i as isize);
        let key = |i: isize| {
            let (phase, value) = keys[i.rem_euclid(count) as usize];
            (phase + i.div_euclid(count) as f32, value)
        };
        let slope = |i: isize| {
            let ((a, x), (b, y)) = (key(i), key(i + 1));
            (y - x) / (b - a)
        };
        // Harmonic mean of the neighbouring slopes; flat at extremes.
        let tangent = |i: isize| {
            let (left, right) = (slope(i - 1), slope(i));
            if left * right <= 0.0 { 0.0 } else { 2.0 * left * right / (left + right) }
        };
        let ((a, x), (b, y)) = (key(left), key(left + 1));
        let (h, u) = (b - a, (phase - a) / (b - a));
        let (u2, u3) = (u * u, u * u * u);
        x * (2.0 * u3 - 3.0 * u2 + 1.0)
            + tangent(left) * h * (u3 - 2.0 * u2 + u)
            + y * (3.0 * u2 - 2.0 * u3)
            + tangent(left + 1) * h * (u3 - u2)
    }
}

/// Returns the value of a [`Curve`] in degrees, converted to radians.
pub fn radians(curve: Curve, phase: f32) -> f32 {
    curve.at(phase).to_radians()
}

/// Returns the smoothstep of `u`, clamped to 0..=1: rises from 0 to 1 with zero slope at both ends.
pub fn smooth(u: f32) -> f32 {
    smoothstep(u.clamp(0.0, 1.0))
}

/// Returns the cosine of a phase in cycles, cos(2π · phase).
pub fn cosine(phase: f32) -> f32 {
    (phase * std::f32::consts::TAU).cos()
}
