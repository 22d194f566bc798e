//! What networks need of the browser: a clock, the GPU's adapter, the console.

use js_sys::{Function, Object, Promise, Reflect};
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::JsFuture;

#[wasm_bindgen]
extern "C" {
    #[wasm_bindgen(js_namespace = performance)]
    fn now() -> f64;
    #[wasm_bindgen(js_namespace = console)]
    fn error(message: &str);
}

/// Milliseconds since the page or worker began.
pub fn milliseconds() -> f64 {
    now()
}

/// Writes a panic's message to the console: without it the browser says "unreachable" and no more.
pub fn report_panics() {
    std::panic::set_hook(Box::new(|info| error(&info.to_string())));
}

/// Name of the GPU that WebGPU would run on; `None` where there is no WebGPU or no adapter.
pub async fn adapter() -> Option<String> {
    let navigator = get(&js_sys::global(), "navigator")?;
    let gpu = get(&navigator, "gpu")?;
    let request: Function = get(&gpu, "requestAdapter")?.dyn_into().ok()?;
    let options = Object::new();
    // What Burn asks for. Setting a property of a fresh ordinary object cannot fail.
    let _ = Reflect::set(&options, &"powerPreference".into(), &"high-performance".into());
    let promise: Promise = request.call1(&gpu, &options).ok()?.dyn_into().ok()?;
    let adapter = JsFuture::from(promise).await.ok().filter(is_something)?;
    let info = get(&adapter, "info").unwrap_or(JsValue::UNDEFINED);
    let words = ["vendor", "architecture"].iter().filter_map(|key| get(&info, key)?.as_string());
    let words: Vec<String> = words.filter(|word| !word.is_empty()).collect();
    Some(if words.is_empty() { "unnamed GPU".to_owned() } else { words.join(" ") })
}

/// A property that is there and is something.
fn get(object: &JsValue, key: &str) -> Option<JsValue> {
    Reflect::get(object, &key.into()).ok().filter(is_something)
}

fn is_something(value: &JsValue) -> bool {
    !value.is_null() && !value.is_undefined()
}
