//! The low-pass of eq. 6: a second-order Butterworth filter, applied forwards and backwards so that it causes no delay.
//!
//! Crates were considered. Those with zero-delay filters (sci-rs) add a matrix library to the wasm module. Those with
//! single filter sections (biquad) have neither the two passes nor the treatment of the ends, which are most of the
//! code here.

use std::f64::consts::{PI, SQRT_2};

/// A second-order filter section in transposed direct form II.
struct Section {
    b: [f64; 3],
    a: [f64; 2],
}

impl Section {
    /// Designs a low-pass by the bilinear transform. Two passes damp twice, so the cut-off frequency of the section is
    /// higher: both passes together have −3 dB at `cutoff` (Winter, *Biomechanics and Motor Control of Human Movement*,
    /// section 3.4.4.2).
    fn low_pass(cutoff: f64, fps: f64) -> Self {
        let k = (PI * cutoff / fps).tan() / (SQRT_2 - 1.0).powf(0.25);
        let norm = 1.0 / (1.0 + SQRT_2 * k + k * k);
        let b0 = k * k * norm;
        Self { b: [b0, 2.0 * b0, b0], a: [2.0 * (k * k - 1.0) * norm, (1.0 - SQRT_2 * k + k * k) * norm] }
    }

    /// Filters values in place, as if the signal had been constant up to its first value.
    fn run(&self, values: &mut [f64]) {
        let ([b0, b1, b2], [a1, a2]) = (self.b, self.a);
        let first = values.first().copied().unwrap_or_default();
        let mut state = [(b1 - a1 + b2 - a2) * first, (b2 - a2) * first];
        for value in values {
            let (x, y) = (*value, b0 * *value + state[0]);
            state = [b1 * x - a1 * y + state[1], b2 * x - a2 * y];
            *value = y;
        }
    }
}

/// Removes frequencies above `cutoff`, hertz, without delay. The signal is reflected at its ends. Returns the values
/// unchanged if `cutoff` is at least 0.4 of the frame rate, or if there are fewer than three values.
pub fn low_pass(values: &[f64], fps: f64, cutoff: f64) -> Vec<f64> {
    if cutoff >= 0.4 * fps || values.len() < 3 {
        return values.to_vec();
    }
    let pad_frames = (fps as usize).min(values.len() - 1);
    let (head, tail) = (&values[1..=pad_frames], &values[values.len() - 1 - pad_frames..values.len() - 1]);
    let mut padded: Vec<f64> = head.iter().rev().chain(values).chain(tail.iter().rev()).copied().collect();
    let section = Section::low_pass(cutoff, fps);
    for _ in 0..2 {
        section.run(&mut padded);
        padded.reverse();
    }
    padded[pad_frames..pad_frames + values.len()].to_vec()
}

#[cfg(test)]
mod tests {
    use super::low_pass;
    use std::f64::consts::TAU;

    fn sine(frequency: f64) -> Vec<f64> {
        (0..1200).map(|frame| (TAU * frequency * frame as f64 / 60.0).sin()).collect()
    }

    #[test]
    fn halves_the_power_at_the_cut_off_and_delays_nothing() {
        let rms = |values: &[f64]| (values.iter().map(|v| v * v).sum::<f64>() / values.len() as f64).sqrt();
        for (frequency, gain) in [(0.5, 1.0), (3.25, 0.5f64.sqrt()), (15.0, 0.0)] {
            let (input, output) = (sine(frequency), low_pass(&sine(frequency), 60.0, 3.25));
            let (input, output) = (&input[120..1080], &output[120..1080]);
            assert!((rms(output) / rms(input) - gain).abs() < 0.02, "{frequency} Hz: {}", rms(output) / rms(input));
            let error = input.iter().zip(output).map(|(a, b)| (a * gain - b).abs()).fold(0.0, f64::max);
            assert!(error < 0.03, "{frequency} Hz is delayed: error {error}");
        }
    }

    #[test]
    fn keeps_constant_and_short_signals_and_low_frame_rates() {
        assert!(low_pass(&[2.5; 50], 60.0, 3.25).iter().all(|value| (value - 2.5).abs() < 1e-12));
        assert_eq!(low_pass(&[1.0, -1.0], 60.0, 3.25), [1.0, -1.0]);
        assert_eq!(low_pass(&[1.0, -1.0, 1.0], 6.0, 3.25), [1.0, -1.0, 1.0]);
        assert!(low_pass(&[], 60.0, 3.25).is_empty());
    }
}
