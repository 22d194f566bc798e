//! A clip faster or slower.

use crate::error::{Error, Result};
use crate::motion::clip::Clip;
use crate::motion::resample::sampled;

/// Factors a clip can be sped up by.
pub const SPEED_RANGE: std::ops::RangeInclusive<f64> = 0.01..=100.0;

/// The motion `factor` times as fast (three.js: `timeScale`), at the same frame rate and along the same way over the
/// ground. By 1 it comes back bit for bit; else frames lie on curves through the clip's own.
///
/// # Errors
/// [`Error::Option`] for a factor outside [`SPEED_RANGE`], [`Error::Limit`] for more rotations than a clip may hold.
pub fn speed(clip: &Clip, factor: f64) -> Result<Clip> {
    if !SPEED_RANGE.contains(&factor) {
        let message = format!("from {} to {} times as fast, not {factor}", SPEED_RANGE.start(), SPEED_RANGE.end());
        return Err(Error::Option { option: "speed", message });
    }
    if factor == 1.0 || clip.frames() == 0 {
        return Ok(clip.clone());
    }
    sampled(clip, factor, clip.frame_time_secs())
}
