//! Fits a sinusoid at every frame (eq. 3) with the least error over the frame's window (eq. 4), by scanning and
//! refinement.
//!
//! For a fixed frequency the fit is linear in (sin, cos, 1). Over evenly spaced frames, counted from the middle of
//! the window, sin is orthogonal to the other two, so no system of equations remains. Only the frequency is unknown:
//! [`STEPS_AN_OCTAVE`] frequencies are evaluated on running sums, at the same cost for every window length; the
//! cheapest path through them over the frames is chosen (Viterbi, so that the frequency does not flicker between two
//! minima); and the frequency is refined by golden-section search.
//!
//! The paper uses evolutionary search; this method has no local minima and no seed. Comparison: docs/notes/phases.md.

mod way;

use std::f64::consts::TAU;
use std::ops::Range;

/// Lowest and highest frequency, hertz (the authors' bounds).
pub const FREQUENCY: [f64; 2] = [0.25, 4.0];
const STEPS_AN_OCTAVE: f64 = 10.0;
const REFINEMENTS: usize = 8;
/// Mean square below which a window has no signal; filtered signals are about 1 where contacts change.
const SILENT: f64 = 1e-6;

/// Ω of eq. 3 at one frame, with the phase of eq. 7 in place of the shift.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Sinusoid {
    /// a; zero where there is no signal.
    pub amplitude: f64,
    /// f, hertz; zero where there is no signal.
    pub frequency: f64,
    /// φ at the frame itself, radians, 0 to 2π. Without a signal it keeps its last value.
    pub phase: f64,
    /// b.
    pub offset: f64,
}

impl Sinusoid {
    /// Its value at a time in seconds after the frame.
    pub fn at(&self, secs: f64) -> f64 {
        self.amplitude * (self.phase + TAU * self.frequency * secs).sin() + self.offset
    }
}

/// Range of a frame's window in the signal, and its statistics.
struct Window {
    range: Range<usize>,
    mean: f64,
    /// Sum of squared deviations from the mean.
    energy: f64,
    /// Largest amplitude: maximum minus minimum, as in the authors' code. Without a limit, a slow wave of large
    /// amplitude would fit everything.
    most: f64,
}

impl Window {
    fn of(signal: &[f64], range: Range<usize>) -> Self {
        let values = &signal[range.clone()];
        let mean = values.iter().sum::<f64>() / values.len() as f64;
        let energy = values.iter().map(|value| (value - mean).powi(2)).sum();
        let (low, high) = values.iter().fold((f64::MAX, f64::MIN), |(low, high), &v| (low.min(v), high.max(v)));
        Self { range, mean, energy, most: high - low }
    }

    /// Twice the index of its middle, a whole number.
    fn middle(&self) -> usize {
        self.range.start + self.range.end - 1
    }

    /// (coefficient of sin, of cos, squared error) of the best wave, if within the amplitude limit. `sums`: Σ value ·
    /// cos and Σ value · sin, with angles from the middle; `single` and `double`: Σ cos of the angle, and of twice
    /// the angle.
    fn solve(&self, sums: [f64; 2], single: f64, double: f64) -> Option<(f64, f64, f64)> {
        let length = self.range.len() as f64;
        let (sines, cosines) = ((length - double) / 2.0, (length + double) / 2.0 - single * single / length);
        let along = sums[0] - self.mean * single;
        let (sin, cos) = (sums[1] / sines, along / cosines);
        let error = (self.energy - sums[1] * sin - along * cos).max(0.0);
        (sin.hypot(cos) <= self.most).then_some((sin, cos, error))
    }

    /// [`Window::solve`] at any frequency, radians per frame.
    fn fit(&self, signal: &[f64], omega: f64) -> Option<(f64, f64, f64)> {
        let length = self.range.len() as f64;
        let (step_sin, step_cos) = omega.sin_cos();
        let (mut sin, mut cos) = (-omega * (length - 1.0) / 2.0).sin_cos();
        let mut sums = [0.0; 2];
        for value in &signal[self.range.clone()] {
            sums = [sums[0] + value * cos, sums[1] + value * sin];
            (sin, cos) = (sin * step_cos + cos * step_sin, cos * step_cos - sin * step_sin);
        }
        let (single, double) = (dirichlet(length, omega), dirichlet(length, 2.0 * omega));
        self.solve(sums, single, double)
    }
}

/// Σ cos(ω t) over `length` steps about the middle.
fn dirichlet(length: f64, omega: f64) -> f64 {
    (length * omega / 2.0).sin() / (omega / 2.0).sin()
}

/// The sinusoids of all frames of a signal; `windows` as of [`super::signal::windows`].
pub fn fit(signal: &[f64], fps: f64, windows: &[Range<usize>]) -> Vec<Sinusoid> {
    let windows: Vec<Window> = windows.iter().map(|range| Window::of(signal, range.clone())).collect();
    let highest = FREQUENCY[1].min(0.4 * fps);
    let lowest = FREQUENCY[0].min(highest / 2.0);
    let steps = ((highest / lowest).log2() * STEPS_AN_OCTAVE).ceil();
    let omega = |step: f64| TAU / fps * lowest * (highest / lowest).powf(step / steps);
    let count = steps as usize + 1;

    let mut errors = vec![way::FORBIDDEN; windows.len() * count];
    for step in 0..count {
        let scan = Scan::new(signal, omega(step as f64));
        for (frame, window) in windows.iter().enumerate() {
            if let Some((_, _, error)) = scan.solve(window) {
                errors[frame * count + step] = (error / window.range.len() as f64) as f32;
            }
        }
    }
    let way = way::cheapest(&errors, count);

    let mut phase = 0.0;
    let sinusoid = |(frame, (window, step)): (usize, (&Window, usize))| {
        let middle = step as f64;
        let between = [(middle - 1.0).max(0.0), (middle + 1.0).min(steps)];
        let loud = window.energy > SILENT * window.range.len() as f64;
        let best = loud.then(|| refine(between, |step| window.fit(signal, omega(step)))).flatten();
        let Some((step, (sin, cos, _))) = best else {
            return Sinusoid { phase, offset: window.mean, ..Sinusoid::default() };
        };
        let omega = omega(step);
        let from_middle = frame as f64 - window.middle() as f64 / 2.0;
        phase = (cos.atan2(sin) + omega * from_middle).rem_euclid(TAU);
        let length = window.range.len() as f64;
        let offset = window.mean - cos * dirichlet(length, omega) / length;
        Sinusoid { amplitude: sin.hypot(cos), frequency: omega * fps / TAU, phase, offset }
    };
    windows.iter().zip(way).enumerate().map(sinusoid).collect()
}

/// Least error by golden-section search; `None` where no wave is within the amplitude limit.
fn refine(
    [mut low, mut high]: [f64; 2],
    fit: impl Fn(f64) -> Option<(f64, f64, f64)>,
) -> Option<(f64, (f64, f64, f64))> {
    const GOLDEN: f64 = 0.618_033_988_749_895;
    let mut best = None::<(f64, (f64, f64, f64))>;
    let mut try_at = |step: f64| {
        let fitted = fit(step);
        if let Some(fitted) = fitted
            && best.is_none_or(|(_, best)| fitted.2 < best.2)
        {
            best = Some((step, fitted));
        }
        fitted.map_or(f64::INFINITY, |fitted| fitted.2)
    };
    try_at((low + high) / 2.0);
    let (mut a, mut b) = (high - GOLDEN * (high - low), low + GOLDEN * (high - low));
    let (mut at_a, mut at_b) = (try_at(a), try_at(b));
    for _ in 0..REFINEMENTS {
        if at_a < at_b {
            (high, b, at_b) = (b, a, at_a);
            a = high - GOLDEN * (high - low);
            at_a = try_at(a);
        } else {
            (low, a, at_a) = (a, b, at_b);
            b = low + GOLDEN * (high - low);
            at_b = try_at(b);
        }
    }
    best
}

/// Running sums of one frequency over the whole signal.
struct Scan {
    /// (cos, sin) of half the angle of every frame, because middles of windows may lie between frames.
    turns: Vec<[f64; 2]>,
    /// Σ value · (cos, sin) of the frames before each.
    sums: Vec<[f64; 2]>,
}

impl Scan {
    fn new(signal: &[f64], omega: f64) -> Self {
        let (step_sin, step_cos) = (omega / 2.0).sin_cos();
        let mut turns = Vec::with_capacity(2 * signal.len() + 1);
        let mut turn = [1.0, 0.0];
        for _ in 0..=2 * signal.len() {
            turns.push(turn);
            turn = [turn[0] * step_cos - turn[1] * step_sin, turn[1] * step_cos + turn[0] * step_sin];
        }
        let mut sums = Vec::with_capacity(signal.len() + 1);
        let mut sum = [0.0; 2];
        sums.push(sum);
        for (value, turn) in signal.iter().zip(turns.iter().step_by(2)) {
            sum = [sum[0] + value * turn[0], sum[1] + value * turn[1]];
            sums.push(sum);
        }
        Self { turns, sums }
    }

    fn solve(&self, window: &Window) -> Option<(f64, f64, f64)> {
        let (start, end) = (self.sums[window.range.start], self.sums[window.range.end]);
        let sum = [end[0] - start[0], end[1] - start[1]];
        let turn = self.turns[window.middle()];
        let sums = [sum[0] * turn[0] + sum[1] * turn[1], sum[1] * turn[0] - sum[0] * turn[1]];
        let sine = |half_angles: usize| self.turns[half_angles][1];
        let length = window.range.len();
        window.solve(sums, sine(length) / sine(1), sine(2 * length) / sine(2))
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
    fn finds_the_wave_it_was_made_from_at_every_frame() {
        for frequency in [0.6, 1.0, 1.37, 2.9] {
            let signal = wave(frequency, 300);
            let windows = signal::windows(&vec![false; 300], 60.0);
            for (frame, found) in fit(&signal, 60.0, &windows).into_iter().enumerate() {
                let truth = (TAU * frequency * frame as f64 / 60.0 + 1.0).rem_euclid(TAU);
                let off = (found.phase - truth + TAU / 2.0).rem_euclid(TAU) - TAU / 2.0;
                assert!(off.abs() < 0.03, "{frequency} Hz, frame {frame}: phase off by {off}");
                assert!((found.frequency / frequency - 1.0).abs() < 0.02, "{frequency} Hz, frame {frame}: {found:?}");
                assert!((found.amplitude - 0.8).abs() < 0.03 && (found.offset - 0.3).abs() < 0.03);
                assert!((found.at(0.0) - signal[frame]).abs() < 0.02);
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
                let signal = signal::filtered(&contact, fps);
                for found in fit(&signal, fps, &signal::windows(&contact, fps)) {
                    let all = [found.amplitude, found.frequency, found.phase, found.offset];
                    assert!(all.iter().all(|value| value.is_finite()), "{frames} frames at {fps}: {found:?}");
                }
            }
        }
    }
}
