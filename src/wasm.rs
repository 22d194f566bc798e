//! The wasm-bindgen layer. Opaque handles, typed arrays, and plain objects that are read field by field cross the
//! boundary; JSON text never does.
//!
//! Four modules are built from it: the light one with clips, phases, and stitching by a given method without networks;
//! `live` with automatic stitching, stitching by networks, loops, in-betweening, control, scores of cuts and networks on the CPU, loaded on
//! first need; `small` with clips only: reading, writing, resampling, bone mapping, positions and curves; and the
//! module of feature `webgpu` with networks on the GPU only, loaded where a GPU exists. Motions pass between modules as
//! bytes.
//!
//! The npm package (`pkg/src`) wraps the exports of these modules in its own types; the exports are not public API.

#[cfg(not(feature = "webgpu"))]
mod clip;
#[cfg(not(any(feature = "webgpu", feature = "live")))]
mod curves;
#[cfg(not(any(feature = "webgpu", feature = "small", feature = "live")))]
mod edit;
#[cfg(not(any(feature = "webgpu", feature = "small")))]
mod gathered;
#[cfg(feature = "webgpu")]
mod gpu;
#[cfg(not(any(feature = "webgpu", feature = "small")))]
mod inbetween_fields;
#[cfg(not(any(feature = "webgpu", feature = "small", feature = "live")))]
mod light;
#[cfg(not(any(feature = "webgpu", feature = "small")))]
mod listener;
#[cfg(feature = "live")]
mod live;
#[cfg(not(any(feature = "webgpu", feature = "live")))]
mod made;
#[cfg(not(any(feature = "webgpu", feature = "small")))]
mod options;
#[cfg(not(any(feature = "webgpu", feature = "live")))]
mod read;
#[cfg(not(any(feature = "webgpu", feature = "small")))]
mod stitched;
#[cfg(not(feature = "webgpu"))]
mod value;

#[cfg(not(feature = "webgpu"))]
use self::clip::ClipHandle;
use crate::error::Error;
use js_sys::Reflect;
use wasm_bindgen::prelude::*;

/// Turns a panic, which is a bug in this crate, into an `Error` with code "wasm" and its message; otherwise
/// JavaScript would see only "unreachable".
#[cfg(not(feature = "webgpu"))]
#[wasm_bindgen(start)]
pub fn start() {
    std::panic::set_hook(Box::new(|info| {
        let error = js_sys::Error::new(&info.to_string());
        // Setting a property of a fresh ordinary object cannot fail.
        let _ = Reflect::set(&error, &"code".into(), &"wasm".into());
        wasm_bindgen::throw_val(error.into())
    }));
}

/// Converts an error to a JavaScript `Error` with `code`, and with `line`, `column` and `option` if the error has them.
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
