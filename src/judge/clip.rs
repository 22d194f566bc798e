//! Naturalness of a whole clip of any biped, at its own rate.

use super::{FPS, Judge};
use crate::body::Poses;
use crate::body::{biped, to_canonical};
use crate::error::{Error, Result};
use crate::feature::encode;
use crate::motion::clip::Clip;
use crate::motion::resample::resample;
use crate::motion::rig::Rig;

/// Scores each frame of a clip, `[frames]`, see [`Judge::scores`]; scores between frames at [`FPS`] are interpolated.
///
/// # Errors
/// [`Error::Rig`] for a rig that is not a biped, [`Error::TooShort`] for a clip without frames, and the errors of
/// [`resample`].
pub fn naturalness(judge: &Judge, clip: &Clip, rig: &Rig) -> Result<Vec<f32>> {
    let body = to_canonical(clip, rig)?;
    if body.character != biped() {
        let message =
            "only the motion of people can be judged: the judge was trained on recordings of people".to_owned();
        return Err(Error::Rig { clip: clip.name.clone(), message });
    }
    let body = resample(&body.clip, FPS)?;
    let (ground, _) = encode::ground(&body);
    let scores = judge.scores(&Poses::from_clip(&body, 0..body.frames()), ground);
    let step = body.fps() / clip.fps();
    Ok((0..clip.frames()).map(|frame| interpolate(&scores, frame as f64 * step)).collect())
}

/// Interpolates linearly between values; constant after the last one.
fn interpolate(values: &[f32], position: f64) -> f32 {
    let last = values.len() - 1;
    let index = (position as usize).min(last);
    let fraction = (position - index as f64).clamp(0.0, 1.0) as f32;
    values[index] + fraction * (values[(index + 1).min(last)] - values[index])
}
