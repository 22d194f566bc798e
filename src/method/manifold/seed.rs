//! What a seed changes: the noise on the target's embedding that training has too (eq. 10), and a slow wander of the latent
//! variable over the manifold, which every value of it keeps a plausible frame.

/// Variance of the noise on the target's embedding (section 3.2).
pub const VARIANCE: f32 = 0.5;
/// Deviation of the wander.
const WANDER: f32 = 0.6;
/// Share of it that one frame keeps for the next.
const KEPT: f32 = 0.95;

/// Normally distributed numbers that a seed tells.
#[derive(Debug, Clone)]
pub struct Noise {
    state: u64,
    target: Vec<f32>,
    wander: Vec<f32>,
}

impl Noise {
    /// For embeddings of `target` numbers and latent variables of `latent`.
    pub fn new(seed: u64, target: usize, latent: usize) -> Self {
        let mut noise = Self { state: seed, target: Vec::new(), wander: Vec::new() };
        noise.target = (0..target).map(|_| VARIANCE.sqrt() * noise.normal()).collect();
        noise.wander = (0..latent).map(|_| WANDER * noise.normal()).collect();
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
            self.wander[index] = KEPT * self.wander[index] + fresh * self.normal();
        }
        &self.wander
    }

    /// SplitMix64 (Steele et al. 2014), the upper 24 bits; never 0.
    fn uniform(&mut self) -> f32 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.state ^ (self.state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (((mixed ^ (mixed >> 31)) >> 40) as f32 + 0.5) / (1_u32 << 24) as f32
    }

    /// Box and Muller 1958.
    fn normal(&mut self) -> f32 {
        let (radius, angle) = (self.uniform(), self.uniform());
        (-2.0 * radius.ln()).sqrt() * (std::f32::consts::TAU * angle).cos()
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
