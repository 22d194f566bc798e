//! `train delta`, `export-delta`: the delta in-betweener.

use crate::Outcome;
use crate::data::of_sets;
use crate::options::{RunOptions, Stored};
use clap::Args;
use kinestitch::train::checkpoint;
use kinestitch::train::data::Split;
use kinestitch::train::delta::{self, Recipe};
use kinestitch::train::takes::Take;
use std::collections::BTreeMap;
use std::path::PathBuf;

/// Train the delta in-betweener on recordings or a packed file
#[derive(Args)]
pub struct Train {
    /// Folder of recordings, or a packed file
    #[arg(long, value_name = "DIR|FILE")]
    data: PathBuf,
    /// Recipe
    #[arg(long, value_name = "FILE", default_value = "recipes/delta-open.json")]
    recipe: PathBuf,
    #[command(flatten)]
    run: RunOptions,
}

impl Train {
    pub fn run(self) -> Outcome {
        let recipe: Recipe = checkpoint::read(&self.recipe)?;
        let (mut takes, mut held_out) = (BTreeMap::<String, Vec<Take>>::new(), Vec::new());
        let wanted = |set: &String| recipe.sets.contains_key(set) || recipe.validation.contains(set);
        for recording in of_sets(&self.data, wanted)? {
            match recording.split {
                Split::Train if recipe.sets.contains_key(&recording.set) => {
                    takes.entry(recording.set.clone()).or_default().push(Take::of(&recording));
                }
                Split::Validation if recipe.validation.contains(&recording.set) => held_out.push(Take::of(&recording)),
                _ => {}
            }
        }
        for (set, takes) in &takes {
            let frames: usize = takes.iter().map(|take| take.poses.len()).sum();
            eprintln!("{set}: {} recordings, {frames} frames", takes.len());
        }
        let run = self.run.of(&recipe.name);
        let state = delta::train(takes, &held_out, &recipe, &run)?;
        println!("{}: {state:?}", run.folder.display());
        Ok(())
    }
}

/// Write the best checkpoint of a run of the delta in-betweener as a weight file
#[derive(Args)]
pub struct Export {
    /// Folder of the run
    #[arg(long, value_name = "DIR")]
    run: PathBuf,
    /// Recipe of the run
    #[arg(long, value_name = "FILE")]
    recipe: PathBuf,
    #[command(flatten)]
    stored: Stored,
}

impl Export {
    pub fn run(self) -> Outcome {
        let recipe: Recipe = checkpoint::read(&self.recipe)?;
        let learner = delta::from_weights(&recipe, &self.run.join("best.safetensors"))?;
        let bytes = delta::weights(&recipe, &learner, self.stored.precision)?;
        Ok(self.stored.write(&bytes)?)
    }
}
