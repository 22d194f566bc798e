//! The L-score on clips: its invariances, its cuts, and its transition.

use glam::Vec3;
use kinestitch::Progress;
use kinestitch::method::lscore::feature::Measure;
use kinestitch::method::lscore::inject::elastic;
use kinestitch::method::lscore::map::Scan;
use kinestitch::method::lscore::{LscoreOptions, seam};
use kinestitch::motion::fk::world_positions;
use kinestitch::motion::rig::{self, Rig};
use kinestitch::motion::root::{GroundTransform, Root};
use kinestitch::motion::{bvh, clip::Clip};

fn fixture(name: &str) -> (Clip, Rig) {
    let path = format!("{}/tests/fixtures/{name}.bvh", env!("CARGO_MANIFEST_DIR"));
    let clip = bvh::parse(name, &std::fs::read(path).unwrap()).unwrap().clip;
    let rig = rig::infer(&clip);
    (clip, rig)
}

#[test]
fn place_and_heading_do_not_count() {
    for (name, kind) in [("ada-walk", None), ("ada-walk", Some(Rig::none()))] {
        let (clip, rig) = fixture(name);
        let rig = kind.unwrap_or(rig);
        let root = Root::of(clip.skeleton(), &[&clip], &rig);
        let measure = Measure::of(&clip, &rig);
        let mut moved = clip.clone();
        root.place(&mut moved, &GroundTransform { yaw: 2.0, slide: Vec3::new(3.0, 0.0, -4.0) });
        let (here, there) = (measure.features(&clip).unwrap(), measure.features(&moved).unwrap());
        for frame in 0..clip.frames() {
            for joint in 0..here.joints() {
                assert!(here.at(frame, joint).distance(there.at(frame, joint)) < 1e-4, "{name} {frame} {joint}");
            }
        }
    }
}

#[test]
fn legs_are_the_unit() {
    let (clip, rig) = fixture("bo-walk");
    let measure = Measure::of(&clip, &rig);
    assert!((0.3..1.5).contains(&measure.metres()), "{}", measure.metres());
    assert_eq!(measure.features(&clip).unwrap().joints(), rig.joints.iter().flatten().count());
}

#[test]
fn a_walk_is_cut_where_it_is_in_step() {
    let (clip, rig) = fixture("ada-walk");
    let options = LscoreOptions { max_inject: 12, ..Default::default() };
    let scan = Scan::of(&clip, &rig, &clip, &rig, &options).unwrap();
    // Frames removed from a steady walk are proposed for insertion. (For long gaps more: the paper finds 14 for 11.)
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
        let scan = Scan::of(&a, &rig, &b, &b_rig, &options).unwrap();
        let map = scan.map(scan.takeoffs(), scan.landings(), &mut Progress::silent()).unwrap();
        let cut = seam::best(&scan, &map, 1, 1)[0];
        let (head, tail) = (a.trimmed(0..cut.takeoff + 1).unwrap(), b.trimmed(cut.landing..b.frames()).unwrap());
        let root = Root::of(a.skeleton(), &[&head, &tail], &rig);
        let joined = elastic(&head, tail.clone(), &root, cut.inject, &options);
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
        let (before, after, own) = (fastest(&a), fastest(&b), fastest(&whole));
        assert!(own < 1.3 * before.max(after), "{first} {second}: {own} m a frame, inputs {before} {after} {cut:?}");
    }
}

/// Largest movement of a joint between two frames, metres.
fn fastest(clip: &Clip) -> f32 {
    let positions = world_positions(clip);
    let ways = positions.iter().zip(&positions[clip.joints()..]).map(|(from, to)| from.distance(*to));
    ways.fold(0.0, f32::max)
}

#[test]
fn other_skeletons_and_short_clips_are_refused_in_words() {
    let options = LscoreOptions::default();
    let (a, rig) = fixture("ada-walk");
    let short = a.trimmed(0..4).unwrap();
    let error = Scan::of(&a, &rig, &short, &rig, &options).unwrap_err();
    assert_eq!(error.code(), "too-short");
    assert!(error.to_string().contains("4 frames, at least 5"), "{error}");
    let (b, _) = fixture("bo-walk");
    let error = Scan::of(&a, &Rig::none(), &b, &Rig::none(), &options).unwrap_err();
    assert_eq!(error.code(), "rig", "{error}");
}
