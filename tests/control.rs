//! The controller under arbitrary requests always returns a body with its own bones.

#[path = "common/controller.rs"]
mod made;

use glam::{Vec2, Vec3};
use kinestitch::body::{Character, GroundPose, biped, dog};
use kinestitch::control::{Control, Controller, Pose};
use kinestitch::feature::controller::FPS;
use kinestitch::method::controller::Network;
use kinestitch::metrics::skate::{Sole, foot_skate};
use kinestitch::motion::bvh;
use kinestitch::motion::clip::Clip;
use kinestitch::motion::rig::{self, Rig, Role};
use kinestitch::nn::weights::{Precision, Weights};
use std::sync::Arc;

fn controller(character: &Character, size: f32) -> Controller {
    let bytes = made::weight_file(character, 2, size, Precision::F32);
    Controller::new(Arc::new(Network::read(&Weights::read(&bytes).unwrap()).unwrap())).unwrap()
}

fn walk() -> Control {
    Control { direction: Vec2::new(0.0, 1.0), speed: 1.0, ..Control::default() }
}

/// Asserts finite values, unit quaternions and constant bone lengths.
fn check(controller: &Controller, pose: &Pose, what: &str) {
    let joints = controller.skeleton().joints();
    assert_eq!((pose.rotations.len(), pose.positions.len()), (joints.len(), joints.len()), "{what}");
    assert!(pose.root.is_finite(), "{what}");
    for (index, joint) in joints.iter().enumerate() {
        assert!(pose.rotations[index].is_normalized(), "{what}: joint {index}: {}", pose.rotations[index]);
        // The user's body may hang from a root that stays behind.
        if let Some(parent) = joint.parent.filter(|_| controller.skeleton().translation_slot(index).is_none()) {
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
        Control { noise: bad, seed: u32::MAX, ..walk() },
        Control { noise: big, seed: 1, ..walk() },
        Control { noise: -1.0, ..walk() },
    ];
    for character in [biped(), dog()] {
        // With 10, the output is far from any body.
        for (size, spread) in [(0.02, 1.0), (10.0, 1e6)] {
            let network =
                Network::read(&Weights::read(&made::weight_file_with_noise(character, size, spread)).unwrap()).unwrap();
            let mut controller = Controller::new(Arc::new(network)).unwrap();
            let mut pose = Pose::default();
            for (index, want) in wishes.iter().enumerate() {
                for seconds in [1.0 / 60.0, 0.0, -1.0, 2.0, f64::NAN, f64::INFINITY, 1.0 / 144.0] {
                    controller.step(want, seconds, &mut pose);
                    check(&controller, &pose, &format!("{} wish {index} for {seconds} s", character.name));
                }
            }
            // The stick rotates.
            for step in 0..200 {
                let want = Control { direction: Vec2::from_angle(step as f32 * 2.0), ..walk() };
                controller.step(&want, 1.0 / 60.0, &mut pose);
            }
            check(&controller, &pose, "spinning");
            assert!(
                controller.path().iter().all(|sample| sample.position.is_finite() && sample.facing.is_normalized())
            );
            assert!(controller.phases().iter().all(|phase| phase.is_finite()));
        }
    }
}

/// Generates two seconds of a walk.
fn walked(bytes: &[u8], noise: f32, seed: u32) -> Clip {
    let mut controller = Controller::new(Arc::new(Network::read(&Weights::read(bytes).unwrap()).unwrap())).unwrap();
    let mut pose = Pose::default();
    controller.record();
    for _ in 0..60 {
        controller.step(&Control { noise, seed, ..walk() }, 1.0 / FPS, &mut pose);
    }
    controller.recorded().unwrap().unwrap()
}

#[test]
fn a_seed_is_a_behaviour_and_no_noise_is_as_without() {
    for character in [biped(), dog()] {
        let (plain, varying) =
            (made::weight_file(character, 2, 0.02, Precision::F32), made::weight_file_with_noise(character, 0.02, 0.5));
        let rotations = |bytes: &[u8], noise: f32, seed: u32| walked(bytes, noise, seed).rotations().to_vec();
        let without = rotations(&plain, 0.0, 0);
        assert_eq!(rotations(&varying, 0.0, 3), without);
        assert_eq!(rotations(&plain, 1.0, 3), without, "weights without generative control");
        let three = rotations(&varying, 0.5, 3);
        assert_ne!(three, without);
        assert_eq!(rotations(&varying, 0.5, 3), three);
        assert_ne!(rotations(&varying, 0.5, 4), three);
    }
}

#[test]
fn noise_that_is_turned_off_fades_to_nothing() {
    let bytes = made::weight_file_with_noise(dog(), 0.02, 0.5);
    let mut controller = Controller::new(Arc::new(Network::read(&Weights::read(&bytes).unwrap()).unwrap())).unwrap();
    let mut pose = Pose::default();
    let mut shares = |noise: f32, frames: usize| {
        controller.place(GroundPose { position: Vec3::ZERO, heading: 0.0 });
        for frame in 0..frames {
            let noise = if frame < 20 { noise } else { 0.0 };
            controller.step(&Control { noise, seed: 2, ..walk() }, 1.0 / FPS, &mut pose);
        }
        controller.shares().to_vec()
    };
    let far = |a: &[f32], b: &[f32]| a.iter().zip(b).map(|(a, b)| (a - b).abs()).fold(0.0, f32::max);
    let (loud, silent) = (shares(1.0, 20), shares(0.0, 20));
    assert!(far(&loud, &silent) > 1e-5);
    // The motion differs by then, but the noise is gone.
    let (after, never) = (shares(1.0, 400), shares(0.0, 400));
    assert!(far(&after, &never) < 0.2 * far(&loud, &silent), "{after:?}, {never:?}");
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
    controller.place(GroundPose { position: Vec3::new(3.0, 7.0, -2.0), heading: 1.0 });
    assert_eq!((controller.root().position, controller.root().heading), (Vec3::new(3.0, 0.0, -2.0), 1.0));
    controller.record();
    for _ in 0..30 {
        controller.step(&walk(), 1.0 / FPS, &mut pose);
    }
    let clip = controller.recorded().unwrap().unwrap();
    assert_eq!((clip.frames(), clip.joints()), (30, dog().len()));
    assert!((clip.fps() - FPS).abs() < 1e-9);
    assert!(controller.recorded().unwrap().is_none());
    controller.place(GroundPose { position: Vec3::splat(f32::NAN), heading: f32::INFINITY });
    assert_eq!((controller.root().position, controller.root().heading), (Vec3::ZERO, 0.0));
}

/// Reads a clip of tests/fixtures with its bone mapping.
fn fixture(name: &str) -> (Clip, Rig) {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures");
    let clip = bvh::parse(name, &std::fs::read(folder.join(name)).unwrap()).unwrap().clip;
    let rig = rig::infer(&clip);
    (clip, rig)
}

/// Reads a network of models/.
fn shipped(name: &str) -> Arc<Network> {
    let models = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("models");
    Arc::new(Network::read(&Weights::read(&std::fs::read(models.join(name)).unwrap()).unwrap()).unwrap())
}

#[test]
fn feet_stand_or_clear_the_ground() {
    let network = shipped("controller-biped-open.safetensors");
    let (character, rest) = (network.character, network.config.rest.clone());
    let mut controller = Controller::new(network).unwrap();
    let mut pose = Pose::default();
    controller.record();
    for _ in 0..450 {
        controller.step(&Control { speed: 1.3, ..walk() }, 1.0 / FPS, &mut pose);
    }
    let clip = controller.recorded().unwrap().unwrap();
    let soles = character.contacts.iter().zip(rest);
    let soles: Vec<Sole> = soles.map(|(contact, rest)| Sole { joint: contact.joint, world_ground: rest }).collect();
    let skate = foot_skate(&clip, &soles, 30..clip.frames());
    let slide = skate.slide * FPS as f32;
    // For comparison: .54 without the lifting of swinging feet.
    assert!(slide < 0.35 && skate.low > 0.3, "feet slide at {slide} m/s, low in {} of the frames", skate.low);
}

#[test]
fn a_person_jumps_once_for_a_request_however_short() {
    let network = shipped("controller-biped-open.safetensors");
    let action = network.config.actions.iter().position(|name| name == "jump");
    assert!(action.is_some(), "{:?}", network.config.actions);
    let mut controller = Controller::new(network).unwrap();
    let (stand, jump) = (Control::default(), Control { action, ..Control::default() });
    let mut pose = Pose::default();
    let mut heights = Vec::new();
    for step in 0..240 {
        // At 60 steps per second, every second step computes no network frame.
        let want = if step == 60 { &jump } else { &stand };
        controller.step(want, 1.0 / 60.0, &mut pose);
        heights.push(pose.root.y);
    }
    let highest = |range: std::ops::Range<usize>| heights[range].iter().copied().fold(0.0, f32::max);
    let rise = highest(60..150) - heights[59];
    assert!(rise > 0.15, "the hips rise by {rise} m");
    assert!(highest(170..240) - heights[59] < 0.05, "one request is one jump");
}

#[test]
fn it_is_shown_on_a_skeleton_of_the_users() {
    let network = shipped("controller-biped-open.safetensors");
    for name in ["ada-walk.bvh", "bo-idle.bvh"] {
        let (target, rig) = fixture(name);
        let mut shown = Controller::onto(Arc::clone(&network), &target, &rig).unwrap();
        let mut own = Controller::new(Arc::clone(&network)).unwrap();
        let scale = shown.scale();
        assert!((0.5..2.0).contains(&scale), "{scale}");
        shown.place(GroundPose { position: Vec3::new(2.0 * scale, 0.0, 1.0 * scale), heading: 0.0 });
        own.place(GroundPose { position: Vec3::new(2.0, 0.0, 1.0), heading: 0.0 });
        shown.record();
        let (mut pose, mut plain) = (Pose::default(), Pose::default());
        let (mut feet, mut slid) = (Vec::new(), 0);
        for frame in 0..90 {
            shown.step(&Control { speed: scale * walk().speed, ..walk() }, 1.0 / FPS, &mut pose);
            own.step(&walk(), 1.0 / FPS, &mut plain);
            // The same motion in the clip's own metres, with the ankles at the character's positions and heights.
            check(&shown, &pose, name);
            assert!(shown.root().position.distance(own.root().position * scale) < 1e-4, "{name}");
            let hips = rig.joint(Role::Hips).unwrap();
            let hips_off = (pose.positions[hips] - plain.positions[0] * scale).with_y(0.0).length();
            assert!(hips_off < 0.1 * scale, "{name}, frame {frame}: hips {hips_off}");
            let ankles = [Role::LeftFoot, Role::RightFoot].map(|role| (rig.joint(role).unwrap(), role as usize));
            let now = ankles.map(|(joint, own)| (pose.positions[joint], plain.positions[own] * scale));
            let moved = |step: f32| step * FPS as f32 > 0.15;
            for ((now, plain), (before, plain_before)) in now.iter().zip(&feet) {
                let [now, plain] = [*now - *before, *plain - *plain_before].map(|step: Vec3| step.with_y(0.0).length());
                slid += usize::from(moved(now) && !moved(plain * 1.5));
            }
            feet = now.to_vec();
        }
        // Pelvises of different widths turn about different points; this affects a few frames.
        assert!(slid < 18, "{name}: a planted foot moved in {slid} of 178 steps");
        let clip = shown.recorded().unwrap().unwrap();
        assert_eq!((clip.frames(), clip.skeleton()), (90, target.skeleton()), "{name}");
    }
    let (dog, rig) = fixture("cleo-walk.bvh");
    let refused = Controller::onto(network, &dog, &rig).map(drop).unwrap_err();
    assert_eq!(refused.code(), "rig");
}

#[test]
fn a_dog_is_shown_on_a_four_legged_skeleton_of_the_users() {
    let network = shipped("controller-dog-research.safetensors");
    let (target, rig) = fixture("cleo-walk.bvh");
    let mut shown = Controller::onto(Arc::clone(&network), &target, &rig).unwrap();
    let scale = shown.scale();
    assert!((1.0..1.5).contains(&scale), "{scale}");
    let paws = dog().contacts.iter().map(|contact| shown.joint(contact.joint));
    let paws: Vec<usize> = paws.collect();
    let names = paws.iter().map(|&paw| target.skeleton().joints()[paw].name.as_str()).collect::<Vec<_>>();
    assert_eq!(names, ["ForePawL", "ForePawR", "HindPawL", "HindPawR"]);
    shown.record();
    let mut pose = Pose::default();
    let (mut feet, mut slid, mut stood): (Vec<Vec3>, f32, f32) = (Vec::new(), 0.0, 0.0);
    for frame in 0..120 {
        shown.step(&Control { speed: scale * walk().speed, ..walk() }, 1.0 / FPS, &mut pose);
        check(&shown, &pose, "dog");
        let now: Vec<Vec3> = paws.iter().map(|&paw| pose.positions[paw]).collect();
        // On or above the ground: the paws rest at 2.5 cm.
        assert!(now.iter().all(|paw| paw.y > 0.01), "frame {frame}: {now:?}");
        for ((now, before), touches) in now.iter().zip(&feet).zip(shown.contacts()) {
            if *touches > 0.8 {
                slid += (*now - *before).with_y(0.0).length();
                stood += 1.0;
            }
        }
        feet = now;
    }
    assert!(stood > 60.0 && slid / stood * (FPS as f32) < 0.3, "paws slide at {} m/s", slid / stood * FPS as f32);
    let clip = shown.recorded().unwrap().unwrap();
    assert_eq!((clip.frames(), clip.skeleton()), (120, target.skeleton()));
    let (person, rig) = fixture("ada-walk.bvh");
    let refused = Controller::onto(network, &person, &rig).map(drop).unwrap_err();
    assert!(refused.code() == "rig" && refused.to_string().contains("four legs"), "{refused}");
}

#[test]
fn files_of_other_networks_and_bones_are_refused() {
    let read = |bytes: &[u8]| Network::read(&Weights::read(bytes).unwrap()).map(drop);
    for precision in [Precision::F32, Precision::F16, Precision::Int8] {
        read(&made::weight_file(dog(), 1, 0.02, precision)).unwrap();
    }
    let swap = |from: &str, to: &str| {
        let bytes = made::weight_file(dog(), 1, 0.02, Precision::F32);
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
