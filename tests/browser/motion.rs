//! The arithmetic of the wasm build (SIMD glam) agrees with the native tests.

use std::f32::consts::FRAC_PI_2;

use glam::{Quat, Vec3};
use wasm_bindgen_test::wasm_bindgen_test;

#[wasm_bindgen_test]
fn quaternions_turn_vectors_the_right_way_round() {
    let turned = Quat::from_rotation_y(FRAC_PI_2) * Vec3::Z;
    assert!(turned.distance(Vec3::X) < 1e-6, "{turned}");
}

#[wasm_bindgen_test]
fn the_module_knows_its_version() {
    assert_eq!(kinestitch::wasm::version(), env!("CARGO_PKG_VERSION"));
}
