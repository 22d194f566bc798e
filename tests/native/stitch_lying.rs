//! Bodies that lie: the second clip is placed so that the body rolls over, not head over heels; and long transitions
//! between lying and standing.

use crate::common::fixtures::fixture;
use crate::common::joins::transitions;
use glam::{Quat, Vec3};
use kinestitch::motion::fk::Pose;
use kinestitch::motion::rig::{Rig, Role};
use kinestitch::motion::root::{Root, RootPose};
use kinestitch::stitch::{Auto, BLEND_SECS, Networks};
use kinestitch::{Clip, Input, Progress, StitchOptions, Transition, stitch};
use std::f32::consts::{FRAC_PI_2, PI};

/// Height of the hips of a body that lies, metres.
const LYING_HEIGHT: f32 = 0.15;

/// Returns a standing clip tilted about its hips, whose head then points to `heading`, radians about +Y: face down with
/// `tilt` π/2, on its back with −π/2.
fn lying(tilt: f32, heading: f32) -> (Clip, Rig) {
    let (mut clip, rig) = fixture("ada-idle");
    let hips = rig.joint(Role::Hips).unwrap();
    assert!(clip.skeleton().joints()[hips].parent.is_none());
    let (joints, width) = (clip.joints(), clip.skeleton().translated().len());
    let slot = clip.skeleton().translation_slot(hips).unwrap();
    let root = Root::new(clip.skeleton(), &[&clip], &rig);
    let facing = root.pose(&clip, 0).heading();
    let head = facing + if tilt < 0.0 { PI } else { 0.0 };
    let rotation = Quat::from_rotation_y(heading - head)
        * Quat::from_rotation_y(facing)
        * Quat::from_rotation_x(tilt)
        * Quat::from_rotation_y(-facing);
    for frame in 0..clip.frames() {
        clip.rotations_mut()[frame * joints + hips] = rotation * clip.frame_rotations(frame)[hips];
        clip.translations_mut()[frame * width + slot].y = LYING_HEIGHT;
    }
    (clip, rig)
}

/// Returns the horizontal direction from the hips to the shoulders.
fn spine(clip: &Clip, rig: &Rig, frame: usize) -> Vec3 {
    Root::new(clip.skeleton(), &[clip], rig).pose(clip, frame).spine.unwrap()
}

/// Returns the lowest height of a joint, metres.
fn lowest(clip: &Clip) -> f32 {
    let heights = (0..clip.frames()).flat_map(|frame| Pose::from_clip(clip, frame).world_positions);
    heights.map(|position| position.y).fold(f32::INFINITY, f32::min)
}

#[test]
fn a_body_on_its_back_rolls_onto_its_front() {
    let (back, rig) = lying(-FRAC_PI_2, 0.3);
    for heading in [0.3, 2.0, -2.5] {
        let (front, _) = lying(FRAC_PI_2, heading);
        let inputs = [Input { clip: &back, rig: &rig }, Input { clip: &front, rig: &rig }];
        let before = spine(&back, &rig, back.frames() - 1);
        let floor = lowest(&back).min(lowest(&front));
        let insert = Transition::insert(30, "inertialize");
        for transition in transitions(BLEND_SECS).into_iter().chain([insert]) {
            let options = StitchOptions { foot_lock: false, ..transition.into() };
            let result = stitch(&inputs, &options, &mut Progress::silent()).unwrap();
            let after = spine(&result.clip, &rig, result.clip.frames() - 1);
            assert!(before.dot(after) > 0.95, "{:?}: {before} and {after}", options.join);
            // The height of the hips does not change, so that an arm may pass through the floor.
            let lowest = lowest(&result.clip.trimmed(result.seam_reports[0].edited_range.clone()).unwrap());
            assert!(lowest > floor - 0.15, "{:?}: {lowest} m", options.join);
        }
    }
}

#[test]
fn upright_bodies_are_aligned_by_their_facing_direction() {
    let pose = |heading: f32, spine: Vec3| RootPose {
        world_position: Vec3::ZERO,
        world_rotation: Quat::IDENTITY,
        facing: Some(Quat::from_rotation_y(heading) * Vec3::Z),
        spine: Some(spine),
    };
    // Leaning, and a body that lies before one that stands.
    for spines in [[Vec3::X * 0.5, Vec3::Z * 0.5], [Vec3::X, Vec3::Z * 0.3]] {
        let (a, b) = (pose(0.2, spines[0]), pose(1.2, spines[1]));
        assert!((a.alignment_to(&b) - 1.0).abs() < 1e-5);
    }
    // Both lie. The directions of their spines count only where equal facing directions would turn the body over.
    for (spine, expected) in [(Vec3::NEG_Z, FRAC_PI_2), (Vec3::new(1.0, 0.0, -0.5), 0.0)] {
        let (a, b) = (pose(0.2, Vec3::X), pose(0.2, spine));
        assert!((a.alignment_to(&b) - expected).abs() < 1e-5);
    }
}

#[test]
fn auto_also_tries_a_long_transition_between_lying_and_standing() {
    let (back, rig) = lying(-FRAC_PI_2, 0.0);
    let (standing, _) = fixture("ada-idle");
    let longest_insert = |first: &Clip| {
        let inputs = [Input { clip: first, rig: &rig }, Input { clip: &standing, rig: &rig }];
        let (options, networks) = (StitchOptions::default(), Networks::default());
        let mut search = Auto::new(&inputs, &options, &mut Progress::silent()).unwrap();
        while search.advance(&inputs[0], &options, &networks, &mut Progress::silent()).unwrap() < 1.0 {}
        let result = search.finish(&inputs, &options, &networks, &mut Progress::silent()).unwrap();
        result.seam_reports[0].trials.iter().map(|trial| trial.inserted).max().unwrap()
    };
    let second = (1.0 / standing.frame_time_secs()).round() as usize;
    assert!(longest_insert(&standing) < 2 * second);
    assert_eq!(longest_insert(&back), 2 * second);
}
