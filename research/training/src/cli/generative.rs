//! Subcommands `generative` and `export-generative`: training of the generative control of a character.

use crate::Outcome;
use crate::data::read_recipe;
use crate::options::{CheckpointOptions, DeviceOptions, OutputOptions, RunOptions};
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
    /// Recipe: JSON file with the settings
    #[arg(long, value_name = "FILE", default_value = "research/recipes/generative-biped-open.json")]
    recipe: PathBuf,
    #[command(flatten)]
    run: RunOptions,
    #[command(flatten)]
    device: DeviceOptions,
}

impl Train {
    pub fn run(self) -> Outcome {
        let (recipe, controller) = recipes(&self.recipe)?;
        let recordings = read_recipe(&self.data, &controller.header, controller.takes.keys())?;
        let data = Data::new(&recordings, &controller)?;
        let device = self.device.device()?;
        let run = self.run.to_run(&recipe.name, self.device.threads());
        let training = GenerativeTraining::new(&data, &recipe, &controller.header)?;
        let state = run::train(&training, &recipe.schedule, &run, &device)?;
        println!("{}: {state:?}", run.folder.display());
        Ok(())
    }
}

/// Reads a recipe, and the recipe of its controller from the same folder.
fn recipes(path: &Path) -> kinestitch::Result<(Recipe, controller::Recipe)> {
    let recipe: Recipe = checkpoint::read_json(path)?;
    let controller = checkpoint::read_json(&path.with_file_name(&recipe.controller))?;
    Ok((recipe, controller))
}

/// Add generative control of a run to a controller's weight file
#[derive(Args)]
pub struct Export {
    #[command(flatten)]
    checkpoint: CheckpointOptions,
    /// Recipe of the run
    #[arg(long, value_name = "FILE", default_value = "research/recipes/generative-biped-open.json")]
    recipe: PathBuf,
    /// Weight file of the controller
    #[arg(long, value_name = "FILE")]
    weights: PathBuf,
    #[command(flatten)]
    output: OutputOptions,
}

impl Export {
    pub fn run(self) -> Outcome {
        let (recipe, controller) = recipes(&self.recipe)?;
        let networks = file::export(&recipe, &controller, &self.checkpoint.path())?;
        let bytes = file::merge(&self.weights, &networks, self.output.precision)?;
        Ok(self.output.write(&bytes)?)
    }
}
