//! Building blocks of the networks, on Burn.

pub mod device;
pub mod normal;
pub mod packed;
pub mod recurrent;
pub mod weights;
