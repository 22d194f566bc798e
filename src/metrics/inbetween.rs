//! Distances of in-betweens from ground truth, as defined by LAFAN1's evaluation (Harvey et al. 2020, *Robust Motion
//! In-betweening*, section 6.1; NPSS: Gopalakrishnan et al. 2019).
//!
//! All functions take only the frames of the transition, without the past and the target.

use glam::{Quat, Vec3};

/// L2P of one transition: the error of all world positions in a frame, as one Euclidean length, averaged over frames.
/// The difference of each coordinate is divided by its standard deviation in the training data (a z-score, whose mean
/// cancels out). `truth` and `predicted`: [frames × joints]; `deviation`: standard deviations of x, y and z,
/// `[joints]`. All three in the same unit.
pub fn l2p(truth: &[Vec3], predicted: &[Vec3], deviation: &[Vec3]) -> f64 {
    let rows = truth.chunks_exact(deviation.len()).zip(predicted.chunks_exact(deviation.len()));
    mean(rows.map(|(truth, predicted)| {
        let squares = truth.iter().zip(predicted).zip(deviation).map(|((a, b), s)| ((*a - *b) / *s).length_squared());
        f64::from(squares.sum::<f32>()).sqrt()
    }))
}

/// L2Q of one transition: the difference of all world quaternions in a frame, as one Euclidean length, averaged over
/// frames. `truth` and `predicted`: [frames × joints]. A quaternion and its negative differ here although they are the
/// same rotation, so signs must not jump within the source file.
pub fn l2q(truth: &[Quat], predicted: &[Quat], joints: usize) -> f64 {
    let rows = truth.chunks_exact(joints).zip(predicted.chunks_exact(joints));
    mean(rows.map(|(truth, predicted)| {
        f64::from(truth.iter().zip(predicted).map(|(a, b)| (*a - *b).length_squared()).sum::<f32>()).sqrt()
    }))
}

fn mean(values: impl Iterator<Item = f64>) -> f64 {
    let (sum, count) = values.fold((0.0, 0_usize), |(sum, count), value| (sum + value, count + 1));
    sum / count.max(1) as f64
}

/// Normalized power spectrum similarity over any number of transitions of one length.
///
/// Per channel (joint × x, y, z, w of world quaternions) and transition: power is the squared **real part** of the
/// Fourier coefficients over time, normalised to sum 1; the distance of two spectra is the earth mover's distance: the
/// sum of the absolute differences of the two cumulative spectra. The result is the mean of these distances, weighted
/// by the truth's power.
#[derive(Debug, Clone)]
pub struct Npss {
    frames: usize,
    /// cos(2π k t / frames), [frequencies × frames].
    cosines: Vec<f64>,
    distance: f64,
    power: f64,
}

impl Npss {
    /// Creates an empty sum for transitions of `frames` frames.
    pub fn new(frames: usize) -> Self {
        let angle = |k: usize, t: usize| std::f64::consts::TAU * ((k * t) % frames) as f64 / frames as f64;
        let cosines = (0..frames * frames).map(|i| angle(i / frames, i % frames).cos()).collect();
        Self { frames, cosines, distance: 0.0, power: 0.0 }
    }

    /// Adds one transition: world quaternions, [frames × joints].
    pub fn add(&mut self, truth: &[Quat], predicted: &[Quat]) {
        let joints = truth.len() / self.frames;
        for joint in 0..joints {
            for axis in 0..4 {
                let channel = |quats: &[Quat]| -> Vec<f64> {
                    (0..self.frames).map(|t| f64::from(quats[t * joints + joint].to_array()[axis])).collect()
                };
                let (truth, truth_power) = self.spectrum(&channel(truth));
                let (predicted, _) = self.spectrum(&channel(predicted));
                let (mut cumulative, mut distance) = (0.0_f64, 0.0);
                for (a, b) in truth.iter().zip(&predicted) {
                    cumulative += b - a;
                    distance += cumulative.abs();
                }
                self.distance += distance * truth_power;
                self.power += truth_power;
            }
        }
    }

    /// Returns the normalised power of each frequency, and the total power. A channel of zeros has no power.
    fn spectrum(&self, channel: &[f64]) -> (Vec<f64>, f64) {
        let real = |row: &[f64]| row.iter().zip(channel).map(|(c, x)| c * x).sum::<f64>();
        let power: Vec<f64> = self.cosines.chunks_exact(self.frames).map(|row| real(row).powi(2)).collect();
        let total: f64 = power.iter().sum();
        let scale = if total > 0.0 { 1.0 / total } else { 0.0 };
        (power.into_iter().map(|p| p * scale).collect(), total)
    }

    /// Returns the NPSS of all added transitions; zero before the first.
    pub fn value(&self) -> f64 {
        if self.power > 0.0 { self.distance / self.power } else { 0.0 }
    }
}
