//! Subcommand `pack`, and functions that read recordings for the other subcommands.

use crate::Outcome;
use clap::Args;
use indicatif::ProgressBar;
use kinestitch::error::Error;
use kinestitch::feature::layout::RefinerRow;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use training::data::{Recording, Sets, Split, pack, read_dir};
use training::recipe::Header;
use training::takes::{Take, TakesBySet, split_takes};

/// Read every BVH file of known data sets under a folder and write one packed file
#[derive(Args)]
pub struct Pack {
    /// Folder of recordings
    #[arg(long, value_name = "DIR")]
    data: PathBuf,
    /// File to write
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
    /// Sets file (JSON): rules that assign files to data sets by their names
    #[arg(long, value_name = "FILE", default_value = "research/recipes/sets.json")]
    sets: PathBuf,
    /// Pack only these data sets
    #[arg(long, value_name = "SET", value_delimiter = ',')]
    only: Vec<String>,
    /// Frames per second of the packed recordings
    #[arg(long, value_name = "FPS", default_value_t = RefinerRow::FPS)]
    fps: f64,
}

impl Pack {
    pub fn run(self) -> Outcome {
        let mut sets = Sets::read(&self.sets)?;
        self.only.iter().try_for_each(|name| sets.set(name).map(drop))?;
        sets.0.retain(|set| self.only.is_empty() || self.only.contains(&set.name));
        let recordings = read(&self.data, &sets, self.fps)?;
        if recordings.is_empty() {
            // An existing packed file is not replaced by an empty one.
            return Err(format!("no recordings of the data sets can be read below {}", self.data.display()).into());
        }
        Ok(pack::save(&self.out, &recordings)?)
    }
}

/// Sets file of all commands except `pack`, relative to the current folder.
const SETS: &str = "research/recipes/sets.json";

/// Reads the recordings of a recipe's data sets from a folder or a packed file. All commands that train on recordings,
/// or measure values for a weight file, read them by this function, so that open weights contain nothing of recordings
/// that are not open.
///
/// # Errors
/// Those of [`Header::check_open`] and [`read_sets`].
pub fn read_recipe<'a>(
    data: &Path,
    header: &Header,
    names: impl IntoIterator<Item = &'a String>,
) -> kinestitch::Result<Vec<Recording>> {
    let names: Vec<&String> = names.into_iter().collect();
    header.check_open(names.iter().copied(), &Sets::read(Path::new(SETS))?)?;
    read_sets(data, |set| names.contains(&set))
}

/// Reads the recordings of the data sets that `is_wanted` selects, from a folder or a packed file. Files of a folder
/// are assigned to data sets by [`SETS`]. Trainings use [`read_recipe`] instead, which checks the licences.
pub fn read_sets(data: &Path, is_wanted: impl Fn(&String) -> bool) -> kinestitch::Result<Vec<Recording>> {
    let mut recordings = match data.is_dir() {
        true => read(data, &Sets::read(Path::new(SETS))?, RefinerRow::FPS)?,
        false => pack::load(data)?,
    };
    recordings.retain(|recording| is_wanted(&recording.set));
    Ok(recordings)
}

/// Reads the takes of a recipe's data sets: to train on, and held out for validation, see [`split_takes`].
///
/// # Errors
/// Those of [`read_recipe`], and [`Error::Option`] without takes for validation: no checkpoint could be selected.
pub fn read_takes(
    data: &Path,
    header: &Header,
    sets: &BTreeMap<String, f64>,
    validation: &[String],
) -> kinestitch::Result<(TakesBySet, Vec<Take>)> {
    let recordings = read_recipe(data, header, sets.keys().chain(validation))?;
    let (takes, held_out) = split_takes(&recordings, sets, validation);
    for (set, takes) in &takes {
        let frames: usize = takes.iter().map(|take| take.poses.len()).sum();
        eprintln!("{set}: {} recordings, {frames} frames", takes.len());
    }
    // Without takes to train on, the caller has a message of its own.
    if held_out.is_empty() && !takes.is_empty() {
        let message = format!("no recordings of {} for validation", validation.join(", "));
        return Err(Error::Option { option: "data", message });
    }
    Ok((takes, held_out))
}

/// Reads the recordings below a folder, shows the progress, and prints a summary.
fn read(data: &Path, sets: &Sets, fps: f64) -> kinestitch::Result<Vec<Recording>> {
    let bar = ProgressBar::new_spinner();
    let (recordings, failures) = read_dir(data, sets, fps, |path| {
        bar.inc(1);
        bar.set_message(path.display().to_string());
    });
    bar.finish_and_clear();
    for failure in &failures {
        eprintln!("left out: {failure}");
    }
    for set in &sets.0 {
        for split in Split::ALL {
            let recordings = recordings.iter().filter(|r| r.set == set.name && r.split == split);
            let frames: usize = recordings.clone().map(|r| r.clip.frames()).sum();
            eprintln!("{} {split:?}: {} recordings, {frames} frames", set.name, recordings.count());
        }
    }
    Ok(recordings)
}
