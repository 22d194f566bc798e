//! The refiner's table: held-out pairs of each data set, beside inertialization.

use crate::error::Result;
use crate::feature::body::Body;
use crate::feature::layout::Refiner;
use crate::train::batch::batch;
use crate::train::pack::{Recording, Split};
use crate::train::pairs::{self, Neighbours, Pair, WINDOW};
use crate::train::recipe::{Recipe, load};
use crate::train::score::{self, Score};
use crate::train::segment_index::Segment;
use burn::tensor::Device;
use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};
use std::path::Path;

/// A scored method: name and score.
pub type Row = (String, Score);

/// Scores of weights on `count` validation pairs of each data set, beside inertialization and the raw input.
///
/// # Errors
/// [`Error::Clip`] where the weights do not load.
pub fn evaluate(
    recordings: &[Recording],
    recipe: &Recipe,
    weights: &Path,
    count: usize,
) -> Result<Vec<(String, Vec<Row>)>> {
    let device = Device::flex();
    let model = load(recipe, weights, &device)?;
    let neighbours = Neighbours::new(recordings);
    let mut tables = Vec::new();
    for set in &recipe.sets {
        let own: Vec<Segment> = pairs::windows(recordings, Split::Validation)
            .into_iter()
            .filter(|window| &recordings[window.recording].set == set)
            .collect();
        let mut rng = StdRng::seed_from_u64(recipe.seed + 2);
        let pairs: Vec<Pair> = (0..count)
            .filter_map(|_| neighbours.pair(recordings, own[rng.random_range(0..own.len())], &mut rng))
            .collect();
        let refined: Vec<Body> = pairs
            .chunks(recipe.batch)
            .flat_map(|lanes| {
                let lanes: Vec<&Pair> = lanes.iter().collect();
                let (steps, _) = batch(recordings, &lanes, &model.normal, &device);
                let rows: Vec<f32> =
                    model.normal.denormalise(model.forward(&steps)).into_data().try_into_vec().unwrap_or_default();
                lanes
                    .iter()
                    .enumerate()
                    .map(|(lane, pair)| {
                        let own = (0..WINDOW).flat_map(|frame| {
                            rows[(frame * lanes.len() + lane) * Refiner::WIDTH..][..Refiner::WIDTH].to_vec()
                        });
                        score::refined(recordings, pair, &own.collect::<Vec<f32>>())
                    })
                    .collect::<Vec<_>>()
            })
            .collect();
        let bodies = |f: &dyn Fn(&Pair) -> Body| pairs.iter().map(f).collect::<Vec<_>>();
        let table = vec![
            ("truth".to_owned(), score::score(recordings, &pairs, &bodies(&|pair| pairs::bodies(recordings, pair).1))?),
            ("input".to_owned(), score::score(recordings, &pairs, &bodies(&|pair| pairs::bodies(recordings, pair).0))?),
            (
                "inertialize".to_owned(),
                score::score(recordings, &pairs, &bodies(&|pair| pairs::inertialized(recordings, pair)))?,
            ),
            ("rmr".to_owned(), score::score(recordings, &pairs, &refined)?),
        ];
        tables.push((set.clone(), table));
    }
    Ok(tables)
}
