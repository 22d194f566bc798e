//! Motion matching: a character moves by always playing the recorded frame whose past and future fit best.
//!
//! S. Clavet, "Motion Matching and The Road to Next-Gen Animation", GDC 2016; columns, weights and the exact search by
//! boxes as in D. Holden's reference (Holden et al. 2020, *Learned Motion Matching*, section 3, and its published
//! source). For frame i and query x the cost is Σₖ wₖ² (xₖ − fᵢₖ)² over normalised columns ([`feature`]): positions and
//! velocities of the limbs on the ground, velocity of the hips, and the way and facing ⅓, ⅔ and 1 s ahead.
//!
//! Differences from the paper, for packs of few clips:
//! - loops are closed: the way ahead of a frame goes on over the end of its loop ([`take`]);
//! - between two loops of different speed, further loops are blended in step ([`blend`]);
//! - the ground pose of a loop is the mean way and heading of its gait, not the pelvis, which sways;
//! - clips made in place get their travel from their feet ([`travel`]);
//! - mirrored copies double what turns to one side only.
//!
//! [`crate::control::matching`] plays the database.

pub mod blend;
mod coverage;
pub mod cycle;
pub mod database;
pub mod feature;
mod prepare;
pub mod search;
pub mod tag;
pub mod take;
pub mod travel;

pub use database::{Coverage, Database, DatabaseOptions, Source};
pub use tag::Tag;
pub use take::Take;

/// Frames per second of a database.
pub const FPS: f64 = 30.0;
