//! Recurrent motion refiner: Kim et al., *Recurrent Motion Refiner for Locomotion Stitching*. The network
//! implements section 5, and [`window`] section 6. [`refine`] combines both: rows in, refined rows out.
//!
//! Encoder (two linear layers, each with ReLU) → two recurrent layers of 256 columns per direction → decoder (two
//! linear layers, ReLU between them). One change from the paper: the network predicts corrections of the pose, which
//! are added to its input, instead of the pose. Contacts are predicted directly. The last layer starts at zero, so an
//! untrained network keeps every pose (its contact probabilities are 0.5), and motion that needs no change keeps its
//! detail.
//!
//! Two implementations: [`PackedRmr`] runs on the CPU without Burn; `Rmr` runs on Burn tensors, for training and
//! WebGPU.

#[cfg(feature = "flex")]
pub mod network;
pub mod packed;
pub mod refine;
#[cfg(feature = "flex")]
mod refine_on_gpu;
pub mod window;

#[cfg(feature = "flex")]
pub use network::Rmr;
pub use packed::PackedRmr;
pub use refine::Refinement;
pub use window::WindowOptions;

use crate::feature::layout::RefinerRow;
use crate::nn::recurrent::CellKind;
use serde::{Deserialize, Serialize};

/// The network's name in weight files and the manifest.
pub const NAME: &str = "rmr";
/// Version of the column layout of the network's rows, stored in weight files.
pub const LAYOUT: u32 = RefinerRow::LAYOUT_VERSION;
/// Width of every hidden layer (section 5). Bidirectional recurrent layers have this width in each direction.
pub const HIDDEN: usize = 256;

/// Configuration of a refiner.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Config {
    /// Kind of the recurrent layers.
    pub cell: CellKind,
    /// Dropout between the recurrent layers, in training.
    #[serde(default)]
    pub dropout: f64,
}
