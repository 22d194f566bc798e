//! Clip tools: one operation per file, on a single clip. Blending is in [`mod@crate::stitch`], mirroring in
//! [`crate::motion::mirror`], and rate conversion in [`crate::motion::resample`].

mod at;
mod concat;
mod reverse;
pub mod root_motion;
mod slice;
mod speed;

pub use at::at;
pub use concat::concat;
pub use reverse::reverse;
pub use slice::{frames, slice};
pub use speed::{SPEED_RANGE, speed};
