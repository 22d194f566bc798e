//! Playback speed of a clip.

use crate::error::{Error, Result};
use crate::motion::clip::Clip;
use crate::motion::resample::sample_every;

/// Valid speed factors.
pub const SPEED_RANGE: std::ops::RangeInclusive<f64> = 0.01..=100.0;

/// Returns the motion at `factor` times its speed (three.js: `timeScale`), with the same frame rate and path. Factor 1
/// returns the same bits. Other factors interpolate frames by curves.
///
/// # Errors
/// [`Error::Option`] for a factor outside [`SPEED_RANGE`], [`Error::Limit`] for more rotations than a clip may hold.
pub fn speed(clip: &Clip, factor: f64) -> Result<Clip> {
    if !SPEED_RANGE.contains(&factor) {
        let message = format!("must be a factor from {} to {}, not {factor}", SPEED_RANGE.start(), SPEED_RANGE.end());
        return Err(Error::Option { option: "speed", message });
    }
    if factor == 1.0 {
        return Ok(clip.clone());
    }
    sample_every(clip, factor, clip.frame_time_secs())
}
