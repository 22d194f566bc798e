//! `train delta`, `export-delta`: the delta in-betweener.

use crate::Outcome;
use crate::data::takes;
use crate::options::{RunOptions, Stored};
use clap::Args;
use kinestitch::train::checkpoint;
use kinestitch::train::delta::{self, Recipe};
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
        let (takes, held_out) = takes(&self.data, &recipe.sets, |set| recipe.validation.contains(set))?;
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
