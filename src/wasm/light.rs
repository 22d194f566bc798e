//! Exports of the light module: stitching without networks, and phases.

mod defaults;
mod phase;
mod stitch;

use super::{ClipHandle, curves, gathered, js_error, options, stitched, value, words};
