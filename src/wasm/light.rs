//! The light module's own: stitching, seams, phases.

mod lscore;
mod options;
mod phase;
mod stitch;

use super::{ClipHandle, curves, js_error, listener, value, words};
