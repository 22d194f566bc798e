//! Windows of velocities: random takes, frames and sides.

use crate::feature::delta::{Poses, ROLES, flip, opposite};
use crate::feature::periodic::{COLUMNS, MIDDLE, WINDOW, velocities, window};
use crate::train::takes::Take;
use glam::Vec3;
use rand::Rng;
use rand::rngs::StdRng;

/// Windows that the scale is measured on.
const STATISTICS: usize = 2000;

/// Velocities of takes, each and its mirror image.
pub struct Source {
    /// Share of each set, and its takes' rows, [frames × 66].
    sets: Vec<(f64, Vec<Vec<f32>>)>,
}

impl Source {
    /// Shares need not sum to 1. Takes of less than half a window are left out.
    pub fn new(sets: Vec<(f64, Vec<Take>)>) -> Self {
        let rows = |takes: Vec<Take>| {
            let long = takes.into_iter().filter(|take| take.poses.len() > MIDDLE);
            long.flat_map(|take| [false, true].map(|mirrored| rows_of(&take, mirrored))).collect()
        };
        Self { sets: sets.into_iter().map(|(share, takes)| (share, rows(takes))).collect() }
    }

    /// A random frame of a random take: its rows.
    fn draw(&self, rng: &mut StdRng) -> (&[f32], usize) {
        let total: f64 = self.sets.iter().map(|set| set.0).sum();
        let mut at = rng.random_range(0.0..total);
        let chosen = self.sets.iter().position(|set| {
            at -= set.0;
            at < 0.0
        });
        let takes = &self.sets[chosen.unwrap_or(self.sets.len() - 1)].1;
        let frames = |take: &Vec<f32>| take.len() / COLUMNS;
        let mut frame = rng.random_range(0..takes.iter().map(frames).sum::<usize>().max(1));
        for take in takes {
            if frame < frames(take) {
                return (take, frame);
            }
            frame -= frames(take);
        }
        self.draw(rng)
    }

    /// A random window.
    pub fn window(&self, rng: &mut StdRng, scale: &[f32], out: &mut [f32]) {
        let (rows, frame) = self.draw(rng);
        window(rows, frame, scale, out);
    }

    /// Deviation of each joint's velocity within a window, one number for its three axes; quiet joints count for less, and
    /// none as quieter than a tenth of the mean.
    pub fn scale(&self, rng: &mut StdRng) -> Vec<f32> {
        let (ones, mut values) = (vec![1.0; COLUMNS], vec![0.0; WINDOW * COLUMNS]);
        let mut squares = [0.0_f64; ROLES];
        for _ in 0..STATISTICS {
            self.window(rng, &ones, &mut values);
            for (at, x) in values.iter().enumerate() {
                squares[at % COLUMNS / 3] += f64::from(x * x);
            }
        }
        let deviation = |sum: &f64| (sum / (3 * STATISTICS * WINDOW) as f64).sqrt() as f32;
        let each: Vec<f32> = squares.iter().map(deviation).collect();
        let mean = each.iter().sum::<f32>() / ROLES as f32;
        each.iter().flat_map(|one| [one.max(0.1 * mean); 3]).collect()
    }
}

/// Velocities of a take, or of its mirror image.
pub fn rows_of(take: &Take, mirrored: bool) -> Vec<f32> {
    if !mirrored {
        return velocities(&take.poses, &take.offsets);
    }
    let offsets: [Vec3; ROLES] = std::array::from_fn(|role| flip(take.offsets[opposite(role)]));
    let poses: Poses = take.poses.mirrored();
    velocities(&poses, &offsets)
}
