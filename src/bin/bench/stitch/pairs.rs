//! Held-out pairs: what a method makes of a window whose truth is known.

use super::Test;
use super::report::{Row, number, print};
use super::weights::Network;
use crate::Outcome;
use burn::tensor::Device;
use kinestitch::feature::layout::Refiner;
use kinestitch::train::evaluate::{draw, table};
use kinestitch::train::pack::{self, Recording, Split};
use kinestitch::train::pairs::{Neighbours, WINDOW};
use std::path::Path;

/// As `train score` draws with the shipped recipes: the same pairs.
const SEED: u64 = 3;
const HEAD: [&str; 5] = ["MSE, 10⁻³ m²", "NPSS", "slide, m/frame", "peak jerk, m/s³", "pop, m"];

/// Prints a table for each test that has pairs.
pub fn run(data: &Path, tests: &[&Test], count: usize, networks: &[Network], rows: &mut Vec<Row>) -> Outcome {
    if tests.iter().all(|test| test.pairs.is_none()) {
        return Ok(());
    }
    let all = if data.is_dir() { pack::read_dir(data, Refiner::FPS, |_| ())?.0 } else { pack::load(data)? };
    let device = Device::flex();
    let models: Vec<_> =
        networks.iter().map(|network| (network.method.clone(), network.refiner.model.clone())).collect();
    for test in tests {
        let Some(set) = test.pairs else { continue };
        let recordings = held_out(&all, set, test.subject);
        let neighbours = Neighbours::new(&recordings);
        let pairs = draw(&recordings, &neighbours, (set, Split::Validation), count, SEED)?;
        let scores = table(&recordings, &pairs, &models, &device)?;
        println!("{}: {} held-out pairs of {WINDOW} frames at {} fps, means\n", test.about, pairs.len(), Refiner::FPS);
        let baselines = scores.len() - networks.len();
        let mut lines = Vec::new();
        for (index, (name, score)) in scores.iter().enumerate() {
            let network = index.checked_sub(baselines).map(|index| &networks[index]);
            let row = Row::of(rows, test.name, name, network);
            row.pairs = Some((pairs.len(), *score));
            lines.push((row.label(), [score.mse, score.npss, score.slide, score.peak_jerk, score.pop]));
        }
        let digits = |column: usize| [3, 4, 5, 0, 3][column];
        print(&HEAD, &lines, |value, column| number(value, digits(column)));
    }
    Ok(())
}

/// The recordings that a test's pairs are made from: neighbours come from the training recordings of its weight set,
/// whatever else is tested. With another LAFAN1 subject held out than 4, subject 4 is left out altogether.
fn held_out(all: &[Recording], set: &str, subject: &str) -> Vec<Recording> {
    let sets: &[&str] = if set == "cmu" { &["cmu"] } else { &["lafan1", "bandai"] };
    let mut recordings: Vec<Recording> = all.iter().filter(|r| sets.contains(&r.set.as_str())).cloned().collect();
    if subject != "4" {
        recordings.retain(|recording| recording.set != "lafan1" || recording.split == Split::Train);
        for recording in recordings.iter_mut().filter(|recording| recording.set == "lafan1") {
            if recording.name.ends_with(&format!("_subject{subject}")) {
                recording.split = Split::Validation;
            }
        }
    }
    recordings
}
