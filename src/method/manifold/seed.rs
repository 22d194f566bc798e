//! What a seed changes: the noise on the target's embedding that training has too (eq. 10), and a slow wander of the latent
//! variable over the manifold, which every value of it keeps a plausible frame.

use crate::method::random::Random;

/// Variance of the noise on the target's embedding (section 3.2).
pub const VARIANCE: f32 = 0.5;
/// Deviation of the wander.
const WANDER: f32 = 0.6;
/// Share of it that one frame keeps for the next.
const KEPT: f32 = 0.95;

/// Normally distributed numbers that a seed tells.
#[derive(Debug, Clone)]
pub struct Noise {
    random: Random,
    target: Vec<f32>,
    wander: Vec<f32>,
}

impl Noise {
    /// For embeddings of `target` numbers and latent variables of `latent`.
    pub fn new(seed: u64, target: usize, latent: usize) -> Self {
        let mut noise = Self { random: Random::new(seed), target: Vec::new(), wander: Vec::new() };
        noise.target = (0..target).map(|_| VARIANCE.sqrt() * noise.random.normal()).collect();
        noise.wander = (0..latent).map(|_| WANDER * noise.random.normal()).collect();
        noise
    }

    /// What is added to the target's embedding, the same in every frame.
    pub fn target(&self) -> &[f32] {
        &self.target
    }

    /// What is added to the latent variable of the next frame.
    pub fn wander(&mut self) -> &[f32] {
        let fresh = WANDER * (1.0 - KEPT * KEPT).sqrt();
        for index in 0..self.wander.len() {
            self.wander[index] = KEPT * self.wander[index] + fresh * self.random.normal();
        }
        &self.wander
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
        let mut slow = Noise::new(1, 0, 1000);
        let (before, after) = (slow.wander().to_vec(), slow.wander().to_vec());
        let apart = before.iter().zip(&after).map(|(a, b)| (a - b).powi(2)).sum::<f32>();
        let size = before.iter().map(|a| a * a).sum::<f32>();
        assert!((size / 1000.0).sqrt() / WANDER > 0.9 && apart < 0.2 * size, "{apart} of {size}");
    }
}
