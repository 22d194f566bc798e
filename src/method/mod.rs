//! Methods: one file or folder each. Those that fill gaps implement [`filler::Filler`] and stand in [`FILLERS`].

pub mod blend;
pub mod controller;
pub mod dcmoe;
pub mod delta;
pub mod filler;
pub mod frame;
pub mod gallery;
pub mod hermite;
pub mod interpolate;
pub mod lscore;
pub mod manifold;
pub mod periodic;
pub mod phase;
pub mod random;
pub mod registry;
pub mod rmr;
pub mod transition;

use crate::error::{Error, Result, quoted};
use registry::Registered;

/// Every gap filler, in the order a menu shows them.
pub const FILLERS: &[Registered] =
    &[interpolate::LINEAR, hermite::FILLER, interpolate::INERTIALIZE, manifold::FILLER, delta::FILLER, dcmoe::FILLER];

/// The filler where none is named, and where a network's motion is refused.
pub const DEFAULT: &Registered = &interpolate::INERTIALIZE;

/// How two clips are joined. What a network makes of the joined motion is a step of its own ([`crate::stitch::Draft`]).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Join {
    /// The end of one clip is mixed into the beginning of the next; both shorten by the blend. [`blend::crossfade`].
    Crossfade,
    /// The next clip starts at once, plus an offset that decays. Keeps every frame of both. [`blend::inertialize`].
    #[default]
    Inertialize,
    /// As many frames as take the least work are put in between, the trajectory smoothed. [`lscore::inject::elastic`].
    Lscore,
}

impl Join {
    /// All of them, in the order a menu shows them.
    pub const ALL: [Join; 3] = [Join::Crossfade, Join::Inertialize, Join::Lscore];

    /// The word programs use.
    pub fn name(self) -> &'static str {
        match self {
            Join::Crossfade => "crossfade",
            Join::Inertialize => "inertialize",
            Join::Lscore => "lscore",
        }
    }

    /// The join of that name.
    ///
    /// # Errors
    /// [`Error::Option`] naming all of them.
    pub fn from_name(name: &str) -> Result<Self> {
        Self::ALL.into_iter().find(|join| join.name() == name).ok_or_else(|| {
            let names = Self::ALL.map(Join::name).join(", ");
            Error::Option { option: "method", message: format!("{} is not one of {names}", quoted(name)) }
        })
    }
}
