//! Concatenation of clips of one body.

use crate::error::{Error, Result, quoted};
use crate::motion::clip::Clip;
use crate::motion::resample::{frame_step, resample};
use crate::motion::widen::{translations_on, widen};
use std::borrow::Cow;
use std::sync::Arc;

/// Concatenates the clips' frames at the frame rate of the first clip, without blending, moving or retargeting them.
/// The skeleton is that of the first clip, with translations for all joints that have them in any of the clips.
/// Adjacent slices of a clip, concatenated, give the clip again, bit by bit.
///
/// # Errors
/// [`Error::Option`] for an empty list, [`Error::Rig`] for a clip of another body, and the errors of [`resample`].
pub fn concat(clips: &[&Clip]) -> Result<Clip> {
    let Some((&first, rest)) = clips.split_first() else {
        return Err(Error::Option { option: "clips", message: "at least one clip is needed".to_owned() });
    };
    let widened = widen(first, rest);
    let widened_first = widened.as_ref().unwrap_or(first);
    let skeleton = Arc::clone(widened_first.skeleton());
    let mut rotations = widened_first.rotations().to_vec();
    let mut translations = widened_first.translations().to_vec();
    for &clip in rest {
        if !skeleton.same_body(clip.skeleton()) {
            let message =
                format!("it has another skeleton than {}; retarget it first, or use stitch", quoted(&first.name));
            return Err(Error::Rig { clip: clip.name.clone(), message });
        }
        // Clips of equal rates do not go through `resample`, because it refuses very low and very high rates.
        let clip = match frame_step(clip.fps(), first.fps()) {
            1.0 => Cow::Borrowed(clip),
            _ => Cow::Owned(resample(clip, first.fps())?),
        };
        rotations.extend_from_slice(clip.rotations());
        translations.extend(translations_on(&clip, &skeleton, 1.0));
    }
    Clip::new(first.name.clone(), skeleton, first.frame_time_secs(), rotations, translations)
}
