//! Canonical bodies of different data sets are comparable: the same kind of walk has similar rotations in all sets.

mod common;

use glam::{Quat, Vec3};
use kinestitch::Clip;
use kinestitch::body::{GroundPose, biped, to_canonical};
use kinestitch::motion::bvh;
use kinestitch::motion::fk::Pose;
use kinestitch::motion::quat::{log, mean};
use kinestitch::motion::rig::{Role, infer};
use std::path::Path;

fn read(path: &Path) -> Clip {
    let name = path.file_stem().unwrap().to_string_lossy().into_owned();
    bvh::parse(&name, &std::fs::read(path).unwrap()).unwrap().clip
}

/// Measures the mean rotation of each canonical joint relative to the heading, over walks, as rotation vectors in
/// degrees.
fn walk(clips: &[Clip]) -> Vec<Vec3> {
    let mut turns: Vec<Vec<Quat>> = vec![Vec::new(); biped().len()];
    for clip in clips {
        let body = to_canonical(clip, &infer(clip)).unwrap().clip;
        for frame in (0..body.frames()).step_by(4) {
            let pose = Pose::from_clip(&body, frame);
            let trunk = pose.world_positions[Role::Neck as usize] - pose.world_positions[0];
            if trunk.normalize().y < 0.97 {
                continue;
            }
            let back = GroundPose::from_clip(&body, frame).rotation().inverse();
            turns.iter_mut().zip(&pose.world_rotations).for_each(|(turns, turn)| turns.push(back * *turn));
        }
    }
    turns.into_iter().map(|turns| log(mean(turns.into_iter())) * 1f32.to_degrees()).collect()
}

#[test]
fn walks_look_alike() {
    let mut columns = Vec::new();
    let own = |name: &str| read(&Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("tests/fixtures/{name}.bvh")));
    columns.push(("ada", walk(&[own("ada-walk")])));
    columns.push(("bo", walk(&[own("bo-walk")])));
    for (set, parts, frames) in [
        ("lafan1", &["multipleActions1", "push1", "obstacles1"][..], 0..4000),
        ("bandai", &["dataset-2_walk_normal_00", "dataset-1_walk_normal"], 0..2000),
        ("cmu", &["07_01", "07_03", "08_01", "08_02"], 9..1000),
        ("cmu-asf", &["16_15", "16_16", "16_31", "16_47"], 0..1000),
        ("accad", &["B03_Walk", "B02_Walk", "B04"], 20..1000),
        ("100style", &["Neutral_FW"], 480..1200),
    ] {
        let Some(files) = common::mocap(set) else { continue };
        let named = files.iter().filter(|path| parts.iter().any(|part| path.to_string_lossy().contains(part)));
        let clips: Vec<Clip> = named
            .map(|path| read(path))
            .map(|clip| clip.trimmed(frames.start.min(clip.frames() - 1)..frames.end.min(clip.frames())).unwrap())
            .collect();
        println!("{set}: {:?}", clips.iter().map(|clip| clip.name.as_str()).collect::<Vec<_>>());
        columns.push((set, walk(&clips)));
    }
    print!("{:14}", "pitch,yaw,roll");
    columns.iter().for_each(|(set, _)| print!("{set:>13}"));
    println!();
    for (joint, info) in biped().joints.iter().enumerate() {
        print!("{:14}", info.name);
        for (_, turns) in &columns {
            let Vec3 { x, y, z } = turns[joint];
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
            let mean = columns.iter().map(|(_, turns)| turns[role as usize]).sum::<Vec3>() / columns.len() as f32;
            for (set, turns) in &columns {
                let off = turns[role as usize].distance(mean);
                assert!(off < limit, "{set}, {role:?}: {off} degrees from the mean of all sets");
            }
        }
    }
}
