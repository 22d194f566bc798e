//! The pose of a clip at a time.

use crate::error::{Error, Result, quoted};
use crate::motion::clip::Clip;
use crate::motion::resample::append_pose;
use std::sync::Arc;

/// Returns the pose `secs` after the first frame, as a clip of one frame. Poses between frames are interpolated by
/// curves. The last frame is held until the clip's end.
///
/// # Errors
/// [`Error::Option`] for a time outside of the clip.
pub fn at(clip: &Clip, secs: f64) -> Result<Clip> {
    let length_secs = clip.frames() as f64 / clip.fps();
    if clip.frames() == 0 || !(0.0..=length_secs).contains(&secs) {
        let message =
            format!("{secs} seconds is outside of clip {}, which is {length_secs:.3} seconds long", quoted(&clip.name));
        return Err(Error::Option { option: "at", message });
    }
    let (mut rotations, mut translations) = (Vec::new(), Vec::new());
    append_pose(clip, secs * clip.fps(), &mut rotations, &mut translations);
    Clip::new(clip.name.clone(), Arc::clone(clip.skeleton()), clip.frame_time_secs(), rotations, translations)
}
