//! Recurrent motion refiner: Kim et al., *Recurrent Motion Refiner for Locomotion Stitching*. The network is section 5,
//! [`window`] section 6; [`refine`] is both together, from rows to rows.
//!
//! Encoder (two linear layers, ReLU) → two recurrent layers of 256 → decoder (two linear layers).
//! One departure: the network adds a correction to its input instead of writing the pose anew (contact columns are
//! written). The last layer starts at zero, so an untrained network is the identity, and what needs no change
//! keeps its detail.
//!
//! It is written twice: [`PackedRmr`] runs on the CPU, without Burn; `Rmr` is on tensors, for training and WebGPU.

#[cfg(feature = "flex")]
pub mod network;
pub mod packed;
pub mod refine;
#[cfg(feature = "flex")]
pub mod rows;
pub mod window;

#[cfg(feature = "flex")]
pub use network::Rmr;
pub use packed::PackedRmr;
pub use refine::Refinement;
pub use window::WindowOptions;

use crate::feature::layout::Refiner;
use crate::nn::recurrent::CellKind;
use serde::{Deserialize, Serialize};

/// The network's name in weight files and the manifest.
pub const NAME: &str = "rmr";
/// Version of its rows.
pub const LAYOUT: u32 = Refiner::VERSION;
/// Width of every hidden layer (section 5).
pub const HIDDEN: usize = 256;

/// What a refiner is built by.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Config {
    /// Kind of its recurrent layers.
    pub cell: CellKind,
    /// Dropout between them, in training.
    #[serde(default)]
    pub dropout: f64,
}
