//! Measures what the project claims. One file per subcommand.
//!
//!     cargo run --release --features train --bin bench -- --help
//!     cargo run --release --bin bench -- lafan1 --data DIR --test subject4 --train subject1,subject2,subject3
//!     cargo run --release --features train --bin bench -- stitch --data DIR --weights models/rmr-open.safetensors

mod control;
mod diverse;
mod experts;
#[cfg(feature = "train")]
mod judge;
mod lafan1;
mod lscore;
#[cfg(feature = "flex")]
mod networks;
mod phases;
mod rigs;
mod speed;
#[cfg(feature = "train")]
mod stitch;
#[cfg(feature = "train")]
mod styles;
#[cfg(feature = "train")]
mod train;
#[cfg(feature = "train")]
mod ways;
mod weights;
mod window;

use clap::{Parser, Subcommand};
use std::process::ExitCode;

/// What a subcommand returns: anything that went wrong, as a sentence.
type Outcome<T = ()> = Result<T, Box<dyn std::error::Error>>;

/// Measures what Kinestitch claims. Networks need a build with `--features train`.
#[derive(Parser)]
#[command(name = "bench")]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    Control(control::Options),
    Diverse(diverse::Options),
    Experts(experts::Options),
    #[cfg(feature = "train")]
    Judge(judge::Options),
    Lafan1(lafan1::Options),
    Lscore(lscore::Options),
    #[cfg(feature = "flex")]
    Networks(networks::Options),
    Phases(phases::Options),
    Rigs(rigs::Options),
    Speed(speed::Options),
    #[cfg(feature = "train")]
    Stitch(stitch::Options),
    #[cfg(feature = "train")]
    Styles(styles::Options),
    #[cfg(feature = "train")]
    Train(train::Options),
    #[cfg(feature = "train")]
    Ways(ways::Options),
    Weights(weights::Options),
}

fn main() -> ExitCode {
    let outcome = match Cli::parse().command {
        Command::Control(options) => control::run(options),
        Command::Diverse(options) => diverse::run(options),
        Command::Experts(options) => experts::run(options),
        #[cfg(feature = "train")]
        Command::Judge(options) => judge::run(options),
        Command::Lafan1(options) => lafan1::run(options),
        Command::Lscore(options) => lscore::run(options),
        #[cfg(feature = "flex")]
        Command::Networks(options) => networks::run(options),
        Command::Phases(options) => phases::run(options),
        Command::Rigs(options) => rigs::run(options),
        Command::Speed(options) => speed::run(options),
        #[cfg(feature = "train")]
        Command::Stitch(options) => stitch::run(options),
        #[cfg(feature = "train")]
        Command::Styles(options) => styles::run(options),
        #[cfg(feature = "train")]
        Command::Train(options) => train::run(options),
        #[cfg(feature = "train")]
        Command::Ways(options) => ways::run(options),
        Command::Weights(options) => weights::run(options),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("bench: {error}");
            ExitCode::FAILURE
        }
    }
}
