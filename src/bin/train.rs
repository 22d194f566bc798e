//! `train pack` and `train <method>`: see README, "Training".

use burn::tensor::Device;
use indicatif::ProgressBar;
use kinestitch::train::device;
use kinestitch::train::evaluate::{Row, evaluate, tables};
use kinestitch::train::pack::{self, Split};
use kinestitch::train::recipe::{CELLS, Recipe, export, load};
use kinestitch::train::rmr::{self, Run};
use pico_args::Arguments;
use std::error::Error;
use std::path::{Path, PathBuf};

const USAGE: &str = "\
train pack --data DIR --out FILE
    reads every BVH under DIR and writes one packed file
train rmr --data DIR|FILE [--recipe FILE] [--run DIR] [--device cpu|cuda|vulkan] [--resume] [--from FILE] [--stop STEP]
    trains the recurrent motion refiner on recordings or a packed file, and scores it
    --recipe   default recipes/rmr-research.json
    --run      folder for checkpoints and losses; default train-runs/ and the recipe's name
    --resume   goes on from the last checkpoint in the run's folder
    --from     starts from a weight file
    --device   cuda and vulkan need a build with the feature of that name
    --stop     stops at this step, leaving the schedule as the recipe has it
train cells --data DIR|FILE [--recipe FILE] [--run DIR] [--device cpu|cuda|vulkan] [--resume] [--on-training-data]
    trains the refiner once with each recurrent cell, on equal terms, and prints the four beside each other
    --recipe   default recipes/rmr-cells.json; its cell is replaced
train export --run DIR --out FILE [--recipe FILE]
    writes the best checkpoint of a run as a weight file
train score --data DIR|FILE --weights FILE [--recipe FILE] [--on-training-data]
    scores weights on held-out pairs, beside inertialization
    --on-training-data   to compare designs, which must not be chosen by held-out pairs";

type Outcome<T> = Result<T, Box<dyn Error>>;

fn main() -> Outcome<()> {
    let mut args = Arguments::from_env();
    match args.subcommand()?.as_deref() {
        Some("pack") => {
            let data: PathBuf = args.value_from_str("--data")?;
            let out: PathBuf = args.value_from_str("--out")?;
            finish(args)?;
            pack::save(&out, &read(&data)?)?;
        }
        Some("rmr") => {
            let device = device(&mut args)?;
            let (recipe, recordings) = (recipe(&mut args)?, recordings(&mut args)?);
            let folder: Option<PathBuf> = args.opt_value_from_str("--run")?;
            let run = Run {
                folder: folder.unwrap_or_else(|| PathBuf::from("train-runs").join(&recipe.name)),
                resume: args.contains("--resume"),
                from: args.opt_value_from_str("--from")?,
                stop: args.opt_value_from_str("--stop")?.unwrap_or(usize::MAX),
            };
            finish(args)?;
            let recordings = of_recipe(recordings, &recipe);
            rmr::train(&recordings, &recipe, &run, &device)?;
            let weights = run.folder.join("best.weights");
            export(&recipe, &run.folder, &weights)?;
            print_scores(&evaluate(&recordings, &recipe, &weights, (Split::Validation, PAIRS))?);
        }
        Some("cells") => cells(args)?,
        Some("export") => {
            let recipe = recipe(&mut args)?;
            let run: PathBuf = args.value_from_str("--run")?;
            let out: PathBuf = args.value_from_str("--out")?;
            finish(args)?;
            println!("{}: {} bytes", out.display(), export(&recipe, &run, &out)?);
        }
        Some("score") => {
            let (recipe, recordings) = (recipe(&mut args)?, recordings(&mut args)?);
            let weights: PathBuf = args.value_from_str("--weights")?;
            let split = split(&mut args);
            finish(args)?;
            print_scores(&evaluate(&of_recipe(recordings, &recipe), &recipe, &weights, (split, PAIRS))?);
        }
        _ => {
            eprintln!("{USAGE}");
            std::process::exit(2);
        }
    }
    Ok(())
}

/// Held-out pairs of each data set that weights are scored on.
const PAIRS: usize = 256;

/// Trains each recurrent cell by one recipe, and prints all.
fn cells(mut args: Arguments) -> Outcome<()> {
    let device = device(&mut args)?;
    let path: Option<PathBuf> = args.opt_value_from_str("--recipe")?;
    let base = Recipe::read(&path.unwrap_or("recipes/rmr-cells.json".into()))?;
    let folder: PathBuf = args.opt_value_from_str("--run")?.unwrap_or("train-runs".into());
    let (resume, split) = (args.contains("--resume"), split(&mut args));
    let recordings = of_recipe(recordings(&mut args)?, &base);
    finish(args)?;
    let mut models = Vec::new();
    for (cell, _) in CELLS {
        let recipe = Recipe { cell: cell.to_owned(), name: format!("{}-{cell}", base.name), ..base.clone() };
        let run = Run { folder: folder.join(&recipe.name), resume, from: None, stop: usize::MAX };
        rmr::train(&recordings, &recipe, &run, &device)?;
        let weights = run.folder.join("best.weights");
        export(&recipe, &run.folder, &weights)?;
        models.push((cell.to_owned(), load(&recipe, &weights, &Device::flex())?));
    }
    println!("each cell: {} steps of {} windows", base.steps, base.batch);
    print_scores(&tables(&recordings, &base, &models, (split, PAIRS))?);
    Ok(())
}

fn device(args: &mut Arguments) -> Outcome<Device> {
    let name: Option<String> = args.opt_value_from_str("--device")?;
    Ok(device::of_name(name.as_deref().unwrap_or("cpu"))?)
}

fn split(args: &mut Arguments) -> Split {
    if args.contains("--on-training-data") { Split::Train } else { Split::Validation }
}

fn recipe(args: &mut Arguments) -> Outcome<Recipe> {
    let path: Option<PathBuf> = args.opt_value_from_str("--recipe")?;
    Ok(Recipe::read(&path.unwrap_or("recipes/rmr-research.json".into()))?)
}

fn recordings(args: &mut Arguments) -> Outcome<Vec<pack::Recording>> {
    let data: PathBuf = args.value_from_str("--data")?;
    if data.is_dir() { read(&data) } else { Ok(pack::load(&data)?) }
}

fn of_recipe(mut recordings: Vec<pack::Recording>, recipe: &Recipe) -> Vec<pack::Recording> {
    recordings.retain(|recording| recipe.sets.contains(&recording.set));
    recordings
}

fn print_scores(tables: &[(String, Vec<Row>)]) {
    for (set, rows) in tables {
        println!("{set}, {PAIRS} pairs of {} frames", kinestitch::train::pairs::WINDOW);
        println!("{:<12} {:>9} {:>7} {:>11} {:>10} {:>7}", "", "MSE/1e-3", "NPSS", "slide m/f", "jerk m/s³", "pop m");
        for (name, s) in rows {
            println!(
                "{name:<12} {:>9.3} {:>7.4} {:>11.5} {:>10.0} {:>7.3}",
                s.mse, s.npss, s.slide, s.peak_jerk, s.pop
            );
        }
    }
}

fn finish(args: Arguments) -> Outcome<()> {
    match args.finish().first() {
        None => Ok(()),
        Some(argument) => Err(format!("what is {argument:?}? {USAGE}").into()),
    }
}

fn read(data: &Path) -> Outcome<Vec<pack::Recording>> {
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
