//! `bench phases`: the fit of [`kinestitch::method::phase`] compared with the paper's evolutionary search, on the same
//! signals and windows of recordings.

mod evolution;

use super::lscore::{Dice, collect};
use crate::Outcome;
use crate::report::{Report, number};
use clap::Args;
use kinestitch::method::phase::fit::Sinusoid;
use kinestitch::method::phase::{PhaseOptions, fit, phases, signal};
use kinestitch::motion::{bvh, rig};
use std::f64::consts::{PI, TAU};
use std::ops::Range;
use std::path::PathBuf;
use std::time::Instant;

/// Local motion phases: our fit compared with the paper's evolutionary search
#[derive(Args)]
pub struct Options {
    /// Folder of recordings; can be repeated
    #[arg(long, value_name = "DIR", required = true)]
    data: Vec<PathBuf>,
    /// Clips per folder, evenly spaced over its files
    #[arg(long, value_name = "N", default_value_t = 6)]
    clips: usize,
    /// Seconds of each clip, taken from its middle
    #[arg(long, value_name = "S", default_value_t = 20.0)]
    seconds: f64,
}

/// Sums over the frames whose window has a signal.
#[derive(Default, Clone, Copy)]
struct Score {
    frames: f64,
    rmse: f64,
    backwards: f64,
    rough: f64,
    secs: f64,
}

pub fn run(Options { data, clips, seconds }: Options, report: &mut Report) -> Outcome {
    let columns = [
        "set",
        "limbs",
        "RMSE (eq. 4), fit",
        "RMSE, evolution",
        "steps backwards, %, fit",
        "steps backwards, %, evolution",
        "roughness, rad, fit",
        "roughness, rad, evolution",
        "ms for a second of a limb, fit",
        "ms, evolution",
        "evolution / fit",
        "clip's length / time of its phases",
    ];
    report.table("Fit of the phase beside evolutionary search", columns);
    for folder in &data {
        let mut files = Vec::new();
        collect(folder, &mut files)?;
        files.sort();
        let (mut ours, mut theirs) = (Score::default(), Score::default());
        let (mut limbs, mut limb_secs, mut clip_secs, mut whole) = (0, 0.0, 0.0, 0.0);
        for index in 0..clips.min(files.len()) {
            let file = &files[index * files.len() / clips.min(files.len())];
            let bytes = std::fs::read(file).map_err(|error| format!("{}: {error}", file.display()))?;
            let name = file.file_stem().unwrap_or_default().to_string_lossy();
            let clip = bvh::parse(&name, &bytes)?.clip;
            let frames = clip.frames().min((seconds * clip.fps()) as usize).max(1);
            // Taken from the middle, because many recordings begin and end in a rest pose.
            let start = (clip.frames() - frames) / 2;
            let clip = clip.trimmed(start..start + frames)?;
            let rig = rig::infer(&clip);
            let started = Instant::now();
            let found = phases(&clip, &rig, &PhaseOptions::default())?;
            whole += started.elapsed().as_secs_f64();
            clip_secs += frames as f64 / clip.fps();
            for limb in &found {
                let fps = clip.fps();
                let filtered = signal::filtered(&limb.contact, fps);
                let windows = signal::windows(&limb.contact, fps);
                let started = Instant::now();
                let fits = fit::fit(&filtered, fps, &windows);
                ours.secs += started.elapsed().as_secs_f64();
                ours.add(&filtered, fps, &windows, &fits);
                let started = Instant::now();
                let fits = evolution::fit(&filtered, fps, &windows, &mut Dice(11));
                theirs.secs += started.elapsed().as_secs_f64();
                theirs.add(&filtered, fps, &windows, &fits);
                limbs += 1;
                limb_secs += frames as f64 / fps;
            }
        }
        let [a, b] = [ours, theirs].map(|score| score.means());
        let name = folder.file_name().unwrap_or_default().to_string_lossy();
        report.row([
            name.into_owned(),
            limbs.to_string(),
            number(a.rmse, 4),
            number(b.rmse, 4),
            number(100.0 * a.backwards, 2),
            number(100.0 * b.backwards, 2),
            number(a.rough, 3),
            number(b.rough, 3),
            number(1e3 * ours.secs / limb_secs, 2),
            number(1e3 * theirs.secs / limb_secs, 0),
            number(theirs.secs / ours.secs, 0),
            number(clip_secs / whole, 0),
        ]);
    }
    report.note(
        "Only frames whose window has contact and no contact. Roughness: root mean square change of the phase's step.",
    );
    Ok(())
}

impl Score {
    fn add(&mut self, signal: &[f64], fps: f64, windows: &[Range<usize>], fits: &[Sinusoid]) {
        let holds = |frame: usize| {
            let values = &signal[windows[frame].clone()];
            let mean = values.iter().sum::<f64>() / values.len() as f64;
            values.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / values.len() as f64 > 0.1
        };
        let step = |frame: usize| (fits[frame].phase - fits[frame - 1].phase + PI).rem_euclid(TAU) - PI;
        for frame in (2..fits.len()).filter(|&frame| (frame - 2..=frame).all(holds)) {
            let window = windows[frame].clone();
            let error = |at: usize| fits[frame].at((at as f64 - frame as f64) / fps) - signal[at];
            let length = window.len() as f64;
            self.rmse += (window.map(|at| error(at).powi(2)).sum::<f64>() / length).sqrt();
            self.backwards += f64::from(u8::from(step(frame) < 0.0));
            self.rough += (step(frame) - step(frame - 1)).powi(2);
            self.frames += 1.0;
        }
    }

    fn means(self) -> Self {
        let Self { frames, rmse, backwards, rough, secs } = self;
        Self { frames, rmse: rmse / frames, backwards: backwards / frames, rough: (rough / frames).sqrt(), secs }
    }
}
