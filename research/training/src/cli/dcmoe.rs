//! Subcommands `dcmoe`, `export-dcmoe` and `postures`: training of DC-MoE, which in-betweens along a path and in a
//! style.

use crate::Outcome;
use crate::data::read_recipe;
use crate::options::{CheckpointOptions, DeviceOptions, OutputOptions, RunOptions};
use clap::Args;
use kinestitch::feature::posture::Posture;
use std::path::PathBuf;
use training::checkpoint;
use training::dcmoe::posture::{Measured, add_postures, measure};
use training::dcmoe::take::Phases;
use training::dcmoe::{Data, DcmoeTraining, Recipe, export};
use training::run;

/// Train DC-MoE on recordings or a packed file
#[derive(Args)]
pub struct Train {
    /// Folder of recordings, or a packed file
    #[arg(long, value_name = "DIR|FILE")]
    data: PathBuf,
    /// Recipe: JSON file with the settings
    #[arg(long, value_name = "FILE", default_value = "research/recipes/dcmoe-research.json")]
    recipe: PathBuf,
    /// Weight file of a periodic autoencoder
    #[arg(long, value_name = "FILE")]
    periodic: PathBuf,
    #[command(flatten)]
    run: RunOptions,
    #[command(flatten)]
    device: DeviceOptions,
}

impl Train {
    pub fn run(self) -> Outcome {
        let recipe: Recipe = checkpoint::read_json(&self.recipe)?;
        let phases = Phases::read(&recipe.header.read_weights(&self.periodic)?)?;
        let recordings = read_recipe(&self.data, &recipe.header, recipe.takes.keys())?;
        let data = Data::new(&recordings, &recipe, &phases)?;
        let frames: usize = data.train.takes().iter().map(|take| take.frames()).sum();
        eprintln!("{} takes and mirror images, {frames} frames", data.train.takes().len());
        let device = self.device.device()?;
        let run = self.run.to_run(&recipe.header.name, self.device.threads());
        let state = run::train(&DcmoeTraining::new(&data, &recipe), &recipe.schedule, &run, &device)?;
        println!("{}: {state:?}", run.folder.display());
        Ok(())
    }
}

/// Write a checkpoint of a run of DC-MoE as a weight file
#[derive(Args)]
pub struct Export {
    #[command(flatten)]
    checkpoint: CheckpointOptions,
    /// Recipe of the run
    #[arg(long, value_name = "FILE", default_value = "research/recipes/dcmoe-research.json")]
    recipe: PathBuf,
    #[command(flatten)]
    output: OutputOptions,
}

impl Export {
    pub fn run(self) -> Outcome {
        let recipe: Recipe = checkpoint::read_json(&self.recipe)?;
        let bytes = export(&recipe, &self.checkpoint.path(), self.output.precision)?;
        Ok(self.output.write(&bytes)?)
    }
}

/// Measure the postures of a recipe's styles, and write them into a weight file of DC-MoE
#[derive(Args)]
pub struct Postures {
    /// Folder of recordings, or a packed file
    #[arg(long, value_name = "DIR|FILE")]
    data: PathBuf,
    /// Recipe: JSON file with the settings
    #[arg(long, value_name = "FILE", default_value = "research/recipes/dcmoe-research.json")]
    recipe: PathBuf,
    /// Weight file of DC-MoE to read
    #[arg(long, value_name = "FILE")]
    weights: PathBuf,
    #[command(flatten)]
    output: OutputOptions,
}

impl Postures {
    pub fn run(self) -> Outcome {
        let recipe: Recipe = checkpoint::read_json(&self.recipe)?;
        let bytes = recipe.header.read_weights(&self.weights)?;
        let recordings = read_recipe(&self.data, &recipe.header, recipe.takes.keys())?;
        let measured = measure(&recordings, &recipe)?;
        for (style, Measured { windows: [kept, all], .. }) in recipe.styles.iter().zip(&measured) {
            println!("{style}: measured on {kept} of {all} windows of a second");
        }
        let postures: Vec<Posture> = measured.into_iter().map(|measured| measured.posture).collect();
        Ok(self.output.write(&add_postures(&bytes, &recipe, &postures, self.output.precision)?)?)
    }
}
