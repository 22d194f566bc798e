//! Dogs on their canonical skeleton: MANN's recordings, and our own "cleo".

mod common;

use glam::{Quat, Vec3};
use kinestitch::body::canonical::Fit;
use kinestitch::body::{Canonical, apply, dog, mirror_clip, to_canonical};
use kinestitch::motion::bvh;
use kinestitch::motion::fk::Pose;
use kinestitch::motion::rig::axes::Source;
use kinestitch::motion::rig::dog::DogRole;
use kinestitch::motion::rig::infer;
use kinestitch::{Clip, Error};
use std::path::Path;

fn read(path: &Path) -> Clip {
    let name = path.file_stem().unwrap().to_string_lossy().into_owned();
    bvh::parse(&name, &std::fs::read(path).unwrap()).unwrap().clip
}

fn fixture(name: &str) -> Clip {
    read(&Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("tests/fixtures/{name}.bvh")))
}

/// Reads our own dog, and the recordings of MANN if available.
fn dogs() -> Vec<Clip> {
    let recordings = common::mocap("dog").unwrap_or_default();
    let cut = |clip: Clip| clip.trimmed(0..clip.frames().min(900)).unwrap();
    ["cleo-walk", "cleo-trot"].map(fixture).into_iter().chain(recordings.iter().map(|path| cut(read(path)))).collect()
}

fn made(clip: &Clip) -> Canonical {
    to_canonical(clip, &infer(clip)).unwrap()
}

#[test]
fn joints_stand_where_the_rig_s_do() {
    for clip in dogs() {
        let fit = Fit::new(&clip, &infer(&clip)).unwrap();
        assert_eq!(fit.character.name, "dog", "{}", clip.name);
        assert_ne!(fit.axes.source, Source::Motion, "{}", clip.name);
        let body = fit.convert(&clip).unwrap();
        let mut worst = 0.0_f32;
        for frame in 0..clip.frames() {
            let (own, made) = (Pose::from_clip(&clip, frame), Pose::from_clip(&body, frame));
            for (part, joint) in fit.joints.iter().enumerate().filter_map(|(part, joint)| Some((part, (*joint)?))) {
                let apart = made.world_positions[part].distance(own.world_positions[joint] * fit.scale);
                // "cleo" has one back joint more than the character; it bends a little.
                worst = worst.max(apart);
            }
        }
        let limit = if clip.name.starts_with("cleo") { 0.01 } else { 1e-4 };
        assert!(worst < limit, "{}: {worst} m", clip.name);
    }
}

#[test]
fn all_dogs_of_a_rig_have_one_skeleton_and_a_frame_is_enough() {
    let offsets = |clip: &Clip| -> Vec<Vec3> { clip.skeleton().joints().iter().map(|joint| joint.offset).collect() };
    for part in ["cleo", "D1_"] {
        let dogs: Vec<Clip> = dogs().into_iter().filter(|clip| clip.name.starts_with(part)).collect();
        let Some(first) = dogs.first().map(|clip| offsets(&made(clip).clip)) else { continue };
        for clip in &dogs {
            let whole = made(clip);
            let one = clip.trimmed(clip.frames() / 2..clip.frames() / 2 + 1).unwrap();
            for other in [&whole.clip, &made(&one).clip] {
                let apart = first.iter().zip(offsets(other)).map(|(a, b)| a.distance(b)).fold(0.0, f32::max);
                assert!(apart < 1e-5, "{}: {apart} m", clip.name);
            }
        }
    }
}

#[test]
fn edits_arrive_and_no_edit_changes_no_bit() {
    for clip in dogs() {
        let (rig, body) = (infer(&clip), made(&clip));
        assert_eq!(apply(&clip, &rig, &body, &body.clip).unwrap(), clip, "{}", clip.name);
        let other = mirror_clip(&body.clip, dog()).unwrap();
        assert_eq!(mirror_clip(&other, dog()).unwrap(), body.clip, "{}", clip.name);
        let back = made(&apply(&clip, &rig, &body, &other).unwrap()).clip;
        let mapped = Fit::new(&clip, &rig).unwrap().joints;
        for frame in (0..clip.frames()).step_by(10) {
            let (wanted, got) = (Pose::from_clip(&other, frame), Pose::from_clip(&back, frame));
            assert!(wanted.world_positions[0].distance(got.world_positions[0]) < 1e-3, "{}, {frame}", clip.name);
            for part in (0..dog().len()).filter(|&part| mapped[part].is_some()) {
                let turn = wanted.world_rotations[part] * got.world_rotations[part].inverse();
                let off = 2.0 * turn.xyz().length().min(1.0).asin();
                assert!(off < 2e-3, "{}, frame {frame}, {}: {off} rad", clip.name, dog().joints[part].name);
            }
        }
    }
}

#[test]
fn dogs_at_ease_are_near_the_identity_and_look_ahead() {
    println!("mean turn from the stance over all frames, degrees");
    for part in ["cleo", "D1_"] {
        let dogs: Vec<Clip> = dogs().into_iter().filter(|clip| clip.name.starts_with(part)).collect();
        if dogs.is_empty() {
            continue;
        }
        let mut turns = vec![Vec::new(); dog().len()];
        let mut aside = Vec::new();
        for clip in &dogs {
            let body = made(clip).clip;
            for frame in (0..body.frames()).step_by(5) {
                let rotations = body.frame_rotations(frame).iter().skip(1);
                turns.iter_mut().skip(1).zip(rotations).for_each(|(turns, turn)| turns.push(*turn));
                let pose = Pose::from_clip(&body, frame);
                let ahead = pose.world_rotations[0] * Vec3::Z;
                let trunk = pose.world_positions[DogRole::Chest as usize] - pose.world_positions[0];
                aside.push(ahead.angle_between(trunk).to_degrees());
            }
        }
        aside.sort_by(f32::total_cmp);
        // The hips of sitting dogs point upwards.
        let [median, most] = [0.5, 0.95].map(|part| aside[(aside.len() as f32 * part) as usize]);
        println!("{part}: hips look {median:.1} degrees off the trunk, 95 %: {most:.1}");
        assert!(median < 20.0 && most < 75.0, "{part}: {median} and {most} degrees");
        for (joint, turns) in dog().joints.iter().zip(&turns).skip(1) {
            let mean = turns.iter().map(|turn: &Quat| turn.angle_between(Quat::IDENTITY).to_degrees()).sum::<f32>()
                / turns.len() as f32;
            println!("{part:6}{:16}{mean:6.1}", joint.name);
            // Tails can point anywhere.
            assert!(mean < 45.0 || joint.name.starts_with("Tail"), "{part}, {}: {mean} degrees", joint.name);
        }
    }
}

#[test]
fn other_animals_are_refused() {
    // A dog by its names, with one exception.
    let clip = fixture("cleo-walk");
    let text =
        std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/cleo-walk.bvh")).unwrap();
    let other = bvh::parse("other", text.replace("FemurL", "FlipperL").as_bytes()).unwrap().clip;
    assert!(matches!(to_canonical(&other, &infer(&other)), Err(Error::Rig { .. })));
    assert!(to_canonical(&clip, &infer(&clip)).is_ok());
}
