//! Scores the refiner and the baselines on held-out pairs, as in Table 1 of the RMR paper, and also by foot skate, jerk
//! and largest joint displacement.

use crate::baseline::crossfade;
use crate::batch::batch;
use crate::checkpoint;
use crate::data::{Recording, Split};
use crate::pairs::{self, Neighbours, Pair, WINDOW};
use crate::recipe::{Header, Recipe};
use crate::score::{self, Score};
use crate::segment_index::Segment;
use burn::tensor::Device;
use kinestitch::error::{Error, Result};
use kinestitch::feature::layout::RefinerRow;
use kinestitch::method::rmr::Rmr;
use kinestitch::motion::clip::Clip;
use kinestitch::nn::weights::Network;
use rand::SeedableRng;
use rand::rngs::StdRng;
use std::path::Path;

/// Windows per forward pass.
const LANES: usize = 16;

/// Name and score of a method.
pub type Row = (String, Score);

/// Scores on a data set.
pub struct Table {
    /// Name of the data set.
    pub set: String,
    /// Number of scored pairs.
    pub pairs: usize,
    /// Methods and their scores.
    pub rows: Vec<Row>,
}

/// Scores a weight file on at most `count` pairs of each data set, with the baselines and the raw input. Use the
/// validation split to compare designs, and the test split only for the final score. Data sets without a window in the
/// split are left out.
///
/// # Errors
/// [`Error::Weights`] if the weights do not load; [`Error::Option`] if no set has a window of the split, or the windows
/// of a set have no neighbours.
pub fn evaluate(
    recordings: &[Recording],
    recipe: &Recipe,
    weights: &Path,
    (split, count): (Split, usize),
) -> Result<Vec<Table>> {
    let blank = Rmr::blank(&recipe.config(), &Device::flex());
    let models = [("rmr".to_owned(), checkpoint::load_network(blank, weights, &Header::for_measurements())?)];
    let has_windows = |set: &&String| !windows_of_set(recordings, (set, split)).is_empty();
    let sets: Vec<&String> = recipe.sets.iter().filter(has_windows).collect();
    if sets.is_empty() {
        let message = format!("no upright window of {WINDOW} frames in split {split:?}; add recordings");
        return Err(Error::Option { option: "data", message });
    }
    let neighbours = Neighbours::new(recordings);
    let table = |set: &String| {
        let pairs = draw(recordings, &neighbours, (set, split), count, recipe.schedule.seed + 2)?;
        let rows = table(recordings, &pairs, &models, &Device::flex())?;
        Ok(Table { set: set.clone(), pairs: pairs.len(), rows })
    };
    sets.into_iter().map(table).collect()
}

/// Returns the windows of a data set's split.
fn windows_of_set(recordings: &[Recording], (set, split): (&str, Split)) -> Vec<Segment> {
    let windows = pairs::windows(recordings, split).into_iter();
    windows.filter(|window| recordings[window.recording].set == set).collect()
}

/// Draws `count` random pairs whose truth is in a data set's split; fewer if some windows have no neighbour.
///
/// # Errors
/// [`Error::Option`] if there is no upright window, or no pair.
pub fn draw(
    recordings: &[Recording],
    neighbours: &Neighbours,
    (set, split): (&str, Split),
    count: usize,
    seed: u64,
) -> Result<Vec<Pair>> {
    let windows = windows_of_set(recordings, (set, split));
    if windows.is_empty() {
        let message = format!("{set}: no upright window of {WINDOW} frames in split {split:?}");
        return Err(Error::Option { option: "data", message });
    }
    neighbours.draw(recordings, &windows, count, &mut StdRng::seed_from_u64(seed), || ())
}

/// Name of a baseline, and the function that makes its clip of a pair.
type Baseline<'a> = (&'a str, &'a dyn Fn(&Pair) -> Result<Clip>);

/// Scores every method on the same pairs: the truth, the raw input (hard cuts), the baselines, and named models on
/// `device`.
///
/// # Errors
/// Those of [`pairs::cut`].
pub fn table(recordings: &[Recording], pairs: &[Pair], models: &[(String, Rmr)], device: &Device) -> Result<Vec<Row>> {
    let baselines: [Baseline; 4] = [
        ("truth", &|pair| Ok(pairs::clips(recordings, pair)?.1)),
        ("input", &|pair| Ok(pairs::clips(recordings, pair)?.0)),
        ("crossfade", &|pair| crossfade(recordings, pair)),
        ("inertialize", &|pair| pairs::inertialize(recordings, pair)),
    ];
    let mut rows = Vec::with_capacity(baselines.len() + models.len());
    for (name, make) in baselines {
        let clips = pairs.iter().map(make).collect::<Result<Vec<Clip>>>()?;
        rows.push((name.to_owned(), score::score(recordings, pairs, &clips)?));
    }
    for (name, model) in models {
        rows.push((name.clone(), score::score(recordings, pairs, &refine(recordings, pairs, model, device)?)?));
    }
    Ok(rows)
}

/// Refines the inputs of pairs by a model.
fn refine(recordings: &[Recording], pairs: &[Pair], model: &Rmr, device: &Device) -> Result<Vec<Clip>> {
    let mut clips = Vec::with_capacity(pairs.len());
    for chunk in pairs.chunks(LANES) {
        let lanes: Vec<&Pair> = chunk.iter().collect();
        let (input, _) = batch(recordings, &lanes, &model.normal, device)?;
        let rows = model.normal.denormalise(model.infer_lanes(input, chunk.len())); // [frames × lanes, 161]
        let rows: Vec<f32> = rows
            .try_into_data()
            .map_err(|error| error.to_string())
            .and_then(|data| data.try_into_vec().map_err(|error| format!("{error:?}")))
            .map_err(|message| Error::Weights { message })?;
        let clip = |(lane, pair): (usize, &Pair)| {
            let row = |frame: usize| &rows[(frame * chunk.len() + lane) * RefinerRow::WIDTH..][..RefinerRow::WIDTH];
            let lane_rows: Vec<f32> = (0..WINDOW).flat_map(|frame| row(frame).iter().copied()).collect();
            score::decode_rows(recordings, pair, &lane_rows)
        };
        for lane in chunk.iter().enumerate() {
            clips.push(clip(lane)?);
        }
    }
    Ok(clips)
}
