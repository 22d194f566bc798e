//! Checks the arithmetic of the WebAssembly build, in which glam uses SIMD.

use std::f32::consts::FRAC_PI_2;

use glam::{Quat, Vec3};
use wasm_bindgen_test::wasm_bindgen_test;

#[wasm_bindgen_test]
fn quaternion_rotates_counterclockwise() {
    let turned = Quat::from_rotation_y(FRAC_PI_2) * Vec3::Z;
    assert!(turned.distance(Vec3::X) < 1e-6, "{turned}");
}
