//! Postures of styles, as weight files hold them.

use crate::error::{Error, Result};
use crate::feature::posture::{HELD, Posture};
use crate::nn::weights::Weights;
use glam::Quat;

/// Tensors of a weight file: mean rotations as x, y, z, w, [styles × 14 × 4]; spreads, [styles × 14]; heights, [styles].
pub const TENSORS: [&str; 3] = ["posture.mean", "posture.spread", "posture.height"];

/// The postures of a file's styles.
///
/// # Errors
/// [`Error::Weights`] where it lacks them, or a mean is no rotation.
pub fn read(weights: &Weights, styles: usize) -> Result<Vec<Posture>> {
    if styles == 0 {
        return Ok(Vec::new());
    }
    let tensor = |name: &str, width: usize| weights.tensor(name, &[styles * width]);
    let [means, spreads, heights] =
        [tensor(TENSORS[0], 4 * HELD.len())?, tensor(TENSORS[1], HELD.len())?, tensor(TENSORS[2], 1)?];
    let means: Vec<Quat> = means.chunks_exact(4).map(Quat::from_slice).collect();
    if means.iter().any(|mean| (mean.length() - 1.0).abs() > 1e-3) {
        return Err(Error::Weights { message: format!("tensor \"{}\" holds what is no rotation", TENSORS[0]) });
    }
    let posture = |style: usize| Posture {
        mean: std::array::from_fn(|index| means[style * HELD.len() + index].normalize()),
        spread: std::array::from_fn(|index| spreads[style * HELD.len() + index]),
        height: heights[style],
    };
    Ok((0..styles).map(posture).collect())
}
