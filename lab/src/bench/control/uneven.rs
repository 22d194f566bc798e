//! Walks over level ground and five uneven grounds, each crossed forwards at walking pace.

use super::{Outcome, mean};
use crate::report::{Report, number};
use glam::{Vec2, Vec3};
use kinestitch::control::{Control, Controller, HeightField, Pose};
use kinestitch::feature::controller::FPS;
use kinestitch::method::controller::Network;
use std::f32::consts::PI;
use std::sync::Arc;

/// Distance between grid points, metres.
const SPACING: f32 = 0.05;
/// Length of a ground, metres.
const LENGTH: f32 = 40.0;
/// Width of a ground, metres.
const WIDTH: f32 = 12.0;
/// Duration of a walk, seconds.
const SECONDS: f64 = 20.0;
/// Walking speed as a fraction of the leg length per second: 1.2 m/s for a person.
const SPEED: f32 = 1.4;
/// Contacts with a higher probability count as standing.
const MIN_STANDING: f32 = 0.5;

/// A ground: its name, and its height at x, z for a leg of 1 m.
type Shape = (&'static str, fn(f32, f32) -> f32);

/// Grounds, along z. Stairs of 0.2 leg lengths are 17 cm high for a person, kerbs of 0.15 leg lengths 13 cm.
const SHAPES: [Shape; 6] = [
    ("level", |_, _| 0.0),
    ("stairs", |_, z| 0.2 * stair((z - 2.0) / 0.34)),
    ("ramp of 15°", |_, z| 0.268 * (z - 2.0).clamp(0.0, 8.0) - 0.268 * (z - 12.0).clamp(0.0, 8.0)),
    ("kerbs", |_, z| if (z / 3.0).rem_euclid(2.0) > 1.0 { 0.15 } else { 0.0 }),
    ("hills", |x, z| 0.4 * (1.0 - (2.0 * PI * z / 7.0).cos()) * (1.0 + 0.3 * (x / 2.0).sin())),
    ("rough", |x, z| 0.05 * ((2.3 * z).sin() + (3.1 * x + 1.0).sin() + (5.3 * z + 2.0 * x).sin())),
];

/// Ten steps up, a landing, ten steps down; `position`: in treads.
fn stair(position: f32) -> f32 {
    let up = position.floor().clamp(0.0, 10.0);
    let down = (position - 16.0).floor().clamp(0.0, 10.0);
    up - down
}

/// Scores of a walk.
#[derive(Default)]
struct Scores {
    /// Distances of standing contacts from their resting height, metres.
    standing: Vec<f64>,
    /// Depths of contacts below their resting height, metres; the deepest of each frame.
    depth: Vec<f64>,
    /// Horizontal speeds of standing contacts, metres per second.
    slide: Vec<f64>,
    /// Accelerations of the hips, metres per second².
    hips: Vec<f64>,
    /// Largest movement of a joint relative to the hips between two frames, metres.
    largest: f32,
    distance: f32,
}

/// Adds a table with a row for each ground.
///
/// # Errors
/// Those of [`Controller::new`].
pub fn table(network: &Arc<Network>, style: usize, report: &mut Report) -> Outcome {
    let columns = [
        "ground",
        "distance, m",
        "standing feet off the ground, cm, mean",
        "feet below the ground, cm, 95 %",
        "slide of standing feet, m/s",
        "acceleration of the hips, m/s², mean",
        "largest movement of a joint, cm/frame",
    ];
    report.table(format!("{}: uneven ground", network.character.name), columns);
    for (name, shape) in SHAPES {
        let mut scores = walk(network, style, shape)?;
        scores.depth.sort_by(f64::total_cmp);
        let percentile_95 = scores.depth.get(scores.depth.len() * 95 / 100).copied().unwrap_or(0.0);
        report.row([
            name.to_owned(),
            number(f64::from(scores.distance), 1),
            number(100.0 * mean(&scores.standing), 1),
            number(100.0 * percentile_95, 1),
            number(mean(&scores.slide), 3),
            number(mean(&scores.hips), 1),
            number(f64::from(100.0 * scores.largest), 1),
        ]);
    }
    Ok(())
}

fn walk(network: &Arc<Network>, style: usize, shape: fn(f32, f32) -> f32) -> Outcome<Scores> {
    let leg = network.character.leg_length;
    let field = sample_ground(leg, shape)?;
    let mut controller = Controller::new(Arc::clone(network))?;
    controller.set_ground(Some(&field));
    let mut scores = Scores::default();
    let mut past: [Option<Pose>; 2] = [None, None];
    let control = Control { direction: Vec2::Y, facing: Some(0.0), speed: SPEED * leg, style, ..Control::default() };
    for _ in 0..(SECONDS * FPS) as usize {
        let mut pose = Pose::default();
        controller.step(&control, 1.0 / FPS, &mut pose);
        if let [Some(second), Some(first)] = &past {
            let acceleration = (pose.root - 2.0 * first.root + second.root) * (FPS * FPS) as f32;
            scores.hips.push(f64::from(acceleration.length()));
            let local = |pose: &Pose, joint: usize| pose.positions[joint] - pose.root;
            let moved = (0..pose.positions.len()).map(|joint| local(&pose, joint).distance(local(first, joint)));
            scores.largest = moved.fold(scores.largest, f32::max);
            add_feet(network, &controller, &field, [first, &pose], &mut scores);
        }
        past = [past[1].take(), Some(pose)];
    }
    scores.distance = controller.root().position.z;
    Ok(scores)
}

/// Adds the scores of the feet of the last of two consecutive poses.
fn add_feet(network: &Network, controller: &Controller, field: &HeightField, poses: [&Pose; 2], scores: &mut Scores) {
    let mut deepest = 0.0_f32;
    for (index, contact) in network.character.contacts.iter().enumerate() {
        let [previous, current] = poses.map(|pose| pose.positions[contact.joint]);
        let height = current.y - network.config.rest[index] - field.height(current.x, current.z);
        deepest = deepest.max(-height);
        if controller.contacts()[index] > MIN_STANDING {
            scores.standing.push(f64::from(height.abs()));
            scores.slide.push(f64::from((current - previous).with_y(0.0).length()) * FPS);
        }
    }
    scores.depth.push(f64::from(deepest));
}

/// Samples a shape for a leg length, around the line x = 0 from z = −2 on.
fn sample_ground(leg: f32, shape: fn(f32, f32) -> f32) -> Outcome<HeightField> {
    let (columns, rows) = ((WIDTH / SPACING) as usize, (LENGTH / SPACING) as usize);
    let origin = Vec3::new(-WIDTH / 2.0, 0.0, -2.0);
    let point = |index: usize| {
        let (column, row) = (index % columns, index / columns);
        (origin.x + column as f32 * SPACING, origin.z + row as f32 * SPACING)
    };
    let heights = (0..columns * rows).map(point).map(|(x, z)| leg * shape(x / leg, z / leg)).collect();
    Ok(HeightField::new(Vec2::new(origin.x, origin.z), SPACING, columns, heights)?)
}
