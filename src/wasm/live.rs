//! The live module's own: in-betweening and networks on the CPU. What it makes are handles that answer at once, frame by frame.

mod candidates;
mod control;
mod inbetween;
mod inbetweener;
mod judge;
mod periodic;
mod refiner;
mod stitch;

use super::{ClipHandle, js_error, listener, options, stitched, value, words};
