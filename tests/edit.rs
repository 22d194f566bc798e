//! Clip tools: cutting, turning, mirroring and rejoining restore the original clip.

#[path = "common/random.rs"]
mod random;

use glam::{Quat, Vec3};
use kinestitch::motion::build::{Bone, build_clip as made};
use kinestitch::motion::edit::{at, concat, reverse, root_motion, slice, speed};
use kinestitch::motion::fk::Pose;
use kinestitch::motion::mirror::mirror;
use kinestitch::motion::resample::resample;
use kinestitch::motion::retarget::retarget;
use kinestitch::motion::rig::{Rig, RigKind, infer};
use kinestitch::motion::root::Root;
use kinestitch::{Clip, motion::bvh::parse};
use random::noise;

fn fixture(name: &str) -> (Clip, Rig) {
    let path = format!("{}/tests/fixtures/{name}.bvh", env!("CARGO_MANIFEST_DIR"));
    let clip = parse(name, &std::fs::read(path).unwrap()).unwrap().clip;
    let rig = infer(&clip);
    (clip, rig)
}

const ALL: [&str; 6] = ["ada-walk", "ada-run", "ada-turn", "bo-walk", "bo-idle", "cleo-trot"];

/// Creates a body with one finger per hand, a sword in the right hand, a belt buckle, and a tail without a side.
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
    let turns: Vec<(Vec3, f32)> = bones.iter().map(|_| (random() * 0.3, 1.0 + 0.5 * random().x)).collect();
    let rotations = (0..frames).flat_map(|frame| {
        turns.iter().map(move |&(axis, rate)| Quat::from_scaled_axis(axis * (frame as f32 * 0.2 * rate).sin()))
    });
    let place = |frame: usize| Vec3::new((frame as f32 * 0.1).sin() * 0.2, 0.9, frame as f32 * 0.04);
    let bones = bones.iter().enumerate().map(bone).collect();
    made("swordsman", bones, 30.0, rotations.collect(), (0..frames).map(place).collect()).unwrap()
}

fn apart(a: &Clip, b: &Clip) -> (f32, f32) {
    assert_eq!((a.frames(), a.skeleton()), (b.frames(), b.skeleton()));
    let turned = a.rotations().iter().zip(b.rotations()).map(|(a, b)| a.angle_between(*b)).fold(0.0, f32::max);
    (turned, a.translations().iter().zip(b.translations()).map(|(a, b)| a.distance(*b)).fold(0.0, f32::max))
}

#[test]
fn twice_backwards_is_forwards() {
    for name in ALL {
        let (clip, _) = fixture(name);
        let back = reverse(&clip);
        assert_eq!(back.frame_rotations(0), clip.frame_rotations(clip.frames() - 1));
        assert_ne!(back.rotations(), clip.rotations());
        assert_eq!(reverse(&back), clip);
    }
}

#[test]
fn slices_put_together_are_the_clip() {
    let mut random = noise(7);
    for name in ALL {
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
        let codes = [(-0.1, 1.0), (1.0, 1.0), (0.5, f64::NAN), (0.0, length + 1.0), (0.5, 0.5001)];
        for (from, to) in codes {
            assert_eq!(slice(&clip, from, to).unwrap_err().code(), "option", "{from} to {to}");
        }
    }
    let (walk, other) = (fixture("ada-walk").0, fixture("bo-walk").0);
    assert_eq!(concat(&[&walk, &other]).unwrap_err().code(), "rig");
    assert_eq!(concat(&[]).unwrap_err().code(), "option");
}

#[test]
fn clips_of_other_rates_are_joined_at_the_first_one_s() {
    let (walk, run) = (fixture("ada-walk").0, fixture("ada-run").0);
    let fast = resample(&run, 60.0).unwrap();
    let joined = concat(&[&walk, &fast]).unwrap();
    assert_eq!(joined.fps(), walk.fps());
    assert!(joined.frames().abs_diff(walk.frames() + run.frames()) <= 1);
}

#[test]
fn speed_changes_the_time_and_nothing_else() {
    for name in ALL {
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
fn a_pose_at_a_frame_is_that_frame() {
    let (clip, _) = fixture("ada-run");
    for frame in [0, 1, 17, clip.frames() - 1] {
        let pose = at(&clip, frame as f64 / clip.fps()).unwrap();
        assert_eq!(pose.frames(), 1);
        let (turned, moved) = apart(&pose, &clip.trimmed(frame..frame + 1).unwrap());
        assert!(turned < 1e-3 && moved < 1e-5, "{turned} {moved}");
    }
    let between = at(&clip, 17.5 / clip.fps()).unwrap();
    let side = |frame: usize| {
        let pose = clip.trimmed(frame..frame + 1).unwrap();
        apart(&between, &pose).1
    };
    assert!(side(17) > 0.0 && (side(17) - side(18)).abs() < 0.2 * (side(17) + side(18)));
    assert_eq!(at(&clip, -0.1).unwrap_err().code(), "option");
    assert_eq!(at(&clip, 1e3).unwrap_err().code(), "option");
}

#[test]
fn mirrored_twice_is_the_clip_with_fingers_and_props() {
    for seed in 0..8 {
        let clip = swordsman(20, seed);
        let rig = infer(&clip);
        assert_eq!(rig.kind, RigKind::Biped);
        let image = mirror(&clip, &rig).unwrap();
        assert_eq!(image.skeleton(), clip.skeleton());
        let (turned, moved) = apart(&mirror(&image, &rig).unwrap(), &clip);
        assert!(turned < 2e-3 && moved < 1e-5, "{turned} {moved}");
        let joint = |name: &str| clip.skeleton().find(name).unwrap();
        let flip = |place: Vec3| place * Vec3::new(-1.0, 1.0, 1.0);
        for frame in 0..clip.frames() {
            let (a, b) = (Pose::from_clip(&clip, frame), Pose::from_clip(&image, frame));
            for (one, other) in [("Tail", "Tail"), ("Head", "Head"), ("LeftHandIndex1", "RightHandIndex1")] {
                let off = flip(a.world_positions[joint(one)]).distance(b.world_positions[joint(other)]);
                assert!(off < 1e-4, "{one}: {off} m");
            }
            // The sword keeps its pose in the hand.
            let sword = joint("Sword");
            let held = clip.frame_rotations(frame)[sword].angle_between(image.frame_rotations(frame)[sword]);
            assert!(held < 1e-3, "{held}");
        }
    }
}

#[test]
fn animals_are_mirrored_and_what_has_no_sides_is_refused() {
    for name in ["cleo-trot", "cleo-walk"] {
        let (clip, rig) = fixture(name);
        let image = mirror(&clip, &rig).unwrap();
        let (turned, moved) = apart(&mirror(&image, &rig).unwrap(), &clip);
        assert!(turned < 2e-3 && moved < 1e-4, "{turned} {moved}");
        let paws: Vec<usize> = ["L", "R"]
            .iter()
            .map(|side| clip.skeleton().joints().iter().position(|joint| joint.name.ends_with(&format!("Paw{side}"))))
            .map(Option::unwrap)
            .collect();
        for frame in 0..clip.frames() {
            let (a, b) = (Pose::from_clip(&clip, frame), Pose::from_clip(&image, frame));
            let off = (a.world_positions[paws[0]] * Vec3::new(-1.0, 1.0, 1.0)).distance(b.world_positions[paws[1]]);
            assert!(off < 0.03, "{name} {frame}: {off} m");
        }
    }
    let bone = |name: &str, parent, offset| Bone { name: name.to_owned(), parent, offset, has_translation: false };
    let door = vec![bone("frame", None, Vec3::ZERO), bone("door", Some(0), Vec3::X)];
    let clip = made("door", door, 30.0, vec![Quat::IDENTITY; 4], vec![Vec3::ZERO; 2]).unwrap();
    assert_eq!(mirror(&clip, &infer(&clip)).unwrap_err().code(), "rig");
    let crab = vec![bone("root", None, Vec3::Y), bone("claw_L", Some(0), Vec3::X), bone("claw_R", Some(0), Vec3::Y)];
    let clip = made("crab", crab, 30.0, vec![Quat::IDENTITY; 6], vec![Vec3::ZERO; 2]).unwrap();
    assert_eq!(mirror(&clip, &infer(&clip)).unwrap_err().code(), "rig");
}

#[test]
fn a_machine_facing_sideways_is_mirrored_across_its_own_middle() {
    let bone = |name: &str, parent, offset| Bone { name: name.to_owned(), parent, offset, has_translation: false };
    let bones = vec![
        bone("body", None, Vec3::ZERO),
        bone("wing_left", Some(0), Vec3::new(0.2, 0.0, -0.5)),
        bone("wing_right", Some(0), Vec3::new(0.2, 0.0, 0.5)),
    ];
    let (up, still) = (Quat::from_rotation_x(0.7), Quat::IDENTITY);
    let clip = made("bird", bones, 30.0, vec![still, up, still], vec![Vec3::ZERO]).unwrap();
    let image = mirror(&clip, &infer(&clip)).unwrap();
    // Mirrored in the plane x = 0, a bird facing +x faces −x.
    let nose = |clip: &Clip| Pose::from_clip(clip, 0).world_rotations[0] * Vec3::X;
    assert!(nose(&image).distance(-Vec3::X) < 1e-5);
    let tip = |clip: &Clip, wing: usize, out: f32| {
        let pose = Pose::from_clip(clip, 0);
        pose.world_positions[wing] + pose.world_rotations[wing] * Vec3::Z * out
    };
    let flip = |place: Vec3| place * Vec3::new(-1.0, 1.0, 1.0);
    assert!(tip(&image, 2, 0.3).distance(flip(tip(&clip, 1, -0.3))) < 1e-5);
}

#[test]
fn root_motion_comes_apart_and_together() {
    for name in ALL {
        let (clip, rig) = fixture(name);
        let parts = root_motion::extract(&clip, &rig);
        assert_eq!(parts.clip, root_motion::remove(&clip, &rig));
        let root = Root::new(clip.skeleton(), &[&clip], &rig);
        let home = root.pose(&parts.clip, 0).world_position;
        for frame in 0..clip.frames() {
            let off = (root.pose(&parts.clip, frame).world_position - home).with_y(0.0);
            assert!(off.length() < 1e-5);
        }
        let (turned, moved) = apart(&root_motion::restore(&parts.clip, &rig, &parts.path).unwrap(), &clip);
        assert!(turned < 2e-3 && moved < 1e-5, "{turned} {moved}");
        assert_eq!(root_motion::restore(&clip, &rig, &parts.path[1..]).unwrap_err().code(), "option");
    }
}

#[test]
fn the_feet_tell_the_way_of_clips_made_in_place() {
    for name in ["ada-walk", "ada-jog", "ada-run", "bo-walk", "bo-run", "ada-turn", "ada-idle"] {
        let (clip, rig) = fixture(name);
        let parts = root_motion::extract(&clip, &rig);
        let found = root_motion::from_feet(&parts.clip, &rig).unwrap();
        let worst = parts.path.iter().zip(&found.path).map(|(a, b)| a.distance(*b)).fold(0.0, f32::max);
        let way: f32 = parts.path.windows(2).map(|pair| pair[0].distance(pair[1])).sum();
        println!("{name}: way {way:.2} m, off by {worst:.3} m at most");
        assert!(worst < 0.05 * way + 0.05, "{name}: {worst} of {way} m");
    }
    let (dog, rig) = fixture("cleo-walk");
    assert_eq!(root_motion::from_feet(&dog, &rig).unwrap_err().code(), "rig");
}

#[test]
fn names_as_three_writes_them_are_the_same_body() {
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
    let turns = |angle: f32| vec![Quat::from_rotation_x(angle); 6];
    let clip = |names, angle| made("clip", bones(names), 30.0, turns(angle), vec![Vec3::Y; 2]).unwrap();
    let file = clip(["Root [1]", "Spine_2.001", "mixamorig:Head"], 0.3);
    let model = clip(["Root_1", "Spine_2001", "mixamorigHead"], 0.6);
    let (joined, rigs) = (concat(&[&file, &model]).unwrap(), [infer(&file), infer(&model)]);
    assert_eq!((joined.frames(), joined.skeleton()), (4, file.skeleton()));
    let onto = retarget(&model, &rigs[1], &file, &rigs[0]).unwrap();
    assert_eq!((onto.rotations(), onto.skeleton()), (model.rotations(), file.skeleton()));
    let other = clip(["Root_1", "Spine_2002", "mixamorigHead"], 0.6);
    assert_eq!(concat(&[&file, &other]).unwrap_err().code(), "rig");
}
