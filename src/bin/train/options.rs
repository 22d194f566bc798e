//! Options that every trained method has.

use clap::Args;
use kinestitch::train::device;
use kinestitch::train::run::Run;
use std::path::{Path, PathBuf};

/// Where and how far to train.
#[derive(Args)]
pub struct RunOptions {
    /// Folder for checkpoints and losses; by default train-runs/ and the recipe's name
    #[arg(long, value_name = "DIR")]
    run: Option<PathBuf>,
    /// Go on from the last checkpoint in the run's folder
    #[arg(long)]
    resume: bool,
    /// Start from a weight file, or a checkpoint (.bpk)
    #[arg(long, value_name = "FILE")]
    from: Option<PathBuf>,
    /// Stop at this step, leaving the schedule as the recipe has it
    #[arg(long, value_name = "STEP")]
    stop: Option<usize>,
    /// Threads that share a batch: one for each core [default: 2 on the CPU, 1 elsewhere]
    #[arg(long, value_name = "N")]
    threads: Option<usize>,
    /// Device to train on; cuda and vulkan need a build with the feature of that name
    #[arg(long, value_name = "NAME", default_value = "cpu", value_parser = device::NAMES)]
    device: String,
}

impl RunOptions {
    /// The run of a recipe of that name, and its device.
    ///
    /// # Errors
    /// [`kinestitch::Error::Option`] for a device that this build lacks.
    pub fn of(&self, name: &str) -> kinestitch::Result<(Run, burn::tensor::Device)> {
        let threads = self.threads.unwrap_or(if self.device == "cpu" { 2 } else { 1 });
        let run = Run {
            folder: self.run.clone().unwrap_or_else(|| Path::new("train-runs").join(name)),
            resume: self.resume,
            from: self.from.clone(),
            stop: self.stop.unwrap_or(usize::MAX),
            threads: threads.max(1),
        };
        Ok((run, device::of_name(&self.device)?))
    }
}
