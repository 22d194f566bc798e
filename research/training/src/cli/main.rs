//! Command line of training: packs data, trains networks and scores them. Each file holds the subcommands of one
//! method. See docs/training.md.
//!
//!     cargo run --release -p training -- --help

mod controller;
mod data;
mod dcmoe;
mod delta;
mod gallery;
mod generative;
mod judge;
mod manifold;
mod options;
mod periodic;
mod rmr;

use clap::{Parser, Subcommand};
use std::process::ExitCode;

/// Result of a subcommand. Error messages are printed as they are.
type Outcome = Result<(), Box<dyn std::error::Error>>;

/// Train Kinestitch's networks on recordings, and score them
#[derive(Parser)]
#[command(name = "train")]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    Pack(data::Pack),
    Rmr(rmr::Train),
    Export(rmr::Export),
    Delta(delta::Train),
    ExportDelta(delta::Export),
    Controller(controller::Train),
    ExportController(controller::Export),
    Generative(generative::Train),
    ExportGenerative(generative::Export),
    Gallery(gallery::Build),
    Judge(judge::Train),
    Manifold(manifold::Train),
    Sampler(manifold::Sampler),
    ExportManifold(manifold::Export),
    Dcmoe(dcmoe::Train),
    ExportDcmoe(dcmoe::Export),
    Postures(dcmoe::Postures),
    Periodic(periodic::Train),
    ExportPeriodic(periodic::Export),
    ScorePeriodic(periodic::Score),
    Score(rmr::Score),
}

fn main() -> ExitCode {
    training::memory::keep_freed();
    let outcome = match Cli::parse().command {
        Command::Pack(pack) => pack.run(),
        Command::Rmr(train) => train.run(),
        Command::Export(export) => export.run(),
        Command::Delta(train) => train.run(),
        Command::ExportDelta(export) => export.run(),
        Command::Controller(train) => train.run(),
        Command::ExportController(export) => export.run(),
        Command::Generative(train) => train.run(),
        Command::ExportGenerative(export) => export.run(),
        Command::Gallery(build) => build.run(),
        Command::Judge(train) => train.run(),
        Command::Manifold(train) => train.run(),
        Command::Sampler(train) => train.run(),
        Command::ExportManifold(export) => export.run(),
        Command::Dcmoe(train) => train.run(),
        Command::ExportDcmoe(export) => export.run(),
        Command::Postures(postures) => postures.run(),
        Command::Periodic(train) => train.run(),
        Command::ExportPeriodic(export) => export.run(),
        Command::ScorePeriodic(score) => score.run(),
        Command::Score(score) => score.run(),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("train: {error}");
            ExitCode::FAILURE
        }
    }
}
