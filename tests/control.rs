//! The controller under any wish: nothing it is asked makes it other than a body on its bones.

#[path = "common/controller.rs"]
mod made;

use glam::{Vec2, Vec3};
use kinestitch::body::{Character, GroundFrame, biped, dog};
use kinestitch::control::{Control, Controller, Pose};
use kinestitch::feature::controller::FPS;
use kinestitch::method::controller::Network;
use kinestitch::nn::weights::{Precision, Weights};
use std::sync::Arc;

fn controller(character: &Character, size: f32) -> Controller {
    let bytes = made::made(character, 2, size, Precision::F32);
    Controller::new(Arc::new(Network::read(&Weights::read(&bytes).unwrap()).unwrap())).unwrap()
}

fn walk() -> Control {
    Control { direction: Vec2::new(0.0, 1.0), speed: 1.0, ..Control::default() }
}

/// Finite, unit, and on its bones.
fn check(controller: &Controller, pose: &Pose, what: &str) {
    let joints = controller.skeleton().joints();
    assert_eq!((pose.rotations.len(), pose.positions.len()), (joints.len(), joints.len()), "{what}");
    assert!(pose.root.is_finite(), "{what}");
    for (index, joint) in joints.iter().enumerate() {
        assert!(pose.rotations[index].is_normalized(), "{what}: joint {index}: {}", pose.rotations[index]);
        if let Some(parent) = joint.parent {
            let length = pose.positions[index].distance(pose.positions[parent]);
            assert!((length - joint.offset.length()).abs() < 1e-4, "{what}: bone of joint {index} is {length}");
        }
    }
}

#[test]
fn every_wish_leaves_a_body_on_its_bones() {
    let (bad, big) = (f32::NAN, f32::MAX);
    let wishes = [
        Control::default(),
        walk(),
        Control { direction: Vec2::new(bad, 1.0), speed: bad, facing: Some(bad), ..walk() },
        Control { direction: Vec2::new(big, -big), speed: 100.0, ..walk() },
        Control { direction: Vec2::new(1e-30, 0.0), speed: big, facing: Some(1e30), ..walk() },
        Control { direction: Vec2::splat(f32::INFINITY), speed: f32::NEG_INFINITY, ..walk() },
        Control { style: 99, action: Some(99), ..walk() },
        Control { action: Some(3), ..walk() },
    ];
    for character in [biped(), dog()] {
        // Ten: what it says is far from any body.
        for size in [0.02, 10.0] {
            let mut controller = controller(character, size);
            let mut pose = Pose::default();
            for (index, want) in wishes.iter().enumerate() {
                for seconds in [1.0 / 60.0, 0.0, -1.0, 2.0, f64::NAN, f64::INFINITY, 1.0 / 144.0] {
                    controller.step(want, seconds, &mut pose);
                    check(&controller, &pose, &format!("{} wish {index} for {seconds} s", character.name));
                }
            }
            // The stick spins.
            for step in 0..200 {
                let want = Control { direction: Vec2::from_angle(step as f32 * 2.0), ..walk() };
                controller.step(&want, 1.0 / 60.0, &mut pose);
            }
            check(&controller, &pose, "spinning");
            assert!(controller.path().iter().all(|sample| sample.place.is_finite() && sample.ahead.is_normalized()));
            assert!(controller.phases().iter().all(|phase| phase.is_finite()));
        }
    }
}

#[test]
fn no_time_changes_nothing_and_a_pause_is_a_quarter_of_a_second() {
    let mut one = controller(dog(), 0.02);
    let mut two = controller(dog(), 0.02);
    let (mut first, mut second) = (Pose::default(), Pose::default());
    one.step(&walk(), 0.1, &mut first);
    let before = first.clone();
    one.step(&walk(), 0.0, &mut first);
    assert_eq!(first, before);
    two.step(&walk(), 0.1, &mut second);
    one.step(&walk(), 60.0, &mut first);
    two.step(&walk(), 0.25, &mut second);
    assert_eq!(first, second);
}

#[test]
fn the_motion_is_the_same_at_any_display_rate() {
    let frames = |fps: f64| {
        let mut controller = controller(biped(), 0.05);
        let mut pose = Pose::default();
        controller.record();
        for _ in 0..fps as usize {
            controller.step(&walk(), 1.0 / fps, &mut pose);
        }
        controller.recorded().unwrap().unwrap()
    };
    let slow = frames(30.0);
    assert_eq!(slow.frames(), 30);
    for fps in [60.0, 75.0, 144.0] {
        let fast = frames(fps);
        let shared = slow.frames().min(fast.frames());
        assert!(shared >= 29, "{fps}: {} frames", fast.frames());
        assert_eq!(fast.rotations()[..shared * fast.joints()], slow.rotations()[..shared * slow.joints()], "{fps}");
    }
}

#[test]
fn it_is_placed_and_recorded() {
    let mut controller = controller(dog(), 0.02);
    let mut pose = Pose::default();
    assert!(controller.recorded().unwrap().is_none());
    controller.place(GroundFrame { position: Vec3::new(3.0, 7.0, -2.0), heading: 1.0 });
    assert_eq!((controller.root().position, controller.root().heading), (Vec3::new(3.0, 0.0, -2.0), 1.0));
    controller.record();
    for _ in 0..30 {
        controller.step(&walk(), 1.0 / FPS, &mut pose);
    }
    let clip = controller.recorded().unwrap().unwrap();
    assert_eq!((clip.frames(), clip.joints()), (30, dog().len()));
    assert!((clip.fps() - FPS).abs() < 1e-9);
    assert!(controller.recorded().unwrap().is_none());
    controller.place(GroundFrame { position: Vec3::splat(f32::NAN), heading: f32::INFINITY });
    assert_eq!((controller.root().position, controller.root().heading), (Vec3::ZERO, 0.0));
}

#[test]
fn files_of_other_networks_and_bones_are_refused() {
    let read = |bytes: &[u8]| Network::read(&Weights::read(bytes).unwrap()).map(drop);
    for precision in [Precision::F32, Precision::F16, Precision::Int8] {
        read(&made::made(dog(), 1, 0.02, precision)).unwrap();
    }
    let swap = |from: &str, to: &str| {
        let bytes = made::made(dog(), 1, 0.02, Precision::F32);
        let at = bytes.windows(from.len()).position(|window| window == from.as_bytes()).unwrap();
        [&bytes[..at], to.as_bytes(), &bytes[at + from.len()..]].concat()
    };
    for (from, to, says) in [
        ("\\\"controller\\\"", "\\\"controlled\\\"", "network \"controlled\""),
        ("\\\"dog\\\"", "\\\"cat\\\"", "character"),
        ("\\\"layout\\\":1", "\\\"layout\\\":9", "layout"),
        ("\\\"hidden\\\":16", "\\\"hidden\\\":17", "needed"),
    ] {
        let error = read(&swap(from, to)).unwrap_err();
        assert_eq!(error.code(), "weights");
        assert!(error.to_string().contains(says), "{error}");
    }
}
