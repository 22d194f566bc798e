//! In-between: the motion between keys, in a given number of frames.
//!
//! 1. every key's clip is brought onto the first key's skeleton, and the key, with what lies around it, to one frame rate;
//! 2. each key is placed on the ground: where it is told to stand, where its clip has it, or where the motion would lead;
//! 3. each gap is filled by a [`Filler`];
//! 4. feet that touch the ground within a gap are pinned, if asked for.
//!
//! The frames of a key are never touched. One that stays where the first key's file has it comes back to the bit.

mod candidates;
mod feet;
mod gap;
mod key;
mod network;
mod session;

pub use candidates::{CandidateOptions, MOST_CANDIDATES, Plan};
pub use key::{At, Key};
pub use session::Session;

pub use crate::method::filler::GAP_FRAMES;
pub use crate::method::gallery::Gallery;
pub use crate::method::gallery::pace::Pace;

use crate::error::Result;
use crate::method::filler::Filler;
use crate::motion::clip::Clip;
use crate::progress::Progress;
use std::ops::Range;

/// Frames this long before and after a key tell how it moves, seconds.
pub const CONTEXT_SECS: f64 = 0.5;

/// What to do; `InbetweenOptions::default()` is a good start.
#[derive(Debug, Clone, PartialEq)]
pub struct InbetweenOptions {
    /// Frames of each gap, or one number for all: frames of the result, the keys' own not counted.
    pub frames: Vec<usize>,
    /// Frames a second of the result; the first key's by default.
    pub fps: Option<f64>,
    /// Pin feet that touch the ground by two-bone IK. Bipeds only.
    pub foot_lock: bool,
    /// Name of the result; the keys' names joined by " + " by default.
    pub name: Option<String>,
}

impl Default for InbetweenOptions {
    fn default() -> Self {
        Self { frames: vec![30], fps: None, foot_lock: true, name: None }
    }
}

/// What happened between two keys.
#[derive(Debug, Clone, PartialEq)]
pub struct Gap {
    /// How it was filled.
    pub method: &'static str,
    /// Its frames in the result.
    pub edited: Range<usize>,
    /// How far the joints would have missed the next key without correction, centimetres: the mean distance. 0 where the
    /// method knows of none.
    pub arrival_cm: f32,
    /// Likewise the mean angle between the joints' rotations, degrees.
    pub arrival_degrees: f32,
    /// Mean horizontal foot travel while in contact, metres a frame. 0 without feet.
    pub foot_skate: f32,
    /// Largest joint jerk, m/s³, both ends included.
    pub peak_jerk: f32,
}

/// The motion through all keys, and how it came about.
#[derive(Debug, Clone)]
pub struct Inbetween {
    /// The result, on the first key's skeleton.
    pub clip: Clip,
    /// Frames of the result that are each key's own.
    pub keys: Vec<Range<usize>>,
    /// Where each key stands: as it was told, or where its clip or the motion put it.
    pub places: Vec<At>,
    /// One for each pair of neighbours.
    pub gaps: Vec<Gap>,
    /// Things a person should know.
    pub warnings: Vec<String>,
}

/// Makes the motion through two or more keys, on the first key's skeleton and in its file's units, axes and channel order.
///
/// # Errors
/// [`Error::Option`] for fewer than two keys and options out of range, [`Error::Rig`] where skeletons differ and cannot be
/// retargeted or where a network is asked for what is no biped, [`Error::Aborted`] where `progress` says so.
pub fn inbetween(
    keys: &[Key],
    filler: &dyn Filler,
    options: &InbetweenOptions,
    progress: &mut Progress,
) -> Result<Inbetween> {
    Session::new(keys, options, progress)?.solve(filler, progress)
}
