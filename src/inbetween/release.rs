//! Corrections of a gap, such as pinned feet and lifted limbs, are released in frames where they make the motion jerky.

use super::gap::JERK_REACH;
use crate::error::Result;
use crate::metrics::jerk_within;
use crate::motion::clip::Clip;
use crate::motion::ease::smoothstep;
use std::ops::Range;

/// Corrections are released where they cause more than this multiple of the largest jerk of motion and keys without
/// them.
const MAX_JERK_RATIO: f32 = 1.2;
/// Largest number of rounds of releases.
const MAX_RELEASES: usize = 3;

/// A gap with the frames around it that third differences at the ends of the gap need.
pub(super) struct Surroundings {
    clip: Clip,
    /// First frame of the window (the gap and one frame of each key) in `clip`.
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

    /// Measures the largest joint jerk in each frame of a window, m/s³. Jerk in frames after the window counts for its
    /// last frame. `window`: changed frames of the gap, with one frame of each key.
    fn jerks(&self, window: &Clip) -> Vec<f32> {
        let mut clip = self.clip.clone();
        let (joints, width) = (clip.joints(), clip.skeleton().translated().len());
        clip.rotations_mut()[self.start * joints..][..window.rotations().len()].copy_from_slice(window.rotations());
        clip.translations_mut()[self.start * width..][..window.translations().len()]
            .copy_from_slice(window.translations());
        jerk_within(&clip, self.start..self.start + window.frames())
    }

    /// Corrects a window, and weakens corrections around frames whose jerk exceeds [`MAX_JERK_RATIO`] × the larger of
    /// `peak_jerk` and the largest jerk of the uncorrected window. After [`MAX_RELEASES`] rounds, some frames may still
    /// exceed it. `peak_jerk`: the largest jerk of the keys, m/s³; `ease`: number of frames over which corrections grow
    /// again, as in [`weights`]; `apply`: returns the corrected window; `scale`: multiplies the corrections of a frame.
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

/// Returns weights of corrections, [frames of `jerks`]: 0 in frames with more jerk than `max_jerk` and in the frames
/// next to them, because third differences span four frames; from there rising to 1 over `ease` frames.
fn weights(jerks: &[f32], max_jerk: f32, ease: usize) -> Vec<f32> {
    let frames = jerks.len();
    let rough_frames: Vec<usize> = (0..frames).filter(|&frame| jerks[frame] > max_jerk).collect();
    let weight = |frame: usize| {
        let distance = rough_frames.iter().map(|&rough| rough.abs_diff(frame)).min().unwrap_or(frames);
        smoothstep((distance.saturating_sub(1) as f32 / ease as f32).min(1.0))
    };
    (0..frames).map(weight).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::motion::bvh;
    use glam::Vec3;

    /// Creates a clip of 60 frames in which one joint moves steadily.
    fn steady_clip() -> Clip {
        let channels = "Xposition Yposition Zposition Zrotation Xrotation Yrotation";
        let mut text = format!("HIERARCHY\nROOT Hips\n{{\nOFFSET 0 0 0\nCHANNELS 6 {channels}\n}}\n");
        text += "MOTION\nFrames: 60\nFrame Time: 0.0333333\n";
        (0..60).for_each(|frame| text += &format!("0 90 {frame} 0 0 0\n"));
        bvh::parse("steady", text.as_bytes()).unwrap().clip
    }

    fn peak(jerks: &[f32]) -> f32 {
        jerks.iter().copied().fold(0.0, f32::max)
    }

    #[test]
    fn corrections_that_end_abruptly_at_a_key_are_weakened_there() {
        let (clip, gap) = (steady_clip(), 10..50);
        let around = Surroundings::new(&clip, &gap).unwrap();
        let window = clip.trimmed(gap.start - 1..gap.end + 1).unwrap();
        let raise = |window: &Clip, heights: &Vec<f32>| {
            let mut raised = window.clone();
            let positions = raised.translations_mut().iter_mut();
            positions.zip(heights).for_each(|(position, height)| *position += Vec3::Y * *height);
            raised
        };
        // A parabola: it has no jerk except where it meets the keys at an angle.
        let parabola: Vec<f32> = (0..42).map(|frame| 0.05 * (frame * (41 - frame)) as f32).collect();
        let raised = around.jerks(&raise(&window, &parabola));
        assert!(raised[0].min(raised[41]) > 50.0 * peak(&raised[2..40]), "{raised:?}");

        let mut heights = parabola.clone();
        let scale = |heights: &mut Vec<f32>, frame: usize, weight: f32| heights[frame] *= weight;
        let corrected = around.correct(&window, &mut heights, (0.5 * peak(&raised), 8), raise, scale);
        assert!(peak(&around.jerks(&corrected)) <= 0.6 * peak(&raised), "{:?}", around.jerks(&corrected));
        assert_eq!([heights[1], heights[20], heights[40]], [0.0, parabola[20], 0.0]);
    }
}
