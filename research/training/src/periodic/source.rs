//! Training windows of joint velocities, from random takes, frames and mirror images.

use crate::takes::Take;
use crate::weighted::Weighted;
use glam::Vec3;
use kinestitch::body::mirror::opposite_role;
use kinestitch::body::poses::{Poses, ROLES};
use kinestitch::error::{Error, Result};
use kinestitch::feature::periodic::{COLUMNS, MIDDLE, WINDOW, velocities, write_window};
use kinestitch::motion::vector::mirror_point;
use rand::Rng;
use rand::rngs::StdRng;

/// Number of windows that the scale is measured on.
const SCALE_WINDOWS: usize = 2000;

/// Joint velocities of takes and their mirror images.
pub struct Source {
    /// Rows of the takes, [frames × 66], drawn by the weights of their data sets.
    takes: Weighted<Vec<f32>>,
}

impl Source {
    /// Creates a source from takes by data set and the weights of the sets, which need not sum to 1. Takes shorter than
    /// half a window are left out.
    ///
    /// # Errors
    /// [`Error::Option`] if all takes are shorter, or if no data set has a positive weight.
    pub fn new(sets: Vec<(f64, Vec<Take>)>) -> Result<Self> {
        let takes_of_set = |(set_weight, takes): (f64, Vec<Take>)| {
            let long: Vec<Take> = takes.into_iter().filter(|take| take.poses.len() > MIDDLE).collect();
            let frames: usize = long.iter().map(|take| take.poses.len()).sum();
            long.into_iter().flat_map(move |take| {
                let weight = set_weight * take.poses.len() as f64 / frames as f64;
                [false, true].map(|mirrored| (weight, rows_of(&take, mirrored)))
            })
        };
        let takes = Weighted::new(sets.into_iter().flat_map(takes_of_set));
        if takes.items().is_empty() {
            let message = "no recording of a data set with a positive weight is longer than half a window (one second)";
            return Err(Error::Option { option: "data", message: message.to_owned() });
        }
        Ok(Self { takes })
    }

    /// Writes a window around a random frame into `out`, [window × 66], divided by `scale`, `[66]`.
    pub fn write_window(&self, rng: &mut StdRng, scale: &[f32], out: &mut [f32]) {
        let rows = &self.takes.items()[self.takes.draw(rng)];
        write_window(rows, rng.random_range(0..rows.len() / COLUMNS), scale, out);
    }

    /// Measures the units of the columns, `[66]`: the standard deviation of each joint's velocity within a window. The
    /// three axes of a joint have the same value. It is at least a tenth of the mean over joints, so that noise of
    /// still joints is not amplified.
    pub fn scale(&self, rng: &mut StdRng) -> Vec<f32> {
        let (ones, mut values) = (vec![1.0; COLUMNS], vec![0.0; WINDOW * COLUMNS]);
        let mut squares = [0.0_f64; ROLES];
        for _ in 0..SCALE_WINDOWS {
            self.write_window(rng, &ones, &mut values);
            for (index, x) in values.iter().enumerate() {
                squares[index % COLUMNS / 3] += f64::from(x * x);
            }
        }
        let deviation = |sum: &f64| (sum / (3 * SCALE_WINDOWS * WINDOW) as f64).sqrt() as f32;
        let deviations: Vec<f32> = squares.iter().map(deviation).collect();
        let mean = deviations.iter().sum::<f32>() / ROLES as f32;
        deviations.iter().flat_map(|deviation| [deviation.max(0.1 * mean); 3]).collect()
    }
}

/// Computes the joint velocities of a take, or of its mirror image, [frames × 66].
pub fn rows_of(take: &Take, mirrored: bool) -> Vec<f32> {
    if !mirrored {
        return velocities(&take.poses, &take.offsets);
    }
    let offsets: [Vec3; ROLES] = std::array::from_fn(|role| mirror_point(take.offsets[opposite_role(role)]));
    let poses: Poses = take.poses.mirrored();
    velocities(&poses, &offsets)
}
