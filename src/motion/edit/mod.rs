//! Edits of the time of a clip, one operation per file; and [`root_motion`], which removes, restores and computes the
//! movement over the ground. None of them blends or retargets. Blending
//! is in [`mod@crate::stitch`], mirroring in [`crate::motion::mirror`], and conversion of the frame rate in
//! [`crate::motion::resample`].

mod at;
mod concat;
mod reverse;
pub mod root_motion;
mod slice;
mod speed;

pub use at::at;
pub use concat::concat;
pub use reverse::reverse;
pub use slice::slice;
pub use speed::{SPEED_RANGE, speed};
