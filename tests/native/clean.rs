//! Clean: faults made on purpose in generated walks.

use crate::common::fixtures::fixture_clip as fixture;
use glam::{Quat, Vec3};
use kinestitch::edit::{CleanOptions, EditKind, Edited, Selection, clean};
use kinestitch::method::registry::Fillers;
use kinestitch::motion::fk::world_positions;
use kinestitch::motion::quat::exp;
use kinestitch::motion::rig::{self, Role};
use kinestitch::motion::root::Root;
use kinestitch::{Clip, Progress};

fn run(clip: &Clip, options: &CleanOptions) -> Edited {
    let filler = Fillers::default().get(&"inertialize".into()).unwrap();
    clean(clip, &rig::infer(clip), options, filler.as_ref(), &mut Progress::silent()).unwrap()
}

/// Mean distance of the joints of two clips, metres.
fn distance(a: &Clip, b: &Clip) -> f32 {
    let (a, b) = (world_positions(a), world_positions(b));
    a.iter().zip(&b).map(|(a, b)| a.distance(*b)).sum::<f32>() / a.len() as f32
}

fn kinds(edited: &Edited) -> Vec<EditKind> {
    let mut kinds: Vec<EditKind> = edited.edits.iter().map(|edit| edit.kind).collect();
    kinds.dedup();
    kinds
}

/// Rotates a joint in some frames by `angle` about its x axis.
fn turn(clip: &mut Clip, joint: usize, frames: std::ops::Range<usize>, angle: f32) {
    let joints = clip.joints();
    for frame in frames {
        let rotation = &mut clip.rotations_mut()[frame * joints + joint];
        *rotation = (*rotation * Quat::from_rotation_x(angle)).normalize();
    }
}

#[test]
fn a_sound_motion_hardly_changes_and_a_second_run_changes_less() {
    for name in ["ada-walk", "ada-run", "bo-turn", "bo-idle"] {
        let clip = fixture(name);
        let once = run(&clip, &CleanOptions::default()).clip;
        let (first, second) = (distance(&clip, &once), distance(&once, &run(&once, &CleanOptions::default()).clip));
        assert!(first < 2e-3, "{name}: {first} m");
        assert!(second < 5e-4, "{name}: a second run moves by {second} m");
    }
}

#[test]
fn a_spike_is_filled_and_all_other_values_keep_their_bits() {
    let clip = fixture("ada-walk");
    let hand = rig::infer(&clip).joint(Role::LeftForeArm).unwrap();
    let mut damaged = clip.clone();
    turn(&mut damaged, hand, 60..62, 0.9);
    let options = CleanOptions { jitter: 0.0, floor: 0.0, way: 0.0, feet: 0.0, ..CleanOptions::default() };
    let edited = run(&damaged, &options);
    let [edit] = &edited.edits[..] else { panic!("{:?}", edited.edits) };
    assert_eq!((edit.kind, edit.frames.clone(), &edit.joints[..]), (EditKind::Spike, 60..62, &[hand][..]));
    for (index, (a, b)) in damaged.rotations().iter().zip(edited.clip.rotations()).enumerate() {
        let is_spike = index % clip.joints() == hand && (60..62).contains(&(index / clip.joints()));
        assert!(is_spike || a.to_array().map(f32::to_bits) == b.to_array().map(f32::to_bits), "value {index}");
    }
    assert!(distance(&clip, &edited.clip) < 1e-4);
}

#[test]
fn held_frames_that_end_with_a_jump_are_filled_and_held_poses_are_kept() {
    let clip = fixture("ada-walk");
    let mut damaged = clip.clone();
    let (joints, width) = (clip.joints(), clip.skeleton().translated().len());
    for frame in 50..60 {
        damaged.rotations_mut().copy_within(49 * joints..50 * joints, frame * joints);
        damaged.translations_mut().copy_within(49 * width..50 * width, frame * width);
    }
    let options = CleanOptions { jitter: 0.0, floor: 0.0, way: 0.0, feet: 0.0, ..CleanOptions::default() };
    let edited = run(&damaged, &options);
    assert_eq!(kinds(&edited), [EditKind::Dropout]);
    assert_eq!(edited.edits[0].frames, 50..60);
    assert!(distance(&clip, &edited.clip) < 0.6 * distance(&clip, &damaged), "{}", distance(&clip, &edited.clip));
    assert_eq!(edited.clip.frame_rotations(60), damaged.frame_rotations(60));

    let pose = clip.trimmed(40..41).unwrap();
    let mut held = clip.clone();
    for frame in 0..clip.frames() {
        held.rotations_mut()[frame * joints..][..joints].copy_from_slice(pose.rotations());
        held.translations_mut()[frame * width..][..width].copy_from_slice(pose.translations());
    }
    assert_eq!(run(&held, &CleanOptions::default()).clip.rotations(), held.rotations());
}

#[test]
fn noise_is_smoothed_and_limited_to_the_selected_frames_and_joints() {
    let clip = fixture("ada-walk");
    let mut noise = crate::common::random::noise(5);
    let mut damaged = clip.clone();
    damaged.rotations_mut().iter_mut().for_each(|rotation| *rotation = (*rotation * exp(0.03 * noise())).normalize());
    let edited = run(&damaged, &CleanOptions::default());
    assert!(kinds(&edited).contains(&EditKind::Jitter));
    let ratio = distance(&clip, &edited.clip) / distance(&clip, &damaged);
    assert!(ratio < 0.6, "{ratio}");

    let hand = rig::infer(&clip).joint(Role::LeftHand).unwrap();
    let selection = Selection::new(&clip, Some(30..80), Some(&[hand])).unwrap();
    let part = run(&damaged, &CleanOptions { selection: Some(selection), ..CleanOptions::default() }).clip;
    let mut changed = 0;
    for (index, (a, b)) in damaged.rotations().iter().zip(part.rotations()).enumerate() {
        let is_selected = index % clip.joints() == hand && (30..80).contains(&(index / clip.joints()));
        assert!(is_selected || a == b, "value {index}");
        changed += usize::from(a != b);
    }
    assert!(changed > 40, "{changed}");
    assert_eq!(damaged.translations(), part.translations());
}

#[test]
fn a_floor_that_is_off_is_moved_to_zero() {
    let clip = fixture("ada-walk");
    let root = Root::new(clip.skeleton(), &[&clip], &rig::infer(&clip));
    for height in [0.15, -0.15] {
        let mut damaged = clip.clone();
        root.slide(&mut damaged, |_, _| Vec3::Y * height);
        let edited = run(&damaged, &CleanOptions::default());
        assert!(kinds(&edited).contains(&EditKind::Floor), "{:?}", edited.edits);
        assert!(distance(&clip, &edited.clip) < 0.03, "{}", distance(&clip, &edited.clip));
    }
}

#[test]
fn a_way_that_is_too_long_for_the_steps_is_shortened() {
    let clip = fixture("ada-walk");
    let root = Root::new(clip.skeleton(), &[&clip], &rig::infer(&clip));
    let mut damaged = clip.clone();
    let start = root.pose(&clip, 0).world_position;
    root.slide(&mut damaged, |position, _| (position - start).with_y(0.0) * 0.15);
    let edited = run(&damaged, &CleanOptions::default());
    assert!(kinds(&edited).contains(&EditKind::Way), "{:?}", edited.edits);
    assert!(distance(&clip, &edited.clip) < 0.3 * distance(&clip, &damaged), "{}", distance(&clip, &edited.clip));
}

#[test]
fn short_clips_and_bodies_without_legs_are_cleaned_too() {
    let clip = fixture("ada-walk");
    for frames in 1..12 {
        assert_eq!(run(&clip.trimmed(0..frames).unwrap(), &CleanOptions::default()).clip.frames(), frames);
    }
    let filler = Fillers::default().get(&"inertialize".into()).unwrap();
    let no_rig = kinestitch::motion::rig::Rig::empty();
    let edited = clean(&clip, &no_rig, &CleanOptions::default(), filler.as_ref(), &mut Progress::silent()).unwrap();
    assert!(distance(&clip, &edited.clip) < 2e-3);
}

#[test]
fn strengths_and_selections_out_of_range_are_refused() {
    let clip = fixture("ada-walk");
    let filler = Fillers::default().get(&"inertialize".into()).unwrap();
    let rig = rig::infer(&clip);
    for (option, options) in [
        ("jitter", CleanOptions { jitter: 3.5, ..CleanOptions::default() }),
        ("floor", CleanOptions { floor: -0.1, ..CleanOptions::default() }),
        ("feet", CleanOptions { feet: f32::NAN, ..CleanOptions::default() }),
    ] {
        let error = clean(&clip, &rig, &options, filler.as_ref(), &mut Progress::silent()).unwrap_err();
        assert!(error.to_string().contains(option), "{error}");
    }
    let frames = clip.frames();
    for range in [10..10, 0..frames + 1, frames..frames + 2] {
        assert!(Selection::new(&clip, Some(range), None).is_err());
    }
    assert!(Selection::new(&clip, None, Some(&[clip.joints()])).is_err());
}
