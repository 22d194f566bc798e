//! Training windows of the manifold in-betweener, and statistics of their rows.

use crate::experts::matrix;
use crate::takes::{Cut, Source};
use burn::tensor::{Device, Tensor};
use glam::Vec3;
use kinestitch::body::interpolate::interpolate;
use kinestitch::body::poses::{CONTACTS, Poses, ROLES};
use kinestitch::feature::manifold::columns::Row;
use kinestitch::feature::manifold::{ROW, encode};
use rand::Rng;
use rand::rngs::StdRng;

/// Consecutive frames of a take.
pub struct Window {
    /// Poses relative to the point on the ground below the hips of the first frame.
    pub poses: Poses,
    /// One row per frame.
    pub rows: Vec<Row>,
    /// Contacts, [frames × 4], 0 or 1.
    pub contacts: Vec<f32>,
    /// Joint offsets of the skeleton, metres.
    pub offsets: [Vec3; ROLES],
}

/// Draws a random window of `frames` frames. Does not return if no take is long enough ([`Source::check_length`]).
pub fn draw(source: &Source, rng: &mut StdRng, frames: usize) -> Window {
    loop {
        if let Some(cut) = source.cut(rng, frames) {
            return Window::new(&cut, frames);
        }
    }
}

impl Window {
    /// Creates the window of the first `frames` frames of a cut.
    pub fn new(cut: &Cut, frames: usize) -> Self {
        let (mut poses, offsets) = (cut.poses(0, frames), cut.offsets());
        let origin = poses.hips[0].with_y(cut.ground());
        poses.hips.iter_mut().for_each(|hips| *hips -= origin);
        Self { rows: rows(&poses, &offsets), poses, contacts: cut.contacts(0, frames), offsets }
    }

    /// Interpolates a gap of `gap` frames, and returns one row per frame. `last`: last frame before the gap. `past` and
    /// `target`: number of frames before and after the gap that the interpolation reads; two frames define a speed.
    pub fn interpolation(&self, last: usize, gap: usize, [past, target]: [usize; 2]) -> Vec<Row> {
        let cut = |start: usize, count: usize| Poses {
            hips: self.poses.hips[start..start + count].to_vec(),
            rotations: self.poses.rotations[start * ROLES..(start + count) * ROLES].to_vec(),
        };
        let filled = interpolate(&cut(last + 1 - past, past), &cut(last + gap + 1, target), gap);
        rows(&filled, &self.offsets)
    }
}

/// Encodes poses as rows, one per frame.
fn rows(poses: &Poses, offsets: &[Vec3; ROLES]) -> Vec<Row> {
    (0..poses.len()).map(|frame| encode(poses.hips[frame], poses.pose(frame), offsets, Vec3::ZERO)).collect()
}

/// Returns the rows of one frame of all windows, [windows, [`ROW`]].
pub fn frame_rows(windows: &[Window], frame: usize, device: &Device) -> Tensor<2> {
    let rows = windows.iter().flat_map(|window| window.rows[frame].0.iter().copied()).collect();
    matrix(rows, ROW, device)
}

/// Returns the contacts of one frame of all windows, [windows, 4].
pub fn frame_contacts(windows: &[Window], frame: usize, device: &Device) -> Tensor<2> {
    let rows = windows.iter().flat_map(|window| window.contacts[frame * CONTACTS..][..CONTACTS].iter().copied());
    matrix(rows.collect(), CONTACTS, device)
}

/// Draws a normally distributed random number (Box and Muller 1958).
pub fn draw_normal(rng: &mut StdRng) -> f32 {
    let (radius, angle): (f32, f32) = (rng.random_range(1e-7..1.0), rng.random_range(0.0..std::f32::consts::TAU));
    (-2.0 * radius.ln()).sqrt() * angle.cos()
}

/// Accumulates mean and standard deviation of columns.
pub struct Statistics {
    count: f64,
    sum: Vec<f64>,
    squares: Vec<f64>,
}

impl Statistics {
    /// Creates empty statistics.
    pub fn new(columns: usize) -> Self {
        Self { count: 0.0, sum: vec![0.0; columns], squares: vec![0.0; columns] }
    }

    /// Adds a row.
    pub fn add(&mut self, row: &Row) {
        self.count += 1.0;
        for ((sum, squares), x) in self.sum.iter_mut().zip(&mut self.squares).zip(&row.0) {
            *sum += f64::from(*x);
            *squares += f64::from(*x).powi(2);
        }
    }

    /// Returns the normalisation. Deviations are at least `min_deviation`, because division by the deviation of a
    /// nearly constant column would amplify noise.
    pub fn normal(&self, min_deviation: f64, device: &Device) -> kinestitch::nn::normal::Normal {
        let mean: Vec<f64> = self.sum.iter().map(|sum| sum / self.count).collect();
        let deviation = self.squares.iter().zip(&mean).map(|(squares, mean)| squares / self.count - mean * mean);
        let deviation: Vec<f32> =
            deviation.map(|variance| variance.max(0.0).sqrt().max(min_deviation) as f32).collect();
        let mean: Vec<f32> = mean.iter().map(|mean| *mean as f32).collect();
        kinestitch::nn::normal::Normal::new(&mean, &deviation, device)
    }
}
