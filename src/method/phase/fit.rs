//! Fits a sinusoid at every frame (eq. 3) with the least squared error over the frame's window (eq. 4).
//!
//! For a fixed frequency, the fit is linear in (sin, cos, 1). If time is measured from the middle of the window, sin is
//! orthogonal to the other two, so the coefficients follow without a system of equations. The frequency is searched in
//! three steps. `STEPS_PER_OCTAVE` frequencies per octave are evaluated on running sums, at a cost that does not
//! depend on the window length. The cheapest sequence of frequencies over the frames is chosen (Viterbi), so that the
//! frequency does not flicker between two minima. Golden-section search then refines the frequency of each frame.
//!
//! The paper uses evolutionary search; this method has no local minima and no seed. Comparison: research/notes/phases.md.

mod viterbi;

use std::f64::consts::TAU;
use std::ops::Range;

/// Lowest and highest frequency, hertz (the authors' bounds).
pub const FREQUENCY_RANGE: [f64; 2] = [0.25, 4.0];
/// Number of scanned frequencies per octave.
const STEPS_PER_OCTAVE: f64 = 10.0;
/// Number of iterations of the golden-section search.
const REFINEMENTS: usize = 8;
/// Variance below which a window has no signal; the variance is about 1 if contacts change.
const MIN_VARIANCE: f64 = 1e-6;

/// The fitted sinusoid of one frame: Ω of eq. 3, with the phase of eq. 7 instead of the shift.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Sinusoid {
    /// Amplitude a; zero without a signal.
    pub amplitude: f64,
    /// Frequency f, hertz; zero without a signal.
    pub frequency: f64,
    /// Phase φ at the frame, radians, 0 to 2π. Without a signal, it keeps the value of the previous frame.
    pub phase: f64,
    /// Offset b.
    pub offset: f64,
}

impl Sinusoid {
    /// Evaluates the sinusoid at a time in seconds after the frame.
    pub fn at(&self, secs: f64) -> f64 {
        self.amplitude * (self.phase + TAU * self.frequency * secs).sin() + self.offset
    }
}

/// The best wave of one frequency in a window.
#[derive(Clone, Copy)]
struct Wave {
    /// Coefficient of the sine.
    sin: f64,
    /// Coefficient of the cosine.
    cos: f64,
    /// Sum of squared errors over the window.
    error: f64,
}

/// The window of one frame, with its statistics.
struct Window {
    /// Frames of the window.
    range: Range<usize>,
    mean: f64,
    /// Sum of squared deviations from the mean.
    energy: f64,
    /// Largest allowed amplitude: maximum minus minimum of the signal, as in the authors' code. Without a limit, a slow
    /// wave of large amplitude would fit every signal.
    max_amplitude: f64,
}

impl Window {
    fn new(signal: &[f64], range: Range<usize>) -> Self {
        let values = &signal[range.clone()];
        let mean = values.iter().sum::<f64>() / values.len() as f64;
        let energy = values.iter().map(|value| (value - mean).powi(2)).sum();
        let (low, high) = values.iter().fold((f64::MAX, f64::MIN), |(low, high), &v| (low.min(v), high.max(v)));
        Self { range, mean, energy, max_amplitude: high - low }
    }

    /// Returns twice the index of the window's middle: a whole number, even if the middle lies between two frames.
    fn doubled_middle(&self) -> usize {
        self.range.start + self.range.end - 1
    }

    /// Computes the best wave of one frequency; `None` if it exceeds the amplitude limit. Angles are measured from the
    /// middle of the window. `products`: Σ value · cos and Σ value · sin. `cos_sum`, `double_cos_sum`: Σ cos of the
    /// angle, and of twice the angle.
    fn solve(&self, products: [f64; 2], cos_sum: f64, double_cos_sum: f64) -> Option<Wave> {
        let length = self.range.len() as f64;
        // Σ sin², and Σ (cos − mean of cos)².
        let sin_energy = (length - double_cos_sum) / 2.0;
        let cos_energy = (length + double_cos_sum) / 2.0 - cos_sum * cos_sum / length;
        let [cos_product, sin_product] = [products[0] - self.mean * cos_sum, products[1]];
        let (sin, cos) = (sin_product / sin_energy, cos_product / cos_energy);
        let error = (self.energy - sin_product * sin - cos_product * cos).max(0.0);
        (sin.hypot(cos) <= self.max_amplitude).then_some(Wave { sin, cos, error })
    }

    /// Computes the best wave of a frequency, radians per frame; `None` if it exceeds the amplitude limit.
    fn fit(&self, signal: &[f64], omega: f64) -> Option<Wave> {
        let length = self.range.len() as f64;
        let (step_sin, step_cos) = omega.sin_cos();
        let (mut sin, mut cos) = (-omega * (length - 1.0) / 2.0).sin_cos();
        let mut products = [0.0; 2];
        for value in &signal[self.range.clone()] {
            products = [products[0] + value * cos, products[1] + value * sin];
            (sin, cos) = (sin * step_cos + cos * step_sin, cos * step_cos - sin * step_sin);
        }
        self.solve(products, dirichlet(length, omega), dirichlet(length, 2.0 * omega))
    }
}

/// Returns Σ cos(ω t) over `length` frames, with t from the middle of these frames.
fn dirichlet(length: f64, omega: f64) -> f64 {
    (length * omega / 2.0).sin() / (omega / 2.0).sin()
}

/// Fits sinusoids to a signal, `[frames]`. `windows`: window of each frame, from [`super::signal::windows`].
pub fn fit(signal: &[f64], fps: f64, windows: &[Range<usize>]) -> Vec<Sinusoid> {
    let windows: Vec<Window> = windows.iter().map(|range| Window::new(signal, range.clone())).collect();
    // Below the Nyquist frequency, 0.5 × fps, at which the sine or the cosine is zero in all frames.
    let highest = FREQUENCY_RANGE[1].min(0.4 * fps);
    let lowest = FREQUENCY_RANGE[0].min(highest / 2.0);
    let steps = ((highest / lowest).log2() * STEPS_PER_OCTAVE).ceil();
    // Angular frequency of a step, radians per frame. Steps between whole numbers are allowed.
    let omega = |step: f64| TAU / fps * lowest * (highest / lowest).powf(step / steps);
    let count = steps as usize + 1;

    let mut errors = vec![viterbi::NO_FIT_ERROR; windows.len() * count];
    for column in 0..count {
        let running_sums = RunningSums::new(signal, omega(column as f64));
        for (frame, window) in windows.iter().enumerate() {
            if let Some(wave) = running_sums.solve(window) {
                errors[frame * count + column] = (wave.error / window.range.len() as f64) as f32;
            }
        }
    }
    let path = viterbi::cheapest_path(&errors, count);

    let mut phase = 0.0;
    let sinusoid = |(frame, (window, column)): (usize, (&Window, usize))| {
        let range = [(column as f64 - 1.0).max(0.0), (column as f64 + 1.0).min(steps)];
        let has_signal = window.energy > MIN_VARIANCE * window.range.len() as f64;
        let best = has_signal.then(|| refine(range, |step| window.fit(signal, omega(step)))).flatten();
        let Some((step, Wave { sin, cos, .. })) = best else {
            return Sinusoid { phase, offset: window.mean, ..Sinusoid::default() };
        };
        let omega = omega(step);
        let frames_from_middle = frame as f64 - window.doubled_middle() as f64 / 2.0;
        phase = (cos.atan2(sin) + omega * frames_from_middle).rem_euclid(TAU);
        let length = window.range.len() as f64;
        let offset = window.mean - cos * dirichlet(length, omega) / length;
        Sinusoid { amplitude: sin.hypot(cos), frequency: omega * fps / TAU, phase, offset }
    };
    windows.iter().zip(path).enumerate().map(sinusoid).collect()
}

/// Finds the frequency step with the least error between two steps by golden-section search, and its wave; `None` if
/// all waves exceed the amplitude limit.
fn refine([mut low, mut high]: [f64; 2], fit: impl Fn(f64) -> Option<Wave>) -> Option<(f64, Wave)> {
    const GOLDEN: f64 = 0.618_033_988_749_895;
    let mut best = None::<(f64, Wave)>;
    let mut error_at = |step: f64| {
        let wave = fit(step);
        if let Some(wave) = wave
            && best.is_none_or(|(_, best)| wave.error < best.error)
        {
            best = Some((step, wave));
        }
        wave.map_or(f64::INFINITY, |wave| wave.error)
    };
    error_at((low + high) / 2.0);
    let (mut a, mut b) = (high - GOLDEN * (high - low), low + GOLDEN * (high - low));
    let (mut error_a, mut error_b) = (error_at(a), error_at(b));
    for _ in 0..REFINEMENTS {
        if error_a < error_b {
            (high, b, error_b) = (b, a, error_a);
            a = high - GOLDEN * (high - low);
            error_a = error_at(a);
        } else {
            (low, a, error_a) = (a, b, error_b);
            b = low + GOLDEN * (high - low);
            error_b = error_at(b);
        }
    }
    best
}

/// Running sums over the whole signal for one frequency.
struct RunningSums {
    /// (cos, sin) of multiples of half the angle per frame, because middles of windows may lie between frames.
    half_angles: Vec<[f64; 2]>,
    /// Σ value · (cos, sin) of all frames before each frame.
    sums: Vec<[f64; 2]>,
}

impl RunningSums {
    fn new(signal: &[f64], omega: f64) -> Self {
        let (step_sin, step_cos) = (omega / 2.0).sin_cos();
        let mut half_angles = Vec::with_capacity(2 * signal.len() + 1);
        let mut phasor = [1.0, 0.0];
        for _ in 0..=2 * signal.len() {
            half_angles.push(phasor);
            phasor = [phasor[0] * step_cos - phasor[1] * step_sin, phasor[1] * step_cos + phasor[0] * step_sin];
        }
        let mut sums = Vec::with_capacity(signal.len() + 1);
        let mut sum = [0.0; 2];
        sums.push(sum);
        for (value, phasor) in signal.iter().zip(half_angles.iter().step_by(2)) {
            sum = [sum[0] + value * phasor[0], sum[1] + value * phasor[1]];
            sums.push(sum);
        }
        Self { half_angles, sums }
    }

    fn solve(&self, window: &Window) -> Option<Wave> {
        let (start, end) = (self.sums[window.range.start], self.sums[window.range.end]);
        let [cos_sum, sin_sum] = [end[0] - start[0], end[1] - start[1]];
        // Rotates the angles, which are measured from the first frame of the signal, to the middle of the window.
        let [cos, sin] = self.half_angles[window.doubled_middle()];
        let products = [cos_sum * cos + sin_sum * sin, sin_sum * cos - cos_sum * sin];
        let sine = |multiple: usize| self.half_angles[multiple][1];
        let length = window.range.len();
        window.solve(products, sine(length) / sine(1), sine(2 * length) / sine(2))
    }
}

#[cfg(test)]
mod tests {
    use super::{Sinusoid, fit};
    use crate::method::phase::signal;
    use std::f64::consts::TAU;

    fn wave(frequency: f64, frames: usize) -> Vec<f64> {
        (0..frames).map(|frame| 0.8 * (TAU * frequency * frame as f64 / 60.0 + 1.0).sin() + 0.3).collect()
    }

    #[test]
    fn recovers_a_wave_at_every_frame() {
        for frequency in [0.6, 1.0, 1.37, 2.9] {
            let signal = wave(frequency, 300);
            let windows = signal::windows(&vec![false; 300], 60.0);
            for (frame, fitted) in fit(&signal, 60.0, &windows).into_iter().enumerate() {
                let phase = (TAU * frequency * frame as f64 / 60.0 + 1.0).rem_euclid(TAU);
                let error = (fitted.phase - phase + TAU / 2.0).rem_euclid(TAU) - TAU / 2.0;
                assert!(error.abs() < 0.03, "{frequency} Hz, frame {frame}: phase error {error}");
                assert!((fitted.frequency / frequency - 1.0).abs() < 0.02, "{frequency} Hz, frame {frame}: {fitted:?}");
                assert!((fitted.amplitude - 0.8).abs() < 0.03 && (fitted.offset - 0.3).abs() < 0.03);
                assert!((fitted.at(0.0) - signal[frame]).abs() < 0.02);
            }
        }
    }

    #[test]
    fn silence_has_no_amplitude_and_keeps_the_phase() {
        let windows = signal::windows(&[false; 50], 30.0);
        assert_eq!(fit(&[0.0; 50], 30.0, &windows), vec![Sinusoid::default(); 50]);
        assert!(fit(&[], 30.0, &[]).is_empty());
    }

    #[test]
    fn any_length_and_rate_gives_finite_numbers() {
        for frames in [1, 2, 3, 4, 7, 60] {
            for fps in [0.5, 4.0, 10.0, 240.0] {
                let contact: Vec<bool> = (0..frames).map(|frame| frame % 3 == 0).collect();
                let signal = signal::contact_signal(&contact, fps);
                for fitted in fit(&signal, fps, &signal::windows(&contact, fps)) {
                    let numbers = [fitted.amplitude, fitted.frequency, fitted.phase, fitted.offset];
                    assert!(numbers.iter().all(|value| value.is_finite()), "{frames} frames at {fps}: {fitted:?}");
                }
            }
        }
    }
}
