//! Exports of the light module: stitching, seams, phases.

mod lscore;
mod phase;
mod stitch;

use super::{ClipHandle, curves, js_error, listener, options, stitched, value};
