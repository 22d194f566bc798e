//! Training of the manifold in-betweener: first the manifold ([`cvae`]), then the sampler on it ([`sampler`]).
//!
//! Uses Burn's tape. A roll-out of the sampler runs without the tape first; then all its frames are recomputed at once
//! with it ([`rollout`]).

pub mod check;
pub mod cvae;
pub mod loss;
pub mod recipe;
pub mod rollout;
pub mod sampler;
pub mod source;
