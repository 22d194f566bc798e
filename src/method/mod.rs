//! Methods, one file or folder for each paper. Gap fillers implement [`filler::Filler`] and are listed in [`FILLERS`].

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
pub mod matching;
pub mod periodic;
pub mod phase;
pub mod random;
pub mod registry;
pub mod rmr;
pub mod supports;
pub mod transition;

use crate::error::{Error, Result, quoted};
use registry::RegistryEntry;

/// All gap fillers, in menu order.
pub const FILLERS: &[RegistryEntry] =
    &[interpolate::LINEAR, hermite::FILLER, interpolate::INERTIALIZE, manifold::FILLER, delta::FILLER, dcmoe::FILLER];

/// The default filler; it also replaces a network whose motion is rejected.
pub const DEFAULT: &RegistryEntry = &interpolate::INERTIALIZE;

/// The network that fills gaps if networks are requested without a name.
pub const DEFAULT_NETWORK: &RegistryEntry = &delta::FILLER;

/// Kind of transition between two clips. Refinement by a network is a separate stage ([`crate::stitch::Draft`]).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Join {
    /// Mixes the end of one clip with the beginning of the next. The blended frames are used once, so the result is
    /// shorter than both clips together. [`blend::crossfade`].
    Crossfade,
    /// Starts the next clip at once and adds a decaying offset to it. Keeps every frame of both clips.
    /// [`blend::inertialize`].
    #[default]
    Inertialize,
    /// Inserts as many frames as give the least physical work, and smooths the motion around them.
    /// [`lscore::inject::join_elastic`].
    Lscore,
}

impl Join {
    /// All joins, in menu order.
    pub const ALL: [Join; 3] = [Join::Crossfade, Join::Inertialize, Join::Lscore];

    /// Returns the name of the join in options.
    pub fn name(self) -> &'static str {
        match self {
            Join::Crossfade => "crossfade",
            Join::Inertialize => "inertialize",
            Join::Lscore => "lscore",
        }
    }

    /// Returns the join with this name.
    ///
    /// # Errors
    /// [`Error::Option`] for an unknown name, with a list of all names.
    pub fn from_name(name: &str) -> Result<Self> {
        Self::ALL.into_iter().find(|join| join.name() == name).ok_or_else(|| {
            let names = Self::ALL.map(Join::name).join(", ");
            Error::Option { option: "method", message: format!("{} is not one of {names}", quoted(name)) }
        })
    }
}
