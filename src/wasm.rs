//! The only wasm-bindgen code: opaque handles and typed arrays across the boundary, plain
//! objects by the names of their fields, never JSON.
//!
//! Two modules are built from it. The light one (no features) holds clips and stitching; the networks' one (feature
//! `webgpu`) holds networks alone and is loaded on first need. Neither exports anything of the other.
//!
//! The npm package (`pkg/src`) wraps these in its own types; nothing here is public API.

#[cfg(not(feature = "webgpu"))]
mod clip;
#[cfg(not(feature = "webgpu"))]
mod curves;
#[cfg(not(feature = "webgpu"))]
mod inbetween;
#[cfg(not(feature = "webgpu"))]
mod listener;
#[cfg(not(feature = "webgpu"))]
mod lscore;
#[cfg(feature = "webgpu")]
mod networks;
#[cfg(not(feature = "webgpu"))]
mod options;
#[cfg(not(feature = "webgpu"))]
mod read;
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
    stitch::{DraftHandle, StitchedHandle, Stitcher},
};
#[cfg(feature = "webgpu")]
pub use networks::Refiner;

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
