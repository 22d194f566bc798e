//! In-betweening on the generated clips: keys are kept bit for bit, speed continues, feet stay planted.

use crate::common::fixtures::fixture;
use crate::common::inbetween::{key, plain, run};
use glam::{Quat, Vec3};
use kinestitch::Error;
use kinestitch::inbetween::{GroundPose, Inbetween, InbetweenOptions, Key, Session, inbetween};
use kinestitch::method::filler::Filler;
use kinestitch::method::registry::Fillers;
use kinestitch::metrics::largest_step;
use kinestitch::motion::fk::{Pose, world_positions};
use kinestitch::motion::{clip::Clip, rig};
use kinestitch::progress::Progress;
use std::ops::ControlFlow;

/// Returns every method without weights.
fn methods() -> Vec<Box<dyn Filler>> {
    Fillers::default().names().map(plain).collect()
}

fn gap_of(frames: usize) -> InbetweenOptions {
    InbetweenOptions { frames: vec![frames], ..Default::default() }
}

#[test]
fn frames_of_keys_are_unchanged_to_the_bit() {
    let (walk, turn) = (fixture("ada-walk"), fixture("ada-turn"));
    for method in &methods() {
        let method = method.as_ref();
        for foot_lock in [false, true] {
            for frames in [1, 2, 7, 30, 120] {
                let options = InbetweenOptions { foot_lock, ..gap_of(frames) };
                let keys = [key(&walk, 3..20), key(&walk, 25..26), key(&walk, 31..40)];
                let result = run(&keys, method, &options);
                assert_eq!(result.clip.frames(), 17 + frames + 1 + frames + 9);
                for (key, range) in keys.iter().zip(&result.keys) {
                    for (source, frame) in key.frames.clone().zip(range.clone()) {
                        assert_eq!(result.clip.frame_rotations(frame), walk.0.frame_rotations(source));
                        assert_eq!(result.clip.frame_translations(frame), walk.0.frame_translations(source));
                    }
                }
                // A key of another clip is placed by its root alone.
                let result = run(&[key(&walk, 3..20), key(&turn, 10..30)], method, &options);
                for (source, frame) in (10..30).zip(result.keys[1].clone()) {
                    assert_eq!(result.clip.frame_rotations(frame)[1..], turn.0.frame_rotations(source)[1..]);
                }
            }
        }
    }
}

#[test]
fn bones_keep_their_lengths() {
    let (walk, running) = (fixture("ada-walk"), fixture("bo-run"));
    for (a, b) in [(&walk, &running), (&running, &walk)] {
        let result = run(&[key(a, 0..10), key(b, 5..6)], plain("inertialize").as_ref(), &gap_of(40));
        let length = |clip: &Clip, frame: usize| -> Vec<f32> {
            let pose = Pose::from_clip(clip, frame);
            let joints = clip.skeleton().joints().iter().enumerate();
            joints
                .map(|(i, joint)| {
                    joint.parent.map_or(0.0, |p| pose.world_positions[i].distance(pose.world_positions[p]))
                })
                .collect()
        };
        let (lengths, root) = (length(&result.clip, 0), a.1.joint(rig::Role::Hips).unwrap());
        for frame in 0..result.clip.frames() {
            for (joint, (length, expected)) in length(&result.clip, frame).into_iter().zip(&lengths).enumerate() {
                assert!(
                    joint == root || (length - expected).abs() < 1e-5,
                    "joint {joint} of frame {frame}: {length}, not {expected}"
                );
            }
        }
    }
}

/// Measures the change of velocity at a frame, metres per frame, mean over the joints: the length of the step after the
/// frame minus the step before it.
fn velocity_change(clip: &Clip, frame: usize) -> f32 {
    let positions = world_positions(clip);
    let row = |frame: usize| &positions[frame * clip.joints()..][..clip.joints()];
    let (a, b, c) = (row(frame - 1), row(frame), row(frame + 1));
    (0..clip.joints()).map(|j| ((c[j] - b[j]) - (b[j] - a[j])).length()).sum::<f32>() / clip.joints() as f32
}

#[test]
fn velocity_continues_at_both_keys() {
    let clips = [fixture("ada-walk"), fixture("ada-run"), fixture("ada-idle"), fixture("ada-turn")];
    for (a, b) in [(0, 1), (1, 0), (1, 2), (2, 1), (3, 0), (1, 3)] {
        let changes = ["linear", "inertialize"].map(|method| {
            let method = plain(method);
            let method = method.as_ref();
            let options = InbetweenOptions { foot_lock: false, ..gap_of(20) };
            let result = run(&[key(&clips[a], 0..20), key(&clips[b], 8..30)], method, &options);
            let (before, after) = (result.keys[0].end - 1, result.keys[1].start);
            // The same change in the clips themselves, one frame further inside.
            let of_clips = [before - 1, after + 1].map(|frame| velocity_change(&result.clip, frame));
            ([before, after].map(|frame| velocity_change(&result.clip, frame)), of_clips)
        });
        let [(linear, _), (inertialized, of_clips)] = changes;
        for end in 0..2 {
            let limit = 2.0 * of_clips[end] + 0.15 * linear[end];
            assert!(
                inertialized[end] < limit,
                "{a} {b}: {inertialized:?} m, linear {linear:?} m, the clips {of_clips:?} m"
            );
        }
    }
}

#[test]
fn a_key_of_one_pose_has_the_velocity_of_its_clip() {
    let walk = fixture("ada-walk");
    let options = InbetweenOptions { foot_lock: false, ..gap_of(20) };
    let (pose, piece) = (
        run(&[key(&walk, 19..20), key(&walk, 40..50)], plain("inertialize").as_ref(), &options),
        run(&[key(&walk, 0..20), key(&walk, 40..50)], plain("inertialize").as_ref(), &options),
    );
    let step = |result: &Inbetween, frame: usize| {
        result.clip.local_translation(frame + 1, 0) - result.clip.local_translation(frame, 0)
    };
    let (a, b) = (step(&pose, 0), step(&piece, 19));
    assert!(a.distance(b) < 0.2 * b.length(), "{a} after a pose, {b} after a piece");
}

#[test]
fn keys_have_their_requested_ground_poses() {
    let (walk, idle) = (fixture("ada-walk"), fixture("bo-idle"));
    for at in [GroundPose::new(1.0, -2.0, 0.5), GroundPose::new(-10.0, 0.0, 3.0)] {
        let keys = [key(&walk, 0..10), Key { at: Some(at), ..key(&idle, 4..20) }];
        let options = gap_of(60);
        let session = Session::new(&keys, &options, &mut Progress::silent()).unwrap();
        let pose = session.ground_poses()[1];
        assert!(pose.position.distance(at.position) < 1e-4);
        assert!(Quat::from_rotation_y(pose.heading - at.heading).angle_between(Quat::IDENTITY) < 1e-3);
        let result = session.solve(plain("inertialize").as_ref(), &mut Progress::silent()).unwrap();
        assert_eq!(result.ground_poses[1], pose);
        let hips = result.clip.local_translation(result.keys[1].start, 0);
        assert!((hips - at.position).with_y(0.0).length() < 0.01, "{hips} at {at:?}");
    }
}

#[test]
fn a_key_without_a_ground_pose_is_placed_by_extrapolating_the_motion() {
    let (walk, jog) = (fixture("ada-walk"), fixture("ada-jog"));
    let pace = |clip: &Clip| {
        let travel = clip.local_translation(clip.frames() - 1, 0) - clip.local_translation(0, 0);
        travel.with_y(0.0).length() / (clip.frames() - 1) as f32
    };
    let result = run(&[key(&walk, 0..30), key(&jog, 10..30)], plain("inertialize").as_ref(), &gap_of(24));
    let (from, to) = (result.keys[0].end - 1, result.keys[1].start);
    let travel = (result.clip.local_translation(to, 0) - result.clip.local_translation(from, 0)).with_y(0.0);
    let mean = 0.5 * (pace(&walk.0) + pace(&jog.0)) * 25.0;
    assert!((travel.length() / mean - 1.0).abs() < 0.15, "{} m, at the mean speed {mean} m", travel.length());
    let ahead = (walk.0.local_translation(30, 0) - walk.0.local_translation(0, 0)).with_y(0.0);
    assert!(travel.angle_between(ahead) < 0.15, "{travel} after {ahead}");
}

#[test]
fn foot_lock_reduces_foot_skate() {
    let walk = fixture("ada-walk");
    let mut foot_skate = [0.0_f32; 2];
    for from in [10, 14, 18, 22, 26] {
        for (sum, foot_lock) in foot_skate.iter_mut().zip([false, true]) {
            let options = InbetweenOptions { foot_lock, ..gap_of(12) };
            let result =
                run(&[key(&walk, 0..from), key(&walk, from + 12..from + 25)], plain("inertialize").as_ref(), &options);
            *sum += result.gaps[0].foot_skate;
        }
    }
    let [free, locked] = foot_skate;
    assert!(locked < 0.7 * free, "locked {locked}, free {free} m per frame");
}

#[test]
fn keys_of_other_skeletons_and_rates_are_converted() {
    let (walk, bo) = (fixture("ada-walk"), fixture("bo-jog"));
    for fps in [24.0, 30.0, 60.0, 120.0] {
        let options = InbetweenOptions { fps: Some(fps), ..gap_of(20) };
        let result =
            run(&[key(&walk, 5..6), key(&bo, 10..20), key(&walk, 30..40)], plain("inertialize").as_ref(), &options);
        assert!((result.clip.fps() - fps).abs() < 1e-6);
        assert_eq!(result.clip.skeleton(), walk.0.skeleton());
        let length = |frames: f64| ((frames - 1.0) * fps / 30.0 + 1e-6) as usize + 1;
        assert_eq!(result.keys.iter().map(ExactSizeIterator::len).collect::<Vec<_>>(), [1, length(10.0), length(10.0)]);
        let speed = largest_step(&result.clip) * fps as f32;
        assert!(speed < 12.0, "{fps} fps: {speed} m/s");
    }
}

#[test]
fn gaps_between_poses_of_a_dog_are_filled_and_mixed_keys_are_rejected() {
    let (dog, walk) = (fixture("cleo-walk"), fixture("ada-walk"));
    for method in &methods() {
        let method = method.as_ref();
        let result = run(&[key(&dog, 0..10), key(&dog, 30..31)], method, &gap_of(15));
        assert_eq!((result.clip.frames(), result.gaps[0].foot_skate), (26, 0.0));
        let wrong = inbetween(&[key(&walk, 0..10), key(&dog, 30..31)], method, &gap_of(15), &mut Progress::silent());
        assert!(matches!(wrong, Err(Error::Rig { .. })), "{wrong:?}");
    }
}

#[test]
fn invalid_input_is_an_error_that_names_the_option() {
    let walk = fixture("ada-walk");
    let wrong = |keys: &[Key], options: &InbetweenOptions| match inbetween(
        keys,
        plain("linear").as_ref(),
        options,
        &mut Progress::silent(),
    ) {
        Err(Error::Option { option, message }) => (option, message),
        other => panic!("{other:?}"),
    };
    let two = [key(&walk, 0..10), key(&walk, 20..30)];
    assert_eq!(wrong(&two[..1], &gap_of(5)).0, "keys");
    assert_eq!(wrong(&[], &gap_of(5)).0, "keys");
    assert_eq!(wrong(&[two[0].clone(), key(&walk, 9..9)], &gap_of(5)).0, "keys");
    assert_eq!(wrong(&[two[0].clone(), key(&walk, 9..9999)], &gap_of(5)).0, "keys");
    assert_eq!(wrong(&two, &gap_of(0)).0, "frames");
    assert_eq!(wrong(&two, &gap_of(481)).0, "frames");
    assert_eq!(wrong(&two, &InbetweenOptions { frames: vec![3, 4], ..gap_of(5) }).0, "frames");
    assert_eq!(wrong(&two, &InbetweenOptions { fps: Some(f64::NAN), ..gap_of(5) }).0, "fps");
    let not_finite = Key { at: Some(GroundPose::new(f32::NAN, 0.0, 0.0)), ..two[1].clone() };
    assert_eq!(wrong(&[two[0].clone(), not_finite], &gap_of(5)).0, "at");
    let mut session = Session::new(&two, &gap_of(5), &mut Progress::silent()).unwrap();
    assert!(session.place(2, None).is_err() && session.set_frames(1, 5).is_err() && session.set_frames(0, 0).is_err());
}

#[test]
fn reports_progress_and_can_be_aborted_at_each_report() {
    let walk = fixture("ada-walk");
    let keys = [key(&walk, 0..10), key(&walk, 20..30), key(&walk, 33..34)];
    let mut reports = Vec::new();
    let mut listen = Progress::new(|stage, done| {
        reports.push((stage, done));
        ControlFlow::Continue(())
    });
    inbetween(&keys, plain("inertialize").as_ref(), &gap_of(5), &mut listen).unwrap();
    drop(listen);
    assert!(reports.iter().all(|(_, done)| (0.0..=1.0).contains(done)) && reports.last().unwrap().1 == 1.0);
    for stop in 0..reports.len() {
        let mut calls = 0;
        let mut progress = Progress::new(|_, _| {
            calls += 1;
            if calls > stop { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        });
        assert_eq!(
            inbetween(&keys, plain("inertialize").as_ref(), &gap_of(5), &mut progress).err(),
            Some(Error::Aborted)
        );
    }
}

#[test]
fn a_dragged_key_gives_the_same_motion_as_a_new_session() {
    let (walk, idle) = (fixture("ada-walk"), fixture("ada-idle"));
    let keys = [key(&walk, 0..10), key(&idle, 20..30)];
    let mut session = Session::new(&keys, &gap_of(30), &mut Progress::silent()).unwrap();
    for step in 0..20 {
        let at = GroundPose::new(0.2 * step as f32, 1.0, 0.1 * step as f32);
        session.place(1, Some(at)).unwrap();
        session.set_frames(0, 10 + step).unwrap();
        let dragged = session.solve(plain("inertialize").as_ref(), &mut Progress::silent()).unwrap();
        let fresh = [keys[0].clone(), Key { at: Some(at), ..keys[1].clone() }];
        let fresh = run(&fresh, plain("inertialize").as_ref(), &gap_of(10 + step));
        assert_eq!(dragged.clip, fresh.clip);
    }
}

#[test]
fn speed_is_bounded_for_all_ground_poses_of_the_target() {
    let clips = [fixture("ada-walk"), fixture("ada-run"), fixture("bo-turn")];
    for clip in &clips[1..] {
        for (x, z, heading) in [(0.0, -2.0, 3.0), (10.0, 0.0, 0.0), (0.0, 0.0, 1.5), (0.01, 0.0, 0.0)] {
            for frames in [2, 10, 30, 120] {
                let target = Key { at: Some(GroundPose::new(x, z, heading)), ..key(clip, 12..13) };
                let keys = [key(&clips[0], 0..10), target];
                let [linear, inertialized] = ["linear", "inertialize"].map(|method| {
                    run(&keys, plain(method).as_ref(), &InbetweenOptions { foot_lock: false, ..gap_of(frames) }).clip
                });
                // Largest steps of the clips, and of the linear interpolation between the keys.
                let of_clips = largest_step(&clips[0].0).max(largest_step(&clip.0));
                let limit = of_clips.max(largest_step(&linear));
                let found = largest_step(&inertialized);
                assert!(found <= 2.0 * limit, "{x} {z} {frames}: {found} m a frame, of {limit}");
                assert!(inertialized.rotations().iter().all(|q| (q.length() - 1.0).abs() < 1e-4));
                let farthest = world_positions(&inertialized).into_iter().map(Vec3::length).fold(0.0, f32::max);
                assert!(farthest < 14.0, "{farthest} m away");
            }
        }
    }
}
