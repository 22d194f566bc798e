//! The only wasm-bindgen code: opaque handles, typed arrays and plain strings across the boundary, never JSON.
//!
//! The npm package (`pkg/src`) wraps these in its own types; nothing here is public API.

mod clip;
mod curves;
mod lscore;
mod read;
mod stitch;

pub use clip::ClipHandle;
pub use curves::CurvesHandle;
pub use lscore::SeamScanner;
pub use read::BvhReader;
pub use stitch::{StitchedHandle, Stitcher};

use crate::error::Error;
use js_sys::Reflect;
use wasm_bindgen::prelude::*;

/// Version of the crate inside the wasm module.
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
    if let Error::Bvh { line, column, .. } = error {
        set("line", (line as f64).into());
        set("column", (column as f64).into());
    }
    js.into()
}
