//! Measures what the project claims. One file per subcommand.
//!
//!     cargo run --release --bin bench -- lafan1 --data DIR --test subject4 --train subject1,subject2,subject3
//!     cargo run --release --bin bench -- lscore --data DIR
//!     cargo run --release --bin bench -- speed
//!     cargo run --release --features flex --bin bench -- networks
//!     cargo run --release --features train --bin bench -- stitch --data DIR --weights models/rmr-research.weights

mod lafan1;
mod lscore;
#[cfg(feature = "flex")]
mod networks;
mod speed;
#[cfg(feature = "train")]
mod stitch;
#[cfg(feature = "flex")]
mod weights;
mod window;

use std::process::ExitCode;

/// What a subcommand returns: anything that went wrong, as a sentence.
type Outcome = Result<(), Box<dyn std::error::Error>>;

/// Name, arguments, what it does.
type Command = (&'static str, &'static str, fn(pico_args::Arguments) -> Outcome);

const COMMANDS: &[Command] = &[
    ("lafan1", "--data DIR --test SUBJECT[,…] --train SUBJECT[,…]", lafan1::run),
    ("lscore", "--data DIR [--places N] [--pairs N]", lscore::run),
    #[cfg(feature = "flex")]
    ("networks", "[--weights FILE]", networks::run),
    ("speed", "[--a FILE.bvh] [--b FILE.bvh]", speed::run),
    (
        "stitch",
        "--data DIR [--pack FILE] [--test SET[,…]] [--weights FILE]… [--pairs N] [--seams N] [--csv FILE]",
        stitch::run,
    ),
    #[cfg(feature = "flex")]
    ("weights", "--weights FILE --out FILE.safetensors", weights::run),
];

/// Networks come with training.
#[cfg(not(feature = "train"))]
mod stitch {
    /// Says how to build what can.
    pub fn run(_: pico_args::Arguments) -> crate::Outcome {
        Err("this build has no networks: build with `--features train`".into())
    }
}

fn main() -> ExitCode {
    let mut args = pico_args::Arguments::from_env();
    let name = args.subcommand().ok().flatten().unwrap_or_default();
    let Some((name, usage, run)) = COMMANDS.iter().find(|command| command.0 == name) else {
        for (name, usage, _) in COMMANDS {
            eprintln!("usage: bench {name} {usage}");
        }
        return ExitCode::from(2);
    };
    match run(args) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("bench {name}: {error}; usage: bench {name} {usage}");
            ExitCode::FAILURE
        }
    }
}
