//! In-between: the motion between keys, in a given number of frames.
//!
//! 1. every key's clip is brought onto the first key's skeleton, and the key, with what lies around it, to one frame rate;
//! 2. each key is placed on the ground: where it is told to stand, where its clip has it, or where the motion would lead;
//! 3. each gap is filled by an [`Inbetweener`];
//! 4. feet that touch the ground within a gap are pinned, if asked for.
//!
//! The frames of a key are never touched. One that stays where the first key's file has it comes back to the bit.

mod candidates;
mod feet;
mod gap;
mod key;
mod method;
mod network;
mod session;

pub use candidates::{CandidateOptions, MOST_CANDIDATES, Plan};
pub use key::{At, Key};
pub use session::Session;

pub use crate::method::gallery::Gallery;
pub use crate::method::gallery::pace::Pace;
pub use crate::method::interpolate::GAP_FRAMES;

use crate::error::{Error, Result, quoted};
use crate::method::dcmoe;
use crate::method::delta::{Answers, Delta};
use crate::method::manifold::Manifold;
use crate::motion::clip::Clip;
use crate::progress::Progress;
use glam::Vec2;
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
    /// Frame by frame, where a sampler finds the way on a manifold of natural motion; each seed another way. Bipeds only.
    /// [`crate::method::manifold`].
    Manifold(&'a Manifold),
    /// What a network makes of the interpolation. Bipeds only. [`crate::method::delta`].
    Delta(&'a dyn Answers),
    /// Frame by frame, in a style and along a path. Bipeds only. [`crate::method::dcmoe`].
    Dcmoe(&'a dcmoe::Network),
}

/// The networks that are loaded.
#[derive(Clone, Copy, Default)]
pub struct Networks<'a> {
    /// That of the method "manifold".
    pub manifold: Option<&'a Manifold>,
    /// That of the method "delta".
    pub delta: Option<&'a Delta>,
    /// That of the method "dcmoe".
    pub dcmoe: Option<&'a dcmoe::Network>,
}

impl Networks<'_> {
    /// Names of the methods whose networks are loaded.
    pub fn names(&self) -> impl Iterator<Item = &'static str> + use<> {
        let loaded =
            [("manifold", self.manifold.is_some()), ("delta", self.delta.is_some()), ("dcmoe", self.dcmoe.is_some())];
        loaded.into_iter().filter(|(_, is_loaded)| *is_loaded).map(|(name, _)| name)
    }
}

impl fmt::Debug for Networks<'_> {
    fn fmt(&self, out: &mut fmt::Formatter) -> fmt::Result {
        out.debug_list().entries(self.names()).finish()
    }
}

impl<'a> Inbetweener<'a> {
    /// The words of all, in the order a menu shows them.
    pub const NAMES: [&'static str; 5] = ["linear", "inertialize", "manifold", "delta", "dcmoe"];

    /// The one of that name.
    ///
    /// # Errors
    /// [`Error::Option`] for another name, or a network that is not loaded.
    pub fn from_name(name: &str, networks: Networks<'a>) -> Result<Self> {
        let found = match name {
            "linear" => Some(Inbetweener::Linear),
            "inertialize" => Some(Inbetweener::Inertialize),
            "manifold" => networks.manifold.map(Inbetweener::Manifold),
            "delta" => networks.delta.map(|delta| Inbetweener::Delta(delta)),
            "dcmoe" => networks.dcmoe.map(Inbetweener::Dcmoe),
            _ => None,
        };
        found.ok_or_else(|| {
            let message = match Self::NAMES.contains(&name) {
                true => format!("\"{name}\" needs its network: load it first, or use \"inertialize\""),
                false => format!("{} is not one of {}", quoted(name), Self::NAMES.join(", ")),
            };
            Error::Option { option: "method", message }
        })
    }

    /// The word programs use.
    pub fn name(self) -> &'static str {
        match self {
            Inbetweener::Linear => "linear",
            Inbetweener::Inertialize => "inertialize",
            Inbetweener::Manifold(_) => "manifold",
            Inbetweener::Delta(_) => "delta",
            Inbetweener::Dcmoe(_) => "dcmoe",
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
    /// Which of its answers "manifold" gives: each seed another, none its mean. Other methods have one answer.
    pub seed: Option<u64>,
    /// Where on its manifold of motions "manifold" goes: added to the latent variable's components, in deviations, in the middle of
    /// each gap, and less towards its ends. Those left out count as 0; beyond ±4.5 nothing changes. Other methods have no manifold.
    pub latent: Vec<f32>,
    /// How "dcmoe" moves: one of its styles; by default the usual way between such keys. Other methods have no styles.
    pub style: Option<String>,
    /// Where "dcmoe" goes between two keys: points on the ground, x and z, metres, passed at equal intervals of time on a smooth
    /// curve ([`Session::candidates`] and [`crate::motion::way`] make such). The ends are drawn onto the keys. Other methods find
    /// their own path.
    pub path: Option<Vec<Vec2>>,
    /// Name of the result; the keys' names joined by " + " by default.
    pub name: Option<String>,
}

impl Default for InbetweenOptions {
    fn default() -> Self {
        Self {
            frames: vec![30],
            fps: None,
            foot_lock: true,
            seed: None,
            latent: Vec::new(),
            style: None,
            path: None,
            name: None,
        }
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
