//! `bench train`: training windows per second for each number of threads.

use crate::Outcome;
use crate::report::{Report, number};
use burn::tensor::Device;
use clap::Args;
use clap::builder::RangedU64ValueParser;
use std::path::{Path, PathBuf};
use std::time::Instant;
use training::data::{Label, Recording, Split, pack, read};
use training::gradients::gradients;
use training::pairs::WINDOW;
use training::recipe::Recipe;
use training::rmr::RmrTraining;
use training::run::Training;
use training::schedule::Schedule;

/// Training windows of the refiner per second
#[derive(Args)]
pub struct Options {
    /// Packed recordings; default: the generated clips, which train at the same speed
    #[arg(long, value_name = "FILE")]
    data: Option<PathBuf>,
    /// Numbers of threads that share a batch
    #[arg(long, value_name = "N", value_delimiter = ',', default_value = "1,2", value_parser = at_least_one())]
    threads: Vec<usize>,
    /// Windows per step
    #[arg(long, value_name = "N", default_value_t = 64, value_parser = at_least_one())]
    batch: usize,
    /// Timed steps, after one warm-up step
    #[arg(long, value_name = "N", default_value_t = 8, value_parser = at_least_one())]
    steps: usize,
}

/// Returns a parser of numbers from 1. Rates of no steps, windows or threads have no meaning.
fn at_least_one() -> RangedU64ValueParser<usize> {
    RangedU64ValueParser::new().range(1..)
}

pub fn run(Options { data, threads, batch, steps }: Options, report: &mut Report) -> Outcome {
    let recordings = match data {
        Some(path) => pack::load(&path)?,
        None => generated_recordings()?,
    };
    let schedule: Schedule = serde_json::from_value(
        serde_json::json!({ "steps": steps, "batch": batch, "rate": 1e-3, "warmup": 0, "seed": 1 }),
    )?;
    let recipe = Recipe {
        name: "bench".to_owned(),
        sets: Vec::new(),
        set: String::new(),
        licence: String::new(),
        schedule: schedule.clone(),
        dropout: 0.2,
        pairs: 256,
        seams: 0.0,
    };
    let training = RmrTraining::new(&recordings, &recipe)?;
    let device = Device::flex().autodiff();
    let caption = format!("Refiner, windows of {WINDOW} frames, batches of {batch}, {steps} steps");
    report.table(caption, ["threads", "windows a second", "a thread"]);
    for threads in threads {
        let mut model = training.model(None, &device)?;
        let mut optimizer = schedule.optimizer();
        let mut started = Instant::now();
        for step in 0..=steps {
            let gradients = gradients(&training, &model, &schedule, step, threads, &device)?;
            model = optimizer.step(schedule.rate_at(step), model, gradients.params);
            if step == 0 {
                started = Instant::now();
            }
        }
        let windows = (steps * batch) as f64 / started.elapsed().as_secs_f64();
        report.row([threads.to_string(), number(windows, 1), number(windows / threads as f64, 1)]);
    }
    Ok(())
}

/// Returns the generated clips of people as recordings.
fn generated_recordings() -> kinestitch::Result<Vec<Recording>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/fixtures");
    let names = ["ada-walk", "ada-jog", "ada-run", "ada-turn", "bo-walk", "bo-jog", "bo-run", "bo-turn"];
    let read_clip = |name: &&str| {
        let (subject, _) = name.split_once('-').unwrap_or((name, ""));
        let label = Label {
            set: "ours".to_owned(),
            split: if *name == "bo-turn" { Split::Validation } else { Split::Train },
            subject: subject.to_owned(),
            style: "neutral".to_owned(),
            character: "biped".to_owned(),
            lead: 0,
        };
        read(&folder.join(format!("{name}.bvh")), &label, 30.0)
    };
    names.iter().map(read_clip).collect()
}
