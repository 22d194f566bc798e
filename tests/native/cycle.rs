//! Loops: a motion that is cut where it repeats, and closed, continues without a jump.

use crate::common::fixtures::fixture;
use crate::common::joins::{cut_by, inertialized};
use glam::{Quat, Vec3};
use kinestitch::motion::build::{Bone, build_clip};
use kinestitch::motion::fk::Pose;
use kinestitch::motion::rig::{Rig, infer};
use kinestitch::motion::root::{GroundTransform, Root};
use kinestitch::stitch::cycle::{Loop, LoopOptions, Pick, find_cycle, make_loop};
use kinestitch::stitch::{BLEND_SECS, JoinChoice};
use kinestitch::{BlendKind, Clip, Cut, Input, Progress, StitchOptions, Transition, stitch};

/// Returns three repetitions of a loop in sequence.
fn repeat_three_times(Loop { clip, travel, .. }: &Loop, rig: &Rig) -> Clip {
    let root = Root::new(clip.skeleton(), &[clip], rig);
    let (mut rotations, mut translations) = (Vec::new(), Vec::new());
    let mut placed = clip.clone();
    for _ in 0..3 {
        rotations.extend_from_slice(placed.rotations());
        translations.extend_from_slice(placed.translations());
        root.place(&mut placed, travel);
    }
    Clip::new("repeated", clip.skeleton().clone(), clip.frame_time_secs(), rotations, translations).unwrap()
}

/// Measures the largest movement of a joint in each step between frames, metres.
fn steps(clip: &Clip) -> Vec<f32> {
    let poses: Vec<Pose> = (0..clip.frames()).map(|frame| Pose::from_clip(clip, frame)).collect();
    let largest_step = |pair: &[Pose]| {
        let positions = pair[0].world_positions.iter().zip(&pair[1].world_positions);
        positions.map(|(a, b)| a.distance(*b)).fold(0.0, f32::max)
    };
    poses.windows(2).map(largest_step).collect()
}

/// Measures the step over the seam, and the largest step near the seam, metres.
fn steps_at_seam(result: &Loop, rig: &Rig) -> (f32, f32) {
    let steps = steps(&repeat_three_times(result, rig));
    let seam = 2 * result.clip.frames() - 1;
    let near_seam = (1..=6).flat_map(|distance| [steps[seam - distance], steps[seam + distance]]);
    (steps[seam], near_seam.fold(0.0, f32::max))
}

#[test]
fn walks_and_runs_become_loops_without_a_jump() {
    for name in ["ada-walk", "ada-jog", "ada-run", "ada-turn", "bo-walk", "bo-jog", "bo-run", "bo-idle", "cleo-trot"] {
        let (clip, rig) = fixture(name);
        for (blend, in_place) in
            [(BlendKind::Inertialize, false), (BlendKind::Inertialize, true), (BlendKind::Crossfade, false)]
        {
            let options = LoopOptions { in_place, ..Default::default() };
            let stitch_options = Transition::Blend { blend, seconds: BLEND_SECS }.into();
            let input = Input { clip: &clip, rig: &rig };
            let (result, found) = make_loop(input, &options, &stitch_options, &mut Progress::silent()).unwrap();
            let (jump, near_seam) = steps_at_seam(&result, &rig);
            println!(
                "{name} {blend:?}: {found:?}, {} frames, {jump:.4} m, near it {near_seam:.4} m",
                result.clip.frames()
            );
            assert!(jump <= near_seam * 1.05 + 1e-3, "{name}: {jump} m over the seam, {near_seam} m near it");
            assert_eq!(result.clip.skeleton(), clip.skeleton());
            match blend {
                // Both ends are mixed into one.
                BlendKind::Crossfade => assert!(result.clip.frames() * 3 >= found.frames.len() * 2),
                _ => assert_eq!(result.clip.frames(), found.frames.len()),
            }
            if in_place {
                assert_eq!(result.travel, GroundTransform { yaw: 0.0, translation: Vec3::ZERO });
            }
        }
    }
}

/// Creates a pendulum on a root that moves forward. `period`: frames.
fn pendulum(frames: usize, period: f32) -> Clip {
    let bone = |name: &str, parent, offset| Bone { name: name.to_owned(), parent, offset, has_translation: false };
    let bones = vec![bone("root", None, Vec3::Y), bone("arm", Some(0), Vec3::X), bone("end", Some(1), Vec3::X)];
    let angle = |frame: usize| (frame as f32 / period * std::f32::consts::TAU).sin();
    let rotations = |frame: usize| [Quat::IDENTITY, Quat::from_rotation_z(angle(frame)), Quat::IDENTITY];
    let translations = (0..frames).map(|frame| Vec3::new(0.0, 1.0, frame as f32 * 0.05));
    build_clip("pendulum", bones, 30.0, (0..frames).flat_map(rotations).collect(), translations.collect()).unwrap()
}

#[test]
fn the_cycle_of_a_pendulum_is_its_period() {
    let clip = pendulum(100, 24.0);
    let rig = infer(&clip);
    let input = Input { clip: &clip, rig: &rig };
    let found = find_cycle(input, &LoopOptions::default()).unwrap();
    assert_eq!((found.frames.len(), found.is_closed), (24, false));
    assert!(found.distance_cm < 0.1);
    let longest = find_cycle(input, &LoopOptions { pick: Pick::Longest, ..Default::default() }).unwrap();
    assert_eq!(longest.frames.len(), 96);
    let second = find_cycle(input, &LoopOptions { min_secs: 1.2, max_secs: Some(2.0), ..Default::default() }).unwrap();
    assert_eq!(second.frames.len(), 48);
    for (min_secs, max_secs) in [(0.0, None), (2.0, Some(1.0)), (9.0, None), (f64::NAN, None)] {
        let refused = find_cycle(input, &LoopOptions { min_secs, max_secs, ..Default::default() });
        assert_eq!(refused.unwrap_err().code(), "option");
    }
    let short = clip.trimmed(0..9).unwrap();
    let refused = find_cycle(Input { clip: &short, rig: &rig }, &LoopOptions::default());
    assert_eq!(refused.unwrap_err().code(), "too-short");
}

#[test]
fn a_cycle_of_a_given_length_is_found_in_all_of_a_long_clip() {
    // Only every second frame is compared, and 25 is odd. The period is 25 frames in the second half only.
    let mut clip = pendulum(2000, 25.0);
    for frame in 0..1000 {
        clip.rotations_mut()[3 * frame + 1] =
            Quat::from_rotation_z((frame as f32 / 20.0 * std::f32::consts::TAU).sin());
    }
    let rig = infer(&clip);
    let options = LoopOptions { min_secs: 25.0 / 30.0, max_secs: Some(25.0 / 30.0), ..Default::default() };
    let found = find_cycle(Input { clip: &clip, rig: &rig }, &options).unwrap();
    assert!(found.frames.len() == 25 && found.frames.start >= 990 && found.distance_cm < 0.1, "{found:?}");
}

#[test]
fn a_closed_loop_is_not_changed() {
    let clip = pendulum(48, 24.0);
    let rig = infer(&clip);
    let (result, found) =
        make_loop(Input { clip: &clip, rig: &rig }, &LoopOptions::default(), &inertialized(), &mut Progress::silent())
            .unwrap();
    assert!(found.is_closed);
    assert_eq!(result.clip, clip);
    assert!(result.travel.translation.distance(Vec3::new(0.0, 0.0, 48.0 * 0.05)) < 1e-4);
}

/// Finds cuts of a clip with itself, by each rule and by auto. Returns the number of frames from the landing to the
/// frame after the take-off.
fn frames_back(input: Input) -> Vec<(&'static str, usize)> {
    let max_cut = input.clip.frames() as f64 / input.clip.fps();
    let cut =
        |rule| stitch(&[input, input], &cut_by(rule), &mut Progress::silent()).unwrap().seam_reports[0].cut_at.unwrap();
    let mut cuts = vec![("best", cut(Cut::Best { max_cut })), ("phase", cut(Cut::Phase { max_cut }))];
    let join = JoinChoice::Auto { max_cut, keep_all_frames: false };
    let options = StitchOptions { join, ..Default::default() };
    let result = stitch(&[input, input], &options, &mut Progress::silent()).unwrap();
    for trial in &result.seam_reports[0].trials {
        match trial.made.cut {
            Cut::Best { .. } => cuts.push(("auto, best", trial.cut_at)),
            Cut::Phase { .. } => cuts.push(("auto, phase", trial.cut_at)),
            Cut::Keep | Cut::At { .. } => {}
        }
    }
    cuts.dedup();
    cuts.iter().map(|(rule, cut)| (*rule, (cut.takeoff + 1).checked_sub(cut.landing).unwrap())).collect()
}

#[test]
fn a_stitch_of_a_clip_with_itself_finds_the_next_cycle_by_every_rule() {
    for name in ["ada-walk", "ada-jog", "ada-run", "bo-walk", "bo-jog", "bo-run", "cleo-trot"] {
        let (clip, rig) = fixture(name);
        let input = Input { clip: &clip, rig: &rig };
        let period =
            find_cycle(input, &LoopOptions { max_secs: Some(2.0), ..Default::default() }).unwrap().frames.len() as f32;
        let found = frames_back(input);
        println!("{name}, a cycle has {period} of {} frames: {found:?}", clip.frames());
        assert!(found.len() > 2);
        for (rule, back) in found {
            let cycles = (back as f32 / period).round();
            let error = (back as f32 - cycles * period).abs();
            assert!(cycles >= 1.0 && error <= 2.0 * cycles, "{name}, {rule}: {back} frames back");
        }
    }
}

#[test]
fn a_closed_loop_on_a_circle_turns_by_every_step_of_its_period() {
    // A pendulum whose root moves on a circle and turns: 48 steps of 0.03 rad.
    let (mut clip, turn, frames) = (pendulum(48, 24.0), 0.03_f32, 48);
    let direction = |angle: f32| Vec3::new(angle.sin(), 0.0, angle.cos());
    let place = |frame: f32| direction(frame * turn - std::f32::consts::FRAC_PI_2) * 2.0;
    for frame in 0..frames {
        clip.rotations_mut()[3 * frame] = Quat::from_rotation_y(frame as f32 * turn);
        clip.translations_mut()[frame] = Vec3::Y + place(frame as f32);
    }
    let rig = infer(&clip);
    let input = Input { clip: &clip, rig: &rig };
    let make = |in_place| {
        let options = LoopOptions { in_place, ..Default::default() };
        make_loop(input, &options, &inertialized(), &mut Progress::silent()).unwrap()
    };
    let (result, found) = make(false);
    assert!(found.is_closed);
    assert!((result.travel.yaw - frames as f32 * turn).abs() < 1e-4, "{}", result.travel.yaw);
    let next = result.travel.apply(place(0.0));
    assert!(next.distance(place(frames as f32)) < 1e-3, "{next}, not {}", place(frames as f32));
    let (in_place, _) = make(true);
    for frame in 0..frames {
        let heading = in_place.clip.frame_rotations(frame)[0].angle_between(clip.frame_rotations(0)[0]);
        assert!(heading < 1e-3, "frame {frame}: {heading} rad");
    }
}
