//! Building blocks of the networks: packed for the CPU, and on Burn where the crate is built with it.

#[cfg(feature = "flex")]
pub mod device;
#[cfg(feature = "flex")]
pub mod normal;
#[cfg(feature = "flex")]
pub mod packed;
#[cfg(feature = "flex")]
pub mod recurrent;
pub mod weights;
