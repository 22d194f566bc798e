//! Name, sizes and parameters of the controller's network, which is a mixture of experts.

pub use crate::nn::mixture::{LAYERS, Parameter, Sizes, parameters};

/// Name of the network in weight files.
pub const NAME: &str = "controller";
