//! Smoothing of one window in the domain of cosine transforms.

use glam::Vec3;
use std::f32::consts::PI;

/// Square of the length below which a coefficient of three axes is removed in the first estimate, in units of noise²:
/// white noise has 3 on average.
const THRESHOLD: f32 = 13.0;
/// Noise in the second estimate relative to the measured one.
const WIENER_NOISE: f32 = 1.5;
/// Number of second estimates: each takes the one before it as its first estimate.
const ROUNDS: usize = 2;
/// Rotations of the Jacobi method end when off-diagonal values are this small in relation to the diagonal.
const JACOBI_TOLERANCE: f32 = 1e-5;

/// Cosine transform of windows of one length.
pub(super) struct Spectrum {
    length: usize,
    /// Orthonormal DCT-II, [coefficient × frame].
    basis: Vec<f32>,
    taper: Vec<f32>,
}

impl Spectrum {
    pub fn new(length: usize) -> Self {
        let count = length as f32;
        let cosine = |index: usize| {
            let (term, frame) = ((index / length) as f32, (index % length) as f32);
            let norm = if term == 0.0 { (1.0 / count).sqrt() } else { (2.0 / count).sqrt() };
            norm * (PI / count * (frame + 0.5) * term).cos()
        };
        let taper = (0..length).map(|frame| (PI * (frame as f32 + 0.5) / count).sin().powi(2) + 1e-3).collect();
        Self { length, basis: (0..length * length).map(cosine).collect(), taper }
    }

    pub fn length(&self) -> usize {
        self.length
    }

    /// Returns the weight of a frame of the window in the mean of all windows.
    pub fn taper(&self, frame: usize) -> f32 {
        self.taper[frame]
    }

    /// Smooths the values of a window, [channel][frame], in units of their noise.
    pub fn smooth(&self, values: &mut [Vec<Vec3>]) {
        let lines: Vec<[Vec3; 2]> = values.iter().map(|track| self.line(track)).collect();
        for (track, line) in values.iter_mut().zip(&lines) {
            track.iter_mut().enumerate().for_each(|(frame, value)| *value -= self.on_line(line, frame));
        }
        let observed: Vec<Vec<Vec3>> = values.iter().map(|track| self.forward(track)).collect();
        let first = |coefficients: &Vec<Vec3>| -> Vec<Vec3> {
            let keep = |value: &Vec3| if value.length_squared() < THRESHOLD { Vec3::ZERO } else { *value };
            coefficients.iter().map(keep).collect()
        };
        let pilot: Vec<Vec<Vec3>> = observed.iter().map(first).collect();
        let mut smoothed = self.wiener(&observed, &pilot);
        for _ in 1..ROUNDS {
            smoothed = self.wiener(&observed, &smoothed);
        }
        for ((track, coefficients), line) in values.iter_mut().zip(&smoothed).zip(&lines) {
            *track = self.backward(coefficients);
            track.iter_mut().enumerate().for_each(|(frame, value)| *value += self.on_line(line, frame));
        }
    }

    /// Returns value and slope at the middle of the line through a track by least squares.
    fn line(&self, track: &[Vec3]) -> [Vec3; 2] {
        let middle = (self.length - 1) as f32 / 2.0;
        let value = track.iter().sum::<Vec3>() / self.length as f32;
        let moment: Vec3 = track.iter().enumerate().map(|(frame, value)| *value * (frame as f32 - middle)).sum();
        let norm: f32 = (0..self.length).map(|frame| (frame as f32 - middle).powi(2)).sum();
        [value, moment / norm]
    }

    fn on_line(&self, [value, slope]: &[Vec3; 2], frame: usize) -> Vec3 {
        *value + *slope * (frame as f32 - (self.length - 1) as f32 / 2.0)
    }

    fn forward(&self, track: &[Vec3]) -> Vec<Vec3> {
        let term = |row: &[f32]| row.iter().zip(track).map(|(weight, value)| *value * *weight).sum();
        self.basis.chunks_exact(self.length).map(term).collect()
    }

    fn backward(&self, coefficients: &[Vec3]) -> Vec<Vec3> {
        let mut track = vec![Vec3::ZERO; self.length];
        for (row, coefficient) in self.basis.chunks_exact(self.length).zip(coefficients) {
            track.iter_mut().zip(row).for_each(|(value, weight)| *value += *coefficient * *weight);
        }
        track
    }

    /// Scales the observed coefficients in the principal directions of the first estimate.
    fn wiener(&self, observed: &[Vec<Vec3>], pilot: &[Vec<Vec3>]) -> Vec<Vec<Vec3>> {
        let length = self.length;
        let dot = |a: usize, b: usize| pilot.iter().map(|track| track[a].dot(track[b])).sum::<f32>();
        let mut gram = vec![0.0; length * length];
        for a in 0..length {
            for b in 0..=a {
                let value = dot(a, b);
                (gram[a * length + b], gram[b * length + a]) = (value, value);
            }
        }
        let (energies, vectors) = eigen(gram, length);
        let mut smoothed = vec![vec![Vec3::ZERO; length]; observed.len()];
        for (component, energy) in energies.iter().enumerate() {
            if *energy < THRESHOLD {
                continue;
            }
            // Column `component` of the vectors: the component's coefficients over time, times its size.
            let time: Vec<f32> = (0..length).map(|term| vectors[term * length + component]).collect();
            let size = energy.sqrt();
            let direction: Vec<Vec3> = pilot
                .iter()
                .map(|track| track.iter().zip(&time).map(|(value, weight)| *value * *weight).sum::<Vec3>() / size)
                .collect();
            for term in 0..length {
                let expected = (time[term] * size).powi(2);
                let gain = expected / (expected + WIENER_NOISE);
                let found: f32 = observed.iter().zip(&direction).map(|(track, axis)| track[term].dot(*axis)).sum();
                for (track, axis) in smoothed.iter_mut().zip(&direction) {
                    track[term] += *axis * (gain * found);
                }
            }
        }
        smoothed
    }
}

/// Computes eigenvalues and eigenvectors (columns) of a symmetric matrix, [size × size], by Jacobi rotations.
fn eigen(mut matrix: Vec<f32>, size: usize) -> (Vec<f32>, Vec<f32>) {
    let mut vectors = vec![0.0; size * size];
    (0..size).for_each(|index| vectors[index * size + index] = 1.0);
    let trace: f32 = (0..size).map(|index| matrix[index * size + index]).sum();
    let tolerance = JACOBI_TOLERANCE * trace.max(1e-12) / size as f32;
    for _ in 0..12 {
        let mut largest = 0.0_f32;
        for p in 0..size {
            for q in p + 1..size {
                let off = matrix[p * size + q];
                largest = largest.max(off.abs());
                if off.abs() <= tolerance {
                    continue;
                }
                let theta = (matrix[q * size + q] - matrix[p * size + p]) / (2.0 * off);
                let tangent = theta.signum() / (theta.abs() + (theta * theta + 1.0).sqrt());
                let cosine = 1.0 / (tangent * tangent + 1.0).sqrt();
                let sine = tangent * cosine;
                for k in 0..size {
                    let (a, b) = (matrix[k * size + p], matrix[k * size + q]);
                    (matrix[k * size + p], matrix[k * size + q]) = (cosine * a - sine * b, sine * a + cosine * b);
                    let (a, b) = (vectors[k * size + p], vectors[k * size + q]);
                    (vectors[k * size + p], vectors[k * size + q]) = (cosine * a - sine * b, sine * a + cosine * b);
                }
                for k in 0..size {
                    let (a, b) = (matrix[p * size + k], matrix[q * size + k]);
                    (matrix[p * size + k], matrix[q * size + k]) = (cosine * a - sine * b, sine * a + cosine * b);
                }
            }
        }
        if largest <= tolerance {
            break;
        }
    }
    ((0..size).map(|index| matrix[index * size + index]).collect(), vectors)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn eigenvectors_diagonalise_the_matrix() {
        let (size, matrix) = (3, vec![2.0, -1.0, 0.5, -1.0, 3.0, 0.2, 0.5, 0.2, 1.0]);
        let (values, vectors) = eigen(matrix.clone(), size);
        for (column, value) in values.iter().enumerate() {
            for row in 0..size {
                let product: f32 = (0..size).map(|k| matrix[row * size + k] * vectors[k * size + column]).sum();
                assert!((product - value * vectors[row * size + column]).abs() < 1e-4, "{values:?}");
            }
        }
    }
}
