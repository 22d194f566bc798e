//! The only wasm-bindgen code: opaque handles and typed arrays across the boundary, plain
//! objects by the names of their fields, never JSON.
//!
//! Two modules are built from it. The light one holds clips, stitching and, with the feature `networks`, networks on the
//! CPU; the other (feature `webgpu`) holds networks on the GPU alone and is loaded where there is one. Neither exports
//! anything of the other.
//!
//! The npm package (`pkg/src`) wraps these in its own types; nothing here is public API.

#[cfg(not(feature = "webgpu"))]
mod clip;
#[cfg(not(feature = "webgpu"))]
mod curves;
#[cfg(feature = "webgpu")]
mod gpu;
#[cfg(not(feature = "webgpu"))]
mod inbetween;
#[cfg(not(feature = "webgpu"))]
mod listener;
#[cfg(not(feature = "webgpu"))]
mod lscore;
#[cfg(not(feature = "webgpu"))]
mod options;
#[cfg(not(feature = "webgpu"))]
mod phase;
#[cfg(not(feature = "webgpu"))]
mod read;
#[cfg(not(feature = "webgpu"))]
mod refiner;
#[cfg(not(feature = "webgpu"))]
mod stitch;
#[cfg(not(feature = "webgpu"))]
mod value;

#[cfg(not(feature = "webgpu"))]
pub use self::{
    clip::ClipHandle,
    inbetween::{InbetweenHandle, InbetweenSession, Keys},
    lscore::SeamScanner,
    options::defaults,
    read::BvhReader,
    refiner::{CpuRefiner, RefinementHandle},
    stitch::{DraftHandle, StitchedHandle, Stitcher},
};
#[cfg(feature = "webgpu")]
pub use gpu::GpuRefiner;

use crate::error::Error;
use js_sys::Reflect;
use wasm_bindgen::prelude::*;

/// Version of the crate inside the wasm module.
#[cfg(not(feature = "webgpu"))]
#[wasm_bindgen]
pub fn version() -> String {
    env!("CARGO_PKG_VERSION").to_owned()
}

/// A JavaScript `Error` with `code`, and `line` and `column` where the error has them.
fn js_error(error: Error) -> JsValue {
    let js = js_sys::Error::new(&error.to_string());
    let set = |key: &str, value: JsValue| {
        // Setting a property of a fresh ordinary object cannot fail.
        let _ = Reflect::set(&js, &key.into(), &value);
    };
    set("code", error.code().into());
    match error {
        Error::Bvh { line, column, .. } => {
            set("line", (line as f64).into());
            set("column", (column as f64).into());
        }
        Error::Option { option, .. } => set("option", option.into()),
        _ => {}
    }
    js.into()
}
