//! Defaults of the package's options, for help texts and the page.

use super::inbetween_fields::InbetweenFields;
use super::options::{CutFields, LoopFields, ScoreFields, StitchFields};
use super::value::to_js;
use serde::Serialize;
use wasm_bindgen::prelude::*;

#[derive(Default, Serialize)]
struct Defaults {
    stitch: StitchFields,
    score: ScoreFields,
    cuts: CutFields,
    inbetween: InbetweenFields,
    r#loop: LoopFields,
}

/// Returns the default of every option that has one, by function.
///
/// # Errors
/// None known.
#[wasm_bindgen]
pub fn defaults() -> Result<JsValue, JsValue> {
    to_js(&Defaults::default())
}
