//! Windows of velocities: random takes, frames and sides.

use crate::takes::Take;
use crate::weighted::Weighted;
use glam::Vec3;
use kinestitch::body::mirror::{flip, opposite};
use kinestitch::body::poses::{Poses, ROLES};
use kinestitch::error::{Error, Result};
use kinestitch::feature::periodic::{COLUMNS, MIDDLE, WINDOW, velocities, write_window};
use rand::Rng;
use rand::rngs::StdRng;

/// Windows for the scale.
const STATISTICS: usize = 2000;

/// Joint velocities of takes and their mirror images.
pub struct Source {
    /// Rows of the takes, [frames × 66], drawn by the shares of their sets.
    takes: Weighted<Vec<f32>>,
}

impl Source {
    /// Takes by set, with the shares of the sets, which need not sum to 1. Takes shorter than half a window are left
    /// out.
    ///
    /// # Errors
    /// [`Error::Option`] if none is left.
    pub fn new(sets: Vec<(f64, Vec<Take>)>) -> Result<Self> {
        let of_set = |(share, takes): (f64, Vec<Take>)| {
            let long: Vec<Take> = takes.into_iter().filter(|take| take.poses.len() > MIDDLE).collect();
            let frames: usize = long.iter().map(|take| take.poses.len()).sum();
            long.into_iter().flat_map(move |take| {
                let weight = share * take.poses.len() as f64 / frames as f64;
                [false, true].map(|mirrored| (weight, rows_of(&take, mirrored)))
            })
        };
        let takes = Weighted::new(sets.into_iter().flat_map(of_set));
        if takes.items().is_empty() {
            let message = "no recording to train on is as long as half a window, a second".to_owned();
            return Err(Error::Option { option: "data", message });
        }
        Ok(Self { takes })
    }

    /// Writes a window around a random frame.
    pub fn write_window(&self, rng: &mut StdRng, scale: &[f32], out: &mut [f32]) {
        let rows = &self.takes.items()[self.takes.draw(rng)];
        write_window(rows, rng.random_range(0..rows.len() / COLUMNS), scale, out);
    }

    /// Standard deviation of each joint's velocity within a window, the same for its three axes; at least a tenth of
    /// the mean, so that quiet joints are not amplified.
    pub fn scale(&self, rng: &mut StdRng) -> Vec<f32> {
        let (ones, mut values) = (vec![1.0; COLUMNS], vec![0.0; WINDOW * COLUMNS]);
        let mut squares = [0.0_f64; ROLES];
        for _ in 0..STATISTICS {
            self.write_window(rng, &ones, &mut values);
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

/// Joint velocities of a take, or of its mirror image.
pub fn rows_of(take: &Take, mirrored: bool) -> Vec<f32> {
    if !mirrored {
        return velocities(&take.poses, &take.offsets);
    }
    let offsets: [Vec3; ROLES] = std::array::from_fn(|role| flip(take.offsets[opposite(role)]));
    let poses: Poses = take.poses.mirrored();
    velocities(&poses, &offsets)
}
