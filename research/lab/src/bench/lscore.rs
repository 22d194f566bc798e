//! `bench lscore`: accuracy of the L-score on recordings (removed frames, ranking of seams), and the cost of a map.

mod long;
mod rank;
mod restore;
mod speed;

use crate::report::Report;
use crate::{Outcome, files};
use clap::Args;
use kinestitch::Clip;
use kinestitch::motion::resample::resample;
use kinestitch::motion::rig::{self, Rig};
use std::path::{Path, PathBuf};

/// Frame rate at which recordings are measured, frames per second.
const FPS: f64 = 30.0;
/// Slower recordings are left out, because most of their frames at [`FPS`] would be interpolated.
const MIN_FPS: f64 = 29.0;

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

/// Reads the recordings of bipeds below a folder, and resamples them to [`FPS`]: scores and foot skate are per frame,
/// so recordings of different frame rates cannot be compared. Leaves out those with fewer than 60 frames.
fn recordings(folder: &Path, report: &mut Report) -> Outcome<Vec<Recording>> {
    let mut recordings = Vec::new();
    for file in files::bvh_files(folder)? {
        let clip = match files::read_clip(&file) {
            Ok(clip) if clip.fps() >= MIN_FPS => resample(&clip, FPS).map_err(files::at(&file))?,
            Ok(clip) => {
                report.note(format!("left out: {} has only {:.2} frames per second", clip.name, clip.fps()));
                continue;
            }
            Err(error) => {
                report.note(files::left_out(folder, error));
                continue;
            }
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

#[cfg(test)]
mod tests {
    use super::*;
    use kinestitch::motion::bvh;

    #[test]
    fn recordings_have_one_frame_rate_and_slower_ones_are_left_out() {
        let walk = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/fixtures/ada-walk.bvh"));
        let walk = files::read_clip(walk).unwrap();
        let folder = std::env::temp_dir().join(format!("kinestitch-rates-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        for fps in [24.0, 30.0, 31.0, 120.0] {
            let text = bvh::write(&resample(&walk, fps).unwrap()).unwrap();
            std::fs::write(folder.join(format!("{fps}.bvh")), text).unwrap();
        }
        let found = recordings(&folder, &mut Report::default());
        std::fs::remove_dir_all(&folder).unwrap();
        let rates: Vec<f64> = found.unwrap().iter().map(|recording| recording.clip.fps().round()).collect();
        assert_eq!(rates, [30.0; 3]);
    }
}
