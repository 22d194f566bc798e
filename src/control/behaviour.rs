//! Noise on the requested path of a character, which gives it a behaviour of its own.
//!
//! Starke et al. 2020, section 6: "We sample noise vectors from different random seed and use them as style
//! variables. … For increasing the stochasticity, we can blend in and out the noise produced from such seeds selected
//! randomly during runtime." Half of the variance is constant for the seed, half is redrawn every [`ANEW_SECS`].

use crate::feature::controller::FPS;
use crate::method::controller::generative::Generative;
use crate::method::random::Random;

/// Largest noise, deviations of the code (Figure 8: beyond 1 the motion deviates from the request, or breaks).
pub const LOUDEST: f32 = 1.0;
/// Seconds between draws, and the time constant with which the noise approaches them, the seed and the level.
const ANEW_SECS: f32 = 1.6;
const FOLLOW_SECS: f32 = 0.4;
/// Smaller noise counts as none.
const SILENT: f32 = 1e-4;

/// The noise of a character.
#[derive(Debug, Clone)]
pub struct Behaviour {
    seed: u32,
    random: Random,
    /// Constant noise, and the last draw, [code].
    own: Vec<f32>,
    drawn: Vec<f32>,
    /// Frames since the last draw.
    since: u32,
    /// Present noise, [code]; empty if there is none.
    now: Vec<f32>,
    normal: Vec<f32>,
}

impl Behaviour {
    /// No noise.
    pub fn new() -> Self {
        let none = Vec::new;
        Self { seed: 0, random: Random::new(0), own: none(), drawn: none(), since: 0, now: none(), normal: none() }
    }

    /// Advances by a frame; returns the noise, `None` if there is none.
    pub fn next(&mut self, generative: &Generative, level: f32, seed: u32) -> Option<&[f32]> {
        let level = if level.is_finite() { level.clamp(0.0, LOUDEST) } else { 0.0 };
        if level == 0.0 && self.now.is_empty() {
            return None;
        }
        if seed != self.seed || self.own.is_empty() {
            (self.seed, self.since) = (seed, 0);
            self.random = Random::new(u64::from(seed));
            draw(&mut self.random, generative, &mut self.normal, &mut self.own);
            draw(&mut self.random, generative, &mut self.normal, &mut self.drawn);
        }
        self.since += 1;
        if self.since as f32 > ANEW_SECS * FPS as f32 {
            self.since = 0;
            draw(&mut self.random, generative, &mut self.normal, &mut self.drawn);
        }
        self.now.resize(generative.code(), 0.0);
        let share = 1.0 - (-1.0 / (FOLLOW_SECS * FPS as f32)).exp();
        let scale = level * std::f32::consts::FRAC_1_SQRT_2;
        for (now, (own, drawn)) in self.now.iter_mut().zip(self.own.iter().zip(&self.drawn)) {
            *now += share * (scale * (own + drawn) - *now);
        }
        if level == 0.0 && self.now.iter().all(|noise| noise.abs() < SILENT) {
            self.now.clear();
            return None;
        }
        Some(&self.now)
    }
}

fn draw(random: &mut Random, generative: &Generative, normal: &mut Vec<f32>, out: &mut Vec<f32>) {
    normal.clear();
    normal.extend((0..generative.code()).map(|_| random.normal()));
    generative.noise(normal, out);
}
