//! Defaults of the package's options, for help texts and the page.

use super::inbetween_fields::InbetweenFields;
use super::options::{CutFields, LoopFields, ScoreFields};
use super::value::to_js;
use kinestitch::contract::{BLEND_SECS, Ground, Heading, MAX_CUT_SECS, StitchOptions};
use serde::Serialize;
use wasm_bindgen::prelude::*;

/// Defaults of `stitch` under the names of its flat options.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct StitchDefaults {
    method: &'static str,
    seam: &'static str,
    blend: f64,
    keep: bool,
    max_cut: f64,
    #[serde(flatten)]
    score: ScoreFields,
    foot_lock: bool,
    ground: Ground,
    heading: Heading,
}

impl Default for StitchDefaults {
    fn default() -> Self {
        let StitchOptions { foot_lock, ground, heading, .. } = StitchOptions::default();
        let (blend, max_cut, score) = (BLEND_SECS, MAX_CUT_SECS, ScoreFields::default());
        Self { method: "auto", seam: "keep", blend, keep: false, max_cut, score, foot_lock, ground, heading }
    }
}

#[derive(Default, Serialize)]
struct Defaults {
    stitch: StitchDefaults,
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
