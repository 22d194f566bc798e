//! `bench lscore`: accuracy of the L-score on recordings (removed frames, ranking of seams), and the cost of a map.

mod long;
mod rank;
mod restore;
mod speed;

use crate::report::Report;
use crate::{Outcome, files};
use clap::Args;
use kinestitch::Clip;
use kinestitch::motion::bvh;
use kinestitch::motion::rig::{self, Rig};
use std::path::{Path, PathBuf};

/// A recording with its rig.
struct Recording {
    clip: Clip,
    rig: Rig,
}

/// Deterministic random numbers, so that every run measures the same.
pub(super) struct Random(pub u64);

impl Random {
    /// Uniform in 0..end.
    pub fn below(&mut self, end: usize) -> usize {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        ((self.0 >> 33) as usize) % end.max(1)
    }

    /// Uniform in 0 to 1.
    pub fn unit(&mut self) -> f64 {
        self.below(1 << 31) as f64 / f64::from(1u32 << 31)
    }
}

/// Measures the L-score on recordings, and the cost of a map
#[derive(Args)]
pub struct Options {
    /// Folder of recordings
    #[arg(long, value_name = "DIR")]
    data: PathBuf,
    /// Places where frames are removed
    #[arg(long, value_name = "N", default_value_t = 200)]
    places: usize,
    /// Pairs of clips whose seams are ranked
    #[arg(long, value_name = "N", default_value_t = 100)]
    pairs: usize,
    /// Run only the cut search between takes of 5,000 frames
    #[arg(long)]
    long: bool,
}

pub fn run(Options { data, places, pairs, long }: Options, report: &mut Report) -> Outcome {
    let recordings = recordings(&data, report)?;
    let minutes: f64 = recordings.iter().map(|r| r.clip.frames() as f64 * r.clip.frame_time_secs() / 60.0).sum();
    report.note(format!("{} recordings of bipeds, {minutes:.0} minutes", recordings.len()));
    if long {
        return long::run(&recordings, report);
    }
    restore::run(&recordings, places, report)?;
    rank::run(&recordings, pairs, report)?;
    speed::run(&recordings, report)
}

/// Reads the recordings of bipeds below a folder that have at least 60 frames. Those above 31 fps are resampled to 30.
fn recordings(folder: &Path, report: &mut Report) -> Result<Vec<Recording>, Box<dyn std::error::Error>> {
    let mut recordings = Vec::new();
    for file in files::bvh_files(folder)? {
        let name = file.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let bytes = files::read(&file)?;
        let Ok(parsed) = bvh::parse(&name, &bytes) else {
            report.note(format!("left out: {name} cannot be read"));
            continue;
        };
        let clip = if parsed.clip.fps() > 31.0 {
            kinestitch::motion::resample::resample(&parsed.clip, 30.0)?
        } else {
            parsed.clip
        };
        let rig = rig::infer(&clip);
        if clip.frames() >= 60 && rig.kind == rig::RigKind::Biped {
            recordings.push(Recording { clip, rig });
        }
    }
    if recordings.len() < 2 {
        return Err(format!("fewer than two recordings of bipeds below {}", folder.display()).into());
    }
    Ok(recordings)
}

fn median(values: &mut [f64]) -> f64 {
    values.sort_by(f64::total_cmp);
    let middle = values.len() / 2;
    if values.len().is_multiple_of(2) { (values[middle - 1] + values[middle]) / 2.0 } else { values[middle] }
}
