//! The score exactly as in the paper, in f64: for each cell and each k, "one Kalman filter for each of the features".
//! This code is slow; it is the reference for tests and benchmarks of [`super::map`].

use super::LscoreOptions;
use super::feature::Features;
use super::smoother::Gains;
use glam::DVec3;

/// Function that smooths one coordinate: observations, `[2w]` → (p̂, v̂, â), [2w + k].
pub type Smooth<'a> = &'a dyn Fn(&[f64]) -> Vec<DVec3>;

/// Computes L_k of one take-off, landing and number of injected frames (eq. 3), with a filter for each coordinate.
/// `takeoff + 1` must be at least w, and `landing + w` at most `b.frames()`.
pub fn score(
    a: &Features,
    b: &Features,
    takeoff: usize,
    landing: usize,
    inject: usize,
    options: &LscoreOptions,
) -> f64 {
    score_with(a, b, takeoff, landing, options.window, &|observed| Gains::new(options, inject).smooth(observed))
}

/// Computes L_k with any smoother: the absolute value of the dot product of displacement and acceleration, summed over
/// joints and pairs of consecutive frames.
pub fn score_with(a: &Features, b: &Features, takeoff: usize, landing: usize, window: usize, smooth: Smooth) -> f64 {
    let mut total = 0.0;
    let mut observed = vec![DVec3::ZERO; 2 * window];
    for joint in 0..a.joints() {
        for (i, slot) in observed.iter_mut().enumerate() {
            *slot = match i.checked_sub(window) {
                None => a.at(takeoff + 1 + i - window, joint).as_dvec3(),
                Some(offset) => b.at(landing + offset, joint).as_dvec3(),
            };
        }
        let smoothed = [0, 1, 2].map(|axis| smooth(&observed.iter().map(|y| y[axis]).collect::<Vec<_>>()));
        for n in 0..smoothed[0].len() - 1 {
            let work: f64 = smoothed.iter().map(|z| (z[n + 1].x - z[n].x) * z[n].z).sum();
            total += work.abs();
        }
    }
    total
}

/// Computes (L*, k_opt) of one cell (eq. 4). Of several k with the same score, the smallest is returned.
pub fn elastic(a: &Features, b: &Features, takeoff: usize, landing: usize, options: &LscoreOptions) -> (f64, usize) {
    (options.min_inject..=options.max_inject)
        .map(|inject| (score(a, b, takeoff, landing, inject, options), inject))
        .fold((f64::INFINITY, options.min_inject), |best, next| if next.0 < best.0 { next } else { best })
}
