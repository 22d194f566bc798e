//! Training of the manifold in-betweener: first the manifold ([`cvae`]), then the sampler on it ([`sampler`]).
//!
//! On Burn's tape: a step of the sampler is a roll-out whose every frame is some two hundred small operations, and products
//! take most of the time all the same.

pub mod check;
pub mod cvae;
pub mod loss;
pub mod recipe;
pub mod sampler;
pub mod source;
