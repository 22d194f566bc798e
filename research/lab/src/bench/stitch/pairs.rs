//! Held-out pairs: a method's output on windows whose recorded motion is known.

use super::Test;
use super::table;
use super::weights::Network;
use crate::Outcome;
use crate::report::Report;
use burn::tensor::Device;
use kinestitch::feature::layout::RefinerRow;
use kinestitch::method::rmr;
use std::path::Path;
use training::data::{Recording, Sets, Split, pack, read_dir};
use training::evaluate;
use training::pairs::{Neighbours, WINDOW};
use training::score::Score;

/// The seed of `train score` with `research/recipes/rmr-research.json`, so that both draw the same pairs.
const SEED: u64 = 3;
const COLUMNS: [&str; 5] = ["MSE, 10⁻³ m²", "NPSS", "slide, m/frame", "peak jerk, m/s³", "pop, m"];

/// Adds a table for each test with pairs.
pub fn run(
    data: &Path,
    (tests, sets, split): (&[&Test], &Sets, Split),
    count: usize,
    networks: &[Network],
    report: &mut Report,
) -> Outcome {
    if count == 0 || tests.iter().all(|test| test.set.is_none()) {
        return Ok(());
    }
    let all = if data.is_dir() { read_dir(data, sets, RefinerRow::FPS, |_| ()).0 } else { pack::load(data)? };
    let device = Device::flex();
    let models: Vec<_> = networks.iter().map(|network| (rmr::NAME.to_owned(), network.tensors.clone())).collect();
    for test in tests {
        let Some(set) = test.set else { continue };
        let recordings = recordings_of_weight_set(&all, sets, set)?;
        let neighbours = Neighbours::new(&recordings);
        let pairs = evaluate::draw(&recordings, &neighbours, (set, split), count, SEED)?;
        let scores = evaluate::table(&recordings, &pairs, &models, &device)?;
        let about = format!("{}, {}: {} held-out pairs", test.about, split.name(), pairs.len());
        let caption = format!("{about} of {WINDOW} frames at {} fps, means", RefinerRow::FPS);
        let baselines = scores.len() - networks.len();
        let row = |(index, (name, score)): (usize, &(String, Score))| {
            let network = index.checked_sub(baselines).map(|index| &networks[index]);
            let values = [score.mse, score.npss, score.slide, score.peak_jerk, score.pop];
            (table::label(name, network), values)
        };
        let rows: Vec<_> = scores.iter().enumerate().map(row).collect();
        table::add(report, &caption, &COLUMNS, &rows, [3, 4, 5, 0, 3]);
    }
    Ok(())
}

/// Selects the recordings for the pairs of a data set: those of all data sets of the same weight set (open or
/// research). Neighbours come from their training recordings, whichever weights are tested.
fn recordings_of_weight_set(all: &[Recording], sets: &Sets, set: &str) -> kinestitch::Result<Vec<Recording>> {
    let weights = &sets.set(set)?.weights;
    let has_same_weights = |recording: &&Recording| {
        recording.character == "biped" && sets.set(&recording.set).is_ok_and(|set| &set.weights == weights)
    };
    Ok(all.iter().filter(has_same_weights).cloned().collect())
}
