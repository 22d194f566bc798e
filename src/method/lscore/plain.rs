//! The score as the paper writes it: one Kalman filter and smoother per cell, dimension and k, in f64. Slow on purpose;
//! tests and the benchmark hold [`super::map`] against it.

use super::LscoreOptions;
use super::feature::Features;
use super::smoother::Gains;
use glam::DVec3;

/// L_k for one take-off, landing and number of injected frames (eq. 3): per joint the dot product of displacement and
/// acceleration, its absolute value, summed over joints and consecutive frames.
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
    let gains = Gains::new(options, inject);
    let window = options.window;
    let mut total = 0.0;
    let mut observed = vec![DVec3::ZERO; 2 * window];
    for joint in 0..a.joints() {
        for (i, slot) in observed.iter_mut().enumerate() {
            *slot = match i.checked_sub(window) {
                None => a.at(takeoff + 1 + i - window, joint).as_dvec3(),
                Some(ahead) => b.at(landing + ahead, joint).as_dvec3(),
            };
        }
        let smoothed = [0, 1, 2].map(|axis| gains.smooth(&observed.iter().map(|y| y[axis]).collect::<Vec<_>>()));
        for n in 0..2 * window + inject - 1 {
            let work: f64 = smoothed.iter().map(|z| (z[n + 1].x - z[n].x) * z[n].z).sum();
            total += work.abs();
        }
    }
    total
}

/// (L*, k_opt) of one cell (eq. 4); the smaller k where two are equal.
pub fn elastic(a: &Features, b: &Features, takeoff: usize, landing: usize, options: &LscoreOptions) -> (f64, usize) {
    (options.min_inject..=options.max_inject)
        .map(|inject| (score(a, b, takeoff, landing, inject, options), inject))
        .fold((f64::INFINITY, options.min_inject), |best, next| if next.0 < best.0 { next } else { best })
}
