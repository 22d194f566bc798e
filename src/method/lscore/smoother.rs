//! The estimator of the score: one Newtonian particle per dimension, estimated by a Kalman filter forwards and an RTS
//! smoother backwards (Li et al. 2008, eq. 1; called "forward-backward algorithm" there). All numbers are f64.
//!
//! The gains depend on the variances and on the number of injected frames, but not on the data, and μ0 is linear in the
//! first three observations. So ẑ = S_k Y with a constant matrix for each k ([`Smoother`]).

use super::LscoreOptions;
use glam::{DMat3, DVec3};

/// The constant matrix S_k: ẑ = S_k Y for 2w observations around k unobserved frames.
#[derive(Debug, Clone)]
pub struct Smoother {
    window: usize,
    injected_frames: usize,
    /// [2w + k][2w] of (p̂, v̂, â) coefficients.
    rows: Vec<DVec3>,
}

impl Smoother {
    /// Computes S_k for a window of `options.window` frames on each side and `injected_frames` = k frames between, by
    /// smoothing the 2w unit observations. The options must be valid ([`LscoreOptions::check`]).
    pub fn new(options: &LscoreOptions, injected_frames: usize) -> Self {
        let width = 2 * options.window;
        let length = width + injected_frames;
        let gains = Gains::new(options, injected_frames);
        let mut rows = vec![DVec3::ZERO; length * width];
        let mut unit = vec![0.0; width];
        for column in 0..width {
            unit[column] = 1.0;
            for (row, state) in gains.smooth(&unit).into_iter().enumerate() {
                rows[row * width + column] = state;
            }
            unit[column] = 0.0;
        }
        Self { window: options.window, injected_frames, rows }
    }

    /// Returns the number of smoothed frames, 2w + k.
    pub fn frames(&self) -> usize {
        2 * self.window + self.injected_frames
    }

    /// Returns the row of a smoothed frame: coefficients of (p̂, v̂, â) for each of the 2w observations.
    pub fn row(&self, frame: usize) -> &[DVec3] {
        &self.rows[frame * 2 * self.window..][..2 * self.window]
    }

    /// Smooths one dimension: observations, `[2w]` → (p̂, v̂, â), [2w + k].
    pub fn apply(&self, observed: &[f64]) -> Vec<DVec3> {
        (0..self.frames()).map(|frame| self.row(frame).iter().zip(observed).map(|(&s, &y)| s * y).sum()).collect()
    }
}

/// The recursive form: one pass forwards and one backwards, for any observations. [`Smoother`] is computed from it, and
/// the reference implementation ([`super::reference`]) uses it directly.
#[derive(Debug, Clone)]
pub struct Gains {
    dt: f64,
    window: usize,
    transition: DMat3,
    /// Kalman gain of each frame; zero for unobserved frames.
    kalman: Vec<DVec3>,
    /// RTS gain of each frame: matrix of the correction from the next frame.
    rts: Vec<DMat3>,
}

impl Gains {
    /// Computes the gains by the covariance recursion, for 2w observed frames around `injected_frames` unobserved
    /// frames.
    pub fn new(options: &LscoreOptions, injected_frames: usize) -> Self {
        let dt = options.dt;
        let window = options.window;
        let length = 2 * window + injected_frames;
        // Columns of A = [1 Δt Δt²/2; 0 1 Δt; 0 0 1].
        let transition = DMat3::from_cols(DVec3::X, DVec3::new(dt, 1.0, 0.0), DVec3::new(dt * dt / 2.0, dt, 1.0));
        let noise = DMat3::from_diagonal(DVec3::from_array(options.gamma));
        let mut predicted_covariance = noise; // of z_1, whose noise ω_0 also has the variances γ
        let mut kalman = Vec::with_capacity(length);
        let mut rts = Vec::with_capacity(length);
        for frame in 0..length {
            let is_observed = frame < window || frame >= window + injected_frames;
            let column = predicted_covariance.x_axis; // P Cᵀ, C = (1 0 0)
            let gain = if is_observed { column / (column.x + options.sigma) } else { DVec3::ZERO };
            // Joseph form, which stays symmetric and positive: (I − KC) P (I − KC)ᵀ + K σ Kᵀ.
            let complement = DMat3::from_cols(DVec3::X - gain, DVec3::Y, DVec3::Z); // I − KC
            let filtered_covariance =
                complement * predicted_covariance * complement.transpose() + outer(gain, gain) * options.sigma;
            kalman.push(gain);
            predicted_covariance = transition * filtered_covariance * transition.transpose() + noise;
            rts.push(filtered_covariance * transition.transpose() * inverse_symmetric(predicted_covariance));
        }
        Self { dt, window, transition, kalman, rts }
    }

    /// Smooths one dimension: observations, `[2w]` → (p̂, v̂, â), [2w + k].
    pub fn smooth(&self, observed: &[f64]) -> Vec<DVec3> {
        let length = self.kalman.len();
        let injected_frames = length - 2 * self.window;
        let mut predicted = prior_mean(observed, self.dt);
        let mut states = Vec::with_capacity(length);
        let mut predictions = Vec::with_capacity(length);
        for frame in 0..length {
            predictions.push(predicted);
            let filtered = if frame < self.window {
                predicted + self.kalman[frame] * (observed[frame] - predicted.x)
            } else if frame < self.window + injected_frames {
                predicted
            } else {
                predicted + self.kalman[frame] * (observed[frame - injected_frames] - predicted.x)
            };
            states.push(filtered);
            predicted = self.transition * filtered;
        }
        for frame in (0..length - 1).rev() {
            let correction = states[frame + 1] - predictions[frame + 1];
            states[frame] += self.rts[frame] * correction;
        }
        states
    }
}

/// Returns the mean of the first state: μ0 = (y1, (y2 − y1)/Δt, (y3 + y1 − 2 y2)/Δt²).
pub fn prior_mean(observed: &[f64], dt: f64) -> DVec3 {
    let [y1, y2, y3] = [observed[0], observed[1], observed[2]];
    DVec3::new(y1, (y2 - y1) / dt, (y3 + y1 - 2.0 * y2) / (dt * dt))
}

/// Returns the outer product a bᵀ.
fn outer(a: DVec3, b: DVec3) -> DMat3 {
    DMat3::from_cols(a * b.x, a * b.y, a * b.z)
}

/// Inverts a symmetric positive definite matrix by Cholesky factorisation. Covariances in a long gap span many orders
/// of magnitude; the adjugate would be inaccurate for them.
fn inverse_symmetric(m: DMat3) -> DMat3 {
    let l11 = m.x_axis.x.sqrt();
    let l21 = m.x_axis.y / l11;
    let l31 = m.x_axis.z / l11;
    let l22 = (m.y_axis.y - l21 * l21).sqrt();
    let l32 = (m.y_axis.z - l31 * l21) / l22;
    let l33 = (m.z_axis.z - l31 * l31 - l32 * l32).sqrt();
    let solve = |b: DVec3| {
        let y1 = b.x / l11;
        let y2 = (b.y - l21 * y1) / l22;
        let y3 = (b.z - l31 * y1 - l32 * y2) / l33;
        let x3 = y3 / l33;
        let x2 = (y2 - l32 * x3) / l22;
        DVec3::new((y1 - l21 * x2 - l31 * x3) / l11, x2, x3)
    };
    DMat3::from_cols(solve(DVec3::X), solve(DVec3::Y), solve(DVec3::Z))
}
