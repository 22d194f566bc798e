//! Name and sizes of the controller's network.

pub use crate::nn::mixture::{LAYERS, Parameter, Sizes, parameters};

/// Name of the network in weight files.
pub const NAME: &str = "controller";
