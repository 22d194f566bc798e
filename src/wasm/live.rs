//! Exports of the live module: in-betweening and networks on the CPU, as handles that answer synchronously, frame by
//! frame.

mod auto;
mod candidates;
mod control;
mod inbetween;
mod inbetweener;
mod judge;
mod looper;
mod periodic;
mod refiner;
mod report;
mod stitch;

use super::{ClipHandle, js_error, listener, options, stitched, value, words};
