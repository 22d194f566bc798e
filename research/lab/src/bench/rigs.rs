//! `bench rigs`: estimates joint axes of rigs whose rest pose tells nothing about the body, from all recordings below
//! a folder. Source of the table in `src/motion/rig/axes/known.rs`.

use crate::{Outcome, files};
use clap::Args;
use kinestitch::Clip;
use kinestitch::motion::fk::Pose;
use kinestitch::motion::quat::with_positive_w;
use kinestitch::motion::rig::axes::{Axes, Source};
use kinestitch::motion::rig::{Rig, RigKind, dog, infer};
use std::path::PathBuf;

/// Frames sampled from each file.
const FRAMES: usize = 48;

/// Clips of one rig: the first clip, and poses of all of them.
struct Group {
    clip: Clip,
    rig: Rig,
    files: usize,
    poses: Vec<Pose>,
}

/// Joint axes of rigs whose rest pose tells nothing about the body, for the table of known rigs
#[derive(Args)]
pub struct Options {
    /// Folder of recordings
    #[arg(long, value_name = "DIR")]
    data: PathBuf,
}

/// Prints the joint axes of every such rig. Files that cannot be read are named, with the reason, on standard error.
pub fn run(Options { data }: Options) -> Outcome {
    let (mut groups, mut unreadable) = (Vec::<Group>::new(), 0);
    let paths = files::bvh_files(&data)?;
    for path in &paths {
        let clip = match files::read_clip(path) {
            Ok(clip) => clip,
            Err(error) => {
                eprintln!("left out: {error}");
                unreadable += 1;
                continue;
            }
        };
        let rig = infer(&clip);
        let axes = match rig.kind {
            RigKind::Biped => Axes::detect(&clip, &rig),
            RigKind::Quadruped | RigKind::Other => {
                dog::find_joints(clip.skeleton()).and_then(|joints| Axes::detect_dog(&clip, &joints))
            }
        };
        if axes.is_none_or(|axes| axes.source == Source::Rest) {
            continue;
        }
        let count = clip.frames().min(FRAMES);
        let poses: Vec<Pose> = (0..count).map(|i| Pose::from_clip(&clip, i * clip.frames() / count)).collect();
        let group = groups.iter().position(|group| group.clip.skeleton().same_topology(clip.skeleton()));
        let group = group.unwrap_or_else(|| {
            groups.push(Group { clip, rig, files: 0, poses: Vec::new() });
            groups.len() - 1
        });
        groups[group].files += 1;
        groups[group].poses.extend(poses);
    }
    if groups.is_empty() {
        println!("no rig below {} needs estimated axes", data.display());
    }
    groups.iter().for_each(print);
    if unreadable > 0 {
        eprintln!("{unreadable} of {} files cannot be read and were left out", paths.len());
    }
    Ok(())
}

fn print(group: &Group) {
    let Group { clip, rig, files, poses } = group;
    println!("// as in {}: {files} files, {} frames", clip.name, poses.len());
    let axes = match rig.kind {
        RigKind::Biped => Axes::estimate(clip.skeleton(), rig, poses),
        RigKind::Quadruped | RigKind::Other => dog::find_joints(clip.skeleton())
            .and_then(|joints| Axes::estimate_dog(clip.skeleton(), &joints, poses))
            .unwrap_or_default(),
    };
    let joints = clip.skeleton().joints();
    for (joint, rotation) in joints.iter().zip(&axes) {
        let parent = joint.parent.map_or("", |parent| joints[parent].name.as_str());
        let [x, y, z, w] = with_positive_w(*rotation).to_array().map(|value| (value * 1e4).round() / 1e4 + 0.0);
        println!("    ({:?}, {parent:?}, [{x:?}, {y:?}, {z:?}, {w:?}]),", joint.name);
    }
}
