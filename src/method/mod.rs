//! Methods: one file or folder each. Gap fillers implement [`filler::Filler`] and are registered in [`FILLERS`].

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

/// All gap fillers, in menu order.
pub const FILLERS: &[Registered] =
    &[interpolate::LINEAR, hermite::FILLER, interpolate::INERTIALIZE, manifold::FILLER, delta::FILLER, dcmoe::FILLER];

/// The default filler, also used where a network's motion is rejected.
pub const DEFAULT: &Registered = &interpolate::INERTIALIZE;

/// The network that fills gaps where none is named and networks are wanted.
pub const DEFAULT_NETWORK: &Registered = &delta::FILLER;

/// Ways to join two clips. Refinement by a network is a separate step ([`crate::stitch::Draft`]).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Join {
    /// The end of one clip is mixed with the beginning of the next; both are shortened by the blend.
    /// [`blend::crossfade`].
    Crossfade,
    /// The next clip starts at once, plus an offset that decays. Keeps every frame of both. [`blend::inertialize`].
    #[default]
    Inertialize,
    /// Inserts the number of frames with the least work and smooths the trajectory. [`lscore::inject::elastic`].
    Lscore,
}

impl Join {
    /// All of them, in menu order.
    pub const ALL: [Join; 3] = [Join::Crossfade, Join::Inertialize, Join::Lscore];

    /// Name of the join in option texts.
    pub fn name(self) -> &'static str {
        match self {
            Join::Crossfade => "crossfade",
            Join::Inertialize => "inertialize",
            Join::Lscore => "lscore",
        }
    }

    /// The join with this name.
    ///
    /// # Errors
    /// [`Error::Option`] with a list of all names.
    pub fn from_name(name: &str) -> Result<Self> {
        Self::ALL.into_iter().find(|join| join.name() == name).ok_or_else(|| {
            let names = Self::ALL.map(Join::name).join(", ");
            Error::Option { option: "method", message: format!("{} is not one of {names}", quoted(name)) }
        })
    }
}
