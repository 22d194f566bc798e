//! Naturalness of a motion: how far each of its frames is from recorded motion.
//!
//! The motion of the 13 frames around a frame, on the canonical body and in the ground frame of the middle one, is a
//! [`window`]: joint positions as cosine series along time, scaled and projected on the directions in which recordings vary.
//! Its distance to the nearest of some thousand recorded windows, seen as they are and in the mirror, is the score
//! ([`neighbours`]), divided so that 1 is the 98th percentile of recorded motion of people who are not in the file.
//!
//! Bones do not count: every motion is judged on the mean skeleton of the recordings. What `train judge` writes is a weight
//! file; `bench judge` measures it.

mod clip;
pub mod neighbours;
pub mod window;

pub use clip::naturalness;

use crate::body::poses::{Poses, ROLES};
use crate::error::Result;
use crate::nn::dense::PackedDense;
use crate::nn::weights::{Weights, wrong};
use glam::Vec3;
use neighbours::Neighbours;
use serde::{Deserialize, Serialize};
use std::ops::Range;
use window::{COLUMNS, FRAMES, MIDDLE, Places};

/// Name of the network in weight files and the manifest.
pub const NAME: &str = "judge";
/// Version of its windows.
pub const LAYOUT: u32 = 1;
/// Frames a second of what is judged.
pub const FPS: f64 = 30.0;

/// Sizes of a judge.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Sizes {
    /// Columns of a projected window.
    pub columns: usize,
    /// Recorded windows.
    pub windows: usize,
}

/// A judge of motion: read once, shared.
#[derive(Debug, Clone)]
pub struct Judge {
    offsets: [Vec3; ROLES],
    projection: PackedDense,
    neighbours: Neighbours,
    /// Distance that scores 1.
    unit: f32,
}

impl Judge {
    /// Reads a weight file.
    ///
    /// # Errors
    /// [`crate::Error::Weights`] for a file of another network or layout, and for tensors that do not fit.
    pub fn read(bytes: &[u8]) -> Result<Self> {
        let weights = Weights::read(bytes)?;
        weights.expect(NAME, LAYOUT)?;
        let Sizes { columns, windows } = weights.config()?;
        weights.check_sizes(&[columns, windows])?;
        let offsets = weights.tensor("offsets", &[3 * ROLES])?;
        let unit = weights.tensor("unit", &[1])?[0];
        if unit < f32::EPSILON {
            return Err(wrong("its unit is a number that nothing can be divided by"));
        }
        let matrix = weights.tensor("projection.weight", &[COLUMNS, columns])?;
        let projection = PackedDense::new(
            &scaled(matrix, &weights.tensor("scale", &[COLUMNS])?, columns),
            &weights.tensor("projection.bias", &[columns])?,
            [COLUMNS, columns],
        )?;
        Ok(Self {
            offsets: std::array::from_fn(|role| Vec3::from_slice(&offsets[3 * role..])),
            projection,
            neighbours: Neighbours::new(weights.tensor("windows", &[windows, columns])?, columns),
            unit,
        })
    }

    /// Score of each frame of a canonical motion at [`FPS`], [frames]: 0 and more, 1 at the 98th percentile of recorded
    /// motion of people who are not in the file, higher is less natural. `motion` is in metres at the canonical leg length,
    /// `ground` the height its feet stand on. Less than half a window from an end, a frame scores as the nearest whole window
    /// does; a motion shorter than a window scores 0.
    pub fn scores(&self, motion: &Poses, ground: f32) -> Vec<f32> {
        self.scores_in(motion, ground, 0..motion.len())
    }

    /// The scores of some frames, which may lie beyond the end; what is around them counts.
    pub fn scores_in(&self, motion: &Poses, ground: f32, frames: Range<usize>) -> Vec<f32> {
        let frames = frames.start.min(motion.len())..frames.end.min(motion.len());
        if motion.len() < FRAMES || frames.is_empty() {
            return vec![0.0; frames.len()];
        }
        let middle = |frame: usize| frame.clamp(MIDDLE, motion.len() - 1 - MIDDLE);
        let middles = middle(frames.start)..middle(frames.end - 1) + 1;
        let reach = middles.start - MIDDLE..middles.end + MIDDLE;
        let places = Places::of(motion, reach.clone(), &self.offsets, ground);
        let distances = self.distances(&places);
        frames.map(|frame| distances[middle(frame) - middles.start] / self.unit).collect()
    }

    /// Mean of the worst fifth of the scores of `range`, at least one: one number for a seam. 0 for no frames.
    pub fn worst_fifth(scores: &[f32], range: Range<usize>) -> f32 {
        let mut worst = scores[range.start.min(scores.len())..range.end.min(scores.len())].to_vec();
        worst.sort_by(|a, b| b.total_cmp(a));
        worst.truncate(worst.len().div_ceil(5));
        worst.iter().sum::<f32>() / worst.len().max(1) as f32
    }

    /// Distance of each whole window to the nearest recorded one.
    fn distances(&self, places: &Places) -> Vec<f32> {
        let count = places.windows();
        let mut rows = vec![0.0; 2 * count * COLUMNS];
        let (plain, mirrored) = rows.split_at_mut(count * COLUMNS);
        for (index, (plain, mirrored)) in
            plain.chunks_exact_mut(COLUMNS).zip(mirrored.chunks_exact_mut(COLUMNS)).enumerate()
        {
            places.window(index, plain);
            window::mirror(plain, mirrored);
        }
        let projected = self.projection.forward(&rows);
        let columns = self.neighbours.columns();
        let (plain, mirrored) = projected.split_at(count * columns);
        let of = |rows: &[f32]| self.neighbours.distances(rows);
        of(plain).into_iter().zip(of(mirrored)).map(|(a, b)| a.min(b)).collect()
    }
}

/// A matrix, [rows × columns], each row divided by its scale: what is quantised has columns of one size, what is read is
/// multiplied once.
fn scaled(mut matrix: Vec<f32>, scale: &[f32], columns: usize) -> Vec<f32> {
    for (row, scale) in matrix.chunks_exact_mut(columns).zip(scale) {
        row.iter_mut().for_each(|value| *value /= scale.max(f32::EPSILON));
    }
    matrix
}
