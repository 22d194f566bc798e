//! Computes amplitude, frequency and offset of a curve by a real Fourier transform, a product with a constant matrix
//! (DeepPhase, eq. 3 to 5).

use crate::feature::periodic::{FPS, MIDDLE, WINDOW};
use std::f64::consts::TAU;

/// Number of frequencies above zero.
pub const BINS: usize = WINDOW / 2;
/// Added to the power before a division or a square root, because the power of a constant curve is zero.
pub const MIN_POWER: f32 = 1e-6;

/// A sine wave: amplitude · sin(2π · frequency · t + phase) + offset, t in seconds from the middle of the window.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct SineWave {
    /// Half the height of the wave.
    pub amplitude: f32,
    /// Frequency, hertz.
    pub frequency: f32,
    /// Mean of the curve.
    pub offset: f32,
    /// Phase in the middle of the window, radians, −π to π.
    pub phase: f32,
}

impl SineWave {
    /// Returns whether all numbers are finite.
    pub fn is_finite(&self) -> bool {
        [self.amplitude, self.frequency, self.offset, self.phase].iter().all(|number| number.is_finite())
    }
}

/// Constant matrices of the transform.
#[derive(Debug, Clone)]
pub struct Spectrum {
    /// Cosine waves, [bins × window].
    pub cosines: Vec<f32>,
    /// Sine waves, [bins × window].
    pub sines: Vec<f32>,
}

impl Default for Spectrum {
    fn default() -> Self {
        Self::new()
    }
}

impl Spectrum {
    /// Creates the transform for windows of [`WINDOW`] frames.
    pub fn new() -> Self {
        let waves = |function: fn(f64) -> f64| -> Vec<f32> {
            let angle = |bin: usize, frame: usize| TAU * bin as f64 * frame as f64 / WINDOW as f64;
            (1..=BINS).flat_map(|bin| (0..WINDOW).map(move |frame| function(angle(bin, frame)) as f32)).collect()
        };
        Self { cosines: waves(f64::cos), sines: waves(f64::sin) }
    }

    /// Computes the sine wave of a curve, `[window]`, without its phase.
    pub fn analyse(&self, curve: &[f32]) -> SineWave {
        let sum = |row: &[f32]| -> f32 { row.iter().zip(curve).map(|(basis, x)| basis * x).sum() };
        let bins = |rows: &[f32]| -> [f32; BINS] { std::array::from_fn(|bin| sum(&rows[bin * WINDOW..][..WINDOW])) };
        let (cosine, sine) = (bins(&self.cosines), bins(&self.sines));
        let power = |bin: usize| cosine[bin] * cosine[bin] + sine[bin] * sine[bin];
        let total: f32 = (0..BINS).map(power).sum();
        let weighted: f32 = (0..BINS).map(|bin| hertz(bin) * power(bin)).sum();
        SineWave {
            amplitude: 2.0 / WINDOW as f32 * (total + MIN_POWER).sqrt(),
            frequency: weighted / (total + MIN_POWER),
            offset: curve.iter().sum::<f32>() / WINDOW as f32,
            phase: 0.0,
        }
    }
}

/// Returns the frequency of a bin, hertz.
pub fn hertz(bin: usize) -> f32 {
    (bin + 1) as f32 * FPS as f32 / WINDOW as f32
}

/// Returns the time of a frame relative to the middle of the window, seconds.
pub fn seconds(frame: usize) -> f32 {
    (frame as f32 - MIDDLE as f32) / FPS as f32
}

/// Returns cosine and sine of a curve's phase, not normalised. `curve`: `[window]`. `weights`: [window × 2].
pub fn direction(curve: &[f32], weights: &[f32], bias: [f32; 2]) -> [f32; 2] {
    let sum = |output: usize| {
        bias[output] + curve.iter().enumerate().map(|(frame, x)| x * weights[2 * frame + output]).sum::<f32>()
    };
    [sum(0), sum(1)]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_parameters_of_a_sine_wave_are_recovered() {
        let (amplitude, bin, offset) = (1.7_f32, 3_usize, -0.4_f32);
        let sine = |frame: usize| (std::f32::consts::TAU * hertz(bin - 1) * seconds(frame) + 0.8).sin();
        let curve: Vec<f32> = (0..WINDOW).map(|frame| offset + amplitude * sine(frame)).collect();
        let fitted = Spectrum::new().analyse(&curve);
        assert!((fitted.amplitude - amplitude).abs() < 1e-3, "{fitted:?}");
        assert!((fitted.frequency - hertz(bin - 1)).abs() < 1e-3, "{fitted:?}");
        assert!((fitted.offset - offset).abs() < 1e-3, "{fitted:?}");
        let constant = Spectrum::new().analyse(&[0.0; WINDOW]);
        assert!(constant.amplitude < 1e-3 && constant.frequency == 0.0);
    }
}
