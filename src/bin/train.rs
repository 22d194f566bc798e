//! `train pack` and `train <method>`: see README, "Training".

use burn::tensor::Device;
use indicatif::ProgressBar;
use kinestitch::train::{pack, rmr};
use pico_args::Arguments;
use std::error::Error;
use std::path::{Path, PathBuf};

const USAGE: &str = "\
train pack --data DIR --out FILE
    reads every BVH under DIR and writes one packed file
train rmr --data DIR|FILE [--recipe FILE] [--run DIR] [--device cpu] [--resume] [--stop STEP]
    trains the recurrent motion refiner on recordings or a packed file
    --recipe   default recipes/rmr-research.json
    --run      folder for checkpoints and losses; default train-runs/ and the recipe's name
    --resume   goes on from the last checkpoint in the run's folder
    --stop     stops at this step, leaving the schedule as the recipe has it
train score --data DIR|FILE --weights FILE [--recipe FILE]
    scores weights on held-out pairs, beside inertialization";

fn main() -> Result<(), Box<dyn Error>> {
    let mut args = Arguments::from_env();
    match args.subcommand()?.as_deref() {
        Some("pack") => {
            let data: PathBuf = args.value_from_str("--data")?;
            let out: PathBuf = args.value_from_str("--out")?;
            finish(args)?;
            pack::save(&out, &read(&data)?)?;
        }
        Some("rmr") => {
            let data: PathBuf = args.value_from_str("--data")?;
            let recipe: PathBuf = args.opt_value_from_str("--recipe")?.unwrap_or("recipes/rmr-research.json".into());
            let run: Option<PathBuf> = args.opt_value_from_str("--run")?;
            let device: String = args.opt_value_from_str("--device")?.unwrap_or("cpu".to_owned());
            let resume = args.contains("--resume");
            let stop = args.opt_value_from_str("--stop")?.unwrap_or(usize::MAX);
            finish(args)?;
            if device != "cpu" {
                return Err(format!("--device {device}: this build trains on cpu only").into());
            }
            let recipe: rmr::Recipe = serde_json::from_slice(&std::fs::read(recipe)?)?;
            let mut recordings = if data.is_dir() { read(&data)? } else { pack::load(&data)? };
            recordings.retain(|recording| recipe.sets.contains(&recording.set));
            let run = run.unwrap_or_else(|| PathBuf::from("train-runs").join(&recipe.name));
            rmr::train(&recordings, &recipe, &run, resume, stop, &Device::flex())?;
        }
        Some("score") => {
            let data: PathBuf = args.value_from_str("--data")?;
            let recipe: PathBuf = args.opt_value_from_str("--recipe")?.unwrap_or("recipes/rmr-research.json".into());
            let weights: PathBuf = args.value_from_str("--weights")?;
            finish(args)?;
            let recipe: rmr::Recipe = serde_json::from_slice(&std::fs::read(recipe)?)?;
            let mut recordings = if data.is_dir() { read(&data)? } else { pack::load(&data)? };
            recordings.retain(|recording| recipe.sets.contains(&recording.set));
            print_scores(&rmr::evaluate(&recordings, &recipe, &weights, 256)?);
        }
        _ => {
            eprintln!("{USAGE}");
            std::process::exit(2);
        }
    }
    Ok(())
}

fn print_scores(tables: &[(String, Vec<rmr::Row>)]) {
    for (set, rows) in tables {
        println!("{set}, 256 held-out pairs of {} frames", kinestitch::train::pairs::WINDOW);
        println!("{:<12} {:>9} {:>7} {:>11} {:>10} {:>7}", "", "MSE/1e-3", "NPSS", "slide m/f", "jerk m/s³", "pop m");
        for (name, s) in rows {
            println!(
                "{name:<12} {:>9.3} {:>7.4} {:>11.5} {:>10.0} {:>7.3}",
                s.mse, s.npss, s.slide, s.peak_jerk, s.pop
            );
        }
    }
}

fn finish(args: Arguments) -> Result<(), Box<dyn Error>> {
    match args.finish().first() {
        None => Ok(()),
        Some(argument) => Err(format!("what is {argument:?}? {USAGE}").into()),
    }
}

fn read(data: &Path) -> Result<Vec<pack::Recording>, Box<dyn Error>> {
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
