//! `train pack` and `train <method>`: see README, "Training".

use burn::tensor::Device;
use clap::{Parser, Subcommand};
use indicatif::ProgressBar;
use kinestitch::train::{pack, rmr};
use std::path::PathBuf;

#[derive(Parser)]
#[command(about = "Packs recordings and trains the networks of Kinestitch")]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Reads every BVH under --data and writes one packed file
    Pack {
        /// Folder with recordings
        #[arg(long)]
        data: PathBuf,
        /// File to write
        #[arg(long)]
        out: PathBuf,
    },
    /// Trains the recurrent motion refiner
    Rmr {
        /// Packed file, or a folder with recordings (packed in memory)
        #[arg(long)]
        data: PathBuf,
        /// Recipe file
        #[arg(long, default_value = "recipes/rmr-research.json")]
        recipe: PathBuf,
        /// Folder for checkpoints and losses; default: train-runs/ and the recipe's name
        #[arg(long)]
        run: Option<PathBuf>,
        /// Device to train on
        #[arg(long, default_value = "cpu", value_parser = ["cpu"])]
        device: String,
        /// Goes on from the last checkpoint in the run's folder
        #[arg(long)]
        resume: bool,
        /// Stops at this step, leaving the schedule as the recipe has it
        #[arg(long, default_value_t = usize::MAX)]
        stop: usize,
    },
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    match Cli::parse().command {
        Command::Pack { data, out } => pack::save(&out, &read(&data)?)?,
        Command::Rmr { data, recipe, run, device: _, resume, stop } => {
            let recipe: rmr::Recipe = serde_json::from_slice(&std::fs::read(recipe)?)?;
            let mut recordings = if data.is_dir() { read(&data)? } else { pack::load(&data)? };
            recordings.retain(|recording| recipe.sets.contains(&recording.set));
            let run = run.unwrap_or_else(|| PathBuf::from("train-runs").join(&recipe.name));
            rmr::train(&recordings, &recipe, &run, resume, stop, &Device::flex())?;
        }
    }
    Ok(())
}

fn read(data: &std::path::Path) -> Result<Vec<pack::Recording>, Box<dyn std::error::Error>> {
    let bar = ProgressBar::new_spinner();
    let (recordings, left_out) = pack::read_dir(data, kinestitch::feature::layout::Refiner::FPS, |path| {
        bar.inc(1);
        bar.set_message(path.display().to_string());
    })?;
    bar.finish_and_clear();
    for reason in &left_out {
        eprintln!("left out: {reason}");
    }
    for set in ["lafan1", "bandai", "cmu"] {
        for split in [pack::Split::Train, pack::Split::Validation] {
            let of = recordings.iter().filter(|r| r.set == set && r.split == split);
            let frames: usize = of.clone().map(|r| r.body.frames()).sum();
            eprintln!("{set} {split:?}: {} recordings, {frames} frames", of.count());
        }
    }
    Ok(recordings)
}
