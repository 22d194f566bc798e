//! Tests of the wasm build in a real browser: `npm test -- browser`. One module per subject.
//!
//! A crate of its own, because `wasm-pack test` compiles all tests of a crate.
#![cfg(all(test, target_arch = "wasm32"))]

use wasm_bindgen_test::wasm_bindgen_test_configure;

mod lscore;
mod motion;

wasm_bindgen_test_configure!(run_in_browser);
