//! `bench speed`: native time of a stitch on one thread. `npm run bench` measures it in the browser.

use crate::report::{Report, number};
use crate::{Outcome, files};
use clap::Args;
use kinestitch::motion::rig;
use kinestitch::stitch::BLEND_SECS;
use kinestitch::{Clip, Input, Progress, StitchOptions, Transition, stitch};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

/// Length of both clips, frames.
const FRAMES: usize = 1000;
/// Number of runs per row of the table.
const RUNS: usize = 21;

/// Native time of joining two clips on one thread, milliseconds
#[derive(Args)]
pub struct Options {
    /// First clip; default: the generated walk
    #[arg(long, value_name = "FILE.bvh")]
    a: Option<PathBuf>,
    /// Second clip; default: the generated run
    #[arg(long, value_name = "FILE.bvh")]
    b: Option<PathBuf>,
}

/// Times crossfade and inertialization, with and without foot lock, on two clips of [`FRAMES`] frames.
pub fn run(Options { a, b }: Options, report: &mut Report) -> Outcome {
    let fixtures = PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/fixtures"));
    let a = a.unwrap_or(fixtures.join("ada-walk.bvh"));
    let b = b.unwrap_or(fixtures.join("ada-run.bvh"));
    let (a, b) = (load(&a)?, load(&b)?);
    let rigs = [rig::infer(&a), rig::infer(&b)];
    let caption = format!("Two clips of {FRAMES} frames, {} and {} joints, {RUNS} runs", a.joints(), b.joints());
    report.table(caption, ["method", "median, ms", "best, ms"]);
    for transition in [Transition::crossfade(BLEND_SECS), Transition::inertialize(BLEND_SECS)] {
        for foot_lock in [false, true] {
            let options = StitchOptions { foot_lock, ..transition.clone().into() };
            let inputs = [Input { clip: &a, rig: &rigs[0] }, Input { clip: &b, rig: &rigs[1] }];
            let mut milliseconds = Vec::with_capacity(RUNS);
            for _ in 0..RUNS {
                let start = Instant::now();
                stitch(&inputs, &options, &mut Progress::silent())?;
                milliseconds.push(start.elapsed().as_secs_f64() * 1e3);
            }
            milliseconds.sort_by(f64::total_cmp);
            let method = format!("{}{}", transition.name(), if foot_lock { ", foot lock" } else { "" });
            report.row([method, number(milliseconds[RUNS / 2], 2), number(milliseconds[0], 2)]);
        }
    }
    Ok(())
}

/// Reads a clip and repeats or cuts it to [`FRAMES`] frames.
fn load(path: &Path) -> Outcome<Clip> {
    let clip = files::read_clip(path)?;
    let width = clip.skeleton().translated().len();
    let rotations = clip.rotations().iter().copied().cycle().take(FRAMES * clip.joints()).collect();
    let translations = clip.translations().iter().copied().cycle().take(FRAMES * width).collect();
    Ok(Clip::new(clip.name.clone(), Arc::clone(clip.skeleton()), clip.frame_time_secs(), rotations, translations)?)
}
