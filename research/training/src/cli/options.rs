//! Options that several training methods share.

use clap::Args;
use kinestitch::nn::weights::write::Precision;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use training::checkpoint::file_error;
use training::device;
use training::run::Run;

/// Options for the folder, start and end of a run.
#[derive(Args)]
pub struct RunOptions {
    /// Folder for checkpoints and losses; default: train-runs/ and the name of the recipe (of `manifold`: with -cvae)
    #[arg(long, value_name = "DIR")]
    run: Option<PathBuf>,
    /// Continue the run in the folder from its last checkpoint
    #[arg(long)]
    resume: bool,
    /// Start from a checkpoint (.bpk) or a weight file (`manifold`: only from a checkpoint)
    #[arg(long, value_name = "FILE")]
    from: Option<PathBuf>,
    /// End the run after this step; the learning rate still follows the schedule of the recipe
    #[arg(long, value_name = "STEP")]
    stop: Option<usize>,
}

impl RunOptions {
    /// Creates the run. `name`: name of its folder, without `--run`; `threads`: threads that share a batch.
    pub fn to_run(&self, name: &str, threads: usize) -> Run {
        Run {
            folder: self.run.clone().unwrap_or_else(|| Path::new("train-runs").join(name)),
            resume: self.resume,
            from: self.from.clone(),
            stop: self.stop.unwrap_or(usize::MAX),
            threads,
        }
    }
}

/// Options for threads and device.
#[derive(Args)]
pub struct DeviceOptions {
    /// Threads that share a batch [default: 2 on the CPU, 1 on GPUs]
    #[arg(long, value_name = "N")]
    threads: Option<NonZeroUsize>,
    /// Device to train on; cuda and vulkan need a build with the feature of the same name
    #[arg(long, value_name = "NAME", default_value = "cpu", value_parser = device::NAMES)]
    device: String,
}

impl DeviceOptions {
    /// Returns the number of threads.
    pub fn threads(&self) -> usize {
        self.threads.map_or(if self.device == "cpu" { 2 } else { 1 }, NonZeroUsize::get)
    }

    /// Returns the device.
    ///
    /// # Errors
    /// [`kinestitch::Error::Option`] if this build does not support it.
    pub fn device(&self) -> kinestitch::Result<burn::tensor::Device> {
        device::from_name(&self.device)
    }
}

/// Options that choose a checkpoint of a run.
#[derive(Args)]
pub struct CheckpointOptions {
    /// Folder of the run
    #[arg(long, value_name = "DIR")]
    run: PathBuf,
    /// Averaged weights after the last step (last), or those with the lowest validation error (best)
    #[arg(long, value_name = "WHICH", default_value = "last", value_parser = ["last", "best"])]
    checkpoint: String,
}

impl CheckpointOptions {
    /// Returns the path of the chosen checkpoint: `best.bpk`, or `average.bpk` for the last one (`last.bpk` has the
    /// weights before they are averaged).
    pub fn path(&self) -> PathBuf {
        self.run.join(if self.checkpoint == "best" { "best.bpk" } else { "average.bpk" })
    }
}

/// Options for the output file and its precision.
#[derive(Args)]
pub struct OutputOptions {
    /// Weight file to write
    #[arg(long, value_name = "FILE")]
    pub out: PathBuf,
    /// Number format of matrices: f32, f16 or int8
    #[arg(long, value_name = "KIND", default_value = "int8", value_parser = parse_precision)]
    pub precision: Precision,
}

/// Parses the name of a precision.
///
/// # Errors
/// A text with the valid names, if the name is unknown.
pub fn parse_precision(name: &str) -> Result<Precision, String> {
    let found = Precision::ALL.into_iter().find(|(known, _)| *known == name);
    let names = || Precision::ALL.map(|(known, _)| known).join(", ");
    found.map(|(_, precision)| precision).ok_or_else(|| format!("not one of {}", names()))
}

impl OutputOptions {
    /// Writes the file and prints its size.
    ///
    /// # Errors
    /// [`kinestitch::Error::File`] if it cannot be written.
    pub fn write(&self, bytes: &[u8]) -> kinestitch::Result<()> {
        std::fs::write(&self.out, bytes).map_err(|error| file_error(&self.out, error))?;
        println!("{}: {} bytes", self.out.display(), bytes.len());
        Ok(())
    }
}
