//! Adds noise to the requested path, so that each character behaves differently.
//!
//! Starke et al. 2020, section 6: "We sample noise vectors from different random seed and use them as style
//! variables. … For increasing the stochasticity, we can blend in and out the noise produced from such seeds selected
//! randomly during runtime." Half of the variance of the target is constant for the seed, half is redrawn every
//! [`DRAW_SECS`]; the noise follows the target smoothly.
//!
//! Noise is a change of the path's latent code ([`Generative::noise`]). `[code]` means one value per column of the
//! code.

use crate::feature::controller::FPS;
use crate::method::controller::generative::Generative;
use crate::method::random::Random;

/// Largest level of the noise. 1: codes vary as much as in recordings with the same past and the same end of the path.
/// Figure 8 of the paper: with more than 1 the motion deviates from the request, or breaks.
pub const MAX_NOISE: f32 = 1.0;
/// Time after which noise is redrawn, seconds. It is redrawn in the first frame that exceeds this time: after 48 frames
/// the first time, and every 49 frames from then on.
const DRAW_SECS: f32 = 1.6;
/// Time constant with which the noise follows a new draw, seed or level, seconds.
const FOLLOW_SECS: f32 = 0.4;
/// When the level is 0, noise whose components are all below this value is removed.
const MIN_COMPONENT: f32 = 1e-4;

/// The noise of a character.
#[derive(Debug, Clone)]
pub struct Behaviour {
    seed: u32,
    random: Random,
    /// Noise that is constant for the seed, `[code]`.
    constant: Vec<f32>,
    /// Last draw of noise, `[code]`.
    drawn: Vec<f32>,
    /// Frames since the last draw.
    frames_since_draw: u32,
    /// Present noise, `[code]`; empty if there is none.
    noise: Vec<f32>,
    /// Buffer: independent standard normal numbers, `[code]`.
    normal: Vec<f32>,
}

impl Behaviour {
    /// Creates the state without noise.
    pub fn new() -> Self {
        Self {
            seed: 0,
            random: Random::new(0),
            constant: Vec::new(),
            drawn: Vec::new(),
            frames_since_draw: 0,
            noise: Vec::new(),
            normal: Vec::new(),
        }
    }

    /// Advances by a frame. Returns the noise; `None` if there is none. `level`: size of the noise, 0 to [`MAX_NOISE`].
    pub fn next(&mut self, generative: &Generative, level: f32, seed: u32) -> Option<&[f32]> {
        let level = if level.is_finite() { level.clamp(0.0, MAX_NOISE) } else { 0.0 };
        if level == 0.0 && self.noise.is_empty() {
            return None;
        }
        if seed != self.seed || self.constant.is_empty() {
            (self.seed, self.frames_since_draw) = (seed, 0);
            self.random = Random::new(u64::from(seed));
            draw(&mut self.random, generative, &mut self.normal, &mut self.constant);
            draw(&mut self.random, generative, &mut self.normal, &mut self.drawn);
        }
        self.frames_since_draw += 1;
        if self.frames_since_draw as f32 > DRAW_SECS * FPS as f32 {
            self.frames_since_draw = 0;
            draw(&mut self.random, generative, &mut self.normal, &mut self.drawn);
        }
        self.noise.resize(generative.code_width(), 0.0);
        let fraction = 1.0 - (-1.0 / (FOLLOW_SECS * FPS as f32)).exp();
        let scale = level * std::f32::consts::FRAC_1_SQRT_2;
        for (noise, (constant, drawn)) in self.noise.iter_mut().zip(self.constant.iter().zip(&self.drawn)) {
            *noise += fraction * (scale * (constant + drawn) - *noise);
        }
        if level == 0.0 && self.noise.iter().all(|noise| noise.abs() < MIN_COMPONENT) {
            self.noise.clear();
            return None;
        }
        Some(&self.noise)
    }
}

/// Draws noise from the generative control.
fn draw(random: &mut Random, generative: &Generative, normal: &mut Vec<f32>, out: &mut Vec<f32>) {
    normal.clear();
    normal.extend((0..generative.code_width()).map(|_| random.normal()));
    generative.noise(normal, out);
}
