//! The score exactly as in the paper, in f64: for every cell and k "one Kalman filter for each of the features".
//! Slow; the reference for tests and benchmarks of [`super::map`].

use super::LscoreOptions;
use super::feature::Features;
use super::smoother::Gains;
use glam::DVec3;

/// Observations of one coordinate, [2w] → its smoothed (p̂, v̂, â), [2w + k].
pub type Smooth<'a> = &'a dyn Fn(&[f64]) -> Vec<DVec3>;

/// L_k for one take-off, landing and number of injected frames (eq. 3), with a filter for each coordinate.
///
/// Needs `takeoff + 1 >= w` and `landing + w <= b.frames()`.
pub fn score(
    a: &Features,
    b: &Features,
    takeoff: usize,
    landing: usize,
    inject: usize,
    options: &LscoreOptions,
) -> f64 {
    score_by(a, b, takeoff, landing, options.window, &|observed| Gains::new(options, inject).smooth(observed))
}

/// L_k with any smoother: per joint the absolute value of the dot product of displacement and acceleration, summed
/// over joints and consecutive frames.
pub fn score_by(a: &Features, b: &Features, takeoff: usize, landing: usize, window: usize, smooth: Smooth) -> f64 {
    let mut total = 0.0;
    let mut observed = vec![DVec3::ZERO; 2 * window];
    for joint in 0..a.joints() {
        for (i, slot) in observed.iter_mut().enumerate() {
            *slot = match i.checked_sub(window) {
                None => a.at(takeoff + 1 + i - window, joint).as_dvec3(),
                Some(ahead) => b.at(landing + ahead, joint).as_dvec3(),
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

/// (L*, k_opt) of one cell (eq. 4); the smaller k on ties.
pub fn elastic(a: &Features, b: &Features, takeoff: usize, landing: usize, options: &LscoreOptions) -> (f64, usize) {
    (options.min_inject..=options.max_inject)
        .map(|inject| (score(a, b, takeoff, landing, inject, options), inject))
        .fold((f64::INFINITY, options.min_inject), |best, next| if next.0 < best.0 { next } else { best })
}
