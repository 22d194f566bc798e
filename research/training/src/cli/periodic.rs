//! Subcommands `periodic`, `export-periodic` and `score-periodic`: training and score of the periodic autoencoder.

use crate::Outcome;
use crate::data::{read_sets, read_takes};
use crate::options::{DeviceOptions, OutputOptions, RunOptions};
use clap::Args;
use kinestitch::method::periodic::Periodic;
use kinestitch::nn::weights::Weights;
use std::num::NonZeroUsize;
use std::path::PathBuf;
use training::checkpoint;
use training::data::Split;
use training::periodic::check::measure_advance;
use training::periodic::{PeriodicTraining, Recipe, export};
use training::run;
use training::takes::Take;

/// Train the periodic autoencoder on recordings or a packed file
#[derive(Args)]
pub struct Train {
    /// Folder of recordings, or a packed file
    #[arg(long, value_name = "DIR|FILE")]
    data: PathBuf,
    /// Recipe: JSON file with the settings
    #[arg(long, value_name = "FILE", default_value = "research/recipes/periodic-research.json")]
    recipe: PathBuf,
    #[command(flatten)]
    run: RunOptions,
    #[command(flatten)]
    device: DeviceOptions,
}

impl Train {
    pub fn run(self) -> Outcome {
        let recipe: Recipe = checkpoint::read_json(&self.recipe)?;
        let validation_sets: Vec<String> = recipe.sets.keys().cloned().collect();
        let (takes, held_out) = read_takes(&self.data, &recipe.header, &recipe.sets, &validation_sets)?;
        let device = self.device.device()?;
        let run = self.run.to_run(&recipe.header.name, self.device.threads());
        let training = PeriodicTraining::new(takes, &held_out, &recipe)?;
        let state = run::train(&training, &recipe.schedule, &run, &device)?;
        println!("{}: {state:?}", run.folder.display());
        Ok(())
    }
}

/// Write the encoder of a run of the periodic autoencoder as a weight file
#[derive(Args)]
pub struct Export {
    /// Folder of the run
    #[arg(long, value_name = "DIR")]
    run: PathBuf,
    /// Recipe of the run
    #[arg(long, value_name = "FILE", default_value = "research/recipes/periodic-research.json")]
    recipe: PathBuf,
    #[command(flatten)]
    output: OutputOptions,
}

impl Export {
    pub fn run(self) -> Outcome {
        let recipe: Recipe = checkpoint::read_json(&self.recipe)?;
        let bytes = export(&recipe, &self.run.join("average.bpk"), self.output.precision)?;
        Ok(self.output.write(&bytes)?)
    }
}

/// Print in how many percent of the walking frames of test recordings the phases advance, and a table of the channels
#[derive(Args)]
pub struct Score {
    /// Folder of recordings, or a packed file
    #[arg(long, value_name = "DIR|FILE")]
    data: PathBuf,
    /// Weight file
    #[arg(long, value_name = "FILE")]
    weights: PathBuf,
    /// Data sets to score; by default those of the recipe of the weights, research/recipes/periodic-open.json or -research.json
    #[arg(long, value_name = "SET", value_delimiter = ',')]
    sets: Vec<String>,
    /// Score every N-th frame
    #[arg(long, value_name = "N", default_value = "4")]
    stride: NonZeroUsize,
}

impl Score {
    pub fn run(self) -> Outcome {
        let bytes = std::fs::read(&self.weights).map_err(|error| format!("{}: {error}", self.weights.display()))?;
        let weights = Weights::read(&bytes)?;
        let network = Periodic::read(&weights)?;
        let sets = match self.sets.is_empty() {
            true => sets_of_recipe(&weights.meta.set)?,
            false => self.sets.clone(),
        };
        let recordings = read_sets(&self.data, |set| sets.contains(set))?;
        // A misspelt name must not be left out silently.
        let has_recordings = |set: &str| recordings.iter().any(|recording| recording.set == set);
        if let Some(set) = self.sets.iter().find(|set| !has_recordings(set)) {
            return Err(format!("no recordings of \"{set}\" in {}", self.data.display()).into());
        }
        let test = recordings.iter().filter(|recording| recording.split == Split::Test);
        let takes: Vec<Take> = test.map(Take::from_recording).collect();
        let advance = measure_advance(&network, &takes, self.stride.get())?;
        if advance.frames == 0 {
            let (count, sets) = (takes.len(), sets.join(", "));
            return Err(format!("no walking frames in {count} test recordings of {sets}").into());
        }
        println!("{} walking frames of {} test recordings of {}", advance.frames, takes.len(), sets.join(", "));
        println!("phase goes forwards in {:.1} % (strongest channel)", 100.0 * advance.strongest);
        println!("phase goes forwards in {:.1} % (all, weighted by amplitude)", 100.0 * advance.weighted);
        println!("\n| channel | mean amplitude | mean frequency, Hz | goes forwards, % |\n|---|---|---|---|");
        for channel in 0..network.channels() {
            let (amplitude, hertz) = (advance.amplitudes[channel], advance.hertz[channel]);
            println!("| {channel} | {amplitude:.3} | {hertz:.2} | {:.1} |", 100.0 * advance.channels[channel]);
        }
        Ok(())
    }
}

/// Returns the data sets of the recipe of a weight set, `open` or `research`.
fn sets_of_recipe(weight_set: &str) -> Result<Vec<String>, Box<dyn std::error::Error>> {
    let path = PathBuf::from(format!("research/recipes/periodic-{weight_set}.json"));
    let recipe: Recipe = checkpoint::read_json(&path).map_err(|error| format!("{error}; give the sets by --sets"))?;
    Ok(recipe.sets.into_keys().collect())
}
