//! Cuts between clips: the L-score and the elastic L-score (Li, McCann, Faloutsos, Pollard: *Laziness is a virtue*,
//! 2008).
//!
//! The cost of a transition is the physical work that the body does. The w frames up to the take-off, k unobserved
//! frames and the w frames from the landing on are smoothed as the path of a Newtonian particle in each dimension (eq.
//! 1, [`smoother`]). The score is the sum of |displacement · acceleration| over these frames (eq. 2, 3). The k with the
//! lowest score is chosen (eq. 4).
//!
//! [`feature`] computes the features (body-local joint positions in leg lengths), [`map`] scores all pairs of frames,
//! [`seam`] selects the best cuts, and [`inject`] converts the smoothed trajectory to poses. [`mod@reference`] is the
//! algorithm of the paper without optimisation, for tests.

pub mod feature;
mod grid;
pub mod inject;
pub mod map;
pub mod parts;
pub mod reference;
pub mod seam;
pub mod smoother;

pub use crate::contract::{MAX_INJECT, MAX_WINDOW, ScoredCut};

use crate::error::{Error, Result};

/// Parameters of the score. The defaults are the paper's.
#[derive(Debug, Clone, PartialEq)]
pub struct LscoreOptions {
    /// w: number of frames used on each side of the cut, 3 to [`MAX_WINDOW`]. The paper's 2w is 10.
    pub window: usize,
    /// Smallest number of injected frames.
    pub min_inject: usize,
    /// Largest number of injected frames, at most [`MAX_INJECT`].
    pub max_inject: usize,
    /// Δt: time between frames. In the paper the unit of time is the frame, so Δt is 1.
    pub dt: f64,
    /// Variances of the process noise on position, velocity and acceleration (γ1, γ2, γ3). Only their ratios to `sigma`
    /// matter.
    pub gamma: [f64; 3],
    /// Variance σ of the observation noise.
    pub sigma: f64,
}

impl Default for LscoreOptions {
    fn default() -> Self {
        Self { window: 5, min_inject: 0, max_inject: 15, dt: 1.0, gamma: [0.001; 3], sigma: 0.001 }
    }
}

impl LscoreOptions {
    /// Checks the options.
    ///
    /// # Errors
    /// [`Error::Option`] for a window out of its range, an empty range of injected frames, or a variance or time that
    /// is not positive and finite.
    pub fn check(&self) -> Result<()> {
        let fail = |option, message| Err(Error::Option { option, message });
        if !(3..=MAX_WINDOW).contains(&self.window) {
            return fail("window", format!("from 3 to {MAX_WINDOW} frames, not {}", self.window));
        }
        if self.min_inject > self.max_inject {
            let message = format!("the range of injected frames, {} to {}, is empty", self.min_inject, self.max_inject);
            return fail("maxInject", message);
        }
        if self.max_inject > MAX_INJECT {
            return fail("maxInject", format!("at most {MAX_INJECT} frames, not {}", self.max_inject));
        }
        let is_positive = |x: f64| x.is_finite() && x > 0.0;
        if !is_positive(self.dt) {
            return fail("dt", format!("a positive number, not {}", self.dt));
        }
        if !self.gamma.iter().all(|&g| is_positive(g)) {
            return fail("gamma", format!("three positive numbers, not {:?}", self.gamma));
        }
        if !is_positive(self.sigma) {
            return fail("sigma", format!("a positive number, not {}", self.sigma));
        }
        Ok(())
    }
}
