//! The refiner's scores on held-out pairs, compared with the baselines: RMR, Table 1, with feet, jerk and pops.

use crate::baseline::crossfaded;
use crate::batch::batch;
use crate::data::{Recording, Split};
use crate::pairs::{self, Neighbours, Pair, WINDOW};
use crate::recipe::{Recipe, load};
use crate::score::{self, Score};
use crate::segment_index::Segment;
use burn::tensor::Device;
use kinestitch::error::{Error, Result};
use kinestitch::feature::layout::RefinerRow;
use kinestitch::method::rmr::Rmr;
use kinestitch::motion::clip::Clip;
use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};
use std::path::Path;

/// Windows per forward pass.
const LANES: usize = 16;

/// Method name and score.
pub type Row = (String, Score);

/// Scores weights on `count` pairs of each data set, with the baselines and the raw input. To compare designs, use the
/// training split; the validation split is for the chosen design. Sets without a window in the split are left out.
///
/// # Errors
/// [`Error::Weights`] if the weights do not load; [`Error::Option`] if no set has a window of the split.
pub fn evaluate(
    recordings: &[Recording],
    recipe: &Recipe,
    weights: &Path,
    (split, count): (Split, usize),
) -> Result<Vec<(String, Vec<Row>)>> {
    let models = [("rmr".to_owned(), load(recipe, weights, &Device::flex())?)];
    let neighbours = Neighbours::new(recordings);
    let table = |set: &String| {
        let pairs = draw(recordings, &neighbours, (set, split), count, recipe.schedule.seed + 2)?;
        Ok((set.clone(), table(recordings, &pairs, &models, &Device::flex())?))
    };
    let has_windows = |set: &&String| !own(recordings, (set, split)).is_empty();
    let sets: Vec<&String> = recipe.sets.iter().filter(has_windows).collect();
    if sets.is_empty() {
        let message = format!("no upright window of {WINDOW} frames for {split:?}; give more recordings");
        return Err(Error::Option { option: "data", message });
    }
    sets.into_iter().map(table).collect()
}

/// Windows of a set's split.
fn own(recordings: &[Recording], (set, split): (&str, Split)) -> Vec<Segment> {
    let windows = pairs::windows(recordings, split).into_iter();
    windows.filter(|window| recordings[window.recording].set == set).collect()
}

/// `count` random pairs with truth from a set's split; fewer if neighbours are lacking.
///
/// # Errors
/// [`Error::Option`] if there is no upright window.
pub fn draw(
    recordings: &[Recording],
    neighbours: &Neighbours,
    (set, split): (&str, Split),
    count: usize,
    seed: u64,
) -> Result<Vec<Pair>> {
    let own = own(recordings, (set, split));
    if own.is_empty() {
        let message = format!("{set}: no upright window of {WINDOW} frames for {split:?}");
        return Err(Error::Option { option: "data", message });
    }
    let mut rng = StdRng::seed_from_u64(seed);
    let pair = |_| neighbours.pair(recordings, own[rng.random_range(0..own.len())], &mut rng);
    Ok((0..count).filter_map(pair).collect())
}

/// Baseline: name, and function of a pair.
type Baseline<'a> = (&'a str, &'a dyn Fn(&Pair) -> Result<Clip>);

/// Scores every method on the same pairs: the truth, the hard cut, the baselines, and named models on `device`.
///
/// # Errors
/// Those of [`pairs::cut`].
pub fn table(recordings: &[Recording], pairs: &[Pair], models: &[(String, Rmr)], device: &Device) -> Result<Vec<Row>> {
    let baselines: [Baseline; 4] = [
        ("truth", &|pair| Ok(pairs::clips(recordings, pair)?.1)),
        ("input", &|pair| Ok(pairs::clips(recordings, pair)?.0)),
        ("crossfade", &|pair| crossfaded(recordings, pair)),
        ("inertialize", &|pair| pairs::inertialized(recordings, pair)),
    ];
    let mut rows = Vec::with_capacity(baselines.len() + models.len());
    for (name, make) in baselines {
        let clips = pairs.iter().map(make).collect::<Result<Vec<Clip>>>()?;
        rows.push((name.to_owned(), score::score(recordings, pairs, &clips)?));
    }
    for (name, model) in models {
        rows.push((name.clone(), score::score(recordings, pairs, &refined(recordings, pairs, model, device)?)?));
    }
    Ok(rows)
}

/// Clips of pairs refined by a model.
fn refined(recordings: &[Recording], pairs: &[Pair], model: &Rmr, device: &Device) -> Result<Vec<Clip>> {
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
            let own: Vec<f32> = (0..WINDOW).flat_map(|frame| row(frame).iter().copied()).collect();
            score::refined(recordings, pair, &own)
        };
        for lane in chunk.iter().enumerate() {
            clips.push(clip(lane)?);
        }
    }
    Ok(clips)
}
