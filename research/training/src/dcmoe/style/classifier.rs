//! A small classifier of styles: a linear layer and softmax. The input is a row of statistics of the
//! joints in a window.

use glam::Vec3;
use kinestitch::body::GroundPose;
use kinestitch::body::poses::{FPS, Poses, ROLES, joint_positions};

/// Number of training steps; each step uses all windows.
const STEPS: usize = 400;
/// Learning rate.
const RATE: f32 = 0.5;
/// Weight decay.
const DECAY: f32 = 1e-3;

/// A window's style and its [`features`].
pub type Row = (usize, Vec<f32>);

/// Computes the features of a window, [22 × 7]. Each joint has seven features: its mean position in root space and the
/// standard deviation of this position, metres, and its mean speed, metres per second.
pub fn features(poses: &Poses, offsets: &[Vec3; ROLES], ground: f32) -> Vec<f32> {
    let frames = poses.len();
    let positions: Vec<[Vec3; ROLES]> =
        (0..frames).map(|frame| joint_positions(poses.hips[frame], poses.pose(frame), offsets)).collect();
    let local = |frame: usize, joint: usize| {
        let root = GroundPose::from_root(poses.hips[frame], poses.pose(frame)[0]);
        root.local_point(positions[frame][joint]) - Vec3::Y * ground
    };
    let mut out = Vec::with_capacity(7 * ROLES);
    for joint in 0..ROLES {
        let local_positions: Vec<Vec3> = (0..frames).map(|frame| local(frame, joint)).collect();
        let mean = local_positions.iter().sum::<Vec3>() / frames as f32;
        let squares = local_positions.iter().map(|position| (*position - mean) * (*position - mean));
        let variance = squares.sum::<Vec3>() / frames as f32;
        let path_length =
            (1..frames).map(|frame| positions[frame][joint].distance(positions[frame - 1][joint])).sum::<f32>();
        out.extend(mean.to_array());
        out.extend([
            variance.x.sqrt(),
            variance.y.sqrt(),
            variance.z.sqrt(),
            FPS as f32 * path_length / (frames - 1) as f32,
        ]);
    }
    out
}

/// A trained classifier.
pub struct Classifier {
    /// Mean of each column.
    mean: Vec<f32>,
    /// Standard deviation of each column.
    deviation: Vec<f32>,
    /// Weights, and the bias in the last column, [styles × (columns + 1)].
    weights: Vec<Vec<f32>>,
}

impl Classifier {
    /// Trains a classifier on the styles and features of windows. Every style has the same total weight.
    pub fn train(rows: &[&Row], styles: usize) -> Self {
        let (columns, count) = (rows.first().map_or(0, |row| row.1.len()), rows.len() as f32);
        let mean: Vec<f32> =
            (0..columns).map(|column| rows.iter().map(|(_, row)| row[column]).sum::<f32>() / count).collect();
        let variance =
            |column: usize| rows.iter().map(|(_, row)| (row[column] - mean[column]).powi(2)).sum::<f32>() / count;
        let deviation = (0..columns).map(|column| variance(column).sqrt().max(1e-4)).collect();
        let mut classifier = Self { mean, deviation, weights: vec![vec![0.0; columns + 1]; styles] };
        let normalised: Vec<(usize, Vec<f32>)> =
            rows.iter().map(|(style, row)| (*style, classifier.normalise(row))).collect();
        // Weight of each window of a style.
        let window_weights: Vec<f32> = (0..styles)
            .map(|style| {
                let windows = normalised.iter().filter(|(label, _)| *label == style).count();
                1.0 / (styles * windows.max(1)) as f32
            })
            .collect();
        let mut momentum = classifier.weights.clone();
        for _ in 0..STEPS {
            let mut gradient = vec![vec![0.0; columns + 1]; styles];
            for (style, row) in &normalised {
                for (index, probability) in classifier.probabilities_of_normalised(row).into_iter().enumerate() {
                    let error = window_weights[*style] * (probability - f32::from(u8::from(index == *style)));
                    gradient[index].iter_mut().zip(row).for_each(|(sum, x)| *sum += error * x);
                }
            }
            for (weights, (momentum, gradient)) in classifier.weights.iter_mut().zip(momentum.iter_mut().zip(&gradient))
            {
                for (weight, (momentum, gradient)) in weights.iter_mut().zip(momentum.iter_mut().zip(gradient)) {
                    *momentum = 0.9 * *momentum + 0.1 * (gradient + DECAY * *weight);
                    *weight -= RATE * *momentum;
                }
            }
        }
        classifier
    }

    /// Normalises features, clamps them to ±4 standard deviations, and appends 1, the factor of the bias.
    fn normalise(&self, row: &[f32]) -> Vec<f32> {
        let columns = row.iter().zip(&self.mean).zip(&self.deviation);
        columns.map(|((x, mean), deviation)| ((x - mean) / deviation).clamp(-4.0, 4.0)).chain([1.0]).collect()
    }

    /// Computes the probability of each style for a window's features.
    pub fn probabilities(&self, row: &[f32]) -> Vec<f32> {
        self.probabilities_of_normalised(&self.normalise(row))
    }

    /// Computes the probability of each style from normalised features ([`Classifier::normalise`]).
    fn probabilities_of_normalised(&self, row: &[f32]) -> Vec<f32> {
        let logits: Vec<f32> =
            self.weights.iter().map(|weights| weights.iter().zip(row).map(|(weight, x)| weight * x).sum()).collect();
        let top = logits.iter().copied().fold(f32::NEG_INFINITY, f32::max);
        let exponentials: Vec<f32> = logits.iter().map(|logit| (logit - top).exp()).collect();
        let sum: f32 = exponentials.iter().sum();
        exponentials.into_iter().map(|exponential| exponential / sum).collect()
    }

    /// Returns the most probable style of a window.
    pub fn style(&self, row: &[f32]) -> usize {
        let probabilities = self.probabilities(row);
        (0..probabilities.len()).max_by(|a, b| probabilities[*a].total_cmp(&probabilities[*b])).unwrap_or(0)
    }
}
