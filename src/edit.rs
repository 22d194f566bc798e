//! Edits of one motion: the same motion, changed where the edit says so.
//!
//! - [`clean()`] finds and mends spikes, dropouts, jitter, a wrong floor, a wrong way, and feet that slide.
//! - [`pin()`] bends a span that was replaced, so that the motion after it stays where it was.
//!
//! All values that an edit does not change keep their bits. Every edit reports its changes as [`Edit`]s.

pub mod clean;
mod mask;
mod pin;

pub use clean::{CleanOptions, clean};
pub use mask::Mask;
pub use pin::pin;

use crate::error::{Error, Result, quoted};
use crate::motion::clip::Clip;
use crate::motion::ease::smoothstep;
use std::ops::Range;
use std::sync::Arc;

/// Time over which an edit of a part of a motion fades in and out at the ends of the part, seconds.
const FADE_SECS: f64 = 0.2;

/// The frames and joints that an edit may change.
#[derive(Debug, Clone, PartialEq)]
pub struct Selection {
    frames: Range<usize>,
    joints: Vec<bool>,
    all_frames: usize,
}

impl Selection {
    /// Selects everything of a clip.
    pub fn all(clip: &Clip) -> Self {
        Self { frames: 0..clip.frames(), joints: vec![true; clip.joints()], all_frames: clip.frames() }
    }

    /// Selects frames and joints of a clip; `None` selects all.
    ///
    /// # Errors
    /// [`Error::Option`] for an empty range, frames or joints that the clip does not have, and an empty list of joints.
    pub fn new(clip: &Clip, frames: Option<Range<usize>>, joints: Option<&[usize]>) -> Result<Self> {
        let mut selection = Self::all(clip);
        if let Some(frames) = frames {
            if frames.is_empty() || frames.end > clip.frames() {
                let (from, to, count) = (frames.start, frames.end, clip.frames());
                let message = format!(
                    "frames {from} to {to} (excluded) are not a range of clip {}, which has {count} frames",
                    quoted(&clip.name)
                );
                return Err(Error::Option { option: "frames", message });
            }
            selection.frames = frames;
        }
        if let Some(joints) = joints {
            if joints.is_empty() || joints.iter().any(|joint| *joint >= clip.joints()) {
                let message = format!("selects no joint, or one that clip {} lacks", quoted(&clip.name));
                return Err(Error::Option { option: "mask", message });
            }
            selection.joints = (0..clip.joints()).map(|joint| joints.contains(&joint)).collect();
        }
        Ok(selection)
    }

    /// Returns whether the whole motion is selected.
    pub fn is_all(&self) -> bool {
        self.frames == (0..self.all_frames) && self.joints.iter().all(|selected| *selected)
    }

    fn has_joint(&self, joint: usize) -> bool {
        self.joints[joint]
    }

    /// Returns whether all `frames` are selected.
    fn has_frames(&self, frames: &Range<usize>) -> bool {
        self.frames.start <= frames.start && frames.end <= self.frames.end
    }

    /// Returns the fraction of an edit that a frame takes: 1 inside, less near ends that are not the clip's.
    fn weight(&self, frame: usize, fps: f64) -> f32 {
        if !self.frames.contains(&frame) {
            return 0.0;
        }
        let ease = (FADE_SECS * fps) as f32 + 1.0;
        let from_start = if self.frames.start == 0 { ease } else { (frame + 1 - self.frames.start) as f32 };
        let to_end = if self.frames.end == self.all_frames { ease } else { (self.frames.end - frame) as f32 };
        smoothstep((from_start.min(to_end) / ease).min(1.0))
    }

    /// Takes the selected values from `edited`; all others keep the bits of `clip`.
    fn apply(&self, clip: &mut Clip, edited: &Clip) {
        let skeleton = Arc::clone(clip.skeleton());
        let (joints, width, fps) = (clip.joints(), skeleton.translated().len(), clip.fps());
        for frame in self.frames.clone() {
            let weight = self.weight(frame, fps);
            for joint in (0..joints).filter(|joint| self.joints[*joint]) {
                let (old, new) =
                    (&mut clip.rotations_mut()[frame * joints + joint], edited.frame_rotations(frame)[joint]);
                *old = if weight == 1.0 || *old == new { new } else { old.slerp(new, weight).normalize() };
                let Some(slot) = skeleton.translation_slot(joint) else { continue };
                let (old, new) =
                    (&mut clip.translations_mut()[frame * width + slot], edited.frame_translations(frame)[slot]);
                *old = if weight == 1.0 || *old == new { new } else { old.lerp(new, weight) };
            }
        }
    }
}

/// Kind of a change.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EditKind {
    /// Single frames far from their neighbours, filled anew.
    Spike,
    /// Frames in which the motion stood still and then jumped, filled anew.
    Dropout,
    /// Noise, smoothed.
    Jitter,
    /// Height, tilt or drift of the floor, corrected.
    Floor,
    /// Length of the way over the ground, corrected.
    Way,
    /// Feet on the ground, held.
    Feet,
}

impl EditKind {
    /// Returns the name for programs.
    pub fn name(self) -> &'static str {
        match self {
            EditKind::Spike => "spike",
            EditKind::Dropout => "dropout",
            EditKind::Jitter => "jitter",
            EditKind::Floor => "floor",
            EditKind::Way => "way",
            EditKind::Feet => "feet",
        }
    }
}

/// One change of a motion.
#[derive(Debug, Clone, PartialEq)]
pub struct Edit {
    /// Its kind.
    pub kind: EditKind,
    /// Changed frames.
    pub frames: Range<usize>,
    /// Changed joints; empty if the whole body was moved.
    pub joints: Vec<usize>,
    /// The change in words.
    pub text: String,
    /// The figure that was wrong, before and after the change, in `unit`.
    pub before: f32,
    /// See `before`.
    pub after: f32,
    /// Unit of `before` and `after`.
    pub unit: &'static str,
}

/// An edited motion, with a report.
#[derive(Debug, Clone)]
pub struct Edited {
    /// The motion.
    pub clip: Clip,
    /// Its changes; empty if nothing was changed.
    pub edits: Vec<Edit>,
    /// Warnings, one sentence each.
    pub warnings: Vec<String>,
}
