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

/// What WebGPU would run on.
pub struct Adapter {
    /// Its maker and kind.
    pub name: String,
    /// Whether it is a program on the CPU, not a GPU.
    pub emulated: bool,
}

/// What WebGPU would run on; `None` where there is no WebGPU or nothing for it.
pub async fn adapter() -> Option<Adapter> {
    let navigator = get(&js_sys::global(), "navigator")?;
    let gpu = get(&navigator, "gpu")?;
    let request: Function = get(&gpu, "requestAdapter")?.dyn_into().ok()?;
    let options = Object::new();
    // What Burn asks for. Setting a property of a fresh ordinary object cannot fail.
    let _ = Reflect::set(&options, &"powerPreference".into(), &"high-performance".into());
    let promise: Promise = request.call1(&gpu, &options).ok()?.dyn_into().ok()?;
    let adapter = JsFuture::from(promise).await.ok().filter(is_something)?;
    let info = get(&adapter, "info").unwrap_or(JsValue::UNDEFINED);
    let word = |key| get(&info, key).and_then(|word| word.as_string()).filter(|word| !word.is_empty());
    let words: Vec<String> = [word("vendor"), word("architecture")].into_iter().flatten().collect();
    Some(Adapter {
        emulated: get(&info, "isFallbackAdapter").is_some_and(|is| is.is_truthy())
            || words.iter().any(|word| word == "swiftshader"),
        name: if words.is_empty() { "unnamed".to_owned() } else { words.join(" ") },
    })
}

/// A property that is there and is something.
fn get(object: &JsValue, key: &str) -> Option<JsValue> {
    Reflect::get(object, &key.into()).ok().filter(is_something)
}

fn is_something(value: &JsValue) -> bool {
    !value.is_null() && !value.is_undefined()
}
