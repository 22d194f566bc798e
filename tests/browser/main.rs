//! Tests of the wasm build in a real browser: `npm test -- browser`, or directly
//! `wasm-pack test --headless --chrome -- --test browser`. One module per subject.
#![cfg(target_arch = "wasm32")]

use wasm_bindgen_test::wasm_bindgen_test_configure;

mod lscore;
mod motion;

wasm_bindgen_test_configure!(run_in_browser);
