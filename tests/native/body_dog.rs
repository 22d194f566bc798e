//! Dogs on their canonical skeleton: recordings of MANN, and the generated dog "cleo".

use crate::common::fixtures::{fixture_clip, read, repository};
use crate::common::recordings::mocap;
use glam::{Quat, Vec3};
use kinestitch::body::canonical::Fit;
use kinestitch::body::{Canonical, apply, dog, mirror_clip, to_canonical};
use kinestitch::motion::bvh;
use kinestitch::motion::fk::Pose;
use kinestitch::motion::rig::axes::Source;
use kinestitch::motion::rig::dog::DogRole;
use kinestitch::motion::rig::infer;
use kinestitch::{Clip, Error};

/// Reads the clips of the generated dog, and the recordings of MANN if available.
fn dogs() -> Vec<Clip> {
    let recordings = mocap("dog").unwrap_or_default();
    let shorten = |clip: Clip| clip.trimmed(0..clip.frames().min(900)).unwrap();
    ["cleo-walk", "cleo-trot"]
        .map(fixture_clip)
        .into_iter()
        .chain(recordings.iter().map(|path| shorten(read(path))))
        .collect()
}

fn canonical(clip: &Clip) -> Canonical {
    to_canonical(clip, &infer(clip)).unwrap()
}

#[test]
fn canonical_joints_have_the_positions_of_the_rig() {
    for clip in dogs() {
        let fit = Fit::new(&clip, &infer(&clip)).unwrap();
        assert_eq!(fit.character.name, "dog", "{}", clip.name);
        assert_ne!(fit.axes.source, Source::Motion, "{}", clip.name);
        let body = fit.convert(&clip).unwrap();
        let mut max_distance = 0.0_f32;
        for frame in 0..clip.frames() {
            let (pose, canonical) = (Pose::from_clip(&clip, frame), Pose::from_clip(&body, frame));
            for (part, joint) in fit.joints.iter().enumerate().filter_map(|(part, joint)| Some((part, (*joint)?))) {
                let position = pose.world_positions[joint] * fit.scale;
                max_distance = max_distance.max(canonical.world_positions[part].distance(position));
            }
        }
        // "cleo" has one back joint more than the character; it bends a little.
        let limit = if clip.name.starts_with("cleo") { 0.01 } else { 1e-4 };
        assert!(max_distance < limit, "{}: {max_distance} m", clip.name);
    }
}

#[test]
fn all_clips_of_a_rig_have_one_canonical_skeleton_and_one_frame_is_sufficient() {
    let offsets = |clip: &Clip| -> Vec<Vec3> { clip.skeleton().joints().iter().map(|joint| joint.offset).collect() };
    for prefix in ["cleo", "D1_"] {
        let dogs: Vec<Clip> = dogs().into_iter().filter(|clip| clip.name.starts_with(prefix)).collect();
        let Some(first) = dogs.first().map(|clip| offsets(&canonical(clip).clip)) else { continue };
        for clip in &dogs {
            let whole = canonical(clip);
            let middle_frame = clip.trimmed(clip.frames() / 2..clip.frames() / 2 + 1).unwrap();
            for body in [&whole.clip, &canonical(&middle_frame).clip] {
                let distance = first.iter().zip(offsets(body)).map(|(a, b)| a.distance(b)).fold(0.0, f32::max);
                assert!(distance < 1e-5, "{}: {distance} m", clip.name);
            }
        }
    }
}

#[test]
fn edits_reach_the_clip_and_no_edit_changes_no_bit() {
    for clip in dogs() {
        let (rig, body) = (infer(&clip), canonical(&clip));
        assert_eq!(apply(&clip, &rig, &body, &body.clip).unwrap(), clip, "{}", clip.name);
        let mirrored = mirror_clip(&body.clip, dog()).unwrap();
        assert_eq!(mirror_clip(&mirrored, dog()).unwrap(), body.clip, "{}", clip.name);
        let restored = canonical(&apply(&clip, &rig, &body, &mirrored).unwrap()).clip;
        let mapped = Fit::new(&clip, &rig).unwrap().joints;
        for frame in (0..clip.frames()).step_by(10) {
            let (expected, found) = (Pose::from_clip(&mirrored, frame), Pose::from_clip(&restored, frame));
            assert!(expected.world_positions[0].distance(found.world_positions[0]) < 1e-3, "{}, {frame}", clip.name);
            for part in (0..dog().len()).filter(|&part| mapped[part].is_some()) {
                let rotation = expected.world_rotations[part] * found.world_rotations[part].inverse();
                let angle = 2.0 * rotation.xyz().length().min(1.0).asin();
                assert!(angle < 2e-3, "{}, frame {frame}, {}: {angle} rad", clip.name, dog().joints[part].name);
            }
        }
    }
}

#[test]
fn rotations_are_near_the_identity_and_hips_face_along_the_trunk() {
    println!("mean rotation from the stance over all frames, degrees");
    for prefix in ["cleo", "D1_"] {
        let dogs: Vec<Clip> = dogs().into_iter().filter(|clip| clip.name.starts_with(prefix)).collect();
        if dogs.is_empty() {
            continue;
        }
        let mut rotations_of_joints = vec![Vec::new(); dog().len()];
        let mut hip_angles = Vec::new();
        for clip in &dogs {
            let body = canonical(clip).clip;
            for frame in (0..body.frames()).step_by(5) {
                let rotations = body.frame_rotations(frame).iter().skip(1);
                let pairs = rotations_of_joints.iter_mut().skip(1).zip(rotations);
                pairs.for_each(|(list, rotation)| list.push(*rotation));
                let pose = Pose::from_clip(&body, frame);
                let ahead = pose.world_rotations[0] * Vec3::Z;
                let trunk = pose.world_positions[DogRole::Chest as usize] - pose.world_positions[0];
                hip_angles.push(ahead.angle_between(trunk).to_degrees());
            }
        }
        hip_angles.sort_by(f32::total_cmp);
        // The hips of sitting dogs point upwards.
        let quantile = |fraction: f32| hip_angles[(hip_angles.len() as f32 * fraction) as usize];
        let [median, percentile_95] = [0.5, 0.95].map(quantile);
        println!("{prefix}: hips face {median:.1} degrees away from the trunk, 95 %: {percentile_95:.1}");
        assert!(median < 20.0 && percentile_95 < 75.0, "{prefix}: {median} and {percentile_95} degrees");
        for (joint, rotations) in dog().joints.iter().zip(&rotations_of_joints).skip(1) {
            let angles = rotations.iter().map(|rotation: &Quat| rotation.angle_between(Quat::IDENTITY).to_degrees());
            let mean = angles.sum::<f32>() / rotations.len() as f32;
            println!("{prefix:6}{:16}{mean:6.1}", joint.name);
            // Tails can point anywhere.
            assert!(mean < 45.0 || joint.name.starts_with("Tail"), "{prefix}, {}: {mean} degrees", joint.name);
        }
    }
}

#[test]
fn other_animals_are_rejected() {
    // All joint names but one are those of a dog.
    let clip = fixture_clip("cleo-walk");
    let text = std::fs::read_to_string(repository("tests/fixtures/cleo-walk.bvh")).unwrap();
    let other = bvh::parse("other", text.replace("FemurL", "FlipperL").as_bytes()).unwrap().clip;
    assert!(matches!(to_canonical(&other, &infer(&other)), Err(Error::Rig { .. })));
    assert!(to_canonical(&clip, &infer(&clip)).is_ok());
}
