//! The browser's side of the crate: the only place that knows JavaScript values.

use wasm_bindgen::prelude::wasm_bindgen;

/// Version of the crate inside the wasm module.
#[wasm_bindgen]
pub fn version() -> String {
    env!("CARGO_PKG_VERSION").to_owned()
}
