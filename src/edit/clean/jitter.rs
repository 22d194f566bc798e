//! Jitter: noise of each joint is measured, and removed by windowed cosine transforms that keep what exceeds it.
//!
//! The noise of a joint is measured by sixth differences, in which motion nearly vanishes, in the calmest windows of
//! the clip. Overlapping windows are transformed over time (DCT-II) and smoothed twice. First, coefficients below the
//! noise are removed, joint by joint: a first estimate. Then all joints are smoothed together: the principal directions
//! of the first estimate are those in which the body moves in this window; each coefficient in them is scaled by
//! p² / (p² + noise²), p its first estimate (an empirical Wiener filter, as in the second step of BM3D, Dabov et al.
//! 2007). Sharp moves exceed the noise, so they keep their peaks; a recording without noise hardly changes.

mod noise;
mod spectrum;

use crate::edit::{Edit, EditKind, Selection};
use crate::error::Result;
use crate::motion::clip::Clip;
use crate::motion::quat::{exp, log, mean, with_nearest_sign};
use crate::progress::{Progress, Stage};
use glam::{Quat, Vec3};
pub(super) use noise::Noise;
use spectrum::Spectrum;

/// Duration of a window, seconds.
const WINDOW_SECS: f64 = 1.6;
/// Smallest and largest number of frames in a window.
const WINDOW_FRAMES: [usize; 2] = [16, 48];
/// Number of windows that contain a frame.
const OVERLAP: usize = 6;
/// Least fraction of the variance of a joint's noise that smoothing removes, unless its motion is sharp.
const MIN_REMOVED: f32 = 0.4;
/// Least noise of joints that are reported, radians.
const REPORTED_NOISE: f32 = 2e-3;
/// A rotation this far from the mean of its window is not smoothed there, radians.
const MAX_ANGLE: f32 = 2.6;

/// A channel to smooth: three numbers in each frame.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Channel {
    /// Rotation of a joint.
    Rotation(usize),
    /// Translation slot of the skeleton.
    Translation(usize),
}

/// Sums of smoothed windows.
struct Sums {
    rotations: Vec<Quat>,
    translations: Vec<Vec3>,
    /// Sum of weights, of rotations and of translations.
    weights: [Vec<f32>; 2],
}

/// Smooths a clip. `noise`: of `clip`; noise of joints that turn out to be sharp, not noisy, becomes 0. `strength`:
/// factor of the noise.
pub(super) fn smooth(clip: &Clip, noise: &mut Noise, strength: f32, progress: &mut Progress) -> Result<Clip> {
    let channels = channels(noise, strength);
    let frames = clip.frames();
    let length = ((WINDOW_SECS * clip.fps()) as usize).clamp(WINDOW_FRAMES[0], WINDOW_FRAMES[1]);
    if channels.is_empty() || frames < length {
        return Ok(clip.clone());
    }
    let spectrum = Spectrum::new(length);
    let hop = (length / OVERLAP).max(1);
    let mut sums = Sums {
        rotations: vec![Quat::from_xyzw(0.0, 0.0, 0.0, 0.0); clip.rotations().len()],
        translations: vec![Vec3::ZERO; clip.translations().len()],
        weights: [vec![0.0; clip.rotations().len()], vec![0.0; clip.translations().len()]],
    };
    let last = frames - length;
    let starts = (0..last).step_by(hop).chain([last]);
    for (index, start) in starts.enumerate() {
        if index % 64 == 0 {
            progress.at(Stage::Refine, start as f32 / frames as f32)?;
        }
        smooth_window(clip, noise, &channels, start, &spectrum, &mut sums);
    }
    let mut smoothed = sums.apply(clip);
    keep_sharp(clip, &mut smoothed, noise);
    Ok(smoothed)
}

/// Returns the channels with noise, times `strength`.
fn channels(noise: &Noise, strength: f32) -> Vec<(Channel, f32)> {
    let rotations = noise.rotations.iter().enumerate().map(|(joint, noise)| (Channel::Rotation(joint), *noise));
    let slots = noise.translations.iter().enumerate().map(|(slot, noise)| (Channel::Translation(slot), *noise));
    rotations
        .chain(slots)
        .filter(|(_, noise)| *noise > 0.0)
        .map(|(channel, noise)| (channel, noise * strength))
        .collect()
}

/// Restores the joints of which smoothing removed far less than their noise: their motion is sharp, such as that of
/// knees that an animator or a solver straightens at once, and exceeds its supposed noise in all windows.
fn keep_sharp(clip: &Clip, smoothed: &mut Clip, noise: &mut Noise) {
    let (joints, width, frames) = (clip.joints(), clip.skeleton().translated().len(), clip.frames());
    let is_sharp = |removed: f32, level: f32| removed < MIN_REMOVED * 3.0 * level * level * frames as f32;
    for joint in 0..joints {
        let indices = || (joint..frames * joints).step_by(joints);
        let square =
            |index: usize| log(clip.rotations()[index].conjugate() * smoothed.rotations()[index]).length_squared();
        if is_sharp(indices().map(square).sum(), noise.rotations[joint]) {
            noise.rotations[joint] = 0.0;
            indices().for_each(|index| smoothed.rotations_mut()[index] = clip.rotations()[index]);
        }
    }
    for slot in 0..width {
        let indices = || (slot..frames * width).step_by(width);
        let square = |index: usize| clip.translations()[index].distance_squared(smoothed.translations()[index]);
        if is_sharp(indices().map(square).sum(), noise.translations[slot]) {
            noise.translations[slot] = 0.0;
            indices().for_each(|index| smoothed.translations_mut()[index] = clip.translations()[index]);
        }
    }
}

fn smooth_window(
    clip: &Clip,
    noise: &Noise,
    channels: &[(Channel, f32)],
    start: usize,
    spectrum: &Spectrum,
    sums: &mut Sums,
) {
    let length = spectrum.length();
    let (joints, width) = (clip.joints(), clip.skeleton().translated().len());
    // Values in units of their noise, [channel][frame].
    let mut values: Vec<Vec<Vec3>> = Vec::with_capacity(channels.len());
    let mut centres: Vec<(Channel, f32, Quat)> = Vec::with_capacity(channels.len());
    for &(channel, level) in channels {
        let centre = match channel {
            Channel::Rotation(joint) => {
                mean((start..start + length).map(|frame| noise.continuous[frame * joints + joint]))
            }
            Channel::Translation(_) => Quat::IDENTITY,
        };
        let value = |frame: usize| match channel {
            Channel::Rotation(joint) => log(centre.conjugate() * clip.rotations()[frame * joints + joint]),
            Channel::Translation(slot) => clip.translations()[frame * width + slot],
        };
        let track: Vec<Vec3> = (start..start + length).map(|frame| value(frame) / level).collect();
        let is_rotation = matches!(channel, Channel::Rotation(_));
        if !is_rotation || track.iter().all(|value| value.length() * level < MAX_ANGLE) {
            values.push(track);
            centres.push((channel, level, centre));
        }
    }
    spectrum.smooth(&mut values);
    for ((channel, level, centre), track) in centres.into_iter().zip(values) {
        for (offset, value) in track.into_iter().enumerate() {
            let weight = spectrum.taper(offset);
            let frame = start + offset;
            match channel {
                Channel::Rotation(joint) => {
                    let index = frame * joints + joint;
                    let rotation = with_nearest_sign(centre * exp(value * level), clip.rotations()[index]);
                    sums.rotations[index] += rotation * weight;
                    sums.weights[0][index] += weight;
                }
                Channel::Translation(slot) => {
                    let index = frame * width + slot;
                    sums.translations[index] += value * level * weight;
                    sums.weights[1][index] += weight;
                }
            }
        }
    }
}

impl Sums {
    /// Returns the clip with the mean of the windows in each frame; values in no window do not change.
    fn apply(self, clip: &Clip) -> Clip {
        let mut smoothed = clip.clone();
        for (index, rotation) in smoothed.rotations_mut().iter_mut().enumerate() {
            if self.weights[0][index] > 0.0 && self.rotations[index].length_squared() > 1e-12 {
                *rotation = self.rotations[index].normalize();
            }
        }
        for (index, translation) in smoothed.translations_mut().iter_mut().enumerate() {
            if self.weights[1][index] > 0.0 {
                *translation = self.translations[index] / self.weights[1][index];
            }
        }
        smoothed
    }
}

/// Reports the smoothing of a clip; `None` if nothing changed.
pub(super) fn report(clip: &Clip, smoothed: &Clip, noise: &Noise, selection: &Selection) -> Option<Edit> {
    let joints: Vec<usize> = (0..clip.joints()).filter(|joint| noise.rotations[*joint] > REPORTED_NOISE).collect();
    let moved = noise.translations.iter().copied().fold(0.0, f32::max);
    if clip.rotations() == smoothed.rotations() && clip.translations() == smoothed.translations() {
        return None;
    }
    let mean = |noise: &Noise| {
        let sum: f32 = joints.iter().map(|joint| noise.rotations[*joint].powi(2)).sum();
        (3.0 * sum / joints.len().max(1) as f32).sqrt().to_degrees()
    };
    let (before, after) = (mean(noise), mean(&Noise::measure(smoothed)));
    let text = format!("jitter of {before:.2}° and {:.2} cm smoothed in {} joints", 173.0 * moved, joints.len());
    let (kind, frames) = (EditKind::Jitter, selection.frames.clone());
    (!joints.is_empty() || moved > 0.0).then_some(Edit { kind, frames, joints, text, before, after, unit: "°" })
}
