//! Clip tools: one verb in each file, over one clip's own frames. What blends clips is [`crate::stitch`]'s; left and
//! right are exchanged by [`crate::motion::mirror`], rates changed by [`crate::motion::resample`].

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
