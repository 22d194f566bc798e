//! The score exactly as in the paper, in f64: for each pair of a take-off and a landing, and for each number k of
//! injected frames, "one Kalman filter for each of the features". This code is slow; it is the reference for tests and
//! benchmarks of [`super::map`].

use super::LscoreOptions;
use super::feature::Features;
use super::smoother::Gains;
use glam::DVec3;

/// Function that smooths one coordinate: observations, `[2w]` → (p̂, v̂, â), [2w + k].
pub type SmoothFn<'a> = &'a dyn Fn(&[f64]) -> Vec<DVec3>;

/// Computes L_k of a take-off, a landing and k injected frames (eq. 3), with a filter for each coordinate. `a`, `b`:
/// features of the outgoing and of the incoming clip. `takeoff + 1` must be at least the window w, and `landing + w` at
/// most `b.frames()`.
pub fn score(
    a: &Features,
    b: &Features,
    takeoff: usize,
    landing: usize,
    injected_frames: usize,
    options: &LscoreOptions,
) -> f64 {
    score_with(a, b, takeoff, landing, options.window, &|observed| {
        Gains::new(options, injected_frames).smooth(observed)
    })
}

/// Computes L_k with the smoother `smooth`: the absolute value of the dot product of displacement and acceleration,
/// summed over joints and pairs of consecutive frames.
pub fn score_with(a: &Features, b: &Features, takeoff: usize, landing: usize, window: usize, smooth: SmoothFn) -> f64 {
    let mut total = 0.0;
    let mut observed = vec![DVec3::ZERO; 2 * window];
    for joint in 0..a.joints() {
        for (index, position) in observed.iter_mut().enumerate() {
            *position = match index.checked_sub(window) {
                None => a.at(takeoff + 1 + index - window, joint).as_dvec3(),
                Some(offset) => b.at(landing + offset, joint).as_dvec3(),
            };
        }
        let smoothed =
            [0, 1, 2].map(|axis| smooth(&observed.iter().map(|position| position[axis]).collect::<Vec<_>>()));
        for frame in 0..smoothed[0].len() - 1 {
            let coordinate_work = |states: &Vec<DVec3>| {
                // A state is (position, velocity, acceleration).
                let displacement = states[frame + 1].x - states[frame].x;
                let acceleration = states[frame].z;
                displacement * acceleration
            };
            total += smoothed.iter().map(coordinate_work).sum::<f64>().abs();
        }
    }
    total
}

/// Computes the elastic L-score L* of a take-off and a landing: the lowest L_k, and its k (eq. 4). Of several k with
/// the same score, the smallest is returned.
pub fn elastic_score(
    a: &Features,
    b: &Features,
    takeoff: usize,
    landing: usize,
    options: &LscoreOptions,
) -> (f64, usize) {
    (options.min_inject..=options.max_inject)
        .map(|injected_frames| (score(a, b, takeoff, landing, injected_frames, options), injected_frames))
        .fold((f64::INFINITY, options.min_inject), |best, next| if next.0 < best.0 { next } else { best })
}
