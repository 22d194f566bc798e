//! Keys: poses that the motion passes through, with the frames around them.

use super::CONTEXT_SECS;
use crate::body::GroundPose;
use crate::error::{Error, Result, quoted};
use crate::motion::clip::Clip;
use crate::motion::contact::Contacts;
use crate::motion::resample::{frame_step, resample};
use crate::motion::rig::Rig;
use std::ops::Range;
use std::sync::Arc;

/// A pose, or a range of a clip, that the motion passes through.
#[derive(Debug, Clone)]
pub struct Key<'a> {
    /// The clip; two keys of one clip (the same reference) keep their relative position.
    pub clip: &'a Clip,
    /// Its bone mapping.
    pub rig: &'a Rig,
    /// Frames of the clip, at least one. Frames around them are read for the velocity.
    pub frames: Range<usize>,
    /// Ground pose of its first frame; `None`: as in its clip, or extrapolated.
    pub at: Option<GroundPose>,
}

impl Key<'_> {
    /// Checks the frames and the ground pose of key number `index`.
    ///
    /// # Errors
    /// [`Error::Option`] for frames outside its clip, and the errors of [`check`].
    pub(super) fn check(&self, index: usize) -> Result<()> {
        let (Range { start, end }, count) = (self.frames.clone(), self.clip.frames());
        if start < end && end <= count {
            return self.at.as_ref().map_or(Ok(()), |at| check(at, index));
        }
        let name = quoted(&self.clip.name);
        let message = if start >= end {
            format!(
                "key {index} of clip {name} is from {start} to {end}: \"to\" is excluded, and must be greater than \
                 \"from\""
            )
        } else {
            let frames =
                if start + 1 == end { format!("frame {start}") } else { format!("frames {start} to {}", end - 1) };
            let existing = match count {
                0 => "no frames".to_owned(),
                1 => "only frame 0".to_owned(),
                _ => format!("only frames 0 to {}", count - 1),
            };
            format!("key {index} is {frames} of clip {name}, which has {existing}")
        };
        Err(Error::Option { option: "keys", message })
    }
}

/// Checks the requested ground pose of a key.
///
/// # Errors
/// [`Error::Option`] if it is not finite.
pub(super) fn check(at: &GroundPose, key: usize) -> Result<()> {
    if at.position.is_finite() && at.heading.is_finite() {
        return Ok(());
    }
    let GroundPose { position, heading } = at;
    let message =
        format!("x, z and heading of key {key} must be finite numbers, not {}, {}, {heading}", position.x, position.z);
    Err(Error::Option { option: "at", message })
}

/// A key on the first key's skeleton and at the result's rate, at its position in the file.
#[derive(Debug, Clone)]
pub(super) struct Piece {
    /// The key's frames and those around them.
    pub clip: Clip,
    /// Range of the key's frames in `clip`.
    pub key: Range<usize>,
    /// Contacts of the feet in the piece; the ground is measured in the whole clip.
    pub contacts: Contacts,
    /// Contacts of the hands; `None` if they never touch the floor.
    pub hand_contacts: Option<Contacts>,
    /// Index of its clip among the distinct clips.
    pub source: usize,
}

impl Piece {
    /// Returns the two frames between which the velocity of the key at a gap is measured, as `first..last`: within the
    /// key if it has several frames, so that its motion continues, otherwise the frames around it in its clip. Empty if
    /// the clip has no other frame. `frame`: first or last frame of the key, the one next to the gap.
    pub fn velocity_span(&self, frame: usize) -> Range<usize> {
        match (self.key.len() > 1, frame == self.key.start) {
            (true, true) => frame..frame + 1,
            (true, false) => frame - 1..frame,
            (false, _) => frame.saturating_sub(1)..(frame + 1).min(self.clip.frames() - 1),
        }
    }
}

/// Returns the frames `key` of a clip and [`CONTEXT_SECS`] around them, at another rate. The first frame of `key` is
/// not interpolated.
pub(super) fn piece(
    clip: &Clip,
    (contacts, hand_contacts): (&Contacts, Option<&Contacts>),
    key: Range<usize>,
    source: usize,
    fps: f64,
) -> Result<Piece> {
    let reach = (CONTEXT_SECS * clip.fps()).ceil() as usize + 1;
    let (first, end) = (key.start.saturating_sub(reach), (key.end + reach).min(clip.frames()));
    let step = frame_step(clip.fps(), fps);
    // Resampled from the key's first frame in both directions, because resampling keeps the first frame.
    let past = reversed(&resample(&reversed(&clip.trimmed(first..key.start + 1)?)?, fps)?)?;
    let future = resample(&clip.trimmed(key.start..end)?, fps)?;
    let start = past.frames() - 1;
    let length = ((key.len() - 1) as f64 / step + 1e-6) as usize + 1;

    let width = clip.skeleton().translated().len();
    let rotations = [&past.rotations()[..start * clip.joints()], future.rotations()].concat();
    let translations = [&past.translations()[..start * width], future.translations()].concat();
    let skeleton = Arc::clone(clip.skeleton());
    let joined = Clip::new(clip.name.clone(), skeleton, future.frame_time_secs(), rotations, translations)?;

    let source_frame = |frame: usize| {
        let time = key.start as f64 + (frame as f64 - start as f64) * step;
        (time.round().max(0.0) as usize).min(clip.frames() - 1)
    };
    let resample_contacts = |contacts: &Contacts| {
        let parts = contacts.parts.each_ref().map(|parts| {
            parts.each_ref().map(|flags| match flags.is_empty() {
                true => Vec::new(),
                false => (0..joined.frames()).map(|frame| flags[source_frame(frame)]).collect(),
            })
        });
        Contacts { parts, world_ground: contacts.world_ground }
    };
    let (contacts, hand_contacts) = (resample_contacts(contacts), hand_contacts.map(resample_contacts));
    Ok(Piece { clip: joined, key: start..start + length, contacts, hand_contacts, source })
}

/// Returns a clip with its frames in reverse order.
pub(super) fn reversed(clip: &Clip) -> Result<Clip> {
    let width = clip.skeleton().translated().len();
    let rotations = clip.rotations().rchunks(clip.joints()).flatten().copied().collect();
    let translations = clip.translations().rchunks(width.max(1)).flatten().copied().collect();
    Clip::new(clip.name.clone(), Arc::clone(clip.skeleton()), clip.frame_time_secs(), rotations, translations)
}
