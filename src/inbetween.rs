//! In-between: the motion between keys, in a given number of frames.
//!
//! 1. every key's clip is brought onto the first key's skeleton, and the key, with what lies around it, to one frame rate;
//! 2. each key is placed on the ground: where it is told to stand, where its clip has it, or where the motion would lead;
//! 3. each gap is filled by an [`Inbetweener`];
//! 4. feet that touch the ground within a gap are pinned, if asked for.
//!
//! The frames of a key are never touched. One that stays where the first key's file has it comes back to the bit.

mod feet;
mod gap;
mod key;
mod network;
mod session;

pub use key::{At, Key};
pub use session::Session;

pub use crate::method::interpolate::GAP_FRAMES;

use crate::error::{Error, Result};
use crate::method::delta::Delta;
use crate::motion::clip::Clip;
use crate::progress::Progress;
use std::fmt;
use std::ops::Range;

/// Frames this long before and after a key tell how it moves, seconds.
pub const CONTEXT_SECS: f64 = 0.5;

/// What fills a gap.
#[derive(Clone, Copy, Default)]
pub enum Inbetweener<'a> {
    /// Slerp and straight lines; speed jumps at the keys. [`crate::method::interpolate::linear`].
    Linear,
    /// The same, with the speed of both keys carried in and braked. [`crate::method::interpolate::carried`].
    #[default]
    Inertialize,
    /// What a network makes of that. Bipeds only. [`crate::method::delta`].
    Delta(&'a Delta),
}

impl<'a> Inbetweener<'a> {
    /// The words of all, in the order a menu shows them.
    pub const NAMES: [&'static str; 3] = ["linear", "inertialize", "delta"];

    /// The one of that name; `delta` is the network that is loaded.
    ///
    /// # Errors
    /// [`Error::Option`] for another name, or a network that is not loaded.
    pub fn from_name(name: &str, delta: Option<&'a Delta>) -> Result<Self> {
        let fail = |message| Err(Error::Option { option: "method", message });
        match (name, delta) {
            ("linear", _) => Ok(Inbetweener::Linear),
            ("inertialize", _) => Ok(Inbetweener::Inertialize),
            ("delta", Some(delta)) => Ok(Inbetweener::Delta(delta)),
            ("delta", None) => fail("\"delta\" needs its network: load it first, or use \"inertialize\"".to_owned()),
            _ => fail(format!("\"{name}\" is not one of {}", Self::NAMES.join(", "))),
        }
    }

    /// The word programs use.
    pub fn name(self) -> &'static str {
        match self {
            Inbetweener::Linear => "linear",
            Inbetweener::Inertialize => "inertialize",
            Inbetweener::Delta(_) => "delta",
        }
    }
}

impl fmt::Debug for Inbetweener<'_> {
    fn fmt(&self, out: &mut fmt::Formatter) -> fmt::Result {
        out.write_str(self.name())
    }
}

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
    network: Inbetweener,
    options: &InbetweenOptions,
    progress: &mut Progress,
) -> Result<Inbetween> {
    Session::new(keys, options, progress)?.solve(network, progress)
}
