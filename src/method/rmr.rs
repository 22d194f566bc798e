//! Recurrent motion refiner: Kim et al., *Recurrent Motion Refiner for Locomotion Stitching*. [`network`] is section 5.

pub mod network;

pub use network::{CpuRmr, Rmr};
