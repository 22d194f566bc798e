//! Noise from a seed. It has two components: noise on the target's embedding, as in training (eq. 10), and two slow
//! waves. The first wave varies the latent variable, each value of which decodes to a plausible pose of the legs. The
//! second wave varies hips and upper body, in units of their typical change. Feet have no separate wave, so swaying
//! hips do not move planted feet.
//!
//! LAFAN1, subject 4, eight seeds: in the middle of gaps of 5, 15, 30 and 45 frames, the joints of two results are 1.5,
//! 3.5, 7.1 and 11.8 cm apart. Feet slide 5 to 15 % more than in the mean result, with 1 to 9 % more jerk. Independent
//! noise on the latent variable in each frame, with a deviation of 0.6, would shake the legs.

use super::step::Moment;
use crate::feature::manifold::{CHANGE, LOWER_POINTS, MOVES, STEP};
use crate::method::random::Random;
use std::f32::consts::TAU;

/// Variance of the noise on the target's embedding (section 3.2).
pub const VARIANCE: f32 = 0.5;
/// Standard deviation of the wave on the latent variable.
const LATENT_DEVIATION: f32 = 0.2;
/// Standard deviation of the wave on changes of hips and upper body.
const SWAY_DEVIATION: f32 = 0.2;
/// Period of a wave, frames.
const PERIOD: f32 = 45.0;

/// Normally distributed numbers from a seed.
#[derive(Debug, Clone)]
pub struct Noise {
    target_noise: Vec<f32>,
    /// Amplitudes of the cosines and of the sines: for the latent variable, then for the columns of [`CHANGE`].
    wave_amplitudes: [Vec<f32>; 2],
    latent_width: usize,
}

impl Noise {
    /// Creates noise for embeddings of `embedding_width` numbers and latent variables of `latent_width` numbers.
    pub fn new(seed: u64, embedding_width: usize, latent_width: usize) -> Self {
        let mut random = Random::new(seed);
        let target_noise = (0..embedding_width).map(|_| VARIANCE.sqrt() * random.normal()).collect();
        let deviations: Vec<f32> =
            std::iter::repeat_n(LATENT_DEVIATION, latent_width).chain((0..CHANGE).map(sway_deviation)).collect();
        let wave_amplitudes = [0, 1].map(|_| deviations.iter().map(|deviation| deviation * random.normal()).collect());
        Self { target_noise, wave_amplitudes, latent_width }
    }

    /// Returns the noise on the target's embedding, which is the same in every frame.
    pub fn target_noise(&self) -> &[f32] {
        &self.target_noise
    }

    /// Returns the wave on the latent variable, which vanishes towards both ends of a gap, and the wave on the change
    /// of the frame, in units of the typical change.
    pub fn waves(&self, moment: Moment) -> (Vec<f32>, Vec<f32>) {
        let (sine, cosine) = (TAU * moment.elapsed as f32 / PERIOD).sin_cos();
        let [cosines, sines] = &self.wave_amplitudes;
        let mut latent_wave: Vec<f32> = cosines.iter().zip(sines).map(|(a, b)| cosine * a + sine * b).collect();
        let change_wave = latent_wave.split_off(self.latent_width);
        latent_wave.iter_mut().for_each(|value| *value *= moment.middle_weight());
        (latent_wave, change_wave)
    }
}

/// Returns the standard deviation of the wave of a column of changes; zero for points and leg rotations, which follow
/// the latent variable.
fn sway_deviation(column: usize) -> f32 {
    // Moves have, for each axis, the steps of the lower points and two changes of the hips' rotation.
    let axis_width = LOWER_POINTS + 2;
    let index = column.checked_sub(STEP).filter(|index| *index < 3 * axis_width).map(|index| index % axis_width);
    match index {
        Some(index) if index < LOWER_POINTS => 0.0,
        None if (STEP..STEP + MOVES).contains(&column) => 0.0,
        _ => SWAY_DEVIATION,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn noise_is_normal_and_depends_on_the_seed() {
        let noise = Noise::new(7, 20_000, 4);
        let mean = noise.target_noise().iter().sum::<f32>() / 20_000.0;
        let variance = noise.target_noise().iter().map(|x| x * x).sum::<f32>() / 20_000.0;
        assert!(mean.abs() < 0.02 && (variance - VARIANCE).abs() < 0.02, "{mean} {variance}");
        assert_eq!(noise.target_noise()[..8], Noise::new(7, 20_000, 4).target_noise()[..8]);
        assert_ne!(noise.target_noise()[..8], Noise::new(8, 20_000, 4).target_noise()[..8]);
    }

    #[test]
    fn waves_are_slow_and_do_not_move_the_feet() {
        let noise = Noise::new(1, 0, 1000);
        let waves = |elapsed: usize| noise.waves(Moment { elapsed, span: 40 - elapsed });
        let squared_distance = |a: &[f32], b: &[f32]| a.iter().zip(b).map(|(a, b)| (a - b).powi(2)).sum::<f32>();
        let ((middle, sway), (next, _), (last, _)) = (waves(19), waves(20), waves(39));
        let size = squared_distance(&middle, &vec![0.0; 1000]);
        assert!(((size / 1000.0).sqrt() / LATENT_DEVIATION - 1.0).abs() < 0.1, "{size}");
        assert!(squared_distance(&middle, &next) < 0.05 * size && last.iter().all(|x| *x == 0.0));
        assert!(sway[STEP..STEP + LOWER_POINTS].iter().all(|x| *x == 0.0) && sway[0] != 0.0 && sway[CHANGE - 1] != 0.0);
    }
}
