//! The controller: bone lengths are kept for arbitrary requests, noise, jumps, and motion on the skeletons of users.

use crate::common::controller as small_controller;
use crate::common::fixtures::{fixture, repository};
use glam::{Vec2, Vec3};
use kinestitch::body::{Character, GroundPose, biped, dog};
use kinestitch::control::{Control, Controller, Pose};
use kinestitch::feature::controller::FPS;
use kinestitch::method::controller::Network;
use kinestitch::metrics::skate::{Sole, foot_skate};
use kinestitch::motion::clip::Clip;
use kinestitch::motion::rig::Role;
use kinestitch::nn::weights::{Precision, Weights};
use std::sync::Arc;

fn random_controller(character: &Character, deviation: f32) -> Controller {
    let bytes = small_controller::weight_file(character, 2, deviation, Precision::F32);
    Controller::new(Arc::new(Network::read(&Weights::read(&bytes).unwrap()).unwrap())).unwrap()
}

fn walk_request() -> Control {
    Control { direction: Vec2::new(0.0, 1.0), speed: 1.0, ..Control::default() }
}

/// Asserts finite values, unit quaternions and constant bone lengths. `context`: beginning of the messages.
fn check(controller: &Controller, pose: &Pose, context: &str) {
    let joints = controller.skeleton().joints();
    assert_eq!((pose.rotations.len(), pose.positions.len()), (joints.len(), joints.len()), "{context}");
    assert!(pose.root.is_finite(), "{context}");
    for (index, joint) in joints.iter().enumerate() {
        assert!(pose.rotations[index].is_normalized(), "{context}: joint {index}: {}", pose.rotations[index]);
        // On a user's skeleton, joints with translations may move relative to their parents.
        if let Some(parent) = joint.parent.filter(|_| controller.skeleton().translation_slot(index).is_none()) {
            let length = pose.positions[index].distance(pose.positions[parent]);
            assert!((length - joint.offset.length()).abs() < 1e-4, "{context}: bone of joint {index} is {length}");
        }
    }
}

#[test]
fn bone_lengths_are_kept_for_every_request() {
    let (nan, max) = (f32::NAN, f32::MAX);
    let requests = [
        Control::default(),
        walk_request(),
        Control { direction: Vec2::new(nan, 1.0), speed: nan, facing: Some(nan), ..walk_request() },
        Control { direction: Vec2::new(max, -max), speed: 100.0, ..walk_request() },
        Control { direction: Vec2::new(1e-30, 0.0), speed: max, facing: Some(1e30), ..walk_request() },
        Control { direction: Vec2::splat(f32::INFINITY), speed: f32::NEG_INFINITY, ..walk_request() },
        Control { style: 99, action: Some(99), ..walk_request() },
        Control { action: Some(3), ..walk_request() },
        Control { noise: nan, seed: u32::MAX, ..walk_request() },
        Control { noise: max, seed: 1, ..walk_request() },
        Control { noise: -1.0, ..walk_request() },
    ];
    for character in [biped(), dog()] {
        // With a deviation of 10, the output is far from any body.
        for (deviation, spread) in [(0.02, 1.0), (10.0, 1e6)] {
            let network = Network::read(
                &Weights::read(&small_controller::weight_file_with_noise(character, deviation, spread)).unwrap(),
            )
            .unwrap();
            let mut controller = Controller::new(Arc::new(network)).unwrap();
            let mut pose = Pose::default();
            for (index, request) in requests.iter().enumerate() {
                for seconds in [1.0 / 60.0, 0.0, -1.0, 2.0, f64::NAN, f64::INFINITY, 1.0 / 144.0] {
                    controller.step(request, seconds, &mut pose);
                    check(&controller, &pose, &format!("{}, request {index} for {seconds} s", character.name));
                }
            }
            // The direction rotates, as with a stick of a gamepad.
            for step in 0..200 {
                let request = Control { direction: Vec2::from_angle(step as f32 * 2.0), ..walk_request() };
                controller.step(&request, 1.0 / 60.0, &mut pose);
            }
            check(&controller, &pose, "rotating direction");
            assert!(
                controller.path().iter().all(|sample| sample.position.is_finite() && sample.facing.is_normalized())
            );
            assert!(controller.phases().iter().all(|phase| phase.is_finite()));
        }
    }
}

/// Generates two seconds of a walk.
fn generate_walk(bytes: &[u8], noise: f32, seed: u32) -> Clip {
    let mut controller = Controller::new(Arc::new(Network::read(&Weights::read(bytes).unwrap()).unwrap())).unwrap();
    let mut pose = Pose::default();
    controller.record();
    for _ in 0..60 {
        controller.step(&Control { noise, seed, ..walk_request() }, 1.0 / FPS, &mut pose);
    }
    controller.finish_recording().unwrap().unwrap()
}

#[test]
fn each_seed_gives_one_motion_and_without_noise_seeds_have_no_effect() {
    for character in [biped(), dog()] {
        let (plain, varying) = (
            small_controller::weight_file(character, 2, 0.02, Precision::F32),
            small_controller::weight_file_with_noise(character, 0.02, 0.5),
        );
        let rotations = |bytes: &[u8], noise: f32, seed: u32| generate_walk(bytes, noise, seed).rotations().to_vec();
        let without = rotations(&plain, 0.0, 0);
        assert_eq!(rotations(&varying, 0.0, 3), without);
        assert_eq!(rotations(&plain, 1.0, 3), without, "weights without generative control");
        let seed_3 = rotations(&varying, 0.5, 3);
        assert_ne!(seed_3, without);
        assert_eq!(rotations(&varying, 0.5, 3), seed_3);
        assert_ne!(rotations(&varying, 0.5, 4), seed_3);
    }
}

#[test]
fn the_effect_of_noise_that_is_switched_off_fades_out() {
    let bytes = small_controller::weight_file_with_noise(dog(), 0.02, 0.5);
    let mut controller = Controller::new(Arc::new(Network::read(&Weights::read(&bytes).unwrap()).unwrap())).unwrap();
    let mut pose = Pose::default();
    let mut expert_weights = |noise: f32, frames: usize| {
        controller.place(GroundPose { position: Vec3::ZERO, heading: 0.0 });
        for frame in 0..frames {
            let noise = if frame < 20 { noise } else { 0.0 };
            controller.step(&Control { noise, seed: 2, ..walk_request() }, 1.0 / FPS, &mut pose);
        }
        controller.expert_weights().to_vec()
    };
    let max_difference = |a: &[f32], b: &[f32]| a.iter().zip(b).map(|(a, b)| (a - b).abs()).fold(0.0, f32::max);
    let during_noise = max_difference(&expert_weights(1.0, 20), &expert_weights(0.0, 20));
    assert!(during_noise > 1e-5);
    // The motions differ by then, but the noise is gone.
    let after_noise = max_difference(&expert_weights(1.0, 400), &expert_weights(0.0, 400));
    assert!(after_noise < 0.2 * during_noise, "{after_noise} after the noise, {during_noise} during it");
}

#[test]
fn a_step_of_zero_seconds_changes_nothing_and_a_long_step_counts_as_a_quarter_of_a_second() {
    let (mut a, mut b) = (random_controller(dog(), 0.02), random_controller(dog(), 0.02));
    let (mut pose_a, mut pose_b) = (Pose::default(), Pose::default());
    a.step(&walk_request(), 0.1, &mut pose_a);
    let previous_pose = pose_a.clone();
    a.step(&walk_request(), 0.0, &mut pose_a);
    assert_eq!(pose_a, previous_pose);
    b.step(&walk_request(), 0.1, &mut pose_b);
    a.step(&walk_request(), 60.0, &mut pose_a);
    b.step(&walk_request(), 0.25, &mut pose_b);
    assert_eq!(pose_a, pose_b);
}

#[test]
fn the_motion_is_the_same_at_any_display_rate() {
    let record = |fps: f64| {
        let mut controller = random_controller(biped(), 0.05);
        let mut pose = Pose::default();
        controller.record();
        for _ in 0..fps as usize {
            controller.step(&walk_request(), 1.0 / fps, &mut pose);
        }
        controller.finish_recording().unwrap().unwrap()
    };
    let slow = record(30.0);
    assert_eq!(slow.frames(), 30);
    for fps in [60.0, 75.0, 144.0] {
        let fast = record(fps);
        let common_frames = slow.frames().min(fast.frames());
        assert!(common_frames >= 29, "{fps}: {} frames", fast.frames());
        assert_eq!(
            fast.rotations()[..common_frames * fast.joints()],
            slow.rotations()[..common_frames * slow.joints()],
            "{fps}"
        );
    }
}

#[test]
fn a_character_is_placed_and_recorded() {
    let mut controller = random_controller(dog(), 0.02);
    let mut pose = Pose::default();
    assert!(controller.finish_recording().unwrap().is_none());
    controller.place(GroundPose { position: Vec3::new(3.0, 7.0, -2.0), heading: 1.0 });
    assert_eq!((controller.root().position, controller.root().heading), (Vec3::new(3.0, 0.0, -2.0), 1.0));
    controller.record();
    for _ in 0..30 {
        controller.step(&walk_request(), 1.0 / FPS, &mut pose);
    }
    let clip = controller.finish_recording().unwrap().unwrap();
    assert_eq!((clip.frames(), clip.joints()), (30, dog().len()));
    assert!((clip.fps() - FPS).abs() < 1e-9);
    assert!(controller.finish_recording().unwrap().is_none());
    controller.place(GroundPose { position: Vec3::splat(f32::NAN), heading: f32::INFINITY });
    assert_eq!((controller.root().position, controller.root().heading), (Vec3::ZERO, 0.0));
}

/// Reads a network of models/.
fn read_model(name: &str) -> Arc<Network> {
    let models = repository("models");
    Arc::new(Network::read(&Weights::read(&std::fs::read(models.join(name)).unwrap()).unwrap()).unwrap())
}

#[test]
fn feet_stand_or_clear_the_ground() {
    let network = read_model("controller-biped-open.safetensors");
    let (character, rest) = (network.character, network.config.rest.clone());
    let mut controller = Controller::new(network).unwrap();
    let mut pose = Pose::default();
    controller.record();
    for _ in 0..450 {
        controller.step(&Control { speed: 1.3, ..walk_request() }, 1.0 / FPS, &mut pose);
    }
    let clip = controller.finish_recording().unwrap().unwrap();
    let soles = character.contacts.iter().zip(rest);
    let soles: Vec<Sole> = soles.map(|(contact, rest)| Sole { joint: contact.joint, resting_height: rest }).collect();
    let skate = foot_skate(&clip, &soles, 30..clip.frames());
    let speed = skate.slide * FPS as f32;
    // For comparison: 0.54 without the lifting of swinging feet.
    assert!(speed < 0.35 && skate.low > 0.3, "feet slide at {speed} m/s, low in {} of the frames", skate.low);
}

#[test]
fn a_person_jumps_once_for_a_request_however_short() {
    let network = read_model("controller-biped-open.safetensors");
    let action = network.config.actions.iter().position(|name| name == "jump");
    assert!(action.is_some(), "{:?}", network.config.actions);
    let mut controller = Controller::new(network).unwrap();
    let (stand, jump) = (Control::default(), Control { action, ..Control::default() });
    let mut pose = Pose::default();
    let mut heights = Vec::new();
    for step in 0..240 {
        // At 60 steps per second, every second step computes no network frame.
        let request = if step == 60 { &jump } else { &stand };
        controller.step(request, 1.0 / 60.0, &mut pose);
        heights.push(pose.root.y);
    }
    let highest = |range: std::ops::Range<usize>| heights[range].iter().copied().fold(0.0, f32::max);
    let rise = highest(60..150) - heights[59];
    assert!(rise > 0.15, "the hips rise by {rise} m");
    assert!(highest(170..240) - heights[59] < 0.05, "one request is one jump");
}

#[test]
fn a_person_is_shown_on_the_skeleton_of_a_user() {
    let network = read_model("controller-biped-open.safetensors");
    for name in ["ada-walk", "bo-idle"] {
        let (target, rig) = fixture(name);
        let mut shown = Controller::on_skeleton(Arc::clone(&network), &target, &rig).unwrap();
        let mut canonical = Controller::new(Arc::clone(&network)).unwrap();
        let scale = shown.scale();
        assert!((0.5..2.0).contains(&scale), "{scale}");
        shown.place(GroundPose { position: Vec3::new(2.0 * scale, 0.0, 1.0 * scale), heading: 0.0 });
        canonical.place(GroundPose { position: Vec3::new(2.0, 0.0, 1.0), heading: 0.0 });
        shown.record();
        let (mut pose, mut canonical_pose) = (Pose::default(), Pose::default());
        let (mut previous_ankles, mut sliding_steps): (Vec<(Vec3, Vec3)>, usize) = (Vec::new(), 0);
        for frame in 0..90 {
            shown.step(&Control { speed: scale * walk_request().speed, ..walk_request() }, 1.0 / FPS, &mut pose);
            canonical.step(&walk_request(), 1.0 / FPS, &mut canonical_pose);
            // The same motion, scaled to the clip, with the ankles at the scaled positions of the character.
            check(&shown, &pose, name);
            assert!(shown.root().position.distance(canonical.root().position * scale) < 1e-4, "{name}");
            let hips = rig.joint(Role::Hips).unwrap();
            let hips_distance = (pose.positions[hips] - canonical_pose.positions[0] * scale).with_y(0.0).length();
            assert!(hips_distance < 0.1 * scale, "{name}, frame {frame}: hips {hips_distance}");
            let ankles = [Role::LeftFoot, Role::RightFoot].map(|role| {
                (pose.positions[rig.joint(role).unwrap()], canonical_pose.positions[role as usize] * scale)
            });
            let is_moving = |step: f32| step * FPS as f32 > 0.15;
            for (ankle, previous) in ankles.iter().zip(&previous_ankles) {
                let steps = [ankle.0 - previous.0, ankle.1 - previous.1];
                let [step, canonical_step] = steps.map(|step: Vec3| step.with_y(0.0).length());
                sliding_steps += usize::from(is_moving(step) && !is_moving(canonical_step * 1.5));
            }
            previous_ankles = ankles.to_vec();
        }
        // Pelvises of different widths rotate about different points; this affects a few frames.
        assert!(sliding_steps < 18, "{name}: a planted foot moved in {sliding_steps} of 178 steps");
        let clip = shown.finish_recording().unwrap().unwrap();
        assert_eq!((clip.frames(), clip.skeleton()), (90, target.skeleton()), "{name}");
    }
    let (dog, rig) = fixture("cleo-walk");
    let error = Controller::on_skeleton(network, &dog, &rig).map(drop).unwrap_err();
    assert_eq!(error.code(), "rig");
}

#[test]
fn a_dog_is_shown_on_the_four_legged_skeleton_of_a_user() {
    let network = read_model("controller-dog-research.safetensors");
    let (target, rig) = fixture("cleo-walk");
    let mut shown = Controller::on_skeleton(Arc::clone(&network), &target, &rig).unwrap();
    let scale = shown.scale();
    assert!((1.0..1.5).contains(&scale), "{scale}");
    let paws = dog().contacts.iter().map(|contact| shown.joint(contact.joint));
    let paws: Vec<usize> = paws.collect();
    let names = paws.iter().map(|&paw| target.skeleton().joints()[paw].name.as_str()).collect::<Vec<_>>();
    assert_eq!(names, ["ForePawL", "ForePawR", "HindPawL", "HindPawR"]);
    shown.record();
    let mut pose = Pose::default();
    let (mut previous_paws, mut slide, mut contacts): (Vec<Vec3>, f32, f32) = (Vec::new(), 0.0, 0.0);
    for frame in 0..120 {
        shown.step(&Control { speed: scale * walk_request().speed, ..walk_request() }, 1.0 / FPS, &mut pose);
        check(&shown, &pose, "dog");
        let paw_positions: Vec<Vec3> = paws.iter().map(|&paw| pose.positions[paw]).collect();
        // On or above the ground: the paws rest at 2.5 cm.
        assert!(paw_positions.iter().all(|paw| paw.y > 0.01), "frame {frame}: {paw_positions:?}");
        for ((paw, previous), contact) in paw_positions.iter().zip(&previous_paws).zip(shown.contacts()) {
            if *contact > 0.8 {
                slide += (*paw - *previous).with_y(0.0).length();
                contacts += 1.0;
            }
        }
        previous_paws = paw_positions;
    }
    let speed = slide / contacts * FPS as f32;
    assert!(contacts > 60.0 && speed < 0.3, "paws slide at {speed} m/s");
    let clip = shown.finish_recording().unwrap().unwrap();
    assert_eq!((clip.frames(), clip.skeleton()), (120, target.skeleton()));
    let (person, rig) = fixture("ada-walk");
    let error = Controller::on_skeleton(network, &person, &rig).map(drop).unwrap_err();
    assert!(error.code() == "rig" && error.to_string().contains("four legs"), "{error}");
}

#[test]
fn files_of_other_networks_and_characters_are_rejected() {
    let read = |bytes: &[u8]| Network::read(&Weights::read(bytes).unwrap()).map(drop);
    for precision in [Precision::F32, Precision::F16, Precision::Int8] {
        read(&small_controller::weight_file(dog(), 1, 0.02, precision)).unwrap();
    }
    let file_with = |from: &str, to: &str| {
        let bytes = small_controller::weight_file(dog(), 1, 0.02, Precision::F32);
        let start = bytes.windows(from.len()).position(|window| window == from.as_bytes()).unwrap();
        [&bytes[..start], to.as_bytes(), &bytes[start + from.len()..]].concat()
    };
    for (from, to, expected) in [
        ("\\\"controller\\\"", "\\\"controlled\\\"", "network \"controlled\""),
        ("\\\"dog\\\"", "\\\"cat\\\"", "character"),
        ("\\\"layout\\\":1", "\\\"layout\\\":9", "layout"),
        ("\\\"hidden\\\":16", "\\\"hidden\\\":17", "needed"),
    ] {
        let error = read(&file_with(from, to)).unwrap_err();
        assert_eq!(error.code(), "weights");
        assert!(error.to_string().contains(expected), "{error}");
    }
}
