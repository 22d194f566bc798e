//! Values that `kinestitch/three` must compute too, without wasm: decaying offsets, rotation vectors, two-bone inverse
//! kinematics and the fade of foot holds. This test compares them with `tests/fixtures/shared-vectors.json`, and
//! `pkg/test/shared-vectors.test.mjs` compares TypeScript with that file.
//!
//!     WRITE_VECTORS=1 cargo test --release -p native-tests shared_vectors::    writes the file

use glam::{Quat, Vec3};
use kinestitch::motion::ease::smoothstep;
use kinestitch::motion::ik::TwoBone;
use kinestitch::motion::inertialize::Decay;
use kinestitch::motion::quat::log;
use serde_json::{Value, json};
use std::path::Path;

/// Largest difference from the stored values.
const TOLERANCE: f64 = 1e-5;

/// Offsets that move towards zero, along x: the quintic alone, without the braked part. Times in frames of 1/30 s.
fn decays() -> Vec<Value> {
    let mut vectors = Vec::new();
    for (offset, velocity, frames) in
        [(1.0_f32, 0.0_f32, 9.0_f32), (0.4, -0.05, 12.0), (0.2, -0.04, 15.0), (-0.3, 0.02, 9.0), (0.05, -0.01, 30.0)]
    {
        let decay = Decay::new(Vec3::X * offset, Vec3::X * velocity, frames, 10.0);
        for time in [0.0, 1.0, 2.5, 5.0, 8.0, 14.0, 31.0] {
            let value = decay.offset_at(time).x;
            vectors.push(
                json!({ "offset": offset, "velocity": velocity, "frames": frames, "time": time, "value": value }),
            );
        }
    }
    vectors
}

fn rotations() -> Vec<Quat> {
    vec![
        Quat::IDENTITY,
        Quat::from_rotation_x(0.3),
        Quat::from_axis_angle(Vec3::new(1.0, -2.0, 0.5).normalize(), 2.9),
        -Quat::from_rotation_y(1.1),
        Quat::from_axis_angle(Vec3::new(0.2, 0.3, -0.7).normalize(), 1e-4),
    ]
}

/// Legs whose knees are bent, and nearer targets.
fn legs() -> Vec<Value> {
    let mut vectors = Vec::new();
    for (bend, lean, yaw) in [(0.6_f32, 0.1_f32, 0.0_f32), (1.2, -0.4, 0.7), (1.9, 0.6, -2.0)] {
        let heading = Quat::from_rotation_y(yaw);
        let root = Vec3::new(0.1, 0.95, -0.2);
        let middle = root + heading * Quat::from_rotation_x(-lean) * Vec3::new(0.0, -0.45, 0.0);
        let end = middle + heading * Quat::from_rotation_x(bend - lean) * Vec3::new(0.0, -0.42, 0.0);
        let leg = TwoBone { root, middle, end, hinge: heading * Vec3::X };
        // Legs that bend further: TypeScript straightens a leg more slowly, because its poses follow each other.
        for shift in [Vec3::ZERO, Vec3::new(0.0, 0.05, 0.0), Vec3::new(-0.05, 0.1, 0.04), Vec3::new(0.03, 0.15, -0.05)]
        {
            let target = end + shift;
            if (target - root).length() > (end - root).length() + 1e-6 {
                continue;
            }
            let reach = leg.reach(target);
            let knee = root + reach.upper * (middle - root);
            let ankle = knee + reach.upper * (reach.lower * (end - middle));
            vectors.push(json!({
                "hip": root.to_array(), "knee": middle.to_array(), "ankle": end.to_array(),
                "hinge": (heading * Vec3::X).to_array(), "target": target.to_array(),
                "solvedKnee": knee.to_array(), "solvedAnkle": ankle.to_array(),
            }));
        }
    }
    vectors
}

fn vectors() -> Value {
    let logs = rotations().into_iter().map(|q| json!({ "rotation": q.to_array(), "vector": log(q).to_array() }));
    let fades =
        (0..=10).map(|i| i as f32 / 10.0).map(|weight| json!({ "weight": weight, "value": smoothstep(weight) }));
    json!({
        "about": "Written by tests/native/shared_vectors.rs; read by pkg/test/shared-vectors.test.mjs. Metres, radians; velocity per frame.",
        "decays": decays(),
        "logs": logs.collect::<Vec<_>>(),
        "legs": legs(),
        "fades": fades.collect::<Vec<_>>(),
    })
}

/// Asserts that two values are equal, numbers except for rounding.
fn assert_near(actual: &Value, stored: &Value, path: &str) {
    match (actual, stored) {
        (Value::Number(a), Value::Number(b)) => {
            let (a, b) = (a.as_f64().unwrap(), b.as_f64().unwrap());
            assert!((a - b).abs() <= TOLERANCE, "{path}: {a}, stored {b}; run with WRITE_VECTORS=1");
        }
        (Value::Array(a), Value::Array(b)) => {
            assert_eq!(a.len(), b.len(), "{path}");
            for (i, (a, b)) in a.iter().zip(b).enumerate() {
                assert_near(a, b, &format!("{path}[{i}]"));
            }
        }
        (Value::Object(a), Value::Object(b)) => {
            assert_eq!(a.keys().collect::<Vec<_>>(), b.keys().collect::<Vec<_>>(), "{path}");
            for (key, value) in a {
                assert_near(value, &b[key], &format!("{path}.{key}"));
            }
        }
        _ => assert_eq!(actual, stored, "{path}"),
    }
}

#[test]
fn values_that_typescript_computes_too_are_those_of_the_shared_file() {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../fixtures/shared-vectors.json");
    let actual = vectors();
    if std::env::var_os("WRITE_VECTORS").is_some() {
        std::fs::write(&file, serde_json::to_string_pretty(&actual).unwrap() + "\n").unwrap();
    }
    let stored = serde_json::from_str(&std::fs::read_to_string(&file).unwrap()).unwrap();
    assert_near(&actual, &stored, "vectors");
}
