//! Building blocks of the networks. Each block has a packed form, which runs on the CPU without Burn. If the crate is
//! built with Burn, most blocks also have a form on tensors, for training and WebGPU. Tests check that both agree.

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
