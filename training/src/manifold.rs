//! Training of the manifold in-betweener: first the manifold ([`cvae`]), then the sampler on it ([`sampler`]).
//!
//! On Burn's tape. A step of the sampler is rolled out without it, and its frames are made again all at once
//! ([`rollout`]).

pub mod check;
pub mod cvae;
pub mod loss;
pub mod recipe;
pub mod rollout;
pub mod sampler;
pub mod source;
