//! Generates walk, jog, run, turn and idle for two people, and walk and trot for a dog, without recordings. The clips
//! are the site's demo and the tests' fixtures.
//!
//!     cargo run --release -p lab --bin gait -- --out tests/fixtures

mod curve;
mod cycle;
mod dog;
mod foot;
mod gaits;
mod idle;
mod pose;
mod rig;

use clap::Parser;
use glam::{Quat, Vec3};
use kinestitch::motion::bvh;
use kinestitch::{Clip, Result, Skeleton};
use pose::Targets;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;

/// Generates the demo clips (two people, a dog) without recordings
#[derive(Parser)]
#[command(name = "gait")]
struct Cli {
    /// Folder to write BVH files to
    #[arg(long, value_name = "FOLDER")]
    out: PathBuf,
}

/// Builds a clip from the local rotations and root translations of each frame.
fn clip(
    name: String,
    skeleton: &Arc<Skeleton>,
    frames: usize,
    pose: impl Fn(f32) -> (Vec<Quat>, Vec<Vec3>),
) -> Result<Clip> {
    let (mut rotations, mut translations) = (Vec::new(), Vec::new());
    for frame in 0..frames {
        let (locals, roots) = pose(frame as f32);
        rotations.extend(locals);
        translations.extend(roots);
    }
    Clip::new(name, Arc::clone(skeleton), 1.0 / 30.0, rotations, translations)
}

fn clips() -> Result<Vec<Clip>> {
    let mut clips = Vec::new();
    for character in [rig::ada()?, rig::bo()?] {
        let named = |gait: &str| format!("{}-{gait}", character.name);
        let pose = |targets: Targets| pose::assemble(&character, &targets);
        for gait in &gaits::GAITS {
            let walker = cycle::Walker::new(&character, gait);
            let pose_at = |frame| pose(walker.targets(frame));
            clips.push(clip(named(gait.name), &character.skeleton, walker.frames(), pose_at)?);
        }
        let pose_at = |frame| pose(idle::targets(&character, frame));
        clips.push(clip(named("idle"), &character.skeleton, idle::LOOP_FRAMES + 1, pose_at)?);
    }
    let cleo = dog::cleo()?;
    for gait in &dog::GAITS {
        let frames = gait.cycles * gait.steps[0].cycle_frames + 1;
        clips.push(clip(format!("cleo-{}", gait.name), &cleo.skeleton, frames, |frame| cleo.pose(gait, frame))?);
    }
    Ok(clips)
}

fn run() -> std::result::Result<(), Box<dyn std::error::Error>> {
    let Cli { out } = Cli::parse();
    std::fs::create_dir_all(&out).map_err(|error| format!("{}: {error}", out.display()))?;
    for clip in clips()? {
        let file = out.join(format!("{}.bvh", clip.name));
        std::fs::write(&file, bvh::write(&clip)?).map_err(|error| format!("{}: {error}", file.display()))?;
        println!("{}: {} frames, {} joints", file.display(), clip.frames(), clip.joints());
    }
    Ok(())
}

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("gait: {error}");
            ExitCode::FAILURE
        }
    }
}
