//! Placement by the heading of the gait: loops that go straight stay straight, however far the pelvis sways.

use crate::common::fixtures::fixture;
use crate::common::joins::inertialized;
use glam::{Quat, Vec3};
use kinestitch::motion::fk::Pose;
use kinestitch::motion::gait::{Gait, Heading};
use kinestitch::motion::rig::{Rig, Role};
use kinestitch::motion::root::{Root, wrap};
use kinestitch::stitch::cycle::{LoopOptions, make_loop};
use kinestitch::stitch::{Cut, Join, Transition};
use kinestitch::{Clip, Input, Progress, StitchOptions, stitch};

/// Largest turn of the pelvis to each side in a stylized gait, radians.
const SWAY: f32 = 0.6;

/// A straight walk whose pelvis turns with the feet, far to both sides.
fn stylized(name: &str) -> (Clip, Rig) {
    let (clip, rig) = fixture(name);
    let joint = |role: Role| rig.joint(role).unwrap();
    let hips = joint(Role::Hips);
    let sway = |frame: usize| {
        let pose = Pose::from_clip(&clip, frame);
        let step = pose.world_positions[joint(Role::RightFoot)] - pose.world_positions[joint(Role::LeftFoot)];
        // The walk of the fixtures leads along +z.
        SWAY * (step.z / 0.5).clamp(-1.0, 1.0)
    };
    let mut swaying = clip.clone();
    for frame in 0..clip.frames() {
        let rotation = &mut swaying.rotations_mut()[frame * clip.joints() + hips];
        *rotation = Quat::from_rotation_y(sway(frame)) * *rotation;
    }
    (swaying, rig)
}

/// Returns the direction of travel from one frame to another, radians.
fn direction(clip: &Clip, rig: &Rig, from: usize, to: usize) -> f32 {
    let root = Root::new(clip.skeleton(), &[clip], rig);
    let way = root.pose(clip, to).world_position - root.pose(clip, from).world_position;
    way.x.atan2(way.z)
}

fn joins() -> Vec<Join> {
    let join = |transition: Transition, cut: Cut| Join { cut, transition, refine: false };
    vec![
        join(Transition::inertialize(0.4), Cut::Keep),
        join(Transition::crossfade(0.4), Cut::Keep),
        join(Transition::lscore(), Cut::Best { max_cut: 0.3 }),
        join(Transition::inertialize(0.4), Cut::Phase { max_cut: 0.3 }),
        join(Transition::insert(20, "inertialize"), Cut::Keep),
    ]
}

#[test]
fn straight_stylized_walks_stay_straight_in_every_join() {
    for (first, second) in [("ada-walk", "bo-jog"), ("ada-run", "ada-walk"), ("bo-walk", "bo-walk")] {
        let clips = [stylized(first), stylized(second)];
        for (a_end, b_start) in [(0, 0), (17, 0), (0, 23), (31, 11)] {
            let trim = |index: usize, from: usize, end: usize| Some((from..clips[index].0.frames() - end).into());
            for join in joins() {
                let options = StitchOptions {
                    join: join.clone().into(),
                    trim: vec![trim(0, 0, a_end), trim(1, b_start, 0)],
                    ..Default::default()
                };
                let inputs = clips.each_ref().map(|(clip, rig)| Input { clip, rig });
                let result = stitch(&inputs, &options, &mut Progress::silent()).unwrap();
                let (rig, seam) = (&clips[0].1, &result.seam_reports[0]);
                let before = direction(&result.clip, rig, 0, seam.edited_range.start - 1);
                let after = direction(&result.clip, rig, seam.edited_range.end, result.clip.frames() - 1);
                let turn = wrap(after - before).to_degrees();
                assert!(turn.abs() < 5.0, "{first} > {second}, {a_end}, {b_start}: {turn}° with {join:?}");
            }
        }
    }
}

#[test]
fn a_gait_has_the_direction_of_travel_or_the_facing_direction() {
    let (clip, rig) = stylized("ada-walk");
    let middle = clip.frames() / 2;
    for heading in Heading::ALL {
        let root = Root::new(clip.skeleton(), &[&clip], &rig).with_heading(heading);
        for frame in [0, 7, middle, clip.frames() - 1] {
            for gait in [Gait::before(&clip, &root, frame), Gait::after(&clip, &root, frame)] {
                assert!(gait.heading.abs() < 5.0_f32.to_radians(), "{heading:?}, frame {frame}: {gait:?}");
                assert!(gait.turn_rate.abs() < 1e-3 && gait.velocity.z > 0.01, "{heading:?}, frame {frame}: {gait:?}");
            }
        }
    }
    // Turned to the side, it still travels along +z: only "travel" follows.
    let mut sideways = clip.clone();
    let hips = rig.joint(Role::Hips).unwrap();
    for frame in 0..clip.frames() {
        let rotation = &mut sideways.rotations_mut()[frame * clip.joints() + hips];
        *rotation = Quat::from_rotation_y(1.6) * *rotation;
    }
    let heading = |rule: Heading| {
        let root = Root::new(sideways.skeleton(), &[&sideways], &rig).with_heading(rule);
        Gait::before(&sideways, &root, middle).heading
    };
    assert!((heading(Heading::Auto) - 1.6).abs() < 0.1 && heading(Heading::Travel).abs() < 0.1);
}

#[test]
fn a_turning_walk_keeps_turning_into_the_blend() {
    let (clip, rig) = fixture("ada-turn");
    let root = Root::new(clip.skeleton(), &[&clip], &rig);
    let gait = Gait::before(&clip, &root, clip.frames() - 1);
    let facing = root.pose(&clip, clip.frames() - 1).heading();
    assert!(gait.turn_rate.abs() > 1e-3, "{gait:?}");
    assert!(wrap(gait.heading - facing).abs() < 0.2, "{gait:?}, facing {facing}");
}

#[test]
fn a_clip_made_in_place_has_the_direction_of_its_feet() {
    let (mut clip, rig) = stylized("ada-walk");
    let root = Root::new(clip.skeleton(), &[&clip], &rig);
    root.remove_travel(&mut clip);
    let root = Root::new(clip.skeleton(), &[&clip], &rig).with_heading(Heading::Travel);
    let gait = Gait::after(&clip, &root, 0);
    assert!(gait.travels && gait.heading.abs() < 5.0_f32.to_radians(), "{gait:?}");
    assert!(gait.velocity.length() < 1e-3, "{gait:?}");
}

#[test]
fn clips_keep_their_direction_with_as_in_file() {
    let (clip, rig) = fixture("ada-walk");
    let (mut turned, root) = (clip.clone(), Root::new(clip.skeleton(), &[&clip], &rig));
    let yaw = kinestitch::motion::root::GroundTransform { yaw: 0.5, translation: Vec3::ZERO };
    root.place(&mut turned, &yaw);
    let inputs = [&clip, &turned].map(|clip| Input { clip, rig: &rig });
    let turn = |heading: Heading| {
        let options = StitchOptions { heading, ..Default::default() };
        let result = stitch(&inputs, &options, &mut Progress::silent()).unwrap();
        let start = result.seam_reports[0].edited_range.end;
        direction(&result.clip, &rig, start, result.clip.frames() - 1)
    };
    assert!((turn(Heading::AsInFile) - 0.5).abs() < 0.05 && turn(Heading::Auto).abs() < 0.05);
}

#[test]
fn a_loop_of_a_straight_walk_turns_by_at_most_five_degrees_or_max_turn() {
    for name in ["ada-walk", "bo-run", "ada-jog"] {
        let (clip, rig) = stylized(name);
        for max_turn in [None, Some(0.0)] {
            let options = LoopOptions { max_turn, ..Default::default() };
            let input = Input { clip: &clip, rig: &rig };
            let (result, _) = make_loop(input, &options, &inertialized(), &mut Progress::silent()).unwrap();
            let turn = wrap(result.travel.yaw).to_degrees().abs();
            assert!(turn <= max_turn.unwrap_or(5.0) as f32 + 1e-3, "{name}, {max_turn:?}: {turn}°");
        }
    }
    let (clip, rig) = fixture("ada-turn");
    let options = LoopOptions { max_turn: Some(-1.0), ..Default::default() };
    let input = Input { clip: &clip, rig: &rig };
    let error = make_loop(input, &options, &inertialized(), &mut Progress::silent()).unwrap_err();
    assert!(error.to_string().contains("maxTurn"), "{error}");
}
