//! Quality measures of motions: foot skate, jerk, jumps, and distance from ground truth.

pub mod inbetween;
pub mod skate;
pub mod smooth;

pub use inbetween::{Npss, l2p, l2q};
pub use skate::{FootSkate, Sole, foot_skate, soles};
pub(crate) use smooth::jerk_within;
pub use smooth::{SHOWN_FPS, bone_length_error, jerk, largest_step, shown_jerk, shown_peak_jerk, steps};
