//! Errors as JavaScript errors.

use js_sys::Reflect;
use kinestitch::Error;
use wasm_bindgen::prelude::*;

/// Sets a property of a fresh ordinary object, which cannot fail.
fn set(object: &js_sys::Error, key: &str, value: JsValue) {
    let _ = Reflect::set(object, &key.into(), &value);
}

/// Throws a panic, which is a bug of this project, as an `Error` with code "wasm" and its message; otherwise JavaScript
/// would see only "unreachable".
#[cfg(not(feature = "webgpu"))]
#[wasm_bindgen(start)]
pub fn start() {
    std::panic::set_hook(Box::new(|info| {
        let error = js_sys::Error::new(&info.to_string());
        set(&error, "code", "wasm".into());
        wasm_bindgen::throw_val(error.into())
    }));
}

/// Converts an error to a JavaScript `Error` with `code`, and with `line`, `column` and `option` if the error has them.
pub(crate) fn js_error(error: Error) -> JsValue {
    let js = js_sys::Error::new(&error.to_string());
    set(&js, "code", error.code().into());
    match error {
        Error::Bvh { line, column, .. } => {
            set(&js, "line", (line as f64).into());
            set(&js, "column", (column as f64).into());
        }
        Error::Option { option, .. } => set(&js, "option", option.into()),
        _ => {}
    }
    js.into()
}
