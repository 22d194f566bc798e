//! Exports of the light module: stitching without networks, and phases.

mod defaults;
mod phase;
mod stitch;

use super::{ClipHandle, curves, gathered, inbetween_fields, js_error, options, stitched, value};
