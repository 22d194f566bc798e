//! `train generative`, `export-generative`: generative control of a character.

use crate::Outcome;
use crate::data::of_sets;
use crate::options::{Checkpoint, Place, RunOptions, Stored};
use clap::Args;
use std::path::{Path, PathBuf};
use training::checkpoint;
use training::controller::{self, Data};
use training::generative::{GenerativeTraining, Recipe, file};
use training::run;

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
    #[command(flatten)]
    place: Place,
}

impl Train {
    pub fn run(self) -> Outcome {
        let (recipe, of) = recipes(&self.recipe)?;
        let data = Data::of(&of_sets(&self.data, |set| of.takes.contains_key(set))?, &of)?;
        let (run, device) = self.place.of(self.run.of(&recipe.name))?;
        let state = run::train(&GenerativeTraining::new(&data, &recipe)?, &recipe.schedule, &run, &device)?;
        println!("{}: {state:?}", run.folder.display());
        Ok(())
    }
}

/// The recipe, and that of its controller.
fn recipes(path: &Path) -> kinestitch::Result<(Recipe, controller::Recipe)> {
    let recipe: Recipe = checkpoint::read_json(path)?;
    let of = checkpoint::read_json(&path.with_file_name(&recipe.controller))?;
    Ok((recipe, of))
}

/// Add generative control of a run to a controller's weight file
#[derive(Args)]
pub struct Export {
    #[command(flatten)]
    checkpoint: Checkpoint,
    /// Recipe of the run
    #[arg(long, value_name = "FILE", default_value = "recipes/generative-biped-open.json")]
    recipe: PathBuf,
    /// Weight file of the controller
    #[arg(long, value_name = "FILE")]
    weights: PathBuf,
    #[command(flatten)]
    stored: Stored,
}

impl Export {
    pub fn run(self) -> Outcome {
        let (recipe, of) = recipes(&self.recipe)?;
        let own = file::export(&recipe, &of, &self.checkpoint.averaged())?;
        let bytes = file::together(&self.weights, &own, self.stored.precision)?;
        Ok(self.stored.write(&bytes)?)
    }
}
