//! Scores walks straight ahead at walking speed, over level ground and over five uneven grounds.

use super::{Outcome, mean};
use crate::report::{Report, number};
use glam::{Vec2, Vec3};
use kinestitch::control::{Control, Controller, HeightField, Pose};
use kinestitch::feature::controller::FPS;
use kinestitch::method::controller::Network;
use std::f32::consts::PI;
use std::sync::Arc;

/// Distance between grid points of the height field, metres.
const SPACING: f32 = 0.05;
/// Length of a ground, metres.
const LENGTH: f32 = 40.0;
/// Width of a ground, metres.
const WIDTH: f32 = 12.0;
/// Duration of a walk, seconds.
const SECONDS: f64 = 20.0;
/// Walking speed, leg lengths per second: 1.2 m/s for a person.
const SPEED: f32 = 1.4;
/// Probability of contact above which a foot counts as standing.
const MIN_CONTACT_PROBABILITY: f32 = 0.5;

/// A ground: its name, and its height at x, z. All three lengths are in leg lengths.
type Shape = (&'static str, fn(f32, f32) -> f32);

/// The grounds; walks go along z. For a person, a stair (0.2 leg lengths) is 17 cm high and a kerb (0.15) 13 cm.
const SHAPES: [Shape; 6] = [
    ("level", |_, _| 0.0),
    ("stairs", |_, z| 0.2 * stair((z - 2.0) / 0.34)),
    ("ramp of 15°", |_, z| 0.268 * (z - 2.0).clamp(0.0, 8.0) - 0.268 * (z - 12.0).clamp(0.0, 8.0)),
    ("kerbs", |_, z| if (z / 3.0).rem_euclid(2.0) > 1.0 { 0.15 } else { 0.0 }),
    ("hills", |x, z| 0.4 * (1.0 - (2.0 * PI * z / 7.0).cos()) * (1.0 + 0.3 * (x / 2.0).sin())),
    ("rough", |x, z| 0.05 * ((2.3 * z).sin() + (3.1 * x + 1.0).sin() + (5.3 * z + 2.0 * x).sin())),
];

/// Returns the height on stairs, in stairs: ten up, a level part, ten down. `position`: distance along them, in treads.
fn stair(position: f32) -> f32 {
    let up = position.floor().clamp(0.0, 10.0);
    let down = (position - 16.0).floor().clamp(0.0, 10.0);
    up - down
}

/// Scores of a walk.
#[derive(Default)]
struct Scores {
    /// Vertical distances of standing feet from their resting height above the ground, metres.
    height_errors: Vec<f64>,
    /// Depth of the deepest foot below its resting height in each frame, metres; 0 if no foot is below.
    depths: Vec<f64>,
    /// Horizontal speeds of standing feet, metres per second.
    slide_speeds: Vec<f64>,
    /// Accelerations of the hips, metres per second².
    hip_accelerations: Vec<f64>,
    /// Largest movement of a joint relative to the hips between two frames, metres.
    largest_movement: f32,
    /// Distance covered along z, metres.
    distance: f32,
}

/// Adds a table with a row for each ground.
///
/// # Errors
/// Those of [`Controller::new`] and [`HeightField::new`].
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
        scores.depths.sort_by(f64::total_cmp);
        let percentile_95 = scores.depths.get(scores.depths.len() * 95 / 100).copied().unwrap_or(0.0);
        report.row([
            name.to_owned(),
            number(f64::from(scores.distance), 1),
            number(100.0 * mean(&scores.height_errors), 1),
            number(100.0 * percentile_95, 1),
            number(mean(&scores.slide_speeds), 3),
            number(mean(&scores.hip_accelerations), 1),
            number(f64::from(100.0 * scores.largest_movement), 1),
        ]);
    }
    Ok(())
}

/// Walks over a ground and scores the walk.
fn walk(network: &Arc<Network>, style: usize, shape: fn(f32, f32) -> f32) -> Outcome<Scores> {
    let leg = network.character.leg_length;
    let field = sample_ground(leg, shape)?;
    let mut controller = Controller::new(Arc::clone(network))?;
    controller.set_ground(Some(&field));
    let mut scores = Scores::default();
    // The two poses before the current one, the older one first.
    let mut past: [Option<Pose>; 2] = [None, None];
    let control = Control { direction: Vec2::Y, facing: Some(0.0), speed: SPEED * leg, style, ..Control::default() };
    for _ in 0..(SECONDS * FPS) as usize {
        let mut pose = Pose::default();
        controller.step(&control, 1.0 / FPS, &mut pose);
        if let [Some(older), Some(previous)] = &past {
            let acceleration = (pose.root - 2.0 * previous.root + older.root) * (FPS * FPS) as f32;
            scores.hip_accelerations.push(f64::from(acceleration.length()));
            let from_hips = |pose: &Pose, joint: usize| pose.positions[joint] - pose.root;
            let movements =
                (0..pose.positions.len()).map(|joint| from_hips(&pose, joint).distance(from_hips(previous, joint)));
            scores.largest_movement = movements.fold(scores.largest_movement, f32::max);
            add_feet(network, &controller, &field, [previous, &pose], &mut scores);
        }
        past = [past[1].take(), Some(pose)];
    }
    scores.distance = controller.root().position.z;
    Ok(scores)
}

/// Adds the scores of the feet in a frame. `poses`: of the previous and of this frame.
fn add_feet(network: &Network, controller: &Controller, field: &HeightField, poses: [&Pose; 2], scores: &mut Scores) {
    let mut deepest = 0.0_f32;
    for (index, contact) in network.character.contacts.iter().enumerate() {
        let [previous, current] = poses.map(|pose| pose.positions[contact.joint]);
        let height_error = current.y - network.config.rest[index] - field.height(current.x, current.z);
        deepest = deepest.max(-height_error);
        if controller.contacts()[index] > MIN_CONTACT_PROBABILITY {
            scores.height_errors.push(f64::from(height_error.abs()));
            scores.slide_speeds.push(f64::from((current - previous).with_y(0.0).length()) * FPS);
        }
    }
    scores.depths.push(f64::from(deepest));
}

/// Samples a ground for a leg length in metres. The field is centred on x = 0 and starts at z = −2.
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
