//! Subcommands `delta` and `export-delta`: training of the delta in-betweener.

use crate::Outcome;
use crate::data::read_takes;
use crate::options::{DeviceOptions, OutputOptions, RunOptions};
use clap::Args;
use std::path::PathBuf;
use training::checkpoint;
use training::delta::{self, DeltaTraining, Recipe};
use training::run;
use training::takes::{Source, add_speeds, takes_with_weights};

/// Train the delta in-betweener on recordings or a packed file
#[derive(Args)]
pub struct Train {
    /// Folder of recordings, or a packed file
    #[arg(long, value_name = "DIR|FILE")]
    data: PathBuf,
    /// Recipe: JSON file with the settings
    #[arg(long, value_name = "FILE", default_value = "research/recipes/delta-open.json")]
    recipe: PathBuf,
    #[command(flatten)]
    run: RunOptions,
    #[command(flatten)]
    device: DeviceOptions,
}

impl Train {
    pub fn run(self) -> Outcome {
        let recipe: Recipe = checkpoint::read_json(&self.recipe)?;
        let (takes, held_out) = read_takes(&self.data, &recipe.header, &recipe.sets, &recipe.validation)?;
        let device = self.device.device()?;
        let run = self.run.to_run(&recipe.header.name, self.device.threads());
        let source = Source::new(takes_with_weights(add_speeds(takes, &recipe.speeds)?, &recipe.sets)?);
        let state = run::train(&DeltaTraining::new(&source, &held_out, &recipe), &recipe.schedule, &run, &device)?;
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
    output: OutputOptions,
}

impl Export {
    pub fn run(self) -> Outcome {
        let recipe: Recipe = checkpoint::read_json(&self.recipe)?;
        let bytes = delta::export(&recipe, &self.run.join("best.bpk"), self.output.precision)?;
        Ok(self.output.write(&bytes)?)
    }
}
