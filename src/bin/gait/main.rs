//! Draws walk, jog, run, turn and idle for two characters, from numbers alone: the demo of the site and the fixtures
//! of the tests. No recording is involved.
//!
//!     cargo run --release --bin gait -- --out tests/fixtures

mod curve;
mod cycle;
mod foot;
mod idle;
mod pose;
mod rig;
mod style;

use kinestitch::motion::bvh;
use kinestitch::{Clip, Result};
use pose::Targets;
use rig::Character;
use std::path::PathBuf;
use std::process::ExitCode;

const USAGE: &str = "usage: gait --out FOLDER";

fn clip(character: &Character, name: &str, frames: usize, targets: impl Fn(f32) -> Targets) -> Result<Clip> {
    let (mut rotations, mut translations) = (Vec::new(), Vec::new());
    for frame in 0..frames {
        let (locals, roots) = pose::assemble(character, &targets(frame as f32));
        rotations.extend(locals);
        translations.extend(roots);
    }
    let name = format!("{}-{name}", character.name);
    Clip::new(name, character.skeleton.clone(), 1.0 / 30.0, rotations, translations)
}

/// All clips of a character.
fn clips(character: &Character) -> Result<Vec<Clip>> {
    let mut clips = Vec::new();
    for style in &style::GAITS {
        let walker = cycle::Walker::new(character, style);
        clips.push(clip(character, style.name, walker.frames(), |frame| walker.targets(frame))?);
    }
    clips.push(clip(character, "idle", idle::LOOP_FRAMES + 1, |frame| idle::targets(character, frame))?);
    Ok(clips)
}

fn run() -> std::result::Result<(), Box<dyn std::error::Error>> {
    let mut args = pico_args::Arguments::from_env();
    let out: PathBuf = args.value_from_str("--out")?;
    std::fs::create_dir_all(&out)?;
    for character in [rig::ada()?, rig::bo()?] {
        for clip in clips(&character)? {
            let file = out.join(format!("{}.bvh", clip.name));
            std::fs::write(&file, bvh::write(&clip)).map_err(|error| format!("{}: {error}", file.display()))?;
            println!("{}: {} frames, {} joints", file.display(), clip.frames(), clip.joints());
        }
    }
    Ok(())
}

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("gait: {error}; {USAGE}");
            ExitCode::FAILURE
        }
    }
}
