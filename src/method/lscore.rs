//! Cuts between clips: the L-score and the elastic L-score (Li, McCann, Faloutsos, Pollard: *Laziness is a virtue*,
//! 2008).
//!
//! The cost of a transition is the work of a lazy body. The w frames up to the take-off, k unobserved frames and the
//! w frames from the landing on are smoothed as one Newtonian particle per dimension (eq. 1, [`smoother`]); the score
//! sums |displacement · acceleration| over these frames (eq. 2, 3), and k minimises it (eq. 4).
//!
//! [`feature`] defines the features (body-local joint positions in leg lengths), [`map`] scores every pair of frames,
//! [`seam`] selects the best cuts, [`inject`] converts the smoothed trajectory to poses, and [`plain`] is the paper's
//! algorithm without optimisation, for tests of the map.

pub mod feature;
mod grid;
pub mod inject;
pub mod map;
pub mod parts;
pub mod plain;
pub mod seam;
pub mod smoother;

use crate::error::{Error, Result};

/// Largest number of injected frames: for longer gaps the free particle is no plausible motion.
pub const MAX_INJECT: usize = 120;
/// Largest window on each side of a seam.
pub const MAX_WINDOW: usize = 30;

/// Parameters of the score. The defaults are the paper's.
#[derive(Debug, Clone, PartialEq)]
pub struct LscoreOptions {
    /// w: number of frames used on each side of the seam, 3 to [`MAX_WINDOW`]. The paper's 2w is 10.
    pub window: usize,
    /// Smallest number of injected frames.
    pub min_inject: usize,
    /// Largest number of injected frames, at most [`MAX_INJECT`].
    pub max_inject: usize,
    /// Δt: time between frames. The paper's unit is the frame.
    pub dt: f64,
    /// Variances of the noise on position, velocity and acceleration (γ1, γ2, γ3). Only their ratios to `sigma` matter.
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
            let message = format!("no number of frames to inject lies from {} to {}", self.min_inject, self.max_inject);
            return fail("maxInject", message);
        }
        if self.max_inject > MAX_INJECT {
            return fail("maxInject", format!("at most {MAX_INJECT} frames, not {}", self.max_inject));
        }
        let positive = |x: f64| x.is_finite() && x > 0.0;
        if !positive(self.dt) {
            return fail("dt", format!("a positive number, not {}", self.dt));
        }
        if !self.gamma.iter().all(|&g| positive(g)) {
            return fail("gamma", format!("three positive numbers, not {:?}", self.gamma));
        }
        if !positive(self.sigma) {
            return fail("sigma", format!("a positive number, not {}", self.sigma));
        }
        Ok(())
    }
}

/// A cut and its cost.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Cut {
    /// Last frame used of the first clip, a.
    pub takeoff: usize,
    /// First frame used of the second clip, b.
    pub landing: usize,
    /// Frames to inject between them, k.
    pub inject: usize,
    /// L-score of that k, in (leg lengths)² a frame² for features of clips.
    pub score: f32,
    /// Windowed Euclidean distance of the two frames, in leg lengths ([`feature::euclidean`]).
    pub euclidean: f32,
}
