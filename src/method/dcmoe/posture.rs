//! Reads the postures of styles from weight files.

use crate::error::{Error, Result};
use crate::feature::posture::{POSTURE_ROLES, Posture};
use crate::nn::weights::Weights;
use glam::{Quat, Vec3};

/// Names of the tensors in a weight file: mean rotations as x, y, z, w, [styles × 14 × 4]; spreads, [styles × 14 × 3];
/// heights, `[styles]`; speeds, [styles × 2]. In the file, each tensor is flat: it has a single dimension.
pub const TENSORS: [&str; 4] = ["posture.mean", "posture.spread", "posture.height", "posture.speeds"];

/// Reads the postures of all styles.
///
/// # Errors
/// [`Error::Weights`] if a tensor is missing or has another shape, or if a mean is not a rotation.
pub fn read(weights: &Weights, styles: usize) -> Result<Vec<Posture>> {
    if styles == 0 {
        return Ok(Vec::new());
    }
    let tensor = |index: usize, width: usize| weights.tensor(TENSORS[index], &[styles * width]);
    let (means, spreads) = (tensor(0, 4 * POSTURE_ROLES.len())?, tensor(1, 3 * POSTURE_ROLES.len())?);
    let (heights, speeds) = (tensor(2, 1)?, tensor(3, 2)?);
    let means: Vec<Quat> = means.chunks_exact(4).map(Quat::from_slice).collect();
    if means.iter().any(|mean| (mean.length() - 1.0).abs() > 1e-3) {
        return Err(Error::Weights {
            message: format!("tensor \"{}\" contains values that are not rotations", TENSORS[0]),
        });
    }
    let row = |style: usize, index: usize| style * POSTURE_ROLES.len() + index;
    let posture = |style: usize| Posture {
        mean: std::array::from_fn(|index| means[row(style, index)].normalize()),
        spread: std::array::from_fn(|index| Vec3::from_slice(&spreads[3 * row(style, index)..])),
        height: heights[style],
        speeds: [speeds[2 * style], speeds[2 * style + 1]],
    };
    Ok((0..styles).map(posture).collect())
}
