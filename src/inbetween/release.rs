//! Corrections of a gap, such as pinned feet and lifted limbs, are released in frames where they make the motion jerky.

use super::gap::JERK_REACH;
use crate::error::Result;
use crate::metrics::jerk;
use crate::motion::clip::Clip;
use crate::motion::ease::smoothstep;
use std::ops::Range;

/// Corrections are released where they cause more than this multiple of the jerk of the motion and its keys.
const MAX_JERK_RATIO: f32 = 1.2;
/// Largest number of rounds of releases.
const MAX_RELEASES: usize = 3;

/// A gap with the frames around it from which the jerk at its ends is computed.
pub(super) struct Surroundings {
    clip: Clip,
    /// First frame of the window in `clip`.
    start: usize,
}

impl Surroundings {
    /// Cuts the frames around a gap from a clip. The gap has frames before and after it.
    ///
    /// # Errors
    /// The errors of [`Clip::trimmed`].
    pub fn new(clip: &Clip, gap: &Range<usize>) -> Result<Self> {
        let first = gap.start.saturating_sub(JERK_REACH);
        let clip = clip.trimmed(first..(gap.end + JERK_REACH).min(clip.frames()))?;
        Ok(Self { clip, start: gap.start - 1 - first })
    }

    /// Measures the largest joint jerk in each frame of a window, m/s³. Jerk in frames before and after the window
    /// counts for its first and last frame. `window`: changed frames of the gap, with one frame of each key.
    fn jerks(&self, window: &Clip) -> Vec<f32> {
        let mut clip = self.clip.clone();
        let (joints, width) = (clip.joints(), clip.skeleton().translated().len());
        clip.rotations_mut()[self.start * joints..][..window.rotations().len()].copy_from_slice(window.rotations());
        clip.translations_mut()[self.start * width..][..window.translations().len()]
            .copy_from_slice(window.translations());
        let mut jerks = vec![0.0_f32; window.frames()];
        for (frame, jerk) in jerk(&clip).into_iter().enumerate() {
            let frame = frame.saturating_sub(self.start).min(window.frames() - 1);
            jerks[frame] = jerks[frame].max(jerk);
        }
        jerks
    }

    /// Corrects a window, and weakens corrections around frames whose jerk exceeds [`MAX_JERK_RATIO`] × the larger of
    /// the jerk of the window before and `peak_jerk`. `peak_jerk`: the largest jerk of the keys, m/s³; `ease`: number of
    /// frames over which corrections grow from such a frame; `apply`: returns the corrected window; `scale`: multiplies
    /// the corrections of a frame.
    pub fn correct<C>(
        &self,
        window: &Clip,
        corrections: &mut C,
        (peak_jerk, ease): (f32, usize),
        apply: impl Fn(&Clip, &C) -> Clip,
        scale: impl Fn(&mut C, usize, f32),
    ) -> Clip {
        let max_jerk = MAX_JERK_RATIO * self.jerks(window).into_iter().fold(peak_jerk, f32::max);
        let mut corrected = apply(window, corrections);
        for _ in 0..MAX_RELEASES {
            let jerks = self.jerks(&corrected);
            if jerks.iter().all(|jerk| *jerk <= max_jerk) {
                break;
            }
            for (frame, weight) in weights(&jerks, max_jerk, ease).into_iter().enumerate() {
                scale(corrections, frame, weight);
            }
            corrected = apply(window, corrections);
        }
        corrected
    }
}

/// Returns weights of corrections, [frames of `jerks`]: 0 in frames with more jerk than `max_jerk`, rising to 1 over
/// `ease` frames to each side.
fn weights(jerks: &[f32], max_jerk: f32, ease: usize) -> Vec<f32> {
    let frames = jerks.len();
    let rough_frames: Vec<usize> = (0..frames).filter(|&frame| jerks[frame] > max_jerk).collect();
    let weight = |frame: usize| {
        let distance = rough_frames.iter().map(|&rough| rough.abs_diff(frame)).min().unwrap_or(frames);
        smoothstep((distance.saturating_sub(1) as f32 / ease as f32).min(1.0))
    };
    (0..frames).map(weight).collect()
}
