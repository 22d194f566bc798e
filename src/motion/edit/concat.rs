//! Concatenation of clips of one body.

use crate::error::{Error, Result, quoted};
use crate::motion::clip::Clip;
use crate::motion::resample::resample;
use crate::motion::widen::{translations_on, widen};
use std::sync::Arc;

/// Concatenates the clips' frames at the frame rate of the first clip, without blending, moving or retargeting them.
/// The skeleton is that of the first clip, with translations for all joints that have them in any of the clips.
/// Consecutive slices of a clip concatenate to a clip with the same bits.
///
/// # Errors
/// [`Error::Option`] for an empty list, [`Error::Rig`] for a clip of another body, and the errors of [`resample`].
pub fn concat(clips: &[&Clip]) -> Result<Clip> {
    let Some((&first, rest)) = clips.split_first() else {
        return Err(Error::Option { option: "clips", message: "at least one clip is needed".to_owned() });
    };
    let widened = widen(first, rest);
    let start = widened.as_ref().unwrap_or(first);
    let skeleton = Arc::clone(start.skeleton());
    let (mut rotations, mut translations) = (start.rotations().to_vec(), start.translations().to_vec());
    for clip in rest {
        if !skeleton.same_body(clip.skeleton()) {
            let message =
                format!("it has another skeleton than {}; retarget it first, or use stitch", quoted(&first.name));
            return Err(Error::Rig { clip: clip.name.clone(), message });
        }
        let clip = resample(clip, first.fps())?;
        rotations.extend_from_slice(clip.rotations());
        translations.extend(translations_on(&clip, &skeleton, 1.0));
    }
    Clip::new(first.name.clone(), skeleton, first.frame_time_secs(), rotations, translations)
}
