//! Training of the manifold in-betweener: first the manifold ([`cvae`]), then the sampler on the manifold
//! ([`sampler`]).
//!
//! A rollout generates the frames of a gap one after the other. In training, the sampler's rollout first runs without
//! gradients. Then all its frames are recomputed at once, with gradients ([`rollout`]).

pub mod check;
pub mod cvae;
pub mod loss;
pub mod recipe;
pub mod rollout;
pub mod sampler;
pub mod source;
