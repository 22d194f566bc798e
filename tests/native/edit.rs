//! Clip tools: reversing, slicing, mirroring and removing root motion can be undone.

use crate::common::fixtures::fixture;
use crate::common::random::noise;
use glam::{Quat, Vec3};
use kinestitch::Clip;
use kinestitch::motion::build::{Bone, build_clip};
use kinestitch::motion::edit::{at, concat, reverse, root_motion, slice, speed};
use kinestitch::motion::fk::Pose;
use kinestitch::motion::mirror::mirror;
use kinestitch::motion::resample::resample;
use kinestitch::motion::retarget::retarget;
use kinestitch::motion::rig::{RigKind, infer};
use kinestitch::motion::root::Root;

const FIXTURES: [&str; 6] = ["ada-walk", "ada-run", "ada-turn", "bo-walk", "bo-idle", "cleo-trot"];

/// Creates a body with one finger per hand, a sword in the right hand, and a tail, which is on neither side.
fn swordsman(frames: usize, seed: u64) -> Clip {
    let bones = [
        ("Hips", -1, [0.0, 0.9, 0.0]),
        ("LeftUpLeg", 0, [0.1, 0.0, 0.0]),
        ("LeftLeg", 1, [0.0, -0.43, 0.0]),
        ("LeftFoot", 2, [0.0, -0.43, 0.0]),
        ("LeftToeBase", 3, [0.0, -0.05, 0.14]),
        ("RightUpLeg", 0, [-0.1, 0.0, 0.0]),
        ("RightLeg", 5, [0.0, -0.43, 0.0]),
        ("RightFoot", 6, [0.0, -0.43, 0.0]),
        ("RightToeBase", 7, [0.0, -0.05, 0.14]),
        ("Spine", 0, [0.0, 0.2, 0.0]),
        ("Neck", 9, [0.0, 0.3, 0.0]),
        ("Head", 10, [0.0, 0.1, 0.0]),
        ("LeftArm", 9, [0.17, 0.25, 0.0]),
        ("LeftForeArm", 12, [0.28, 0.0, 0.0]),
        ("LeftHand", 13, [0.26, 0.0, 0.0]),
        ("LeftHandIndex1", 14, [0.09, 0.0, 0.02]),
        ("RightArm", 9, [-0.17, 0.25, 0.0]),
        ("RightForeArm", 16, [-0.28, 0.0, 0.0]),
        ("RightHand", 17, [-0.26, 0.0, 0.0]),
        ("RightHandIndex1", 18, [-0.09, 0.0, 0.02]),
        ("Sword", 18, [-0.05, 0.0, 0.1]),
        ("Tail", 0, [0.0, 0.0, -0.1]),
    ];
    let bone = |(index, &(name, parent, offset)): (usize, &(&str, i32, [f32; 3]))| Bone {
        name: name.to_owned(),
        parent: usize::try_from(parent).ok(),
        offset: Vec3::from_array(offset),
        has_translation: index == 0,
    };
    let mut random = noise(seed);
    let swings: Vec<(Vec3, f32)> = bones.iter().map(|_| (random() * 0.3, 1.0 + 0.5 * random().x)).collect();
    let rotations = (0..frames).flat_map(|frame| {
        swings.iter().map(move |&(axis, rate)| Quat::from_scaled_axis(axis * (frame as f32 * 0.2 * rate).sin()))
    });
    let translation = |frame: usize| Vec3::new((frame as f32 * 0.1).sin() * 0.2, 0.9, frame as f32 * 0.04);
    let bones = bones.iter().enumerate().map(bone).collect();
    build_clip("swordsman", bones, 30.0, rotations.collect(), (0..frames).map(translation).collect()).unwrap()
}

/// Measures the largest difference of two clips: of rotations in radians, and of translations in metres.
fn difference(a: &Clip, b: &Clip) -> (f32, f32) {
    assert_eq!((a.frames(), a.skeleton()), (b.frames(), b.skeleton()));
    let angle = a.rotations().iter().zip(b.rotations()).map(|(a, b)| a.angle_between(*b)).fold(0.0, f32::max);
    (angle, a.translations().iter().zip(b.translations()).map(|(a, b)| a.distance(*b)).fold(0.0, f32::max))
}

#[test]
fn reversing_twice_restores_the_clip() {
    for name in FIXTURES {
        let (clip, _) = fixture(name);
        let reversed = reverse(&clip);
        assert_eq!(reversed.frame_rotations(0), clip.frame_rotations(clip.frames() - 1));
        assert_ne!(reversed.rotations(), clip.rotations());
        assert_eq!(reverse(&reversed), clip);
    }
}

#[test]
fn concatenated_slices_restore_the_clip() {
    let mut random = noise(7);
    for name in FIXTURES {
        let (clip, _) = fixture(name);
        let length = clip.frames() as f64 / clip.fps();
        for _ in 0..20 {
            let mut cuts = [0.0, 0.0].map(|_| 0.1 + (length - 0.2) * f64::from(random().x.abs()));
            cuts.sort_by(f64::total_cmp);
            if cuts[1] - cuts[0] < 1.0 / clip.fps() {
                continue;
            }
            let parts = [(0.0, cuts[0]), (cuts[0], cuts[1]), (cuts[1], length)];
            let parts = parts.map(|(from, to)| slice(&clip, from, to).unwrap());
            assert_eq!(concat(&[&parts[0], &parts[1], &parts[2]]).unwrap(), clip, "{cuts:?}");
        }
        let invalid_ranges = [(-0.1, 1.0), (1.0, 1.0), (0.5, f64::NAN), (0.0, length + 1.0), (0.5, 0.5001)];
        for (from, to) in invalid_ranges {
            assert_eq!(slice(&clip, from, to).unwrap_err().code(), "option", "{from} to {to}");
        }
    }
    let (walk, other) = (fixture("ada-walk").0, fixture("bo-walk").0);
    assert_eq!(concat(&[&walk, &other]).unwrap_err().code(), "rig");
    assert_eq!(concat(&[]).unwrap_err().code(), "option");
}

#[test]
fn a_slice_may_end_at_the_length_rounded_to_hundredths_and_errors_say_which_time_is_wrong() {
    let walk = fixture("ada-walk").0.trimmed(0..90).unwrap();
    let (rotations, translations) = (walk.rotations().to_vec(), walk.translations().to_vec());
    let clip = Clip::new("walk", walk.skeleton().clone(), 1.0 / 240.0, rotations, translations).unwrap();
    // 90 frames last 0.375 s, which `kinestitch info` prints as 0.38 s.
    assert_eq!(slice(&clip, 0.0, 0.38).unwrap(), clip);
    let message = |from, to| slice(&clip, from, to).unwrap_err().to_string();
    assert!(message(0.2, 0.1).contains("its end must be after its start"), "{}", message(0.2, 0.1));
    assert!(message(0.1, 0.4).contains("0.375 seconds long"), "{}", message(0.1, 0.4));
}

#[test]
fn slices_at_rates_that_resampling_refuses_restore_the_clip() {
    let (walk, _) = fixture("ada-walk");
    for frame_time_secs in [2.0, 1e-4] {
        let (rotations, translations) = (walk.rotations().to_vec(), walk.translations().to_vec());
        let clip = Clip::new("walk", walk.skeleton().clone(), frame_time_secs, rotations, translations).unwrap();
        assert_eq!(resample(&clip, clip.fps()).unwrap_err().code(), "option");
        let length = clip.frames() as f64 / clip.fps();
        let parts = [(0.0, 0.4 * length), (0.4 * length, length)].map(|(from, to)| slice(&clip, from, to).unwrap());
        assert_eq!(concat(&[&parts[0], &parts[1]]).unwrap(), clip);
    }
}

#[test]
fn clips_of_other_rates_are_converted_to_the_rate_of_the_first_clip() {
    let (walk, run) = (fixture("ada-walk").0, fixture("ada-run").0);
    let fast = resample(&run, 60.0).unwrap();
    let joined = concat(&[&walk, &fast]).unwrap();
    assert_eq!(joined.fps(), walk.fps());
    assert!(joined.frames().abs_diff(walk.frames() + run.frames()) <= 1);
}

#[test]
fn speed_changes_the_time_and_nothing_else() {
    for name in FIXTURES {
        let (clip, _) = fixture(name);
        assert_eq!(speed(&clip, 1.0).unwrap(), clip);
        let twice = speed(&clip, 2.0).unwrap();
        assert_eq!((twice.fps(), twice.frames()), (clip.fps(), clip.frames().div_ceil(2)));
        for frame in 0..twice.frames() {
            assert_eq!(twice.frame_rotations(frame), clip.frame_rotations(2 * frame));
            assert_eq!(twice.frame_translations(frame), clip.frame_translations(2 * frame));
        }
        let half = speed(&clip, 0.5).unwrap();
        assert_eq!(half.frames(), 2 * clip.frames() - 1);
        assert_eq!(half.frame_rotations(half.frames() - 1), clip.frame_rotations(clip.frames() - 1));
        for factor in [0.0, -1.0, f64::NAN, 1e9] {
            assert_eq!(speed(&clip, factor).unwrap_err().code(), "option");
        }
    }
}

#[test]
fn the_pose_at_the_time_of_a_frame_is_that_frame() {
    let (clip, _) = fixture("ada-run");
    for frame in [0, 1, 17, clip.frames() - 1] {
        let pose = at(&clip, frame as f64 / clip.fps()).unwrap();
        assert_eq!(pose.frames(), 1);
        let (angle, distance) = difference(&pose, &clip.trimmed(frame..frame + 1).unwrap());
        assert!(angle < 1e-3 && distance < 1e-5, "{angle} rad, {distance} m");
    }
    let between = at(&clip, 17.5 / clip.fps()).unwrap();
    let distance = |frame: usize| {
        let pose = clip.trimmed(frame..frame + 1).unwrap();
        difference(&between, &pose).1
    };
    let (a, b) = (distance(17), distance(18));
    assert!(a > 0.0 && (a - b).abs() < 0.2 * (a + b));
    assert_eq!(at(&clip, -0.1).unwrap_err().code(), "option");
    assert_eq!(at(&clip, 1e3).unwrap_err().code(), "option");
}

#[test]
fn mirroring_twice_restores_the_clip_with_fingers_and_props() {
    for seed in 0..8 {
        let clip = swordsman(20, seed);
        let rig = infer(&clip);
        assert_eq!(rig.kind, RigKind::Biped);
        let image = mirror(&clip, &rig).unwrap();
        assert_eq!(image.skeleton(), clip.skeleton());
        let (angle, distance) = difference(&mirror(&image, &rig).unwrap(), &clip);
        assert!(angle < 2e-3 && distance < 1e-5, "{angle} rad, {distance} m");
        let joint = |name: &str| clip.skeleton().find(name).unwrap();
        let flip = |position: Vec3| position * Vec3::new(-1.0, 1.0, 1.0);
        for frame in 0..clip.frames() {
            let (a, b) = (Pose::from_clip(&clip, frame), Pose::from_clip(&image, frame));
            for (name, partner) in [("Tail", "Tail"), ("Head", "Head"), ("LeftHandIndex1", "RightHandIndex1")] {
                let distance = flip(a.world_positions[joint(name)]).distance(b.world_positions[joint(partner)]);
                assert!(distance < 1e-4, "{name}: {distance} m");
            }
            // The sword keeps its pose in the hand.
            let sword = joint("Sword");
            let angle = clip.frame_rotations(frame)[sword].angle_between(image.frame_rotations(frame)[sword]);
            assert!(angle < 1e-3, "{angle}");
        }
    }
}

#[test]
fn animals_are_mirrored_and_bodies_without_symmetric_sides_are_rejected() {
    for name in ["cleo-trot", "cleo-walk"] {
        let (clip, rig) = fixture(name);
        let image = mirror(&clip, &rig).unwrap();
        let (angle, distance) = difference(&mirror(&image, &rig).unwrap(), &clip);
        assert!(angle < 2e-3 && distance < 1e-4, "{angle} rad, {distance} m");
        let paws: Vec<usize> = ["L", "R"]
            .iter()
            .map(|side| clip.skeleton().joints().iter().position(|joint| joint.name.ends_with(&format!("Paw{side}"))))
            .map(Option::unwrap)
            .collect();
        for frame in 0..clip.frames() {
            let (a, b) = (Pose::from_clip(&clip, frame), Pose::from_clip(&image, frame));
            let expected = a.world_positions[paws[0]] * Vec3::new(-1.0, 1.0, 1.0);
            let distance = expected.distance(b.world_positions[paws[1]]);
            assert!(distance < 0.03, "{name} {frame}: {distance} m");
        }
    }
    let bone = |name: &str, parent, offset| Bone { name: name.to_owned(), parent, offset, has_translation: false };
    let door = vec![bone("frame", None, Vec3::ZERO), bone("door", Some(0), Vec3::X)];
    let clip = build_clip("door", door, 30.0, vec![Quat::IDENTITY; 4], vec![Vec3::ZERO; 2]).unwrap();
    assert_eq!(mirror(&clip, &infer(&clip)).unwrap_err().code(), "rig");
    let crab = vec![bone("root", None, Vec3::Y), bone("claw_L", Some(0), Vec3::X), bone("claw_R", Some(0), Vec3::Y)];
    let clip = build_clip("crab", crab, 30.0, vec![Quat::IDENTITY; 6], vec![Vec3::ZERO; 2]).unwrap();
    assert_eq!(mirror(&clip, &infer(&clip)).unwrap_err().code(), "rig");
}

#[test]
fn a_bird_that_faces_sideways_is_mirrored_in_the_plane_x_0() {
    let bone = |name: &str, parent, offset| Bone { name: name.to_owned(), parent, offset, has_translation: false };
    let bones = vec![
        bone("body", None, Vec3::ZERO),
        bone("wing_left", Some(0), Vec3::new(0.2, 0.0, -0.5)),
        bone("wing_right", Some(0), Vec3::new(0.2, 0.0, 0.5)),
    ];
    let (raised, still) = (Quat::from_rotation_x(0.7), Quat::IDENTITY);
    let clip = build_clip("bird", bones, 30.0, vec![still, raised, still], vec![Vec3::ZERO]).unwrap();
    let image = mirror(&clip, &infer(&clip)).unwrap();
    // Mirrored in the plane x = 0, a bird facing +x faces −x.
    let forward = |clip: &Clip| Pose::from_clip(clip, 0).world_rotations[0] * Vec3::X;
    assert!(forward(&image).distance(-Vec3::X) < 1e-5);
    let tip = |clip: &Clip, wing: usize, length: f32| {
        let pose = Pose::from_clip(clip, 0);
        pose.world_positions[wing] + pose.world_rotations[wing] * Vec3::Z * length
    };
    let flip = |position: Vec3| position * Vec3::new(-1.0, 1.0, 1.0);
    assert!(tip(&image, 2, 0.3).distance(flip(tip(&clip, 1, -0.3))) < 1e-5);
}

#[test]
fn root_motion_is_extracted_and_restored() {
    for name in FIXTURES {
        let (clip, rig) = fixture(name);
        let parts = root_motion::extract(&clip, &rig);
        assert_eq!(parts.clip, root_motion::remove(&clip, &rig));
        let root = Root::new(clip.skeleton(), &[&clip], &rig);
        let start = root.pose(&parts.clip, 0).world_position;
        for frame in 0..clip.frames() {
            let travel = (root.pose(&parts.clip, frame).world_position - start).with_y(0.0);
            assert!(travel.length() < 1e-5);
        }
        let (angle, distance) = difference(&root_motion::restore(&parts.clip, &rig, &parts.path).unwrap(), &clip);
        assert!(angle < 2e-3 && distance < 1e-5, "{angle} rad, {distance} m");
        assert_eq!(root_motion::restore(&clip, &rig, &parts.path[1..]).unwrap_err().code(), "option");
    }
}

#[test]
fn root_motion_is_computed_from_the_feet_of_clips_in_place() {
    for name in ["ada-walk", "ada-jog", "ada-run", "bo-walk", "bo-run", "ada-turn", "ada-idle"] {
        let (clip, rig) = fixture(name);
        let parts = root_motion::extract(&clip, &rig);
        let found = root_motion::from_feet(&parts.clip, &rig).unwrap();
        let error = parts.path.iter().zip(&found.path).map(|(a, b)| a.distance(*b)).fold(0.0, f32::max);
        let length: f32 = parts.path.windows(2).map(|pair| pair[0].distance(pair[1])).sum();
        println!("{name}: path of {length:.2} m, largest error {error:.3} m");
        assert!(error < 0.05 * length + 0.05, "{name}: {error} of {length} m");
    }
    let (dog, rig) = fixture("cleo-walk");
    assert_eq!(root_motion::from_feet(&dog, &rig).unwrap_err().code(), "rig");
}

#[test]
fn joint_names_in_the_spelling_of_three_js_match() {
    let bones = |names: [&str; 3]| -> Vec<Bone> {
        let parents = [None, Some(0), Some(1)];
        let bone = |(name, parent): (&str, Option<usize>)| Bone {
            name: name.to_owned(),
            parent,
            offset: Vec3::Y,
            has_translation: false,
        };
        names.into_iter().zip(parents).map(bone).collect()
    };
    let rotations = |angle: f32| vec![Quat::from_rotation_x(angle); 6];
    let clip = |names, angle| build_clip("clip", bones(names), 30.0, rotations(angle), vec![Vec3::Y; 2]).unwrap();
    let file = clip(["Root [1]", "Spine_2.001", "mixamorig:Head"], 0.3);
    let model = clip(["Root_1", "Spine_2001", "mixamorigHead"], 0.6);
    let (joined, rigs) = (concat(&[&file, &model]).unwrap(), [infer(&file), infer(&model)]);
    assert_eq!((joined.frames(), joined.skeleton()), (4, file.skeleton()));
    let retargeted = retarget(&model, &rigs[1], &file, &rigs[0]).unwrap();
    assert_eq!((retargeted.rotations(), retargeted.skeleton()), (model.rotations(), file.skeleton()));
    let other = clip(["Root_1", "Spine_2002", "mixamorigHead"], 0.6);
    assert_eq!(concat(&[&file, &other]).unwrap_err().code(), "rig");
}
