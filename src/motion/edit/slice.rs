//! A part of a clip, selected by time.

use crate::error::{Error, Result, quoted};
use crate::motion::clip::Clip;
use std::ops::Range;

/// Returns the frames that start within `from_secs`..`to_secs`, rounded to the nearest frame. Adjacent slices share no
/// frame.
///
/// # Errors
/// [`Error::Option`] if the times are not in order, lie outside of the clip, or contain no frame.
pub fn frames(clip: &Clip, from_secs: f64, to_secs: f64) -> Result<Range<usize>> {
    let length = clip.frames() as f64 / clip.fps();
    let fail = |message: String| Err(Error::Option { option: "slice", message });
    // One frame of tolerance: users type the length that a screen shows, which may be rounded up.
    let max_secs = length + 1.0 / clip.fps();
    if !(0.0 <= from_secs && from_secs < to_secs && to_secs <= max_secs) {
        return fail(format!(
            "from {from_secs} to {to_secs} seconds is not a range of clip {}, which is {length:.3} seconds long",
            quoted(&clip.name)
        ));
    }
    let frame = |secs: f64| ((secs * clip.fps()).round() as usize).min(clip.frames());
    let (from, to) = (frame(from_secs), frame(to_secs));
    if from == to {
        return fail(format!(
            "from {from_secs} to {to_secs} seconds contains no frame at {} frames per second",
            clip.fps()
        ));
    }
    Ok(from..to)
}

/// Copies the frames from `from_secs` to `to_secs` (excluded) into a new clip, bit for bit.
///
/// # Errors
/// Those of [`frames`].
pub fn slice(clip: &Clip, from_secs: f64, to_secs: f64) -> Result<Clip> {
    clip.trimmed(frames(clip, from_secs, to_secs)?)
}
