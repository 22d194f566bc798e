//! Training of the recurrent motion refiner: RMR, sections 4 and 5.

use crate::error::{Error, Result};
use crate::feature::layout::Refiner;
use crate::method::rmr::Rmr;
use crate::nn::normal::Normal;
use crate::train::batch::batch;
use crate::train::pack::{Recording, Split};
use crate::train::pairs::{self, Neighbours, Pair};
use crate::train::recipe::{Recipe, load};
use crate::train::rmr_loss::{Loss, loss};
use crate::train::run::{self, Batch, Run, Training};
use burn::tensor::{Device, Tensor};
use indicatif::ProgressBar;
use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};
use std::path::Path;

/// Pairs that validate a checkpoint; no more than train.
const VALIDATION_PAIRS: usize = 512;
/// Pairs that validation refines at once.
const LANES: usize = 32;
/// Pairs that the normalisation is measured on.
const MEASURED_PAIRS: usize = 2000;

/// The refiner's training: recordings and the pairs drawn from them.
pub struct RmrTraining<'a> {
    recordings: &'a [Recording],
    recipe: &'a Recipe,
    pairs: Vec<Pair>,
    validation: Vec<Pair>,
}

impl<'a> RmrTraining<'a> {
    /// Draws the pairs of a recipe, which takes minutes for many recordings.
    ///
    /// # Errors
    /// [`Error::Option`] where there is no window of either split.
    pub fn new(recordings: &'a [Recording], recipe: &'a Recipe) -> Result<Self> {
        let bar = ProgressBar::new(1).with_style(run::style());
        bar.set_message("indexing segments");
        let neighbours = Neighbours::new(recordings);
        bar.set_message("drawing pairs");
        let seed = recipe.schedule.seed;
        let pairs = draw(recordings, &neighbours, (Split::Train, recipe.pairs), seed, &bar)?;
        let validation =
            draw(recordings, &neighbours, (Split::Validation, VALIDATION_PAIRS.min(recipe.pairs)), seed + 1, &bar)?;
        bar.finish_and_clear();
        Ok(Self { recordings, recipe, pairs, validation })
    }
}

impl Training for RmrTraining<'_> {
    type Model = Rmr;
    const LOG: &'static [&'static str] = &["total", "pose", "trajectory", "foot", "begin", "motion", "slide"];
    const VALIDATION: &'static [&'static str] = &["validation", "validation_input"];

    fn model(&self, from: Option<&Path>, device: &Device) -> Result<Rmr> {
        if let Some(path) = from {
            return load(self.recipe, path, device);
        }
        let measured = &self.pairs[..self.pairs.len().min(MEASURED_PAIRS)];
        let (mean, deviation) = pairs::statistics(self.recordings, measured)?;
        Ok(Rmr::new(self.recipe.cell()?, Normal::new(&mean, &deviation, device), self.recipe.dropout, device))
    }

    fn loss(&self, model: &Rmr, part: &Batch) -> Result<Vec<Tensor<1>>> {
        let pair = |lane: usize| &self.pairs[part.rng(lane).random_range(0..self.pairs.len())];
        let lanes: Vec<&Pair> = part.lanes.clone().map(pair).collect();
        let (steps, truth) = batch(self.recordings, &lanes, &model.normal, part.device)?;
        let input = Tensor::cat(steps.clone(), 0);
        let refined = model.forward(&steps);
        let Loss { total, parts } = loss(&model.normal, refined, truth, input, lanes.len());
        Ok(std::iter::once(total).chain(parts).collect())
    }

    /// Mean squared error of normalised pose columns against the truth: (refined, untouched input).
    fn validate(&self, model: &Rmr, device: &Device) -> Result<Vec<f32>> {
        let mut sums = [0.0_f32; 2];
        for lanes in self.validation.chunks(LANES) {
            let lanes: Vec<&Pair> = lanes.iter().collect();
            let (steps, truth) = batch(self.recordings, &lanes, &model.normal, device)?;
            let poses = |rows: Tensor<2>| rows.narrow(1, 0, Refiner::CONTACT.start);
            let error = |rows: Tensor<2>| (poses(rows) - poses(truth.clone())).square().mean().into_scalar::<f32>();
            sums[0] += error(model.forward(&steps)) * lanes.len() as f32;
            sums[1] += error(Tensor::cat(steps, 0)) * lanes.len() as f32;
        }
        Ok(sums.map(|sum| sum / self.validation.len().max(1) as f32).to_vec())
    }
}

/// Trains by a recipe, as [`run::train`] says.
///
/// # Errors
/// Those of [`RmrTraining::new`] and [`run::train`].
pub fn train(recordings: &[Recording], recipe: &Recipe, run: &Run, device: &Device) -> Result<()> {
    recipe.cell()?;
    run::train(&RmrTraining::new(recordings, recipe)?, &recipe.schedule, run, device)?;
    Ok(())
}

/// Random pairs of a split.
fn draw(
    recordings: &[Recording],
    neighbours: &Neighbours,
    (split, count): (Split, usize),
    seed: u64,
    bar: &ProgressBar,
) -> Result<Vec<Pair>> {
    let windows = pairs::windows(recordings, split);
    if windows.is_empty() {
        let message = format!("no upright window of {} frames for {split:?}; give more recordings", pairs::WINDOW);
        return Err(Error::Option { option: "data", message });
    }
    let mut rng = StdRng::seed_from_u64(seed);
    bar.set_length(count as u64);
    bar.set_position(0);
    let drawn = (0..count).filter_map(|_| {
        bar.inc(1);
        neighbours.pair(recordings, windows[rng.random_range(0..windows.len())], &mut rng)
    });
    Ok(drawn.collect())
}
