//! A part of a clip, selected by time.

use crate::error::{Error, Result, quoted};
use crate::motion::clip::Clip;
use std::ops::Range;

/// Tolerance of the end of a slice, seconds, but at least one frame: users type the length that a screen shows, which
/// may be rounded up to the next hundredth of a second.
const END_TOLERANCE_SECS: f64 = 0.01;

/// Returns the frames from `from_secs` to `to_secs` (excluded). Both times are first rounded to the start of the
/// nearest frame, so that adjacent slices neither share nor omit a frame.
fn frame_range(clip: &Clip, from_secs: f64, to_secs: f64) -> Result<Range<usize>> {
    let length = clip.frames() as f64 / clip.fps();
    let fail = |message: String| Err(Error::Option { option: "slice", message });
    let max_secs = length + END_TOLERANCE_SECS.max(1.0 / clip.fps());
    if !(0.0 <= from_secs && from_secs < to_secs && to_secs <= max_secs) {
        let reason = if from_secs < 0.0 {
            "clips start at 0 seconds".to_owned()
        } else if from_secs < to_secs {
            format!("clip {} is {length:.3} seconds long", quoted(&clip.name))
        } else {
            "its end must be after its start".to_owned()
        };
        return fail(format!("from {from_secs} to {to_secs} seconds is not a range of the clip: {reason}"));
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

/// Copies the frames from `from_secs` to `to_secs` (excluded) into a new clip, bit for bit. Both times are first
/// rounded to the start of the nearest frame, so that adjacent slices neither share nor omit a frame. `to_secs` may
/// exceed the length of the clip by a frame, or by a hundredth of a second.
///
/// # Errors
/// [`Error::Option`] if the times are not in order, lie outside of the clip, or contain no frame.
pub fn slice(clip: &Clip, from_secs: f64, to_secs: f64) -> Result<Clip> {
    clip.trimmed(frame_range(clip, from_secs, to_secs)?)
}
