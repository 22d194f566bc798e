//! Random numbers from a seed. The sequence is the same on every machine.

/// Random number generator: SplitMix64 (Steele et al. 2014).
#[derive(Debug, Clone)]
pub struct Random(u64);

impl Random {
    /// Creates a generator with this seed.
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// Returns a uniformly distributed number, greater than 0 and less than 1, from the upper 24 bits. Zero is excluded
    /// because [`Random::normal`] takes the logarithm.
    pub fn uniform(&mut self) -> f32 {
        // The largest of the 2²⁴ numbers is rounded to 1; it becomes the largest number below 1.
        (((self.next() >> 40) as f32 + 0.5) / (1_u32 << 24) as f32).min(1.0_f32.next_down())
    }

    /// Returns a standard normal number (Box and Muller 1958).
    pub fn normal(&mut self) -> f32 {
        let radius = (-2.0 * self.uniform().ln()).sqrt();
        let angle = std::f32::consts::TAU * self.uniform();
        radius * angle.cos()
    }

    /// Returns an integer from 0 to `count` − 1; 0 if `count` is 0.
    pub fn below(&mut self, count: usize) -> usize {
        ((self.uniform() * count as f32) as usize).min(count.saturating_sub(1))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_largest_uniform_number_is_below_1() {
        // The first number of this seed has all bits set.
        assert_eq!(Random::new(0x3162_8af6_7b21_31ab).next(), u64::MAX);
        let number = Random::new(0x3162_8af6_7b21_31ab).uniform();
        assert!(number > 0.9999 && number < 1.0, "{number}");
        assert_eq!(Random::new(0x3162_8af6_7b21_31ab).below(1 << 24), (1 << 24) - 1);
    }
}
