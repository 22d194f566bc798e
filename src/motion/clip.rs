//! Clip: one motion of one skeleton, as local rotations of all joints and local translations of some.

use crate::error::{Error, Result, quoted};
use crate::motion::rate;
use crate::motion::skeleton::Skeleton;
use glam::{Quat, Vec3};
use std::sync::Arc;

/// A motion. Both arrays are frame-major: in each frame one local unit rotation for each joint, and one local
/// translation in metres for each joint of [`Skeleton::translated`]. Y is up.
#[derive(Debug, Clone, PartialEq)]
pub struct Clip {
    /// Display name, usually the file name without its extension.
    pub name: String,
    skeleton: Arc<Skeleton>,
    frame_time_secs: f64,
    rotations: Vec<Quat>,
    translations: Vec<Vec3>,
}

impl Clip {
    /// Creates a clip from `rotations`, [frames × joints], and `translations`, [frames × translated joints], metres.
    /// Both are frame-major. Rotations must have length 1, which is not checked.
    ///
    /// # Errors
    /// [`Error::Clip`] if the lengths disagree, the frame time is not positive, or a value is not finite.
    pub fn new(
        name: impl Into<String>,
        skeleton: Arc<Skeleton>,
        frame_time_secs: f64,
        rotations: Vec<Quat>,
        translations: Vec<Vec3>,
    ) -> Result<Self> {
        let clip = Self::from_finite(name.into(), skeleton, frame_time_secs, rotations, translations)?;
        let (joints, translated) = (clip.skeleton.len(), clip.skeleton.translated());
        let bad_rotation = clip.rotations.iter().position(|q| !q.is_finite());
        let bad_translation = clip.translations.iter().position(|t| !t.is_finite());
        let bad_values = [
            bad_rotation.map(|i| (i / joints, i % joints, "rotation")),
            bad_translation.map(|i| (i / translated.len(), translated[i % translated.len()], "translation")),
        ];
        match bad_values.into_iter().flatten().min_by_key(|&(frame, ..)| frame) {
            None => Ok(clip),
            Some((frame, joint, kind)) => {
                let joint = quoted(&clip.skeleton.joints()[joint].name);
                let message = format!("the {kind} of {joint} in frame {frame} has a value that is not a finite number");
                Err(Error::Clip { clip: clip.name, message })
            }
        }
    }

    /// Creates a clip from rotations and translations that the caller has checked to be finite. They are not checked
    /// again here: `pack::unpack`, which every call of the npm package runs, has checked them in one fast pass.
    ///
    /// # Errors
    /// [`Error::Clip`] if the lengths disagree or the frame time is not positive.
    pub(super) fn from_finite(
        name: String,
        skeleton: Arc<Skeleton>,
        frame_time_secs: f64,
        rotations: Vec<Quat>,
        translations: Vec<Vec3>,
    ) -> Result<Self> {
        let fail = |message: String| Err(Error::Clip { clip: name.clone(), message });
        if !(frame_time_secs.is_finite() && frame_time_secs > 0.0) {
            return fail(format!("frame time must be a positive number of seconds, not {frame_time_secs}"));
        }
        let frames = rotations.len() / skeleton.len();
        if rotations.len() != frames * skeleton.len() || translations.len() != frames * skeleton.translated().len() {
            return fail(format!(
                "{} rotations and {} translations do not fit {} joints, {} of them translated",
                rotations.len(),
                translations.len(),
                skeleton.len(),
                skeleton.translated().len()
            ));
        }
        Ok(Self { name, skeleton, frame_time_secs, rotations, translations })
    }

    /// Returns the skeleton, shared by the clips that are made from this one.
    pub fn skeleton(&self) -> &Arc<Skeleton> {
        &self.skeleton
    }

    /// Returns the number of frames; zero for a file with a hierarchy only.
    pub fn frames(&self) -> usize {
        self.rotations.len() / self.skeleton.len()
    }

    /// Returns the number of joints.
    pub fn joints(&self) -> usize {
        self.skeleton.len()
    }

    /// Returns the seconds between frames; in a clip that was read from a BVH file, exactly the number of the file.
    pub fn frame_time_secs(&self) -> f64 {
        self.frame_time_secs
    }

    /// Returns the frames per second. A rounded frame time gives the whole rate or video rate that it fits (0.0333333
    /// seconds: 30), see [`rate::fps_from_frame_time`].
    pub fn fps(&self) -> f64 {
        rate::fps_from_frame_time(self.frame_time_secs)
    }

    /// Returns all local rotations, [frames × joints].
    pub fn rotations(&self) -> &[Quat] {
        &self.rotations
    }

    /// Returns all local rotations, mutable; the caller keeps them finite and of length 1.
    pub fn rotations_mut(&mut self) -> &mut [Quat] {
        &mut self.rotations
    }

    /// Returns all local translations, [frames × translated joints], metres.
    pub fn translations(&self) -> &[Vec3] {
        &self.translations
    }

    /// Returns all local translations, mutable; the caller keeps them finite.
    pub fn translations_mut(&mut self) -> &mut [Vec3] {
        &mut self.translations
    }

    /// Returns the local rotations of one frame, `[joints]`.
    pub fn frame_rotations(&self, frame: usize) -> &[Quat] {
        &self.rotations[frame * self.joints()..][..self.joints()]
    }

    /// Returns the local translations of one frame, [translated joints], metres.
    pub fn frame_translations(&self, frame: usize) -> &[Vec3] {
        let width = self.skeleton.translated().len();
        &self.translations[frame * width..][..width]
    }

    /// Returns the local translation of a joint in a frame, metres; the joint's offset if the joint has no
    /// translations.
    pub fn local_translation(&self, frame: usize, joint: usize) -> Vec3 {
        match self.skeleton.translation_slot(joint) {
            Some(slot) => self.frame_translations(frame)[slot],
            None => self.skeleton.joints()[joint].offset,
        }
    }

    /// Returns a copy of the frames in `range`.
    ///
    /// # Errors
    /// [`Error::Option`] if the range is empty or ends after the last frame.
    pub fn trimmed(&self, range: std::ops::Range<usize>) -> Result<Self> {
        if range.start >= range.end || range.end > self.frames() {
            let message = format!(
                "frames {} to {} (excluded) are not a range of clip {}, which has {} frames",
                range.start,
                range.end,
                quoted(&self.name),
                self.frames()
            );
            return Err(Error::Option { option: "trim", message });
        }
        let width = self.skeleton.translated().len();
        Ok(Self {
            name: self.name.clone(),
            skeleton: Arc::clone(&self.skeleton),
            frame_time_secs: self.frame_time_secs,
            rotations: self.rotations[range.start * self.joints()..range.end * self.joints()].to_vec(),
            translations: self.translations[range.start * width..range.end * width].to_vec(),
        })
    }
}
