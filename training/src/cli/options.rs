//! Options that every trained method has.

use clap::Args;
use kinestitch::nn::weights::write::Precision;
use std::path::{Path, PathBuf};
use training::device;
use training::run::Run;

/// Where to and how far to train.
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
}

impl RunOptions {
    /// The run of a recipe of that name, for methods with threads of their own.
    pub fn of(&self, name: &str) -> Run {
        Run {
            folder: self.run.clone().unwrap_or_else(|| Path::new("train-runs").join(name)),
            resume: self.resume,
            from: self.from.clone(),
            stop: self.stop.unwrap_or(usize::MAX),
            threads: 1,
        }
    }
}

/// Device of methods on Burn.
#[derive(Args)]
pub struct Place {
    /// Threads that share a batch: one for each core [default: 2 on the CPU, 1 elsewhere]
    #[arg(long, value_name = "N")]
    threads: Option<usize>,
    /// Device to train on; cuda and vulkan need a build with the feature of that name
    #[arg(long, value_name = "NAME", default_value = "cpu", value_parser = device::NAMES)]
    device: String,
}

impl Place {
    /// A run there, and the device.
    ///
    /// # Errors
    /// [`kinestitch::Error::Option`] for a device that this build lacks.
    pub fn of(&self, run: Run) -> kinestitch::Result<(Run, burn::tensor::Device)> {
        let threads = self.threads.unwrap_or(if self.device == "cpu" { 2 } else { 1 });
        Ok((Run { threads: threads.max(1), ..run }, device::of_name(&self.device)?))
    }
}

/// Which checkpoint of a run is taken.
#[derive(Args)]
pub struct Checkpoint {
    /// Folder of the run
    #[arg(long, value_name = "DIR")]
    run: PathBuf,
    /// The last checkpoint, or the best one in validation
    #[arg(long, value_name = "WHICH", default_value = "last", value_parser = ["last", "best"])]
    checkpoint: String,
}

impl Checkpoint {
    /// Its network, as `train::own` writes it.
    pub fn network(&self) -> PathBuf {
        self.run.join(if self.checkpoint == "best" { "best.safetensors" } else { "network.safetensors" })
    }
}

/// How a weight file is written.
#[derive(Args)]
pub struct Stored {
    /// Weight file to write
    #[arg(long, value_name = "FILE")]
    pub out: PathBuf,
    /// How matrices are stored
    #[arg(long, value_name = "KIND", default_value = "int8", value_parser = precision)]
    pub precision: Precision,
}

/// A precision by its name.
///
/// # Errors
/// With the names there are.
pub fn precision(name: &str) -> Result<Precision, String> {
    let found = Precision::ALL.into_iter().find(|known| known.0 == name);
    let names = || Precision::ALL.map(|(name, _)| name).join(", ");
    found.map(|(_, precision)| precision).ok_or_else(|| format!("there are {}", names()))
}

impl Stored {
    /// Writes its bytes and says how many they are.
    ///
    /// # Errors
    /// Where the file cannot be written.
    pub fn write(&self, bytes: &[u8]) -> std::io::Result<()> {
        std::fs::write(&self.out, bytes)?;
        println!("{}: {} bytes", self.out.display(), bytes.len());
        Ok(())
    }
}
