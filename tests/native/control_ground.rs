//! A controlled character on uneven ground.

use crate::common::controller as small_controller;
use crate::common::fixtures::repository;
use glam::{Vec2, Vec3};
use kinestitch::body::{Character, GroundPose, biped, dog};
use kinestitch::control::{Control, Controller, HeightField, Pose};
use kinestitch::feature::controller::FPS;
use kinestitch::method::controller::Network;
use kinestitch::nn::weights::{Precision, Weights};
use std::sync::Arc;

const NETWORKS: [&str; 2] = ["controller-biped-open.safetensors", "controller-dog-research.safetensors"];

/// Reads a network of models/.
fn read_model(name: &str) -> Arc<Network> {
    let models = repository("models");
    Arc::new(Network::read(&Weights::read(&std::fs::read(models.join(name)).unwrap()).unwrap()).unwrap())
}

/// Samples heights that depend on z, from z = −2 to 14.
fn field(height: impl Fn(f32) -> f32) -> HeightField {
    let heights = (0..320).flat_map(|row| [height(row as f32 * 0.05 - 2.0); 2]).collect();
    HeightField::new(Vec2::new(-1.0, -2.0), 0.05, 2, heights).unwrap()
}

const ORIGIN: GroundPose = GroundPose { position: Vec3::ZERO, heading: 0.0 };

/// Walks along z; calls `check` with the controller and the pose of each frame.
fn walk(controller: &mut Controller, seconds: f64, mut check: impl FnMut(&Controller, &Pose)) {
    let mut pose = Pose::default();
    let leg = controller.character().leg_length;
    let request = Control { direction: Vec2::Y, facing: Some(0.0), speed: 1.4 * leg, ..Control::default() };
    for _ in 0..(seconds * FPS) as usize {
        controller.step(&request, 1.0 / FPS, &mut pose);
        check(controller, &pose);
    }
}

#[test]
fn feet_stand_on_stairs_and_hardly_ever_sink_into_them() {
    for name in NETWORKS {
        let network = read_model(name);
        let leg = network.character.leg_length;
        let stairs = field(|z| 0.2 * leg * ((z - 1.0) / (0.4 * leg)).floor().clamp(0.0, 8.0));
        let mut controller = Controller::new(Arc::clone(&network)).unwrap();
        controller.set_ground(Some(&stairs));
        controller.place(ORIGIN);
        let (mut sunk_frames, mut frames, mut hip_height) = (0, 0, 0.0);
        walk(&mut controller, 10.0, |controller, pose| {
            let heights = controller.character().contacts.iter().zip(&network.config.rest).map(|(contact, rest)| {
                let foot = pose.positions[contact.joint];
                foot.y - rest - stairs.height(foot.x, foot.z)
            });
            // Only the lowest contact counts: others may be far above the ground, as an ankle over a lower stair.
            sunk_frames += usize::from(heights.fold(f32::MAX, f32::min) < -0.02 * leg);
            frames += 1;
            hip_height = pose.root.y;
        });
        assert!(sunk_frames * 50 < frames, "{name}: feet are in the ground in {sunk_frames} of {frames} frames");
        // The top of the stairs is 1.6 leg lengths high.
        assert!(hip_height > 1.6 * leg, "{name}: the hips end at {hip_height} m");
    }
}

#[test]
fn level_ground_at_another_height_moves_the_character_and_nothing_else() {
    for name in NETWORKS {
        let poses = |ground: Option<HeightField>| {
            let mut controller = Controller::new(read_model(name)).unwrap();
            controller.set_ground(ground.as_ref());
            controller.place(ORIGIN);
            let mut poses = Vec::new();
            walk(&mut controller, 2.0, |_, pose| poses.push(pose.clone()));
            poses
        };
        for (frame, (level_pose, raised_pose)) in poses(None).iter().zip(poses(Some(field(|_| 2.5)))).enumerate() {
            for (joint, (level, raised)) in level_pose.positions.iter().zip(&raised_pose.positions).enumerate() {
                let distance = (*level + Vec3::Y * 2.5).distance(*raised);
                assert!(distance < 1e-3, "{name}, frame {frame}, joint {joint}: {distance} m");
            }
        }
    }
}

#[test]
fn bone_lengths_are_kept_on_extreme_ground() {
    for character in [biped(), dog()] {
        for extreme in [1e4, -1e4, 50.0] {
            let mut controller = random_controller(character);
            controller.set_ground(Some(&field(|z| if (z * 3.0).sin() > 0.0 { extreme } else { 0.0 })));
            controller.place(ORIGIN);
            walk(&mut controller, 3.0, |controller, pose| {
                assert!(pose.rotations.iter().all(|rotation| rotation.is_normalized()), "{extreme}");
                for (index, joint) in controller.skeleton().joints().iter().enumerate() {
                    // At 10 km, f32 positions are too coarse to compare lengths.
                    let Some(parent) = joint.parent.filter(|_| extreme.abs() <= 50.0) else { continue };
                    let length = pose.positions[index].distance(pose.positions[parent]);
                    assert!((length - joint.offset.length()).abs() < 1e-3, "{extreme}: joint {index}: {length}");
                }
            });
        }
    }
}

/// Creates a controller with a small random network.
fn random_controller(character: &Character) -> Controller {
    let bytes = small_controller::weight_file(character, 2, 0.02, Precision::F32);
    Controller::new(Arc::new(Network::read(&Weights::read(&bytes).unwrap()).unwrap())).unwrap()
}
