//! What the controller's network is called, and what it is made of.

pub use crate::nn::mixture::{LAYERS, Parameter, Sizes, parameters};

/// Name of the network in weight files.
pub const NAME: &str = "controller";
