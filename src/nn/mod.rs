//! Building blocks of the networks. Each has a packed form, which runs on the CPU without Burn, and, where the crate
//! is built with Burn, a form on tensors for training and WebGPU. Tests check that both agree.

pub mod activation;
pub mod attention;
pub mod dense;
#[cfg(feature = "flex")]
pub mod device;
pub mod experts;
pub mod matrix;
pub mod mixture;
pub mod normal;
pub mod recurrent;
pub mod simd;
pub mod weights;
