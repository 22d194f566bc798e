//! Building blocks of the networks, on Burn.

pub mod normal;
pub mod recurrent;
pub mod weights;
