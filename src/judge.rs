//! Naturalness of a motion: the distance of each frame from recorded motion.
//!
//! The 13 frames around a frame, on the canonical body and in the root space of the middle one, form a [`window`]:
//! joint positions as cosine series over time, scaled and projected on the directions in which recordings vary. A
//! small network ([`detector`]) gives the log odds that the window is from a seam made by our own methods rather than
//! from a recording; it is also evaluated on the mirrored window. The log odds are shifted and scaled to a score such
//! that hardly any recorded frame of people who are not in the training data scores above 1.
//!
//! Bone lengths do not count: every motion is judged on the mean skeleton of the recordings. `train judge` writes
//! the weight file; `bench judge` measures it.

mod clip;
pub mod detector;
pub mod faults;
pub(crate) mod heights;
pub mod score;
pub mod window;

pub use clip::naturalness;

use crate::body::poses::{Poses, ROLES};
use crate::error::Result;
use crate::nn::dense::PackedDense;
use crate::nn::weights::{Weights, wrong};
use detector::Detector;
use glam::Vec3;
use serde::{Deserialize, Serialize};
use std::ops::Range;
use window::{COLUMNS, FRAMES, MIDDLE, Trajectories};

/// Name of the network in weight files and the manifest.
pub const NAME: &str = "judge";
/// Version of its windows.
pub const LAYOUT: u32 = 2;
/// Frame rate of judged motion, frames per second.
pub const FPS: f64 = 30.0;
/// Largest score, also given to values that are not finite.
pub const MAX_SCORE: f32 = 100.0;

/// Sizes of a judge.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Sizes {
    /// Number of columns of a projected window.
    pub columns: usize,
    /// Number of columns of the detector's two inner layers.
    pub hidden: [usize; 2],
}

/// A judge of motion, loaded once and shared.
#[derive(Debug, Clone)]
pub struct Judge {
    /// Joint offsets of the skeleton on which motions are judged.
    offsets: [Vec3; ROLES],
    /// Scaling and projection of windows.
    projection: PackedDense,
    /// Factor of each column in the mirror, 1 or −1.
    mirror: Vec<f32>,
    detector: Detector,
    calibration: Calibration,
}

/// Conversion of log odds to a score.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Calibration {
    /// Median log odds of recorded motion.
    pub median: f32,
    /// Softplus of log odds − median at which the score is 1.
    pub unit: f32,
}

impl Calibration {
    /// Converts log odds to a score by softplus, which is linear above the median and approaches 0 below.
    pub fn score(&self, log_odds: f32) -> f32 {
        let excess = log_odds - self.median;
        let score = (excess.max(0.0) + (-excess.abs()).exp().ln_1p()) / self.unit;
        if score.is_finite() { score.min(MAX_SCORE) } else { MAX_SCORE }
    }
}

impl Judge {
    /// Reads a weight file.
    ///
    /// # Errors
    /// [`crate::Error::Weights`] for a file of another network or layout, and for tensors of other sizes.
    pub fn read(bytes: &[u8]) -> Result<Self> {
        let weights = Weights::read(bytes)?;
        weights.check_layout(NAME, LAYOUT)?;
        let Sizes { columns, hidden } = weights.config()?;
        weights.check_sizes(&[columns, hidden[0], hidden[1]])?;
        let offsets = weights.tensor("offsets", &[3 * ROLES])?;
        let [median, unit] = weights.tensor("calibration", &[2])?[..] else {
            return Err(wrong("its calibration does not consist of two numbers"));
        };
        if unit < f32::EPSILON {
            return Err(wrong("the unit of its calibration is not positive"));
        }
        let matrix = weights.tensor("projection.weight", &[COLUMNS, columns])?;
        let projection = PackedDense::new(
            &divide_rows(matrix, &weights.tensor("scale", &[COLUMNS])?, columns),
            &weights.tensor("projection.bias", &[columns])?,
            [COLUMNS, columns],
        )?;
        Ok(Self {
            offsets: std::array::from_fn(|role| Vec3::from_slice(&offsets[3 * role..])),
            projection,
            mirror: weights.tensor("mirror", &[columns])?,
            detector: Detector::read(&weights, columns, hidden)?,
            calibration: Calibration { median, unit },
        })
    }

    /// Scores each frame of a canonical motion at [`FPS`], `[frames]`: from 0 to [`MAX_SCORE`], higher is less natural.
    /// Of recorded motion of people who are not in the training data, at most one frame in fifty scores above 1.
    /// `motion` is in metres at the canonical leg length, `ground` is the height of the ground. Frames less than half
    /// a window from an end get the score of the nearest complete window; a motion shorter than a window scores 0.
    pub fn scores(&self, motion: &Poses, ground: f32) -> Vec<f32> {
        self.scores_in(motion, ground, 0..motion.len())
    }

    /// Scores a range of frames, cut off at the end of the motion. Frames around the range are read too.
    pub fn scores_in(&self, motion: &Poses, ground: f32, frames: Range<usize>) -> Vec<f32> {
        let frames = frames.start.min(motion.len())..frames.end.min(motion.len());
        if motion.len() < FRAMES || frames.is_empty() {
            return vec![0.0; frames.len()];
        }
        let window_middle = |frame: usize| frame.clamp(MIDDLE, motion.len() - 1 - MIDDLE);
        let middles = window_middle(frames.start)..window_middle(frames.end - 1) + 1;
        let read_range = middles.start - MIDDLE..middles.end + MIDDLE;
        let log_odds = self.log_odds(&Trajectories::new(motion, read_range, &self.offsets, ground));
        let scores: Vec<f32> = log_odds.into_iter().map(|log_odds| self.calibration.score(log_odds)).collect();
        frames.map(|frame| scores[window_middle(frame) - middles.start]).collect()
    }

    /// Returns the mean of the highest fifth of the scores of `range`, at least one score: a single number for a seam;
    /// 0 for an empty range.
    pub fn worst_fifth(scores: &[f32], range: Range<usize>) -> f32 {
        let mut worst = scores[range.start.min(scores.len())..range.end.min(scores.len())].to_vec();
        worst.sort_by(|a, b| b.total_cmp(a));
        worst.truncate(worst.len().div_ceil(5));
        worst.iter().sum::<f32>() / worst.len().max(1) as f32
    }

    /// Computes the log odds that each complete window is from a seam, at equal priors.
    pub fn log_odds(&self, trajectories: &Trajectories) -> Vec<f32> {
        let mut rows = vec![0.0; trajectories.windows() * COLUMNS];
        rows.chunks_exact_mut(COLUMNS).enumerate().for_each(|(index, row)| trajectories.window(index, row));
        self.window_log_odds(&rows)
    }

    /// Computes the log odds that each window is from a seam, for windows [windows × [`COLUMNS`]]; see
    /// [`Self::log_odds`]. Infinity for a window whose values are not finite.
    pub fn window_log_odds(&self, windows: &[f32]) -> Vec<f32> {
        let plain = self.projection.forward(windows);
        let columns = self.mirror.len();
        let mirrored =
            plain.chunks_exact(columns).flat_map(|row| row.iter().zip(&self.mirror).map(|(x, sign)| x * sign));
        let mirrored: Vec<f32> = mirrored.collect();
        let [original, mirrored] = [&plain, &mirrored].map(|rows| self.detector.log_odds(rows));
        // ReLU would turn NaN into 0.
        let is_finite = plain.chunks_exact(columns).map(|row| row.iter().all(|x| x.is_finite()));
        let both = original.into_iter().zip(mirrored).zip(is_finite);
        both.map(
            |((original, mirrored), is_finite)| if is_finite { 0.5 * (original + mirrored) } else { f32::INFINITY },
        )
        .collect()
    }

    /// Returns the joint offsets of the canonical skeleton on which motions are judged.
    pub fn offsets(&self) -> &[Vec3; ROLES] {
        &self.offsets
    }

    /// Returns the conversion of log odds to a score.
    pub fn calibration(&self) -> Calibration {
        self.calibration
    }
}

/// Divides each row of a matrix, [rows × columns], by the row's scale, so that inputs need no scaling. The weight file
/// stores the undivided matrix: its numbers have similar sizes, so they lose little when they are rounded to integers.
fn divide_rows(mut matrix: Vec<f32>, scale: &[f32], columns: usize) -> Vec<f32> {
    for (row, scale) in matrix.chunks_exact_mut(columns).zip(scale) {
        row.iter_mut().for_each(|value| *value /= scale.max(f32::EPSILON));
    }
    matrix
}
