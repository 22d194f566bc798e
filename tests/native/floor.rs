//! Floors of clips by their supports, and clips moved to one floor.

use crate::common::fixtures::{fixture, read, repository};
use crate::common::inbetween::{key, plain, run};
use crate::common::joins::inertialized;
use crate::common::recordings::mocap;
use glam::Quat;
use kinestitch::Clip;
use kinestitch::inbetween::InbetweenOptions;
use kinestitch::motion::bvh::parse;
use kinestitch::motion::fk::Pose;
use kinestitch::motion::floor::{Ground, describe_move, find_floor, level};
use kinestitch::motion::retarget::{retarget, retarget_with};
use kinestitch::motion::rig::{Rig, Role, infer};
use kinestitch::progress::Progress;
use kinestitch::stitch::{Input, StitchOptions, Stitched, stitch};

/// A run whose hips are at height 0.
fn run_with_hips_at_zero() -> (Clip, Rig) {
    let clip = read(&repository("tests/fixtures/cases/run-hips-at-0.bvh"));
    let rig = infer(&clip);
    (clip, rig)
}

/// Returns a clip moved up, metres.
fn raised(clip: &Clip, height: f32) -> Clip {
    let mut clip = clip.clone();
    let width = clip.skeleton().translated().len();
    clip.translations_mut().iter_mut().step_by(width).for_each(|translation| translation.y += height);
    clip
}

/// Returns the lowest height of the ankles and toes in some frames, metres.
fn lowest_foot(clip: &Clip, rig: &Rig, frames: std::ops::Range<usize>) -> f32 {
    let feet = [Role::LeftFoot, Role::LeftToe, Role::RightFoot, Role::RightToe].map(|role| rig.joint(role).unwrap());
    let heights = frames.flat_map(|frame| {
        let pose = Pose::from_clip(clip, frame);
        feet.map(|joint| pose.world_positions[joint].y)
    });
    heights.fold(f32::INFINITY, f32::min)
}

#[test]
fn the_floor_is_where_the_soles_rest() {
    for name in ["ada-walk", "ada-run", "ada-idle", "ada-turn", "bo-walk", "bo-run", "bo-idle"] {
        let (clip, rig) = fixture(name);
        let floor = find_floor(&clip, &rig).unwrap_or_else(|| panic!("{name}: no floor"));
        assert!(floor.abs() < 0.025, "{name} stands at {floor} m");
        let higher = find_floor(&raised(&clip, 0.7), &rig).unwrap();
        assert!((higher - floor - 0.7).abs() < 1e-4, "{name}, 0.7 m higher, stands at {higher} m");
    }
    let (run, rig) = run_with_hips_at_zero();
    let floor = find_floor(&run, &rig).unwrap();
    assert!((-1.05..-0.8).contains(&floor), "the run stands at {floor} m");
}

fn joined(clips: [(&Clip, &Rig); 2], ground: Ground) -> Stitched {
    let inputs = clips.map(|(clip, rig)| Input { clip, rig });
    stitch(&inputs, &StitchOptions { ground, ..inertialized() }, &mut Progress::silent()).unwrap()
}

#[test]
fn clips_are_joined_on_one_floor_and_the_move_is_reported() {
    let ((walk, walk_rig), (run, run_rig)) = (fixture("ada-walk"), run_with_hips_at_zero());
    let floor = lowest_foot(&walk, &walk_rig, 0..walk.frames());
    for clips in [[(&walk, &walk_rig), (&run, &run_rig)], [(&run, &run_rig), (&walk, &walk_rig)]] {
        let result = joined(clips, Ground::Level);
        let frames = result.clip.frames();
        for part in [0..frames / 3, 2 * frames / 3..frames] {
            let lowest = lowest_foot(&result.clip, clips[0].1, part);
            assert!((lowest - floor).abs() < 0.03, "feet at {lowest} m, not at {floor} m");
        }
        assert!(result.warnings.iter().any(|warning| warning.contains("moved up by 9")), "{:?}", result.warnings);
    }
    let as_in_file = joined([(&walk, &walk_rig), (&run, &run_rig)], Ground::AsInFile);
    let frames = as_in_file.clip.frames();
    assert!(lowest_foot(&as_in_file.clip, &walk_rig, frames - 20..frames) < -0.8);
    assert!(!as_in_file.warnings.iter().any(|warning| warning.contains("moved")), "{:?}", as_in_file.warnings);
}

#[test]
fn clips_on_one_stage_stay_there_and_one_stage_is_lowered() {
    let ((walk, rig), (run, run_rig)) = (fixture("ada-walk"), fixture("ada-run"));
    let (stage_walk, stage_run) = (raised(&walk, 0.5), raised(&run, 0.5));
    let both = level(&[(&stage_walk, &rig), (&stage_run, &run_rig)], Ground::Level);
    assert!(both.warnings.is_empty(), "{:?}", both.warnings);
    let one = level(&[(&stage_walk, &rig), (&run, &run_rig)], Ground::Level);
    assert_eq!(one.warnings.len(), 1);
    assert!(one.warnings[0].contains("moved down by 5"), "{:?}", one.warnings);
    assert!(find_floor(&one.clips[0], &rig).unwrap().abs() < 0.03);
    // Retargeting to the same skeleton moves a motion to the floor of the target, and changes nothing on one floor.
    assert_eq!(retarget(&walk, &rig, &run, &run_rig).unwrap().translations(), walk.translations());
    let lowered = retarget(&stage_walk, &rig, &run, &run_rig).unwrap();
    assert!(find_floor(&lowered, &rig).unwrap().abs() < 0.03);
    let sentence = describe_move((&stage_walk, &rig), (&run, &run_rig)).unwrap();
    assert!(sentence.contains("moved down by"), "{sentence}");
    let kept = retarget_with(&stage_walk, &rig, (&run, &run_rig), Ground::AsInFile).unwrap();
    assert_eq!(kept.translations(), stage_walk.translations());
}

/// Returns a clip whose body is turned about the x axis: it swims on its front.
fn swimming(clip: &Clip) -> Clip {
    let mut clip = clip.clone();
    let (joints, width) = (clip.joints(), clip.skeleton().translated().len());
    let turn = Quat::from_rotation_x(std::f32::consts::FRAC_PI_2);
    for frame in 0..clip.frames() {
        let rotation = &mut clip.rotations_mut()[frame * joints];
        *rotation = turn * *rotation;
        clip.translations_mut()[frame * width].y = 1.4;
    }
    clip
}

/// Returns an idle clip that hangs from both hands.
fn hanging(clip: &Clip, rig: &Rig) -> Clip {
    let mut clip = raised(clip, 1.0);
    let joints = clip.joints();
    for (role, angle) in [(Role::LeftArm, 1.5), (Role::RightArm, -1.5)] {
        let joint = rig.joint(role).unwrap();
        clip.rotations_mut()[joint..].iter_mut().step_by(joints).for_each(|rotation| {
            *rotation = Quat::from_rotation_z(angle);
        });
    }
    clip
}

#[test]
fn a_clip_that_swims_or_hangs_all_the_time_keeps_its_height() {
    let ((walk, rig), (idle, idle_rig)) = (fixture("ada-walk"), fixture("ada-idle"));
    let (bo, bo_rig) = fixture("bo-walk");
    for clip in [swimming(&walk), hanging(&idle, &idle_rig)] {
        assert_eq!(find_floor(&clip, &rig), None);
        let levelled = level(&[(&walk, &rig), (&clip, &rig)], Ground::Level);
        assert!(levelled.warnings.is_empty() && *levelled.clips[1] == clip);
        // On another body, the hips keep their height over 0, scaled by leg length.
        let result = retarget(&clip, &rig, &bo, &bo_rig).unwrap();
        let hips = |clip: &Clip, rig: &Rig| Pose::from_clip(clip, 0).world_positions[rig.joint(Role::Hips).unwrap()].y;
        let (from, to) = (hips(&clip, &rig), hips(&result, &bo_rig));
        assert!((to / from - 0.92).abs() < 0.06, "hips at {to} m instead of {from} m");
    }
}

#[test]
fn the_top_of_a_slow_flight_is_no_floor() {
    let (idle, rig) = fixture("ada-idle");
    let mut flight = idle.clone();
    let width = flight.skeleton().translated().len();
    let frames = flight.frames() as f32;
    for (frame, translation) in flight.translations_mut().iter_mut().step_by(width).enumerate() {
        translation.y += 0.8 * (frame as f32 / frames * std::f32::consts::PI).sin();
    }
    assert_eq!(find_floor(&flight, &rig), None);
}

#[test]
fn on_another_body_a_motion_stands_on_the_floor_of_the_target_or_keeps_its_height() {
    let ((run, rig), (bo, bo_rig)) = (run_with_hips_at_zero(), fixture("bo-idle"));
    let result = retarget(&run, &rig, &bo, &bo_rig).unwrap();
    assert!(find_floor(&result, &bo_rig).unwrap().abs() < 0.03);
    let as_in_file = retarget_with(&run, &rig, (&bo, &bo_rig), Ground::AsInFile).unwrap();
    let floor = find_floor(&as_in_file, &bo_rig).unwrap();
    assert!((-1.0..-0.7).contains(&floor), "{floor} m");
}

#[test]
fn keys_of_two_floors_stand_on_one() {
    let (walk, low_run) = (fixture("ada-walk"), run_with_hips_at_zero());
    let walk_rig = &walk.1;
    let fill = |ground| {
        let options = InbetweenOptions { ground, ..InbetweenOptions::default() };
        run(&[key(&walk, 20..40), key(&low_run, 20..40)], plain("inertialize").as_ref(), &options)
    };
    let level = fill(Ground::Level);
    let frames = level.clip.frames();
    let lowest = lowest_foot(&level.clip, walk_rig, frames - 20..frames);
    assert!(lowest > -0.03, "feet at {lowest} m");
    assert!(level.warnings.iter().any(|warning| warning.contains("moved up")), "{:?}", level.warnings);
    let as_in_file = fill(Ground::AsInFile);
    assert!(lowest_foot(&as_in_file.clip, walk_rig, frames - 20..frames) < -0.7);
}

#[test]
fn recordings_stand_at_height_0() {
    let mut lines = Vec::new();
    let mut wrong = 0;
    for (set, step) in [("lafan1", 1), ("bandai", 60), ("cmu", 6), ("100style", 1), ("accad", 4)] {
        for file in mocap(set).unwrap_or_default().into_iter().step_by(step) {
            let clip = parse(&file.display().to_string(), &std::fs::read(&file).unwrap()).unwrap().clip;
            let clip = if set == "cmu" { clip.trimmed(1..clip.frames()).unwrap() } else { clip };
            let floor = find_floor(&clip, &infer(&clip));
            wrong += usize::from(floor.is_none_or(|floor| floor.abs() > 0.1));
            lines.push(format!("{floor:?} {}", clip.name));
        }
    }
    assert!(20 * wrong <= lines.len(), "{wrong} of {}:\n{}", lines.len(), lines.join("\n"));
    // The root channels of these files are relative to its OFFSET.
    for file in mocap("reactidle").unwrap_or_default().into_iter().step_by(4) {
        let clip = parse(&file.display().to_string(), &std::fs::read(&file).unwrap()).unwrap().clip;
        let floor = find_floor(&clip, &infer(&clip));
        assert!(floor.is_some_and(|floor| floor.abs() < 0.1), "{floor:?} {}", clip.name);
    }
}
