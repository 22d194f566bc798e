//! Noise of the joints of a clip.

use crate::motion::clip::Clip;
use crate::motion::quat::with_nearest_sign;
use glam::{Quat, Vec3};
use std::ops::{Add, Mul};

/// Binomial coefficients of the sixth difference, and the sum of their squares: the factor by which it raises the
/// variance of noise.
const SIXTH: [f32; 7] = [1.0, -6.0, 15.0, -20.0, 15.0, -6.0, 1.0];
const SIXTH_GAIN: f32 = 924.0;
/// Number of sixth differences in a window.
const WINDOW: usize = 12;
/// The noise of a joint is this quantile of the noise in its windows: that of calm ones.
const CALM_QUANTILE: f32 = 0.3;
/// Ratio of that quantile to the mean for white noise.
const CALM_BIAS: f32 = 0.8;
/// Least noise that is smoothed: radians, metres.
const MIN_NOISE: [f32; 2] = [1.2e-3, 3e-4];

/// Standard deviations of the noise of one axis, and rotations with continuous signs.
#[derive(Debug, Clone)]
pub(in crate::edit) struct Noise {
    /// Of each joint, radians; 0 for joints that are not smoothed.
    pub rotations: Vec<f32>,
    /// Of each translation slot, metres; 0 for joints that are not smoothed.
    pub translations: Vec<f32>,
    /// The rotations of the clip, with signs that are continuous over time, [frames × joints].
    pub continuous: Vec<Quat>,
}

impl Noise {
    /// Measures the noise of a clip.
    pub fn measure(clip: &Clip) -> Self {
        let (joints, width) = (clip.joints(), clip.skeleton().translated().len());
        let mut continuous = clip.rotations().to_vec();
        for index in joints..continuous.len() {
            continuous[index] = with_nearest_sign(continuous[index], continuous[index - joints]);
        }
        let zero = Quat::from_xyzw(0.0, 0.0, 0.0, 0.0);
        // A rotation by a small angle changes its quaternion by half of the angle.
        let rotation = |joint: usize| {
            2.0 * level(clip.frames(), zero, |frame| continuous[frame * joints + joint], |q| q.length_squared())
        };
        let translation = |slot: usize| {
            let value = |frame: usize| clip.translations()[frame * width + slot];
            level(clip.frames(), Vec3::ZERO, value, |v| v.length_squared())
        };
        let at_least = |least: f32| move |noise: f32| if noise < least { 0.0 } else { noise };
        let rotations = (0..joints).map(rotation).map(at_least(MIN_NOISE[0])).collect();
        let translations = (0..width).map(translation).map(at_least(MIN_NOISE[1])).collect();
        Self { rotations, translations, continuous }
    }

    /// Returns the noise of the joints that are selected; 0 for the others.
    pub fn of_joints(&self, clip: &Clip, is_selected: impl Fn(usize) -> bool) -> Self {
        let scale = |joint: usize, noise: f32| if is_selected(joint) { noise } else { 0.0 };
        let slots = clip.skeleton().translated();
        Self {
            rotations: self.rotations.iter().enumerate().map(|(joint, noise)| scale(joint, *noise)).collect(),
            translations: self.translations.iter().zip(slots).map(|(noise, joint)| scale(*joint, *noise)).collect(),
            continuous: self.continuous.clone(),
        }
    }
}

/// Returns the standard deviation of one of three axes of the noise of a track.
fn level<T: Copy + Add<Output = T> + Mul<f32, Output = T>>(
    frames: usize,
    zero: T,
    value: impl Fn(usize) -> T,
    square: impl Fn(T) -> f32,
) -> f32 {
    let count = (frames + 1).saturating_sub(SIXTH.len());
    let difference = |frame: usize| {
        let weighted = SIXTH.iter().enumerate().map(|(index, weight)| value(frame + index) * *weight);
        square(weighted.fold(zero, |sum, value| sum + value)) / (3.0 * SIXTH_GAIN)
    };
    let squares: Vec<f32> = (0..count).map(difference).collect();
    let mut windows: Vec<f32> = squares.chunks_exact(WINDOW).map(|window| window.iter().sum()).collect();
    if windows.is_empty() {
        return 0.0;
    }
    let index = ((windows.len() - 1) as f32 * CALM_QUANTILE) as usize;
    (*windows.select_nth_unstable_by(index, f32::total_cmp).1 / (WINDOW as f32 * CALM_BIAS)).sqrt()
}
