//! Stitching of generated motions: a body of hips and two legs that walks, turns and runs.

use crate::common::joins::{inertialized, transitions};
use glam::{Quat, Vec3};
use kinestitch::metrics::largest_step;
use kinestitch::motion::fk::world_positions;
use kinestitch::motion::floor::Ground;
use kinestitch::motion::rig::{Rig, RigKind, Role};
use kinestitch::motion::skeleton::{FileSpace, Joint, PositionMode};
use kinestitch::stitch::PartialJoin;
use kinestitch::{
    BlendKind, Channel, Clip, Cut, Error, Input, Join, Progress, Skeleton, StitchOptions, Stitched, Transition, stitch,
};
use std::ops::ControlFlow;
use std::sync::Arc;

const POSITIONS: [Channel; 3] = [Channel::Xposition, Channel::Yposition, Channel::Zposition];
const ROTATIONS: [Channel; 3] = [Channel::Zrotation, Channel::Xrotation, Channel::Yrotation];

fn joint(name: &str, parent: Option<usize>, offset: [f32; 3], positions: bool) -> Joint {
    let channels = if positions { [POSITIONS, ROTATIONS].concat() } else { ROTATIONS.to_vec() };
    let position_mode = PositionMode::Replace;
    Joint { name: name.into(), parent, offset: offset.into(), channels, position_mode, end_sites: Vec::new() }
}

/// Creates hips and legs. With `has_top`, a static root joint is above the hips, as in Bandai-Namco's files.
fn body(has_top: bool) -> (Arc<Skeleton>, Rig) {
    let mut joints = Vec::new();
    if has_top {
        joints.push(joint("joint_Root", None, [0.0; 3], true));
    }
    let hips = joints.len();
    joints.push(joint("Hips", has_top.then_some(0), [0.0, 0.9, 0.0], true));
    let mut rig = Rig::empty();
    rig.kind = RigKind::Biped;
    rig.joints[Role::Hips as usize] = Some(hips);
    for (side, x, roles) in [
        ("Left", 0.1, [Role::LeftUpLeg, Role::LeftLeg, Role::LeftFoot, Role::LeftToe]),
        ("Right", -0.1, [Role::RightUpLeg, Role::RightLeg, Role::RightFoot, Role::RightToe]),
    ] {
        let offsets = [[x, -0.02, 0.0], [0.0, -0.42, 0.0], [0.0, -0.42, 0.0], [0.0, -0.04, 0.14]];
        let mut parent = hips;
        for ((part, offset), role) in ["UpLeg", "Leg", "Foot", "Toe"].into_iter().zip(offsets).zip(roles) {
            rig.joints[role as usize] = Some(joints.len());
            joints.push(joint(&format!("{side}{part}"), Some(parent), offset, false));
            parent = joints.len() - 1;
        }
    }
    (Arc::new(Skeleton::new(joints, FileSpace::default()).unwrap()), rig)
}

/// Creates a gait at `speed` m/s and turn rate `turn` rad/s, with its own start position and heading.
fn gait(skeleton: &Arc<Skeleton>, rig: &Rig, frames: usize, speed: f32, turn: f32, heading: f32) -> Clip {
    let (fps, hips) = (30.0, rig.joint(Role::Hips).unwrap());
    let mut position = Vec3::new(3.0 * heading, 0.9, -2.0);
    let (mut rotations, mut translations) = (Vec::new(), Vec::new());
    for frame in 0..frames {
        let time = frame as f32 / fps;
        let yaw = heading + turn * time;
        position += Quat::from_rotation_y(yaw) * Vec3::Z * (speed / fps);
        let phase = time * (4.0 + 2.0 * speed);
        let mut pose = vec![Quat::IDENTITY; skeleton.len()];
        pose[hips] = Quat::from_rotation_y(yaw + 0.1 * phase.sin()) * Quat::from_rotation_x(0.03 * speed);
        for (sign, up, low) in [(1.0, Role::LeftUpLeg, Role::LeftLeg), (-1.0, Role::RightUpLeg, Role::RightLeg)] {
            let swing = sign * phase.sin() * (0.2 + 0.12 * speed);
            let bend = 0.3 + 0.25 * (sign * phase.cos()).max(0.0) * speed.min(2.0);
            pose[rig.joint(up).unwrap()] = Quat::from_rotation_x(-swing - 0.15);
            pose[rig.joint(low).unwrap()] = Quat::from_rotation_x(bend);
        }
        rotations.extend(pose);
        for &joint in skeleton.translated() {
            let lift = Vec3::Y * 0.02 * (2.0 * phase).cos();
            translations.push(if joint == hips { position + lift } else { Vec3::ZERO });
        }
    }
    Clip::new(format!("gait {speed} m/s"), Arc::clone(skeleton), 1.0 / fps as f64, rotations, translations).unwrap()
}

fn run(clips: &[&Clip], rig: &Rig, options: &StitchOptions) -> Result<Stitched, Error> {
    let inputs: Vec<Input> = clips.iter().map(|&clip| Input { clip, rig }).collect();
    stitch(&inputs, options, &mut Progress::silent())
}

fn plain(transition: Transition) -> StitchOptions {
    // The generated gaits bend their legs differently, so that their floors differ.
    StitchOptions { foot_lock: false, ground: Ground::AsInFile, ..transition.into() }
}

/// Returns the length of a blend, seconds.
fn secs(frames: usize) -> f64 {
    frames as f64 / 30.0
}

#[test]
fn outside_the_blend_every_frame_is_bit_equal_to_the_aligned_input() {
    for has_top in [false, true] {
        let (skeleton, rig) = body(has_top);
        let clips = [
            gait(&skeleton, &rig, 80, 1.2, 0.0, 0.3),
            gait(&skeleton, &rig, 90, 3.0, 0.5, 2.0),
            gait(&skeleton, &rig, 70, 0.4, -1.0, -1.5),
        ];
        for blend in [0, 1, 20, 1000] {
            for transition in transitions(secs(blend).min(60.0)) {
                let result = run(&clips.each_ref(), &rig, &plain(transition.clone())).unwrap();
                assert_eq!(result.aligned[0], clips[0]);
                let edited = |frame: usize| result.seam_reports.iter().any(|seam| seam.edited_range.contains(&frame));
                for frame in (0..result.clip.frames()).filter(|&frame| !edited(frame)) {
                    let input = (0..3).rev().find(|&i| result.starts[i] <= frame).unwrap();
                    let source_frame = frame - result.starts[input];
                    assert_eq!(result.clip.frame_rotations(frame), result.aligned[input].frame_rotations(source_frame));
                    assert_eq!(
                        result.clip.frame_translations(frame),
                        result.aligned[input].frame_translations(source_frame)
                    );
                }
                let edited_frames: usize = result.seam_reports.iter().map(|seam| seam.edited_range.len()).sum();
                let total = match transition {
                    Transition::Blend { blend: BlendKind::Crossfade, .. } => 240 - edited_frames,
                    Transition::Blend { blend: BlendKind::Inertialize, .. } => 240,
                    // The edited frames of each seam are two windows of 5 frames, and the inserted frames.
                    _ => 240 + edited_frames - 2 * (5 + 5),
                };
                assert_eq!(result.clip.frames(), total);
                assert_eq!(result.warnings.is_empty(), blend < 1000 || transition == Transition::lscore());
            }
        }
    }
}

#[test]
fn blends_of_different_joins_at_both_ends_of_a_clip_do_not_overlap() {
    let (skeleton, rig) = body(false);
    let clips = [80, 40, 70].map(|frames| gait(&skeleton, &rig, frames, 1.2, 0.3, 0.3));
    for joining in [Transition::crossfade(secs(1000)), Transition::lscore()] {
        let options = plain(Transition::inertialize(secs(1000)));
        let seams = vec![None, Some(PartialJoin { transition: Some(joining.clone()), ..Default::default() })];
        let result = run(&clips.each_ref(), &rig, &StitchOptions { seams, ..options }).unwrap();
        let [first, second] = [0, 1].map(|seam| result.seam_reports[seam].edited_range.clone());
        assert!(first.len() > 10 && first.end <= second.start, "{joining:?}: {first:?} {second:?}");
    }
    // A window longer than half of what a given cut leaves of the clip.
    let cut = Cut::At { takeoff: 29, landing: 0 };
    for blend in [Transition::inertialize(secs(1000)), Transition::crossfade(secs(1000))] {
        let transition = Transition::Lscore { window: 20, min_inject: 4, max_inject: 4 };
        let options = plain(blend.clone());
        let seams = vec![None, Some(Join { cut, transition, refine: false }.into())];
        let result = run(&clips.each_ref(), &rig, &StitchOptions { seams, ..options }).unwrap();
        let [first, second] = [0, 1].map(|seam| result.seam_reports[seam].edited_range.clone());
        assert!(first.len() == 10 && first.end <= second.start, "{blend:?}: {first:?} {second:?}");
    }
}

#[test]
fn seams_have_no_jump() {
    for has_top in [false, true] {
        let (skeleton, rig) = body(has_top);
        for (speed, turn) in [(0.0, 0.0), (1.2, 0.0), (3.5, 1.0), (5.0, -1.5)] {
            let (a, b) = (gait(&skeleton, &rig, 77, 1.2, 0.3, 0.3), gait(&skeleton, &rig, 90, speed, turn, 2.8));
            let inputs = largest_step(&a).max(largest_step(&b));
            for (blend, factor) in [(10, 1.5), (20, 1.3), (40, 1.3)] {
                for joining in transitions(secs(blend)) {
                    let result = run(&[&a, &b], &rig, &plain(joining.clone())).unwrap();
                    let jump = largest_step(&result.clip);
                    assert!(
                        jump < factor * inputs,
                        "{joining:?} {blend} frames to {speed} m/s: {jump} m, inputs {inputs} m"
                    );
                }
            }
        }
    }
}

#[test]
fn every_join_is_measured_over_one_second_on_each_side() {
    let (skeleton, rig) = body(false);
    let (long, short) = (gait(&skeleton, &rig, 90, 1.2, 0.0, 0.3), gait(&skeleton, &rig, 40, 3.0, 0.5, 2.8));
    for joining in transitions(0.5) {
        let result = run(&[&long, &short, &long], &rig, &plain(joining.clone())).unwrap();
        let fps = result.clip.fps().round() as usize;
        for seam in &result.seam_reports {
            let end = (seam.frame + fps).min(result.clip.frames());
            assert_eq!(seam.measured_range, seam.frame - fps..end, "{joining:?}");
            assert!(seam.foot_skate >= 0.0 && seam.peak_jerk > 0.0, "{seam:?}");
        }
    }
}

#[test]
fn a_static_top_joint_stays_static() {
    let (skeleton, rig) = body(true);
    let (a, b) = (gait(&skeleton, &rig, 60, 1.2, 0.0, 0.3), gait(&skeleton, &rig, 60, 1.4, 0.0, 2.8));
    let result = run(&[&a, &b], &rig, &plain(Transition::inertialize(secs(20)))).unwrap();
    assert!((0..result.clip.frames()).all(|frame| result.clip.local_translation(frame, 0).length() < 1e-5));
}

#[test]
fn a_moving_top_joint_does_not_swing_the_body() {
    let (skeleton, rig) = body(true);
    let a = gait(&skeleton, &rig, 60, 1.2, 0.0, 0.3);
    // The same walk, moved by the top joint instead.
    let mut b = gait(&skeleton, &rig, 60, 1.2, 0.0, 2.8);
    let world: Vec<Vec3> = (0..60).map(|frame| b.local_translation(frame, 1)).collect();
    for (frame, pair) in b.translations_mut().chunks_mut(2).enumerate() {
        pair[0] = world[frame].with_y(0.0);
        pair[1] = Vec3::Y * world[frame].y;
    }
    let largest_hip_step = |clip: &Clip| {
        let positions = world_positions(clip);
        let hips: Vec<Vec3> = positions.iter().skip(1).step_by(clip.joints()).copied().collect();
        hips.windows(2).map(|pair| pair[0].distance(pair[1])).fold(0.0, f32::max)
    };
    for joining in transitions(secs(20)) {
        let result = run(&[&a, &b], &rig, &plain(joining)).unwrap();
        assert!(largest_hip_step(&result.clip) < 1.1 * largest_hip_step(&a));
    }
}

#[test]
fn wrong_input_is_an_error() {
    let (skeleton, rig) = body(false);
    let (short, long) = (gait(&skeleton, &rig, 9, 1.0, 0.0, 0.0), gait(&skeleton, &rig, 50, 1.0, 0.0, 0.0));
    let none = Clip::new("hierarchy only", Arc::clone(&skeleton), 0.1, Vec::new(), Vec::new()).unwrap();
    let options = inertialized();
    assert!(matches!(run(&[&long, &short], &rig, &options), Err(Error::TooShort { frames: 9, needed: 10, .. })));
    assert!(matches!(run(&[&none, &long], &rig, &options), Err(Error::TooShort { frames: 0, .. })));
    assert!(matches!(run(&[], &rig, &options), Err(Error::Option { .. })));
    for fps in [0.0, -1.0, f64::NAN, f64::INFINITY, 1e9] {
        let options = StitchOptions { fps: Some(fps), ..Default::default() };
        assert!(matches!(run(&[&long, &long], &rig, &options), Err(Error::Option { option: "fps", .. })));
    }
    for trim in [10..10, 40..51, 60..70] {
        let options = StitchOptions { trim: vec![None, Some(trim.into())], ..inertialized() };
        assert!(matches!(run(&[&long, &long], &rig, &options), Err(Error::Option { option: "trim", .. })));
    }
    let trimmed = StitchOptions { trim: vec![Some((5..14).into())], ..inertialized() };
    assert!(matches!(run(&[&long, &long], &rig, &trimmed), Err(Error::TooShort { frames: 9, .. })));
    let many = StitchOptions { trim: vec![None; 3], ..Default::default() };
    assert!(matches!(run(&[&long, &long], &rig, &many), Err(Error::Option { option: "trim", .. })));
    let cut = Cut::At { takeoff: 11, landing: 0 };
    let transition = Transition::Lscore { window: 8, min_inject: 0, max_inject: 15 };
    let smoothed = Join { cut, transition, refine: false }.into();
    let refused = run(&[&long; 3], &rig, &smoothed);
    assert!(matches!(refused, Err(Error::TooShort { frames: 12, needed: 16, .. })));
    let mut broken = long.clone();
    broken.translations_mut()[7].x = f32::NAN;
    assert!(matches!(run(&[&long, &broken], &rig, &plain(Transition::crossfade(secs(5)))), Err(Error::Clip { .. })));
}

#[test]
fn stitching_can_be_aborted_at_each_progress_report() {
    let (skeleton, rig) = body(false);
    let clip = gait(&skeleton, &rig, 50, 1.0, 0.0, 0.0);
    let inputs = [Input { clip: &clip, rig: &rig }; 4];
    let mut reports = Vec::new();
    let mut progress = Progress::new(|_, done| {
        reports.push(done);
        ControlFlow::Continue(())
    });
    stitch(&inputs, &inertialized(), &mut progress).unwrap();
    drop(progress);
    assert!(reports.windows(2).all(|pair| pair[0] <= pair[1]) && reports.last() == Some(&1.0));
    for stop in 0..reports.len() {
        let mut calls = 0;
        let progress = &mut Progress::new(|_, _| {
            calls += 1;
            if calls > stop { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        });
        let result = stitch(&inputs, &inertialized(), progress);
        assert_eq!(result.err(), Some(Error::Aborted));
    }
}

#[test]
fn the_requested_frame_rate_and_name_are_used() {
    let (skeleton, rig) = body(false);
    let clip = gait(&skeleton, &rig, 61, 1.0, 0.0, 0.0);
    let options =
        StitchOptions { fps: Some(60.0), name: Some("both".into()), ..plain(Transition::inertialize(secs(10))) };
    let result = run(&[&clip, &clip], &rig, &options).unwrap();
    assert_eq!((result.clip.frames(), result.clip.name.as_str()), (242, "both"));
    assert_eq!(result.clip.frame_time_secs(), 1.0 / 60.0);
}
