//! Kinestitch: motion clips in, one natural motion out.
//!
//! Modules in dependency order; each uses only those above it (tests/layering.rs checks that).

pub mod body;
pub mod error;
pub mod feature;
pub mod inbetween;
pub mod method;
pub mod metrics;
pub mod motion;
pub mod nn;
pub mod progress;
pub mod stitch;
#[cfg(feature = "train")]
pub mod train;
#[cfg(target_arch = "wasm32")]
pub mod wasm;

pub use error::{Error, Result};
pub use method::Join;
pub use motion::clip::Clip;
pub use motion::skeleton::{Channel, Joint, Skeleton};
pub use progress::{Progress, Stage};
pub use stitch::{Input, Refined, Seam, SeamChoice, StitchOptions, Stitched, stitch};
