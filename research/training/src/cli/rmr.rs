//! Subcommands `rmr`, `export` and `score`: training and score of the recurrent motion refiner.

use crate::Outcome;
use crate::data::read_recipe;
use crate::options::{DeviceOptions, RunOptions, parse_precision};
use clap::Args;
use kinestitch::nn::weights::Precision;
use std::path::PathBuf;
use training::checkpoint;
use training::data::Split;
use training::evaluate::{Table, evaluate};
use training::pairs::WINDOW;
use training::recipe::{Recipe, export};
use training::rmr::RmrTraining;
use training::run;

/// Maximum number of held-out pairs (input and truth) that are scored per data set.
const PAIRS: usize = 256;

/// Train the recurrent motion refiner on recordings or a packed file, and score it
#[derive(Args)]
pub struct Train {
    /// Folder of recordings, or a packed file
    #[arg(long, value_name = "DIR|FILE")]
    data: PathBuf,
    /// Recipe: JSON file with the settings
    #[arg(long, value_name = "FILE", default_value = "research/recipes/rmr-research.json")]
    recipe: PathBuf,
    /// Measure the normalisation on these recordings, even if the file of --from contains one
    #[arg(long)]
    renormalise: bool,
    #[command(flatten)]
    run: RunOptions,
    #[command(flatten)]
    device: DeviceOptions,
}

impl Train {
    pub fn run(self) -> Outcome {
        let recipe: Recipe = checkpoint::read_json(&self.recipe)?;
        let device = self.device.device()?;
        let run = self.run.to_run(&recipe.name, self.device.threads());
        let recordings = read_recipe(&self.data, &recipe.header(), &recipe.sets)?;
        let mut training = RmrTraining::new(&recordings, &recipe)?;
        training.renormalise = self.renormalise;
        run::train(&training, &recipe.schedule, &run, &device)?;
        let weights = run.folder.join("best.safetensors");
        export(&recipe, &run.folder, &weights, Precision::F16)?;
        print_scores(&evaluate(&recordings, &recipe, &weights, (Split::Validation, PAIRS))?);
        Ok(())
    }
}

/// Write the best checkpoint of a run of the refiner as a weight file
#[derive(Args)]
pub struct Export {
    /// Folder of the run
    #[arg(long, value_name = "DIR")]
    run: PathBuf,
    /// Weight file to write
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
    /// Recipe of the run
    #[arg(long, value_name = "FILE", default_value = "research/recipes/rmr-research.json")]
    recipe: PathBuf,
    /// Number format of matrices: f32, f16 or int8
    #[arg(long, value_name = "NAME", default_value = "f16", value_parser = parse_precision)]
    precision: Precision,
}

impl Export {
    pub fn run(self) -> Outcome {
        let size = export(&checkpoint::read_json(&self.recipe)?, &self.run, &self.out, self.precision)?;
        println!("{}: {size} bytes", self.out.display());
        Ok(())
    }
}

/// Score weights of the refiner on held-out pairs, compared with crossfade and inertialization
#[derive(Args)]
pub struct Score {
    /// Folder of recordings, or a packed file
    #[arg(long, value_name = "DIR|FILE")]
    data: PathBuf,
    /// Weight file, or a checkpoint (.bpk)
    #[arg(long, value_name = "FILE")]
    weights: PathBuf,
    /// Recipe of the weights
    #[arg(long, value_name = "FILE", default_value = "research/recipes/rmr-research.json")]
    recipe: PathBuf,
    /// Split to score on: use `validation` to compare designs, and `test` only for the final score
    #[arg(long, value_name = "SPLIT", default_value = "validation", value_parser = split)]
    split: Split,
}

impl Score {
    pub fn run(self) -> Outcome {
        let recipe: Recipe = checkpoint::read_json(&self.recipe)?;
        let recordings = read_recipe(&self.data, &recipe.header(), &recipe.sets)?;
        print_scores(&evaluate(&recordings, &recipe, &self.weights, (self.split, PAIRS))?);
        Ok(())
    }
}

/// Parses the name of a split.
fn split(name: &str) -> Result<Split, String> {
    let split = Split::ALL.into_iter().find(|split| split.name() == name);
    split.ok_or_else(|| format!("not one of {}", Split::ALL.map(Split::name).join(", ")))
}

/// Prints one table of scores per data set.
fn print_scores(tables: &[Table]) {
    for Table { set, pairs, rows } in tables {
        println!("{set}, {pairs} pairs of {WINDOW} frames");
        println!("{:<12} {:>9} {:>7} {:>11} {:>10} {:>7}", "", "MSE/1e-3", "NPSS", "slide m/f", "jerk m/s³", "pop m");
        for (name, s) in rows {
            println!(
                "{name:<12} {:>9.3} {:>7.4} {:>11.5} {:>10.0} {:>7.3}",
                s.mse, s.npss, s.slide, s.peak_jerk, s.pop
            );
        }
    }
}
