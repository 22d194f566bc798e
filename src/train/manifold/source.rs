//! Windows of rows: random starts and sides, from sets by their shares.

use crate::feature::delta::{CONTACTS, ROLES, flip, opposite};
use crate::feature::manifold::columns::Row;
use crate::feature::manifold::{ROW, row};
use crate::motion::quat::flipped;
use crate::train::delta::sample::Take;
use burn::tensor::{Device, Tensor, TensorData};
use glam::{Quat, Vec3};
use rand::Rng;
use rand::rngs::StdRng;

/// Frames of a take that follow each other.
pub struct Window {
    /// A row a frame.
    pub rows: Vec<Row>,
    /// Contacts, [frames × 4], 0 or 1.
    pub contacts: Vec<f32>,
    /// The skeleton.
    pub offsets: [Vec3; ROLES],
}

/// Takes by set, each drawn from as often as its share says, and within a set by length.
pub struct Source {
    sets: Vec<(f64, Vec<Take>)>,
}

impl Source {
    /// Shares need not sum to 1.
    pub fn new(sets: Vec<(f64, Vec<Take>)>) -> Self {
        Self { sets }
    }

    /// A random window of that many frames, of either side; the ground lies within 1.5 cm of where the take has it.
    pub fn draw(&self, rng: &mut StdRng, frames: usize) -> Window {
        let total: f64 = self.sets.iter().map(|set| set.0).sum();
        let mut at = rng.random_range(0.0..total);
        let chosen = self.sets.iter().position(|set| {
            at -= set.0;
            at < 0.0
        });
        let takes = &self.sets[chosen.unwrap_or(self.sets.len() - 1)].1;
        let starts = |take: &Take| (take.poses.len() + 1).saturating_sub(frames);
        let mut start = rng.random_range(0..takes.iter().map(starts).sum::<usize>().max(1));
        for take in takes {
            if start < starts(take) {
                let lift = rng.random_range(-0.015..0.015);
                return window(take, start, frames, rng.random_bool(0.5), lift);
            }
            start -= starts(take);
        }
        self.draw(rng, frames)
    }
}

/// A window of a take from a frame on; `lift` is added to the ground's height.
pub fn window(take: &Take, start: usize, frames: usize, mirrored: bool, lift: f32) -> Window {
    let offsets = match mirrored {
        true => std::array::from_fn(|role| flip(take.offsets[opposite(role)])),
        false => take.offsets,
    };
    let side = |hips: Vec3| if mirrored { flip(hips) } else { hips };
    let origin = side(take.poses.hips[start]).with_y(take.ground + lift);
    let one = |frame: usize| {
        let pose = take.poses.pose(frame);
        let turned = |role: usize| if mirrored { flipped(pose[opposite(role)]) } else { pose[role] };
        let rotations: [Quat; ROLES] = std::array::from_fn(turned);
        row(side(take.poses.hips[frame]), &rotations, &offsets, origin)
    };
    let mut contacts = take.contacts[start * CONTACTS..][..frames * CONTACTS].to_vec();
    if mirrored {
        contacts.chunks_exact_mut(CONTACTS).for_each(|row| row.rotate_left(CONTACTS / 2));
    }
    Window { rows: (start..start + frames).map(one).collect(), contacts, offsets }
}

/// Rows of one frame of all windows, [windows, [`ROW`]].
pub fn frame(windows: &[Window], frame: usize, device: &Device) -> Tensor<2> {
    let rows = windows.iter().flat_map(|window| window.rows[frame].0.iter().copied()).collect();
    matrix(rows, ROW, device)
}

/// Contacts of one frame of all windows, [windows, 4].
pub fn contacts(windows: &[Window], frame: usize, device: &Device) -> Tensor<2> {
    let rows = windows.iter().flat_map(|window| window.contacts[frame * CONTACTS..][..CONTACTS].iter().copied());
    matrix(rows.collect(), CONTACTS, device)
}

/// Values, [rows × columns], as a tensor.
pub fn matrix(values: Vec<f32>, columns: usize, device: &Device) -> Tensor<2> {
    let rows = values.len() / columns;
    Tensor::from_data(TensorData::new(values, [rows, columns]), device)
}

/// A normally distributed number (Box and Muller 1958).
pub fn normal(rng: &mut StdRng) -> f32 {
    let (radius, angle): (f32, f32) = (rng.random_range(1e-7..1.0), rng.random_range(0.0..std::f32::consts::TAU));
    (-2.0 * radius.ln()).sqrt() * angle.cos()
}

/// Mean and deviation of columns, measured row by row.
pub struct Statistics {
    count: f64,
    sum: Vec<f64>,
    squares: Vec<f64>,
}

impl Statistics {
    /// Of that many columns.
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

    /// The normalisation; columns that hardly change count as changing by `least`, else they would be noise.
    pub fn normal(&self, least: f64, device: &Device) -> crate::nn::normal::Normal {
        let mean: Vec<f64> = self.sum.iter().map(|sum| sum / self.count).collect();
        let deviation = self.squares.iter().zip(&mean).map(|(squares, mean)| squares / self.count - mean * mean);
        let deviation: Vec<f32> = deviation.map(|square| square.max(0.0).sqrt().max(least) as f32).collect();
        let mean: Vec<f32> = mean.iter().map(|mean| *mean as f32).collect();
        crate::nn::normal::Normal::new(&mean, &deviation, device)
    }
}
