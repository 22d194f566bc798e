//! Subcommands `manifold`, `sampler` and `export-manifold`: training of the manifold in-betweener.

use crate::Outcome;
use crate::data::read_takes;
use crate::options::{DeviceOptions, OutputOptions, RunOptions};
use burn::tensor::Device;
use clap::Args;
use kinestitch::method::manifold::tensor::ManifoldSampler;
use kinestitch::nn::weights::{self, Network};
use std::path::{Path, PathBuf};
use training::checkpoint;
use training::manifold::cvae::ManifoldTraining;
use training::manifold::recipe::Recipe;
use training::manifold::sampler::SamplerTraining;
use training::run;
use training::takes::{Source, Take, takes_with_weights};

/// Train the motion manifold on recordings or a packed file
#[derive(Args)]
pub struct Train {
    /// Folder of recordings, or a packed file
    #[arg(long, value_name = "DIR|FILE")]
    data: PathBuf,
    /// Recipe: JSON file with the settings
    #[arg(long, value_name = "FILE", default_value = "research/recipes/manifold-research.json")]
    recipe: PathBuf,
    #[command(flatten)]
    run: RunOptions,
    #[command(flatten)]
    device: DeviceOptions,
}

impl Train {
    pub fn run(self) -> Outcome {
        let recipe: Recipe = checkpoint::read_json(&self.recipe)?;
        let device = self.device.device()?;
        let run = self.run.to_run(&format!("{}-cvae", recipe.header.name), self.device.threads());
        let (source, held_out) = recordings(&self.data, &recipe)?;
        let state = run::train(&ManifoldTraining::new(&source, &held_out, &recipe), &recipe.manifold, &run, &device)?;
        println!("{}: {state:?}", run.folder.display());
        Ok(())
    }
}

/// Train the transition sampler on a manifold
#[derive(Args)]
pub struct Sampler {
    /// Folder of recordings, or a packed file
    #[arg(long, value_name = "DIR|FILE")]
    data: PathBuf,
    /// Recipe: JSON file with the settings
    #[arg(long, value_name = "FILE", default_value = "research/recipes/manifold-research.json")]
    recipe: PathBuf,
    /// Checkpoint of the manifold (.bpk); default: the best of its run in train-runs/
    #[arg(long, value_name = "FILE")]
    manifold: Option<PathBuf>,
    #[command(flatten)]
    run: RunOptions,
    #[command(flatten)]
    device: DeviceOptions,
}

impl Sampler {
    pub fn run(self) -> Outcome {
        let recipe: Recipe = checkpoint::read_json(&self.recipe)?;
        let device = self.device.device()?;
        let run = self.run.to_run(&recipe.header.name, self.device.threads());
        let default_path = || Path::new("train-runs").join(format!("{}-cvae", recipe.header.name)).join("best.bpk");
        let manifold = self.manifold.unwrap_or_else(default_path);
        let (source, held_out) = recordings(&self.data, &recipe)?;
        let training = SamplerTraining::new(&source, &held_out, &recipe, &manifold);
        let state = run::train(&training, &recipe.sampler, &run, &device)?;
        println!("{}: {state:?}", run.folder.display());
        Ok(())
    }
}

/// Write the best checkpoint of a run of the sampler, with its manifold, as a weight file
#[derive(Args)]
pub struct Export {
    /// Folder of the run
    #[arg(long, value_name = "DIR")]
    run: PathBuf,
    /// Recipe of the run
    #[arg(long, value_name = "FILE", default_value = "research/recipes/manifold-research.json")]
    recipe: PathBuf,
    #[command(flatten)]
    output: OutputOptions,
}

impl Export {
    pub fn run(self) -> Outcome {
        let recipe: Recipe = checkpoint::read_json(&self.recipe)?;
        let blank = ManifoldSampler::blank(&recipe.sizes, &Device::flex());
        let best = self.run.join("best.bpk");
        let model = checkpoint::load(blank, &best)?;
        let bytes = weights::write(&model, &recipe.sizes, recipe.header.terms(), self.output.precision)?;
        Ok(self.output.write(&bytes)?)
    }
}

/// Checks a recipe. Reads its training source and its validation takes.
fn recordings(data: &Path, recipe: &Recipe) -> kinestitch::Result<(Source, Vec<Take>)> {
    recipe.check()?;
    let (takes, held_out) = read_takes(data, &recipe.header, &recipe.sets, &recipe.validation)?;
    Ok((Source::new(takes_with_weights(takes, &recipe.sets)?), held_out))
}
