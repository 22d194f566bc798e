//! A clip at another frame rate: slerp between rotations, straight lines between translations.

use crate::error::{Error, Result};
use crate::motion::clip::Clip;
use glam::{Quat, Vec3};
use std::sync::Arc;

/// Rates a clip can be resampled to, frames a second.
pub const FPS_RANGE: std::ops::RangeInclusive<f64> = 1.0..=1000.0;

/// Largest number of rotations (frames × joints) a resampled clip may hold: one gigabyte.
pub const MAX_ROTATIONS: u64 = 1 << 26;

/// Rates this close, relatively, are the same: makers print 30 fps as 0.0333333, 0.033333 and 0.03333.
pub const SAME_RATE: f64 = 2e-4;

/// The clip at `fps` frames a second. At its own rate (within [`SAME_RATE`]) it comes back bit-equal, its own frame time
/// included. The first frame stays; the last is the last that still lies within the clip. No low-pass filter.
///
/// # Errors
/// [`Error::Option`] for a rate outside [`FPS_RANGE`], [`Error::Limit`] over [`MAX_ROTATIONS`].
pub fn resample(clip: &Clip, fps: f64) -> Result<Clip> {
    if !FPS_RANGE.contains(&fps) {
        let message =
            format!("frames a second must lie within {} and {}, not {fps}", FPS_RANGE.start(), FPS_RANGE.end());
        return Err(Error::Option { option: "fps", message });
    }
    let step = clip.fps() / fps;
    if (step - 1.0).abs() <= SAME_RATE || clip.frames() == 0 {
        return Ok(clip.clone());
    }
    let last = clip.frames() - 1;
    let frames = (last as f64 / step + 1e-6).floor() as u64 + 1;
    let found = frames.saturating_mul(clip.joints() as u64);
    if found > MAX_ROTATIONS {
        return Err(Error::Limit { what: "rotations of the resampled clip", found, limit: MAX_ROTATIONS });
    }
    let frames = frames as usize;
    let mut rotations = Vec::with_capacity(frames * clip.joints());
    let mut translations: Vec<Vec3> = Vec::with_capacity(frames * clip.skeleton().translated().len());
    for frame in 0..frames {
        let time = frame as f64 * step;
        let before = (time.floor() as usize).min(last);
        let after = (before + 1).min(last);
        let part = (time - before as f64).clamp(0.0, 1.0) as f32;
        rotations.extend(
            clip.frame_rotations(before)
                .iter()
                .zip(clip.frame_rotations(after))
                .map(|(from, to)| slerp(*from, *to, part)),
        );
        translations.extend(
            clip.frame_translations(before)
                .iter()
                .zip(clip.frame_translations(after))
                .map(|(from, to)| from.lerp(*to, part)),
        );
    }
    Clip::new(clip.name.clone(), Arc::clone(clip.skeleton()), 1.0 / fps, rotations, translations)
}

/// Spherical interpolation the short way round; exact at both ends. Stays in the hemisphere of `from`.
pub fn slerp(from: Quat, to: Quat, part: f32) -> Quat {
    if part <= 0.0 {
        return from;
    }
    if part >= 1.0 {
        return to;
    }
    from.slerp(to, part).normalize()
}
