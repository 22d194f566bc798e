//! Effect of a seed: the noise on the target's embedding that training also has (eq. 10), and two slow waves. One is
//! on the latent variable, each value of which is a plausible frame of the legs; the other is on hips and upper body,
//! in units of their typical change. Feet get no wave of their own, so swaying hips do not move planted feet.
//!
//! LAFAN1, subject 4, eight seeds: joints of two results are 1.5, 3.5, 7.1 and 11.8 cm apart in the middle of gaps of
//! 5, 15, 30 and 45 frames; they slide 5 to 15 % more than the mean result, with 1 to 9 % more jerk. Independent
//! noise on the latent variable in each frame, with a deviation of .6, would shake the legs.

use super::walk::Moment;
use crate::feature::manifold::{CHANGE, LOW, MOVES, STEP};
use crate::method::random::Random;
use std::f32::consts::TAU;

/// Variance of the noise on the target's embedding (section 3.2).
pub const VARIANCE: f32 = 0.5;
/// Deviations of the waves: on the latent variable, and on changes.
const LATENT: f32 = 0.2;
const SWAY: f32 = 0.2;
/// Period of a wave, frames.
const PERIOD: f32 = 45.0;

/// Normally distributed numbers from a seed.
#[derive(Debug, Clone)]
pub struct Noise {
    target: Vec<f32>,
    /// Amplitudes of the cosines and sines of the waves: on the latent variable, then on the [`CHANGE`].
    waves: [Vec<f32>; 2],
    latent: usize,
}

impl Noise {
    /// Noise for embeddings of `target` numbers and latent variables of `latent` numbers.
    pub fn new(seed: u64, target: usize, latent: usize) -> Self {
        let mut random = Random::new(seed);
        let target = (0..target).map(|_| VARIANCE.sqrt() * random.normal()).collect();
        let sizes: Vec<f32> = std::iter::repeat_n(LATENT, latent).chain((0..CHANGE).map(sway)).collect();
        let waves = [0, 1].map(|_| sizes.iter().map(|size| size * random.normal()).collect());
        Self { target, waves, latent }
    }

    /// Noise on the target's embedding, the same in every frame.
    pub fn target(&self) -> &[f32] {
        &self.target
    }

    /// Noise on the latent variable, and on the change in units of its typical size; smallest at both ends of a gap.
    pub fn waves(&self, at: Moment) -> (Vec<f32>, Vec<f32>) {
        let (sine, cosine) = (TAU * at.since as f32 / PERIOD).sin_cos();
        let [a, b] = &self.waves;
        let mut latent: Vec<f32> = a.iter().zip(b).map(|(a, b)| cosine * a + sine * b).collect();
        let change = latent.split_off(self.latent);
        latent.iter_mut().for_each(|x| *x *= at.middle());
        (latent, change)
    }
}

/// Deviation of the wave of a column of changes; zero for points and leg rotations, which follow the latent variable.
fn sway(column: usize) -> f32 {
    let of_axis = column.checked_sub(STEP).filter(|at| *at < 3 * (LOW + 2)).map(|at| at % (LOW + 2));
    match of_axis {
        Some(at) if at < LOW => 0.0,
        None if (STEP..STEP + MOVES).contains(&column) => 0.0,
        _ => SWAY,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn noise_is_normal_and_the_seeds_own() {
        let noise = Noise::new(7, 20_000, 4);
        let mean = noise.target().iter().sum::<f32>() / 20_000.0;
        let variance = noise.target().iter().map(|x| x * x).sum::<f32>() / 20_000.0;
        assert!(mean.abs() < 0.02 && (variance - VARIANCE).abs() < 0.02, "{mean} {variance}");
        assert_eq!(noise.target()[..8], Noise::new(7, 20_000, 4).target()[..8]);
        assert_ne!(noise.target()[..8], Noise::new(8, 20_000, 4).target()[..8]);
    }

    #[test]
    fn waves_are_slow_and_leave_the_feet_alone() {
        let noise = Noise::new(1, 0, 1000);
        let at = |since: usize| noise.waves(Moment { since, span: 40 - since });
        let apart = |a: &[f32], b: &[f32]| a.iter().zip(b).map(|(a, b)| (a - b).powi(2)).sum::<f32>();
        let ((one, sway), (next, _), (last, _)) = (at(19), at(20), at(39));
        let size = apart(&one, &vec![0.0; 1000]);
        assert!(((size / 1000.0).sqrt() / LATENT - 1.0).abs() < 0.1, "{size}");
        assert!(apart(&one, &next) < 0.05 * size && last.iter().all(|x| *x == 0.0));
        assert!(sway[STEP..STEP + LOW].iter().all(|x| *x == 0.0) && sway[0] != 0.0 && sway[CHANGE - 1] != 0.0);
    }
}
