//! The clock of the thread, for durations in reports.

use js_sys::Reflect;
use wasm_bindgen::JsCast;
use web_sys::Performance;

/// Returns the time of the global object's clock, milliseconds: pages, workers and Node have one. 0 without a clock.
pub(super) fn now() -> f64 {
    let clock = Reflect::get(&js_sys::global(), &"performance".into());
    clock.ok().and_then(|clock| clock.dyn_into::<Performance>().ok()).map_or(0.0, |clock| clock.now())
}
