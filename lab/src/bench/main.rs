//! Benches behind the project's published figures. One file per subcommand.
//!
//!     cargo run --release -p lab --bin bench -- --help
//!     cargo run --release -p lab --bin bench -- lafan1 --data DIR --test subject4 --train subject1,subject2,subject3
//!     cargo run --release -p lab --bin bench -- stitch --data DIR --weights models/rmr-open.safetensors

mod control;
mod diverse;
mod experts;
mod judge;
mod lafan1;
mod lscore;
mod networks;
mod phases;
mod rigs;
mod speed;
mod stitch;
mod styles;
mod train;
mod ways;
mod weights;
mod window;

use clap::{Parser, Subcommand};
use std::process::ExitCode;

/// Result of a subcommand. Error messages are printed as they are.
type Outcome<T = ()> = Result<T, Box<dyn std::error::Error>>;

/// Benches behind Kinestitch's published figures
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
    Judge(judge::Options),
    Lafan1(lafan1::Options),
    Lscore(lscore::Options),
    Networks(networks::Options),
    Phases(phases::Options),
    Rigs(rigs::Options),
    Speed(speed::Options),
    Stitch(stitch::Options),
    Styles(styles::Options),
    Train(train::Options),
    Ways(ways::Options),
    Weights(weights::Options),
}

fn main() -> ExitCode {
    let outcome = match Cli::parse().command {
        Command::Control(options) => control::run(options),
        Command::Diverse(options) => diverse::run(options),
        Command::Experts(options) => experts::run(options),
        Command::Judge(options) => judge::run(options),
        Command::Lafan1(options) => lafan1::run(options),
        Command::Lscore(options) => lscore::run(options),
        Command::Networks(options) => networks::run(options),
        Command::Phases(options) => phases::run(options),
        Command::Rigs(options) => rigs::run(options),
        Command::Speed(options) => speed::run(options),
        Command::Stitch(options) => stitch::run(options),
        Command::Styles(options) => styles::run(options),
        Command::Train(options) => train::run(options),
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
