//! Canonical bodies of different data sets are comparable: normal walks have similar mean rotations in all sets.

use crate::common::fixtures::{fixture_clip, read};
use crate::common::recordings::mocap;
use glam::{Quat, Vec3};
use kinestitch::Clip;
use kinestitch::body::{GroundPose, biped, to_canonical};
use kinestitch::motion::fk::Pose;
use kinestitch::motion::quat::{log, mean};
use kinestitch::motion::rig::{Role, infer};

/// Computes the mean world rotation of each canonical joint relative to the heading, as rotation vectors in degrees.
/// Uses every fourth frame, if the trunk is upright in it.
fn mean_rotations(clips: &[Clip]) -> Vec<Vec3> {
    let mut rotations: Vec<Vec<Quat>> = vec![Vec::new(); biped().len()];
    for clip in clips {
        let body = to_canonical(clip, &infer(clip)).unwrap().clip;
        for frame in (0..body.frames()).step_by(4) {
            let pose = Pose::from_clip(&body, frame);
            let trunk = pose.world_positions[Role::Neck as usize] - pose.world_positions[0];
            if trunk.normalize().y < 0.97 {
                continue;
            }
            let to_heading = GroundPose::from_clip(&body, frame).rotation().inverse();
            let pairs = rotations.iter_mut().zip(&pose.world_rotations);
            pairs.for_each(|(list, rotation)| list.push(to_heading * *rotation));
        }
    }
    rotations.into_iter().map(|list| log(mean(list.into_iter())) * 1f32.to_degrees()).collect()
}

#[test]
fn walks_of_all_sets_have_similar_mean_rotations() {
    let mut columns = Vec::new();
    columns.push(("ada", mean_rotations(&[fixture_clip("ada-walk")])));
    columns.push(("bo", mean_rotations(&[fixture_clip("bo-walk")])));
    for (set, parts, frames) in [
        ("lafan1", &["multipleActions1", "push1", "obstacles1"][..], 0..4000),
        ("bandai", &["dataset-2_walk_normal_00", "dataset-1_walk_normal"], 0..2000),
        ("cmu", &["07_01", "07_03", "08_01", "08_02"], 9..1000),
        ("cmu-asf", &["16_15", "16_16", "16_31", "16_47"], 0..1000),
        ("accad", &["B03_Walk", "B02_Walk", "B04"], 20..1000),
        ("100style", &["Neutral_FW"], 480..1200),
    ] {
        let Some(files) = mocap(set) else { continue };
        let named = files.iter().filter(|path| parts.iter().any(|part| path.to_string_lossy().contains(part)));
        let clips: Vec<Clip> = named
            .map(|path| read(path))
            .map(|clip| clip.trimmed(frames.start.min(clip.frames() - 1)..frames.end.min(clip.frames())).unwrap())
            .collect();
        println!("{set}: {:?}", clips.iter().map(|clip| clip.name.as_str()).collect::<Vec<_>>());
        columns.push((set, mean_rotations(&clips)));
    }
    print!("{:14}", "x y z, degrees");
    columns.iter().for_each(|(set, _)| print!("{set:>13}"));
    println!();
    for (joint, info) in biped().joints.iter().enumerate() {
        print!("{:14}", info.name);
        for (_, rotations) in &columns {
            let Vec3 { x, y, z } = rotations[joint];
            print!("{:>13}", format!("{x:.0} {y:.0} {z:.0}"));
        }
        println!();
    }
    use Role::*;
    for (roles, limit) in [
        (&[Hips, Spine, Spine1, Spine2][..], 16.0),
        (&[LeftUpLeg, LeftLeg, RightUpLeg, RightLeg], 20.0),
        (&[LeftFoot, LeftToe, RightFoot, RightToe], 20.0),
    ] {
        for &role in roles {
            let mean =
                columns.iter().map(|(_, rotations)| rotations[role as usize]).sum::<Vec3>() / columns.len() as f32;
            for (set, rotations) in &columns {
                let distance = rotations[role as usize].distance(mean);
                assert!(distance < limit, "{set}, {role:?}: {distance} degrees from the mean of all sets");
            }
        }
    }
}
