//! In-betweening: makes the motion between keys, in a given number of frames.
//!
//! 1. every key's clip is retargeted to the first key's skeleton; each key is resampled to one rate, together with the
//!    frames around it;
//! 2. each key is placed on the ground: at its requested ground pose, as in its clip, or by extrapolating the motion;
//! 3. each gap is filled by a [`Filler`];
//! 4. feet and hands that touch the ground within a gap are pinned, and limbs are kept above the floor, if requested.
//!
//! The frames of a key never change. A key of the first key's file that keeps its ground pose is reproduced exactly.

mod auto;
mod candidates;
mod feet;
mod floor;
mod gap;
mod hands;
mod key;
mod release;
mod session;
mod source;
mod transfer;

pub use auto::{Auto, GapTrial};
pub use candidates::{CandidateOptions, MAX_CANDIDATES, Plan};
pub use key::Key;
pub use session::Session;

pub use crate::body::GroundPose;
pub use crate::method::filler::GAP_FRAMES;
pub use crate::method::gallery::Gallery;
pub use crate::method::gallery::pace::Pace;

use crate::error::Result;
use crate::method::filler::Filler;
use crate::motion::clip::Clip;
use crate::motion::floor::Ground;
use crate::progress::Progress;
use std::ops::Range;

/// Duration before and after a key that is used to measure its velocity, seconds.
pub const CONTEXT_SECS: f64 = 0.5;

/// Options of [`inbetween`]. `InbetweenOptions::default()` suits most motions.
#[derive(Debug, Clone, PartialEq)]
pub struct InbetweenOptions {
    /// Number of frames of each gap, or one number for all gaps; the frames of the keys are not counted.
    pub frames: Vec<usize>,
    /// Frame rate of the result, frames per second; by default the rate of the first key's clip.
    pub fps: Option<f64>,
    /// Whether feet that touch the ground and hands that support the body are pinned, and limbs are kept above the
    /// floor, by two-bone inverse kinematics. Bipeds only.
    pub foot_lock: bool,
    /// Treatment of clips that stand on different floors.
    pub ground: Ground,
    /// Name of the result; by default the names of the clips, joined by " + ".
    pub name: Option<String>,
}

impl Default for InbetweenOptions {
    fn default() -> Self {
        Self { frames: vec![30], fps: None, foot_lock: true, ground: Ground::Level, name: None }
    }
}

/// Report on one gap.
#[derive(Debug, Clone, PartialEq)]
pub struct Gap {
    /// Name of the method that filled the gap.
    pub method: &'static str,
    /// Frames of the gap in the result.
    pub range: Range<usize>,
    /// Mean distance by which the joints would have missed the next key without correction, centimetres. 0 for
    /// methods without such an error.
    pub key_error_cm: f32,
    /// Mean angle by which the joint rotations would have missed the next key without correction, degrees.
    pub key_error_degrees: f32,
    /// Mean horizontal foot travel during ground contact, metres per frame; 0 unless the rig is a biped.
    pub foot_skate: f32,
    /// Largest joint jerk in the gap and at its transitions to both keys, m/s³.
    pub peak_jerk: f32,
    /// Every filler that [`Auto`] tried, best first; empty if `Auto` was not used.
    pub trials: Vec<GapTrial>,
}

/// The motion through all keys, with a report.
#[derive(Debug, Clone)]
pub struct Inbetween {
    /// The result, on the first key's skeleton.
    pub clip: Clip,
    /// Frames of each key in the result.
    pub keys: Vec<Range<usize>>,
    /// Ground pose of each key: from the key's options, from its clip, or extrapolated.
    pub ground_poses: Vec<GroundPose>,
    /// One report for each pair of neighbouring keys.
    pub gaps: Vec<Gap>,
    /// Warnings, one sentence each.
    pub warnings: Vec<String>,
}

/// Makes the motion through two or more keys, on the first key's skeleton and in the units, axes and channel order of
/// its file.
///
/// # Errors
/// [`crate::Error::Option`] for fewer than two keys and options out of range, [`crate::Error::Rig`] if skeletons differ
/// and cannot be retargeted or if a network receives a rig that is not a biped, [`crate::Error::Aborted`] if `progress`
/// aborts.
pub fn inbetween(
    keys: &[Key],
    filler: &dyn Filler,
    options: &InbetweenOptions,
    progress: &mut Progress,
) -> Result<Inbetween> {
    Session::new(keys, options, progress)?.solve(filler, progress)
}
