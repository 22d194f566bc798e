//! Building blocks of the networks, on Burn.

pub mod device;
pub mod normal;
pub mod recurrent;
pub mod weights;
