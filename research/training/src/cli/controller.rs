//! Subcommands `controller` and `export-controller`: training of the character controller.

use crate::Outcome;
use crate::data::read_recipe;
use crate::options::{CheckpointOptions, DeviceOptions, OutputOptions, RunOptions};
use clap::Args;
use std::path::PathBuf;
use training::checkpoint;
use training::controller::take::{Course, Take};
use training::controller::{self, Data, Recipe};

/// Train the controller of a character on recordings or a packed file
#[derive(Args)]
pub struct Train {
    /// Folder of recordings, or a packed file
    #[arg(long, value_name = "DIR|FILE")]
    data: PathBuf,
    /// Recipe: JSON file with the settings
    #[arg(long, value_name = "FILE", default_value = "research/recipes/controller-dog.json")]
    recipe: PathBuf,
    #[command(flatten)]
    run: RunOptions,
    #[command(flatten)]
    device: DeviceOptions,
}

impl Train {
    pub fn run(self) -> Outcome {
        let recipe: Recipe = checkpoint::read_json(&self.recipe)?;
        let data = Data::new(&read_recipe(&self.data, &recipe.header, recipe.takes.keys())?, &recipe)?;
        for (split, source) in [("train", &data.train), ("validation", &data.validation)] {
            describe(split, source.takes(), &recipe);
        }
        let device = self.device.device()?;
        let run = self.run.to_run(&recipe.header.name, self.device.threads());
        let state = controller::train(&data, &recipe, &run, &device)?;
        println!("{}: {state:?}", run.folder.display());
        Ok(())
    }
}

/// Prints statistics of the recordings: their number and length, the fraction of contacts and of each action, speeds,
/// and seconds per style and direction of travel.
fn describe(split: &str, takes: &[Take], recipe: &Recipe) {
    let frames: usize = takes.iter().map(|take| take.frames()).sum();
    let seconds: f64 = takes.iter().map(|take| take.frames() as f64 / take.fps).sum();
    let contacts: f32 = takes.iter().flat_map(|take| &take.contacts).sum();
    let contact_values: usize = takes.iter().map(|take| take.contacts.len()).sum();
    let action_fraction = |action: usize| {
        let sum: f32 = takes.iter().flat_map(|take| &take.actions).map(|actions| actions[action]).sum();
        sum / frames.max(1) as f32
    };
    let actions: Vec<String> = recipe
        .actions
        .iter()
        .enumerate()
        .map(|(index, name)| format!("{name} {:.3}", action_fraction(index)))
        .collect();
    let mut speeds: Vec<f32> = takes
        .iter()
        .flat_map(|take| (0..take.frames()).map(|frame| take.path(frame as isize).velocity.length()))
        .collect();
    speeds.sort_by(f32::total_cmp);
    let percentile = |fraction: f64| speeds.get((fraction * speeds.len() as f64) as usize).copied().unwrap_or(0.0);
    eprintln!(
        "{split}: {} takes, {frames} frames, {seconds:.0} s; contacts {:.2}; {}; speed {:.2}, {:.2}, {:.2} m/s \
         (percentiles 50, 90, 99)",
        takes.len(),
        contacts / contact_values.max(1) as f32,
        actions.join(", "),
        percentile(0.5),
        percentile(0.9),
        percentile(0.99)
    );
    for (index, style) in recipe.all_styles().enumerate().filter(|_| recipe.all_styles().count() > 1) {
        let takes_of_style = || takes.iter().filter(|take| take.style == index);
        let seconds = Course::ALL.map(|(name, course)| {
            let seconds_of_take = |take: &Take| {
                (0..take.frames()).filter(|frame| take.course(*frame) == course).count() as f64 / take.fps
            };
            format!("{name} {:.0} s", takes_of_style().map(seconds_of_take).sum::<f64>())
        });
        eprintln!("{split}, style {style}: {}", seconds.join(", "));
    }
}

/// Write a checkpoint of a run of the controller as a weight file
#[derive(Args)]
pub struct Export {
    #[command(flatten)]
    checkpoint: CheckpointOptions,
    /// Recipe of the run
    #[arg(long, value_name = "FILE", default_value = "research/recipes/controller-dog.json")]
    recipe: PathBuf,
    #[command(flatten)]
    output: OutputOptions,
}

impl Export {
    pub fn run(self) -> Outcome {
        let recipe: Recipe = checkpoint::read_json(&self.recipe)?;
        let bytes = controller::export(&recipe, &self.checkpoint.path(), self.output.precision)?;
        Ok(self.output.write(&bytes)?)
    }
}
