//! `train pack`, and reading of recordings for the other subcommands.

use crate::Outcome;
use clap::Args;
use indicatif::ProgressBar;
use kinestitch::feature::layout::RefinerRow;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use training::data::{Recording, Sets, Split, pack, read_dir};
use training::recipe::Recipe;
use training::takes::Take;

/// Read every BVH of known data sets under a folder and write one packed file
#[derive(Args)]
pub struct Pack {
    /// Folder of recordings
    #[arg(long, value_name = "DIR")]
    data: PathBuf,
    /// File to write
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
    /// Description of the data sets
    #[arg(long, value_name = "FILE", default_value = "recipes/sets.json")]
    sets: PathBuf,
    /// Only these sets
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
        Ok(pack::save(&self.out, &read(&self.data, &sets, self.fps)?)?)
    }
}

/// The recordings of a recipe's sets, from a folder or a packed file.
pub fn of_recipe(data: &Path, recipe: &Recipe) -> kinestitch::Result<Vec<Recording>> {
    of_sets(data, |set| recipe.sets.contains(set))
}

/// The recordings of some sets, from a folder or a packed file.
pub fn of_sets(data: &Path, wanted: impl Fn(&String) -> bool) -> kinestitch::Result<Vec<Recording>> {
    let mut recordings = match data.is_dir() {
        true => read(data, &Sets::read(Path::new("recipes/sets.json"))?, RefinerRow::FPS)?,
        false => pack::load(data)?,
    };
    recordings.retain(|recording| wanted(&recording.set));
    Ok(recordings)
}

/// Takes by name of their set.
pub type TakesOfSets = BTreeMap<String, Vec<Take>>;

/// Training takes of people by set, and validation takes. `validation`: the sets of the latter.
pub fn takes(
    data: &Path,
    sets: &BTreeMap<String, f64>,
    validation: impl Fn(&String) -> bool,
) -> kinestitch::Result<(TakesOfSets, Vec<Take>)> {
    let (mut takes, mut held_out) = (TakesOfSets::new(), Vec::new());
    for recording in of_sets(data, |set| sets.contains_key(set) || validation(set))? {
        match recording.split {
            Split::Train if sets.contains_key(&recording.set) => {
                takes.entry(recording.set.clone()).or_default().push(Take::from_recording(&recording));
            }
            Split::Validation if validation(&recording.set) => held_out.push(Take::from_recording(&recording)),
            _ => {}
        }
    }
    for (set, takes) in &takes {
        let frames: usize = takes.iter().map(|take| take.poses.len()).sum();
        eprintln!("{set}: {} recordings, {frames} frames", takes.len());
    }
    Ok((takes, held_out))
}

fn read(data: &Path, sets: &Sets, fps: f64) -> kinestitch::Result<Vec<Recording>> {
    let bar = ProgressBar::new_spinner();
    let (recordings, left_out) = read_dir(data, sets, fps, |path| {
        bar.inc(1);
        bar.set_message(path.display().to_string());
    });
    bar.finish_and_clear();
    for reason in &left_out {
        eprintln!("left out: {reason}");
    }
    for set in &sets.0 {
        for split in Split::ALL {
            let of = recordings.iter().filter(|r| r.set == set.name && r.split == split);
            let frames: usize = of.clone().map(|r| r.clip.frames()).sum();
            eprintln!("{} {split:?}: {} recordings, {frames} frames", set.name, of.count());
        }
    }
    Ok(recordings)
}
