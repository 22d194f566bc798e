//! Axes of rigs whose rest pose shows no body, estimated over every recording below a folder: the table of known rigs in
//! `src/motion/rig/axes/known.rs` is what this prints.

use crate::Outcome;
use clap::Args;
use kinestitch::Clip;
use kinestitch::motion::bvh;
use kinestitch::motion::fk::Pose;
use kinestitch::motion::rig::axes::{Axes, Source};
use kinestitch::motion::rig::{Rig, RigKind, infer};
use std::path::{Path, PathBuf};

/// Frames looked at in each file.
const FRAMES: usize = 48;

/// A rig, by the first clip of it that was found, and poses of all its clips.
struct Group {
    clip: Clip,
    rig: Rig,
    files: usize,
    poses: Vec<Pose>,
}

/// Axes of rigs whose rest pose shows no body, for the table of known rigs
#[derive(Args)]
pub struct Options {
    /// Folder of recordings
    #[arg(long, value_name = "DIR")]
    data: PathBuf,
}

/// Prints the joints of every such rig.
pub fn run(Options { data }: Options) -> Outcome {
    let mut groups: Vec<Group> = Vec::new();
    for path in bvh_files(&data) {
        let name = path.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default();
        let Ok(parsed) = bvh::parse(&name, &std::fs::read(&path)?) else { continue };
        let (clip, rig) = (parsed.clip.clone(), infer(&parsed.clip));
        let stick = Axes::of(&clip, &rig).is_some_and(|axes| axes.source != Source::Rest);
        if rig.kind != RigKind::Biped || !stick {
            continue;
        }
        let count = clip.frames().min(FRAMES);
        let poses = (0..count).map(|i| Pose::of(&clip, i * clip.frames() / count));
        let same = |group: &&mut Group| group.clip.skeleton().same_topology(clip.skeleton());
        match groups.iter_mut().find(same) {
            Some(group) => {
                group.files += 1;
                group.poses.extend(poses);
            }
            None => groups.push(Group { poses: poses.collect(), clip, rig, files: 1 }),
        }
    }
    if groups.is_empty() {
        println!("no rig below {} has a stick for a rest pose", data.display());
    }
    groups.iter().for_each(print);
    Ok(())
}

/// Every BVH below a folder, sorted.
fn bvh_files(folder: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for path in std::fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path()) {
        if path.is_dir() {
            files.extend(bvh_files(&path));
        } else if path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("bvh")) {
            files.push(path);
        }
    }
    files.sort();
    files
}

fn print(group: &Group) {
    let Group { clip, rig, files, poses } = group;
    println!("// as in {}: {files} files, {} frames", clip.name, poses.len());
    let axes = Axes::estimate(clip, rig, poses);
    let joints = clip.skeleton().joints();
    for (joint, turn) in joints.iter().zip(&axes.joint_from_body) {
        let parent = joint.parent.map_or("", |parent| joints[parent].name.as_str());
        let turn = if turn.w < 0.0 { -*turn } else { *turn };
        let [x, y, z, w] = turn.to_array().map(|value| (value * 1e4).round() / 1e4 + 0.0);
        println!("    ({:?}, {parent:?}, [{x:?}, {y:?}, {z:?}, {w:?}]),", joint.name);
    }
}
