//! Joins two BVH files: `cargo run --release --example stitch A.bvh B.bvh OUT.bvh`.

use kinestitch::motion::{bvh, rig};
use kinestitch::{Clip, Input, Join, Progress, StitchOptions, stitch};
use std::error::Error;
use std::process::ExitCode;

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        // `Display` writes errors for people; a `main` that returns them prints `Debug`.
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

fn run() -> Result<(), Box<dyn Error>> {
    let paths: Vec<String> = std::env::args().skip(1).collect();
    let [a, b, out] = paths.as_slice() else { return Err("usage: stitch A.bvh B.bvh OUT.bvh".into()) };
    let clips = [read(a)?, read(b)?];
    // The rig maps roles (`Hips`, `LeftLeg`, `LeftFoot`, …) to joints. It is inferred once per clip.
    let rigs = clips.each_ref().map(rig::infer);
    let inputs = [0, 1].map(|index| Input { clip: &clips[index], rig: &rigs[index] });
    let options = StitchOptions::from(Join::default());
    let stitched = stitch(&inputs, &options, &mut Progress::silent())?;
    for (clip, rig) in clips.iter().zip(&rigs) {
        for warning in &rig.warnings {
            eprintln!("warning: {}: {warning}", clip.name);
        }
    }
    for warning in &stitched.warnings {
        eprintln!("warning: {warning}");
    }
    std::fs::write(out, bvh::write(&stitched.clip)?).map_err(|error| format!("{out}: {error}"))?;
    let seam = &stitched.seam_reports[0];
    println!("{} frames, the second clip begins at frame {} (from 0)", stitched.clip.frames(), seam.frame);
    // Feet are measured in people only.
    if rigs[0].kind == rig::RigKind::Biped {
        println!("feet slide {:.4} m per frame", seam.foot_skate);
    }
    Ok(())
}

/// Reads a clip. It is named after its path, so that errors of `stitch` name the file.
fn read(path: &str) -> Result<Clip, Box<dyn Error>> {
    let bytes = std::fs::read(path).map_err(|error| format!("{path}: {error}"))?;
    let parsed = bvh::parse(path, &bytes).map_err(|error| format!("{path}: {error}"))?;
    for warning in &parsed.warnings {
        eprintln!("warning: {path}: {warning}");
    }
    Ok(parsed.clip)
}
