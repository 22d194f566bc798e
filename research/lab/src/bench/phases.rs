//! `bench phases`: the fit of [`kinestitch::method::phase`] compared with the evolutionary search of its paper (Starke
//! et al. 2020), on the same signals and windows of recordings.

mod evolution;

use super::lscore::Random;
use crate::report::{Report, number};
use crate::{Outcome, files};
use clap::Args;
use kinestitch::Clip;
use kinestitch::method::phase::fit::Sinusoid;
use kinestitch::method::phase::{PhaseOptions, fit, phases, signal};
use kinestitch::motion::rig;
use std::f64::consts::{PI, TAU};
use std::ops::Range;
use std::path::{Path, PathBuf};
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

/// Sums over the frames in whose window the contact changes.
#[derive(Default, Clone, Copy)]
struct Score {
    /// Number of these frames.
    frames: f64,
    /// Root mean square errors of the fits in their windows (eq. 4).
    rmse: f64,
    /// Number of phase steps backwards.
    backwards: f64,
    /// Squared changes of the phase step, rad²; in [`Score::means`], their root mean square.
    roughness: f64,
    /// Time of the fits of all frames, seconds.
    secs: f64,
}

/// Sums over the limbs of a folder's clips.
#[derive(Default)]
struct Totals {
    fit: Score,
    evolution: Score,
    /// Number of limbs.
    limbs: usize,
    /// Length of the limbs' signals, seconds.
    limb_secs: f64,
    /// Length of the clips, seconds.
    clip_secs: f64,
    /// Time to compute the phases of the clips, seconds.
    phases_secs: f64,
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
        let files = files::bvh_files(folder)?;
        let mut totals = Totals::default();
        let clips = clips.min(files.len());
        for index in 0..clips {
            totals.add_clip(&middle(&files[index * files.len() / clips], seconds)?)?;
        }
        let Totals { fit, evolution, limbs, limb_secs, clip_secs, phases_secs } = totals;
        let [fit_means, evolution_means] = [fit, evolution].map(|score| score.means());
        let name = folder.file_name().unwrap_or_default().to_string_lossy();
        report.row([
            name.into_owned(),
            limbs.to_string(),
            number(fit_means.rmse, 4),
            number(evolution_means.rmse, 4),
            number(100.0 * fit_means.backwards, 2),
            number(100.0 * evolution_means.backwards, 2),
            number(fit_means.roughness, 3),
            number(evolution_means.roughness, 3),
            number(1e3 * fit.secs / limb_secs, 2),
            number(1e3 * evolution.secs / limb_secs, 0),
            number(evolution.secs / fit.secs, 0),
            number(clip_secs / phases_secs, 0),
        ]);
    }
    report.note(
        "Only frames in whose window the contact changes. Roughness: root mean square change of the phase's step.",
    );
    Ok(())
}

/// Reads a recording and returns at most `seconds` of its middle, because many recordings begin and end in a rest pose.
fn middle(file: &Path, seconds: f64) -> Outcome<Clip> {
    let clip = files::read_clip(file)?;
    let frames = ((seconds * clip.fps()) as usize).max(1).min(clip.frames());
    let start = (clip.frames() - frames) / 2;
    Ok(clip.trimmed(start..start + frames)?)
}

impl Totals {
    /// Fits the phases of each limb of a clip by both methods.
    fn add_clip(&mut self, clip: &Clip) -> Outcome {
        let rig = rig::infer(clip);
        let fps = clip.fps();
        let seconds = clip.frames() as f64 / fps;
        let started = Instant::now();
        let limbs = phases(clip, &rig, &PhaseOptions::default())?;
        self.phases_secs += started.elapsed().as_secs_f64();
        self.clip_secs += seconds;
        for limb in &limbs {
            let filtered = signal::contact_signal(&limb.contact, fps);
            let windows = signal::windows(&limb.contact, fps);
            let started = Instant::now();
            let fits = fit::fit(&filtered, fps, &windows);
            self.fit.secs += started.elapsed().as_secs_f64();
            self.fit.add(&filtered, fps, &windows, &fits);
            let started = Instant::now();
            let fits = evolution::fit(&filtered, fps, &windows, &mut Random(11));
            self.evolution.secs += started.elapsed().as_secs_f64();
            self.evolution.add(&filtered, fps, &windows, &fits);
            self.limbs += 1;
            self.limb_secs += seconds;
        }
        Ok(())
    }
}

impl Score {
    /// Adds the fits of one limb.
    fn add(&mut self, signal: &[f64], fps: f64, windows: &[Range<usize>], fits: &[Sinusoid]) {
        // The signal is normalised: its variance in a window is near 1 if the contact changes, and 0 if it does not.
        let has_changes = |frame: usize| {
            let values = &signal[windows[frame].clone()];
            let mean = values.iter().sum::<f64>() / values.len() as f64;
            values.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / values.len() as f64 > 0.1
        };
        let step = |frame: usize| (fits[frame].phase - fits[frame - 1].phase + PI).rem_euclid(TAU) - PI;
        for frame in (2..fits.len()).filter(|&frame| (frame - 2..=frame).all(has_changes)) {
            let window = windows[frame].clone();
            let length = window.len() as f64;
            let error = |other: usize| fits[frame].at((other as f64 - frame as f64) / fps) - signal[other];
            self.rmse += (window.map(|other| error(other).powi(2)).sum::<f64>() / length).sqrt();
            self.backwards += f64::from(u8::from(step(frame) < 0.0));
            self.roughness += (step(frame) - step(frame - 1)).powi(2);
            self.frames += 1.0;
        }
    }

    /// Returns the means over the frames; `frames` and `secs` stay sums.
    fn means(self) -> Self {
        let Self { frames, rmse, backwards, roughness, secs } = self;
        let roughness = (roughness / frames).sqrt();
        Self { frames, rmse: rmse / frames, backwards: backwards / frames, roughness, secs }
    }
}
