//! `train delta`, `export-delta`: the delta in-betweener.

use crate::Outcome;
use crate::data::of_sets;
use clap::Args;
use kinestitch::nn::weights::write::Precision;
use kinestitch::train::data::Split;
use kinestitch::train::delta::{self, Recipe, Run, sample::Take};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// Train the delta in-betweener on recordings or a packed file
#[derive(Args)]
pub struct Train {
    /// Folder of recordings, or a packed file
    #[arg(long, value_name = "DIR|FILE")]
    data: PathBuf,
    /// Recipe
    #[arg(long, value_name = "FILE", default_value = "recipes/delta-open.json")]
    recipe: PathBuf,
    /// Folder for checkpoints and losses; by default train-runs/ and the recipe's name
    #[arg(long, value_name = "DIR")]
    run: Option<PathBuf>,
    /// Go on from the last checkpoint in the run's folder
    #[arg(long)]
    resume: bool,
    /// Start from a weight file
    #[arg(long, value_name = "FILE")]
    from: Option<PathBuf>,
    /// Stop at this step, leaving the schedule as the recipe has it
    #[arg(long, value_name = "STEP")]
    stop: Option<usize>,
}

impl Train {
    pub fn run(self) -> Outcome {
        let recipe = Recipe::read(&self.recipe)?;
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
        let run = Run {
            folder: self.run.unwrap_or_else(|| Path::new("train-runs").join(&recipe.name)),
            resume: self.resume,
            from: self.from,
            stop: self.stop.unwrap_or(usize::MAX),
        };
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
    /// Weight file to write
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
    /// Recipe of the run
    #[arg(long, value_name = "FILE")]
    recipe: PathBuf,
    /// How matrices are stored
    #[arg(long, value_name = "KIND", default_value = "int8", value_parser = ["f32", "f16", "int8"])]
    precision: String,
}

impl Export {
    pub fn run(self) -> Outcome {
        let recipe = Recipe::read(&self.recipe)?;
        let learner = delta::from_weights(&recipe, &self.run.join("best.safetensors"))?;
        let named = Precision::ALL.into_iter().find(|(name, _)| *name == self.precision);
        let bytes = delta::weights(&recipe, &learner, named.map_or(Precision::Int8, |(_, precision)| precision))?;
        std::fs::write(&self.out, &bytes)?;
        println!("{}: {} bytes", self.out.display(), bytes.len());
        Ok(())
    }
}
