//! Motion matching: databases of few clips, and characters that are steered by them.

use crate::common::fixtures::fixture;
use glam::{Vec2, Vec3};
use kinestitch::body::GroundPose;
use kinestitch::control::matching::MatchingController;
use kinestitch::control::{Control, Pose};
use kinestitch::method::matching::{Database, DatabaseOptions, Source, Tag};
use kinestitch::motion::clip::Clip;
use kinestitch::motion::edit::root_motion;
use kinestitch::motion::rig;
use kinestitch::{Error, Progress};
use std::sync::Arc;

fn clip(name: &str) -> Clip {
    fixture(name).0
}

fn build(clips: &[Clip]) -> kinestitch::Result<Database> {
    let rigs: Vec<_> = clips.iter().map(rig::infer).collect();
    let sources: Vec<_> = clips.iter().zip(&rigs).map(|(clip, rig)| Source { clip, rig, tag: None }).collect();
    Database::new(&sources, &DatabaseOptions::default(), &mut Progress::silent())
}

fn database(names: &[&str]) -> Arc<Database> {
    Arc::new(build(&names.iter().map(|name| clip(name)).collect::<Vec<_>>()).unwrap())
}

fn towards(direction: Vec2, speed: f32) -> Control {
    Control { direction, speed, ..Control::default() }
}

/// Steps for some seconds at 60 steps a second; `check` sees every pose.
fn run(controller: &mut MatchingController, control: &Control, seconds: f32, mut check: impl FnMut(&Pose)) {
    let mut pose = Pose::default();
    for _ in 0..(seconds * 60.0) as usize {
        controller.step(control, 1.0 / 60.0, &mut pose);
        check(&pose);
    }
}

#[test]
fn a_pack_of_three_clips_walks_runs_turns_and_stops() {
    let database = database(&["ada-idle", "ada-walk", "ada-run"]);
    let mut controller = MatchingController::new(Arc::clone(&database));
    for (direction, speed) in [(Vec2::Y, 1.2), (Vec2::X, 1.2), (Vec2::X, 2.0), (Vec2::X, 3.8), (Vec2::NEG_X, 1.2)] {
        run(&mut controller, &towards(direction, speed), 1.5, |_| {});
        let start = controller.root();
        run(&mut controller, &towards(direction, speed), 2.0, |_| {});
        let moved = (controller.root().position - start.position) / 2.0;
        let wanted = Vec3::new(direction.x, 0.0, direction.y) * speed;
        assert!(moved.distance(wanted) < 0.1 * speed, "{direction} at {speed}: {moved}");
        let facing = controller.root().rotation() * Vec3::Z;
        assert!(facing.angle_between(wanted) < 0.05, "{direction} at {speed}: {facing}");
    }
    run(&mut controller, &Control::default(), 1.5, |_| {});
    let start = controller.root();
    run(&mut controller, &Control::default(), 2.0, |_| {});
    assert!(controller.root().position.distance(start.position) < 0.02);
}

#[test]
fn speeds_between_a_walk_and_a_run_are_blended_in_step() {
    let database = database(&["ada-idle", "ada-walk", "ada-run"]);
    let blends: Vec<f32> =
        database.takes().iter().filter(|take| take.source.is_none()).map(|take| take.pace().0).collect();
    assert!(blends.len() >= 2 && blends.is_sorted(), "{blends:?}");
    assert!(blends.iter().all(|speed| *speed > 1.3 && *speed < 4.0), "{blends:?}");
}

#[test]
fn no_joint_jumps_for_random_input() {
    let database = database(&["ada-idle", "ada-walk", "ada-run", "ada-turn"]);
    let mut controller = MatchingController::new(Arc::clone(&database));
    let mut last: Option<Vec<Vec3>> = None;
    let mut fastest = 0.0_f32;
    for index in 0..40_u32 {
        let angle = (index * 137 % 360) as f32 / 57.3;
        let speed = [0.0, 1.2, 3.0, 2.0][index as usize % 4];
        run(&mut controller, &towards(Vec2::from_angle(angle), speed), 0.7, |pose| {
            if let Some(last) = &last {
                let moved = pose.positions.iter().zip(last).map(|(a, b)| a.distance(*b) * 60.0);
                fastest = moved.fold(fastest, f32::max);
            }
            last = Some(pose.positions.clone());
            assert!(pose.positions.iter().all(|position| position.is_finite()));
            assert!(pose.rotations.iter().all(|rotation| rotation.is_normalized()));
            let lowest = pose.positions.iter().map(|position| position.y).fold(f32::INFINITY, f32::min);
            assert!(lowest > -0.05, "a joint is {lowest} m high");
        });
    }
    // The feet of the run move at 8 m/s.
    assert!(fastest < 12.0, "{fastest} m/s");
}

#[test]
fn clips_in_place_travel_by_their_feet() {
    let travelling = clip("ada-walk");
    let in_place = root_motion::remove(&travelling, &rig::infer(&travelling));
    let database = build(&[clip("ada-idle"), in_place]).unwrap();
    let coverage = database.coverage();
    assert_eq!(coverage.in_place, ["ada-walk"]);
    let own = build(&[clip("ada-idle"), travelling]).unwrap().coverage();
    assert!((coverage.speeds[1] - own.speeds[1]).abs() < 0.12 * own.speeds[1], "{coverage:?} {own:?}");
}

#[test]
fn a_single_walk_is_enough_to_go_anywhere_and_coverage_says_what_is_missing() {
    let database = database(&["ada-walk"]);
    let missing = database.coverage().missing.join("; ");
    assert!(missing.contains("idle") && missing.contains("run") && missing.contains("turns"), "{missing}");
    let mut controller = MatchingController::new(Arc::clone(&database));
    run(&mut controller, &towards(Vec2::X, 1.2), 4.0, |_| {});
    assert!(controller.root().position.x > 3.0, "{:?}", controller.root());
}

#[test]
fn an_action_is_played_once_and_locomotion_goes_on() {
    let (idle, walk, jump) = (clip("ada-idle"), clip("ada-walk"), clip("ada-turn"));
    let rigs = [&idle, &walk, &jump].map(rig::infer);
    let source = |clip, rig, tag| Source { clip, rig, tag: Some(tag) };
    let sources = [
        source(&idle, &rigs[0], Tag::Locomotion),
        source(&walk, &rigs[1], Tag::Locomotion),
        source(&jump, &rigs[2], Tag::Action),
    ];
    let database = Database::new(&sources, &DatabaseOptions::default(), &mut Progress::silent()).unwrap();
    assert_eq!(database.actions(), ["ada-turn"]);
    let mut controller = MatchingController::new(Arc::new(database));
    run(&mut controller, &Control { action: Some(0), ..Control::default() }, 0.1, |_| {});
    let name = |controller: &MatchingController| controller.database().takes()[controller.playing().0].name.clone();
    assert_eq!(name(&controller), "ada-turn");
    let seconds = jump.frames() as f32 / jump.fps() as f32;
    run(&mut controller, &towards(Vec2::Y, 1.2), seconds + 1.5, |_| {});
    assert_ne!(name(&controller), "ada-turn");
    assert_eq!(controller.coverage().actions, ["ada-turn"]);
}

#[test]
fn a_recording_is_the_motion_that_was_shown() {
    let mut controller = MatchingController::new(database(&["ada-idle", "ada-walk"]));
    controller.place(GroundPose::new(1.0, 2.0, 0.5));
    controller.record();
    let mut shown = Vec::new();
    run(&mut controller, &towards(Vec2::X, 1.2), 1.0, |pose| shown.push(pose.positions.clone()));
    let clip = controller.finish_recording().unwrap().unwrap();
    assert_eq!((clip.frames(), clip.fps()), (60, 60.0));
    let positions = kinestitch::motion::fk::world_positions(&clip);
    // A step is displayed when the next one is computed.
    for (frame, shown) in shown[1..].iter().enumerate() {
        for (joint, position) in shown.iter().enumerate() {
            assert!(positions[frame * clip.joints() + joint].distance(*position) < 1e-3, "frame {frame}");
        }
    }
    assert!(controller.finish_recording().unwrap().is_none());
}

#[test]
fn hostile_input_is_refused_or_has_no_effect() {
    assert!(matches!(build(&[]), Err(Error::Option { option: "clips", .. })));
    let one_frame = clip("ada-walk").trimmed(0..1).unwrap();
    assert!(matches!(build(&[one_frame]), Err(Error::TooShort { needed: 2, .. })));
    let mut controller = MatchingController::new(database(&["ada-idle", "ada-walk"]));
    let (nan, max) = (f32::NAN, f32::MAX);
    for control in [
        Control { direction: Vec2::new(nan, 1.0), speed: nan, facing: Some(nan), ..Control::default() },
        Control { direction: Vec2::splat(f32::INFINITY), speed: f32::INFINITY, ..Control::default() },
        Control { direction: Vec2::new(max, -max), speed: max, facing: Some(1e30), ..Control::default() },
        Control { style: 99, action: Some(99), noise: nan, ..towards(Vec2::Y, -1.0) },
    ] {
        for seconds in [0.0, -1.0, f64::NAN, f64::INFINITY, 1e-300, 1e300, 0.02] {
            let mut pose = Pose::default();
            controller.step(&control, seconds, &mut pose);
            assert!(pose.positions.iter().all(|position| position.is_finite()), "{control:?} {seconds}");
        }
    }
    controller.place(GroundPose::new(nan, f32::INFINITY, nan));
    run(&mut controller, &towards(Vec2::Y, 1.2), 1.0, |pose| assert!(pose.root.is_finite()));
}
