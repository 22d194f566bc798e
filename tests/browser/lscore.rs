//! Compares the map of cuts with a separate smoother per cell, in the browser: equal scores. `bench lscore` measures
//! the times.

use glam::Vec3;
use kinestitch::Progress;
use kinestitch::method::lscore::feature::Features;
use kinestitch::method::lscore::map::Scan;
use kinestitch::method::lscore::{LscoreOptions, reference};
use wasm_bindgen_test::wasm_bindgen_test;

/// Creates the features of a body with 22 joints that move along different curves.
fn wander(frames: usize, phase: f32) -> Features {
    let position = |frame: usize, joint: usize| {
        let (t, shift) = (frame as f32 * 0.13 + phase, joint as f32 * 0.7);
        Vec3::new((t + shift).sin(), (1.7 * t - shift).cos(), (0.6 * t + 2.0 * shift).sin()) * 0.4
    };
    let values = (0..frames)
        .flat_map(|frame| (0..22).map(move |joint| (frame, joint)))
        .map(|(frame, joint)| position(frame, joint));
    Features::new("wander", 22, values.collect()).unwrap()
}

#[wasm_bindgen_test]
fn map_equals_single_evaluations() {
    let options = LscoreOptions::default();
    let (a, b) = (wander(300, 0.0), wander(300, 1.9));
    let scan = Scan::new(a.clone(), b.clone(), &options).unwrap();
    let map = scan.map(scan.takeoffs(), scan.landings(), &mut Progress::silent()).unwrap();
    for i in 0..200 {
        let (takeoff, landing) = (4 + i * 37 % 296, i * 101 % 296);
        let (best, k) = reference::elastic_score(&a, &b, takeoff, landing, &options);
        let (score, inject) = map.at(takeoff, landing).unwrap();
        assert!((f64::from(score) / best - 1.0).abs() < 1e-4, "{takeoff} {landing}: {score} {best}");
        let map_score = reference::score(&a, &b, takeoff, landing, inject, &options);
        assert!(inject == k || map_score / best - 1.0 < 1e-4, "{takeoff} {landing}: k {inject} not {k}");
    }
}
