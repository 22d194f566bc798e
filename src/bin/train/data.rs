//! `train pack`, and the reading of recordings for the others.

use crate::Outcome;
use clap::Args;
use indicatif::ProgressBar;
use kinestitch::train::pack::{self, Recording, Split};
use kinestitch::train::recipe::Recipe;
use std::path::{Path, PathBuf};

/// Read every BVH under a folder and write one packed file
#[derive(Args)]
pub struct Pack {
    /// Folder of recordings
    #[arg(long, value_name = "DIR")]
    data: PathBuf,
    /// File to write
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
}

impl Pack {
    pub fn run(self) -> Outcome {
        Ok(pack::save(&self.out, &read(&self.data)?)?)
    }
}

/// The recordings of a recipe's sets, from a folder or a packed file.
pub fn of_recipe(data: &Path, recipe: &Recipe) -> kinestitch::Result<Vec<Recording>> {
    let mut recordings = if data.is_dir() { read(data)? } else { pack::load(data)? };
    recordings.retain(|recording| recipe.sets.contains(&recording.set));
    Ok(recordings)
}

fn read(data: &Path) -> kinestitch::Result<Vec<Recording>> {
    let bar = ProgressBar::new_spinner();
    let (recordings, left_out) = pack::read_dir(data, kinestitch::feature::layout::Refiner::FPS, |path| {
        bar.inc(1);
        bar.set_message(path.display().to_string());
    })?;
    bar.finish_and_clear();
    for reason in &left_out {
        eprintln!("left out: {reason}");
    }
    for set in ["lafan1", "bandai", "cmu"] {
        for split in [Split::Train, Split::Validation] {
            let of = recordings.iter().filter(|r| r.set == set && r.split == split);
            let frames: usize = of.clone().map(|r| r.clip.frames()).sum();
            eprintln!("{set} {split:?}: {} recordings, {frames} frames", of.count());
        }
    }
    Ok(recordings)
}
