//! The L-score on clips: its invariances, its cuts, and its transition.

use crate::common::fixtures::fixture;
use glam::Vec3;
use kinestitch::Progress;
use kinestitch::method::lscore::feature::Measure;
use kinestitch::method::lscore::inject::join_elastic;
use kinestitch::method::lscore::map::Scan;
use kinestitch::method::lscore::{LscoreOptions, seam};
use kinestitch::metrics::largest_step;
use kinestitch::motion::clip::Clip;
use kinestitch::motion::gait::Gait;
use kinestitch::motion::rig::{Rig, Role};
use kinestitch::motion::root::{GroundTransform, Root};

#[test]
fn features_do_not_depend_on_position_and_heading() {
    let (clip, inferred_rig) = fixture("ada-walk");
    for rig in [inferred_rig, Rig::empty()] {
        let root = Root::new(clip.skeleton(), &[&clip], &rig);
        let measure = Measure::new(&clip, &rig);
        let mut moved = clip.clone();
        root.place(&mut moved, &GroundTransform { yaw: 2.0, translation: Vec3::new(3.0, 0.0, -4.0) });
        let (original, shifted) = (measure.features(&clip).unwrap(), measure.features(&moved).unwrap());
        for frame in 0..clip.frames() {
            for joint in 0..original.joints() {
                let distance = original.at(frame, joint).distance(shifted.at(frame, joint));
                assert!(distance < 1e-4, "{:?}, frame {frame}, joint {joint}: {distance}", rig.kind);
            }
        }
    }
}

#[test]
fn the_unit_is_the_length_of_a_leg() {
    let (clip, rig) = fixture("bo-walk");
    let measure = Measure::new(&clip, &rig);
    let bone = |role: Role| clip.skeleton().joints()[rig.joint(role).unwrap()].offset.length();
    let legs = [[Role::LeftLeg, Role::LeftFoot], [Role::RightLeg, Role::RightFoot]];
    let metres = legs.map(|leg| leg.map(bone).iter().sum::<f32>()).iter().sum::<f32>() / 2.0;
    assert!((measure.metres() - metres).abs() < 1e-5, "{}, legs of {metres} m", measure.metres());
    // All roles are mapped, so the joints of the features are in the order of the roles.
    let features = measure.features(&clip).unwrap();
    assert_eq!(features.joints(), Role::ALL.len());
    let length = |from: Role, to: Role| features.at(0, from as usize).distance(features.at(0, to as usize));
    let leg = length(Role::LeftUpLeg, Role::LeftLeg) + length(Role::LeftLeg, Role::LeftFoot);
    assert!((leg - 1.0).abs() < 1e-3, "{leg}");
}

#[test]
fn removed_frames_of_a_walk_are_injected_again() {
    let (clip, rig) = fixture("ada-walk");
    let options = LscoreOptions { max_inject: 12, ..Default::default() };
    let scan = Scan::from_clips(&clip, &rig, &clip, &rig, &options).unwrap();
    // The score proposes to inject as many frames as were removed. (For long gaps it proposes more; in the
    // paper, 14 frames for 11.)
    let takeoff = clip.frames() / 2;
    for gap in [0, 1, 2] {
        let cut = scan.cut(takeoff, takeoff + 1 + gap).unwrap();
        assert!(cut.inject.abs_diff(gap) <= 2, "gap {gap}: {cut:?}");
    }
}

#[test]
fn the_injected_frames_join_without_a_jump() {
    let options = LscoreOptions::default();
    for (first, second) in [("ada-walk", "ada-jog"), ("ada-run", "ada-idle"), ("bo-turn", "bo-walk")] {
        let ((a, rig), (b, b_rig)) = (fixture(first), fixture(second));
        let scan = Scan::from_clips(&a, &rig, &b, &b_rig, &options).unwrap();
        let map = scan.map(scan.takeoffs(), scan.landings(), &mut Progress::silent()).unwrap();
        let cut = seam::select_cuts(&scan, &map, 1, 1)[0];
        let (head, tail) = (a.trimmed(0..cut.takeoff + 1).unwrap(), b.trimmed(cut.landing..b.frames()).unwrap());
        let root = Root::new(a.skeleton(), &[&head, &tail], &rig);
        let gaits = Gait::ends(&head, &tail, &root);
        let joined = join_elastic(&head, tail.clone(), &root, gaits, cut.inject, &options);
        assert_eq!((joined.overlap, joined.replaced), (5, 5));
        let count = joined.rotations.len() / a.joints();
        assert_eq!(count, 10 + cut.inject);

        let width = a.skeleton().translated().len();
        let keep = head.frames() - joined.overlap;
        let mut rotations = head.rotations()[..keep * a.joints()].to_vec();
        let mut translations = head.translations()[..keep * width].to_vec();
        rotations.extend(&joined.rotations);
        translations.extend(&joined.translations);
        rotations.extend(&joined.placed.rotations()[joined.replaced * a.joints()..]);
        translations.extend(&joined.placed.translations()[joined.replaced * width..]);
        let whole = Clip::new("whole", a.skeleton().clone(), a.frame_time_secs(), rotations, translations).unwrap();
        let (before, after, joined) = (largest_step(&a), largest_step(&b), largest_step(&whole));
        let limit = 1.3 * before.max(after);
        assert!(joined < limit, "{first} {second}: {joined} m per frame, inputs {before} {after} {cut:?}");
    }
}

#[test]
fn other_skeletons_and_short_clips_are_errors() {
    let options = LscoreOptions::default();
    let (a, rig) = fixture("ada-walk");
    let short = a.trimmed(0..4).unwrap();
    let error = Scan::from_clips(&a, &rig, &short, &rig, &options).unwrap_err();
    assert_eq!(error.code(), "too-short");
    assert!(error.to_string().contains("4 frames, at least 5"), "{error}");
    // Options are checked first, so no window of a clip without frames is used.
    let none = Clip::new("none", a.skeleton().clone(), a.frame_time_secs(), Vec::new(), Vec::new()).unwrap();
    let no_window = LscoreOptions { window: 0, ..options.clone() };
    let error = Scan::from_clips(&none, &rig, &a, &rig, &no_window).unwrap_err();
    assert_eq!(error.code(), "option", "{error}");
    let (b, _) = fixture("bo-walk");
    let error = Scan::from_clips(&a, &Rig::empty(), &b, &Rig::empty(), &options).unwrap_err();
    assert_eq!(error.code(), "rig", "{error}");
}
