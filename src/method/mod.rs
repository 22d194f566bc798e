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
pub mod periodic;
pub mod phase;
pub mod random;
pub mod registry;
pub mod rmr;
pub mod supports;
pub mod transition;

use registry::RegistryEntry;

/// All gap fillers, in menu order.
pub const FILLERS: &[RegistryEntry] =
    &[interpolate::LINEAR, hermite::FILLER, interpolate::INERTIALIZE, manifold::FILLER, delta::FILLER, dcmoe::FILLER];

/// The default filler; it also replaces a network whose motion is rejected.
pub const DEFAULT: &RegistryEntry = &interpolate::INERTIALIZE;

/// The network that fills gaps if networks are requested without a name.
pub const DEFAULT_NETWORK: &RegistryEntry = &delta::FILLER;
