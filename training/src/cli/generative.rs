//! `train generative`, `export-generative`: generative control of a character.

use crate::Outcome;
use crate::data::of_sets;
use crate::options::{Checkpoint, RunOptions, Stored};
use clap::Args;
use std::path::PathBuf;
use training::checkpoint;
use training::controller::{self, Data};
use training::generative::{self, Recipe};

/// Train generative control on the recordings of a controller
#[derive(Args)]
pub struct Train {
    /// Folder of recordings, or a packed file
    #[arg(long, value_name = "DIR|FILE")]
    data: PathBuf,
    /// Recipe
    #[arg(long, value_name = "FILE", default_value = "recipes/generative-biped-open.json")]
    recipe: PathBuf,
    #[command(flatten)]
    run: RunOptions,
}

impl Train {
    pub fn run(self) -> Outcome {
        let recipe: Recipe = checkpoint::read(&self.recipe)?;
        let of: controller::Recipe = checkpoint::read(&self.recipe.with_file_name(&recipe.controller))?;
        let data = Data::of(&of_sets(&self.data, |set| of.takes.contains_key(set))?, &of)?;
        let run = self.run.of(&recipe.name);
        let state = generative::train(&data, &recipe, (&of.set, &of.licence), &run)?;
        println!("{}: {state:?}", run.folder.display());
        Ok(())
    }
}

/// Add generative control of a run to a controller's weight file
#[derive(Args)]
pub struct Export {
    #[command(flatten)]
    checkpoint: Checkpoint,
    /// Weight file of the controller
    #[arg(long, value_name = "FILE")]
    weights: PathBuf,
    #[command(flatten)]
    stored: Stored,
}

impl Export {
    pub fn run(self) -> Outcome {
        let bytes = generative::file::together(&self.weights, &self.checkpoint.network(), self.stored.precision)?;
        Ok(self.stored.write(&bytes)?)
    }
}
