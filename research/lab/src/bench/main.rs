//! Benches behind the project's published figures. One file per subcommand.
//!
//!     cargo run --release -p lab --bin bench -- --help
//!     cargo run --release -p lab --bin bench -- lafan1 --data DIR --test subject4 --train subject1,subject2,subject3
//!     cargo run --release -p lab --bin bench -- stitch --data DIR --weights models/rmr-open.safetensors

mod clean;
mod control;
mod device;
mod diverse;
mod experts;
mod files;
mod ground;
mod joins;
mod judge;
mod lafan1;
mod lscore;
mod networks;
mod phases;
mod postures;
mod report;
mod rigs;
mod speed;
mod stitch;
mod styles;
mod train;
mod weights;
mod window;

use clap::{Parser, Subcommand};
use report::Report;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Result of a subcommand. Error messages are printed as they are.
type Outcome<T = ()> = Result<T, Box<dyn std::error::Error>>;

/// Benches behind Kinestitch's published figures
#[derive(Parser)]
#[command(name = "bench")]
struct Cli {
    /// File to write tables and notes to, as JSON; scripts/report.mjs makes pages from those in research/runs
    #[arg(long, value_name = "FILE", global = true)]
    json: Option<PathBuf>,
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    Clean(clean::Options),
    Control(control::Options),
    Device(device::Options),
    Diverse(diverse::Options),
    Experts(experts::Options),
    Ground(ground::Options),
    Joins(joins::Options),
    Judge(judge::Options),
    Lafan1(lafan1::Options),
    Lscore(lscore::Options),
    Networks(networks::Options),
    Phases(phases::Options),
    Postures(postures::Options),
    Rigs(rigs::Options),
    Speed(speed::Options),
    Stitch(stitch::Options),
    Styles(styles::Options),
    Train(train::Options),
    Weights(weights::Options),
}

fn main() -> ExitCode {
    match measure(Cli::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("bench: {error}");
            ExitCode::FAILURE
        }
    }
}

/// Runs a bench, and saves its report if `json` is given.
fn measure(Cli { json, command }: Cli) -> Outcome {
    if let Some(path) = &json {
        check_json(path, &command)?;
    }
    let mut report = Report::default();
    run(command, &mut report)?;
    match json {
        Some(path) => report.save(&path, &std::env::args().skip(1).collect::<Vec<_>>()),
        None => Ok(()),
    }
}

/// Checks that the report of a command can be saved. Called before the command runs, because a bench can take hours.
fn check_json(path: &Path, command: &Command) -> Outcome {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let problem = if matches!(command, Command::Rigs(_) | Command::Weights(_)) {
        "this command has no tables or notes; leave --json out".to_owned()
    } else if path.is_dir() {
        "this is a folder; give a file".to_owned()
    } else if !folder.is_dir() {
        format!("there is no folder {}", folder.display())
    } else {
        return Ok(());
    };
    Err(format!("--json {}: {problem}", path.display()).into())
}

fn run(command: Command, report: &mut Report) -> Outcome {
    match command {
        Command::Clean(options) => clean::run(options, report),
        Command::Control(options) => control::run(options, report),
        Command::Device(options) => device::run(options, report),
        Command::Diverse(options) => diverse::run(options, report),
        Command::Experts(options) => experts::run(options, report),
        Command::Ground(options) => ground::run(options, report),
        Command::Joins(options) => joins::run(options, report),
        Command::Judge(options) => judge::run(options, report),
        Command::Lafan1(options) => lafan1::run(options, report),
        Command::Lscore(options) => lscore::run(options, report),
        Command::Networks(options) => networks::run(options, report),
        Command::Phases(options) => phases::run(options, report),
        Command::Postures(options) => postures::run(options, report),
        Command::Rigs(options) => rigs::run(options),
        Command::Speed(options) => speed::run(options, report),
        Command::Stitch(options) => stitch::run(options, report),
        Command::Styles(options) => styles::run(options, report),
        Command::Train(options) => train::run(options, report),
        Command::Weights(options) => weights::run(options),
    }
}
