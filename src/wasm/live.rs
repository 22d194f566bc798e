//! Exports of the live module: in-betweening, networks on the CPU, drafts for the refiner, and scores of cuts, as handles
//! that answer synchronously, frame by frame.

mod auto;
mod candidates;
mod control;
mod draft;
mod inbetween;
mod inbetweener;
mod judge;
mod looper;
mod lscore;
mod periodic;
mod refiner;
mod report;
mod stitch;

use super::{ClipHandle, gathered, inbetween_fields, js_error, listener, options, stitched, value};
