//! Training of the recurrent motion refiner: RMR, sections 4 and 5.

use crate::batch::{batch, stacked, steps};
use crate::data::{Recording, Split};
use crate::pairs::{self, Neighbours, Pair};
use crate::recipe::{Recipe, load};
use crate::recurrent::gradients;
use crate::rmr_loss::{Loss, loss, slide};
use crate::run::{self, Batch, Run, Training};
use crate::seams::{self, Pieces, Seam};
use burn::optim::GradientsParams;
use burn::tensor::{Device, Tensor};
use indicatif::ProgressBar;
use kinestitch::error::{Error, Result};
use kinestitch::feature::layout::RefinerRow;
use kinestitch::method::rmr::Rmr;
use kinestitch::nn::normal::Normal;
use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};
use std::path::Path;

/// Most pairs for validation; never more than for training.
const VALIDATION_PAIRS: usize = 512;
/// Real seams for validation.
const VALIDATION_SEAMS: usize = 128;
/// Pairs per forward pass in validation.
const LANES: usize = 32;
/// Pairs for the normalisation.
const MEASURED_PAIRS: usize = 2000;

/// The refiner's training: recordings and the pairs drawn from them.
pub struct RmrTraining<'a> {
    recordings: &'a [Recording],
    recipe: &'a Recipe,
    pairs: Vec<Pair>,
    validation: Vec<Pair>,
    pieces: Pieces,
    validation_seams: Vec<Seam>,
    /// Measures the normalisation on these recordings even if the run starts from other weights.
    pub renormalise: bool,
}

impl<'a> RmrTraining<'a> {
    /// Draws the pairs of a recipe, which takes minutes for many recordings.
    ///
    /// # Errors
    /// [`Error::Option`] if a split has no window.
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
        let mut rng = StdRng::seed_from_u64(seed + 2);
        let held_out = Pieces::new(recordings, Split::Validation);
        let validation_seams =
            (0..VALIDATION_SEAMS.min(recipe.pairs)).filter_map(|_| held_out.draw(&mut rng)).collect();
        let pieces = Pieces::new(recordings, Split::Train);
        Ok(Self { recordings, recipe, pairs, validation, pieces, validation_seams, renormalise: false })
    }
}

impl RmrTraining<'_> {
    /// Normalised rows (input, truth) of some lanes of a batch, [frames × lanes, 161], and each lane's weight of
    /// staying with the truth.
    fn rows(&self, model: &Rmr, part: &Batch) -> Result<(Tensor<2>, Tensor<2>, Vec<f32>)> {
        let (mut lanes, mut near) = (Vec::new(), Vec::new());
        for lane in part.lanes.clone() {
            let mut rng = part.rng(lane);
            let is_seam = rng.random::<f64>() < self.recipe.seams;
            match self.pieces.draw(&mut rng).filter(|_| is_seam) {
                Some(seam) => lanes.push(seams::rows(self.recordings, &seam)?),
                None => lanes.push(pairs::rows(self.recordings, &self.pairs[rng.random_range(0..self.pairs.len())])?),
            }
            near.push(if is_seam { seams::NEAR } else { 1.0 });
        }
        let (input, truth) = stacked(&lanes, &model.normal, part.device);
        Ok((input, truth, near))
    }

    /// Horizontal movement of planted joints in validation seams, metres per frame: refined, and drafted.
    fn slides(&self, model: &Rmr, device: &Device) -> Result<[f32; 2]> {
        let mut sums = [0.0; 2];
        for lanes in self.validation_seams.chunks(LANES) {
            let rows: Vec<_> = lanes.iter().map(|seam| seams::rows(self.recordings, seam)).collect::<Result<_>>()?;
            let (input, truth) = stacked(&rows, &model.normal, device);
            let refined = model.infer_lanes(input.clone(), lanes.len());
            for (sum, rows) in sums.iter_mut().zip([refined, input]) {
                let slide = slide(&model.normal, rows, truth.clone(), lanes.len()).into_scalar::<f32>();
                *sum += slide * lanes.len() as f32 / self.validation_seams.len() as f32;
            }
        }
        Ok(sums)
    }
}

/// Losses of refined rows, the total first.
fn losses(model: &Rmr, refined: Tensor<2>, truth: Tensor<2>, input: Tensor<2>, near: &[f32]) -> Vec<Tensor<1>> {
    let Loss { total, parts } = loss(&model.normal, refined, truth, input, near);
    std::iter::once(total).chain(parts).collect()
}

impl Training for RmrTraining<'_> {
    type Model = Rmr;
    const LOG: &'static [&'static str] = &["total", "pose", "trajectory", "foot", "begin", "motion", "slide"];
    const VALIDATION: &'static [&'static str] = &["validation", "validation_input", "seam_slide", "seam_slide_input"];

    fn model(&self, from: Option<&Path>, device: &Device) -> Result<Rmr> {
        let measured = || {
            let measured = &self.pairs[..self.pairs.len().min(MEASURED_PAIRS)];
            let (mean, deviation) = pairs::statistics(self.recordings, measured)?;
            Ok(Normal::new(&mean, &deviation, device))
        };
        match from.map(|path| load(self.recipe, path, device)).transpose()? {
            Some(model) if self.renormalise => Ok(Rmr { normal: measured()?, ..model }),
            Some(model) => Ok(model),
            None => Ok(Rmr::new(self.recipe.config().cell, measured()?, self.recipe.dropout, device)),
        }
    }

    fn loss(&self, model: &Rmr, part: &Batch) -> Result<Vec<Tensor<1>>> {
        let (input, truth, near) = self.rows(model, part)?;
        let refined = model.forward(&steps(&input));
        Ok(losses(model, refined, truth, input, &near))
    }

    fn gradients(&self, model: &Rmr, part: &Batch) -> Result<(GradientsParams, Vec<f32>)> {
        if !model.is_gated() {
            return run::taped(self, model, part);
        }
        let (input, truth, near) = self.rows(model, part)?;
        let after = |refined| Ok(losses(model, refined, truth, input.clone(), &near));
        gradients(model, part, input.clone(), after)
    }

    /// Mean square error of normalised pose columns, refined and unrefined; slide of real seams, likewise.
    fn validate(&self, model: &Rmr, device: &Device) -> Result<Vec<f32>> {
        let mut sums = [0.0_f32; 2];
        for lanes in self.validation.chunks(LANES) {
            let lanes: Vec<&Pair> = lanes.iter().collect();
            let (input, truth) = batch(self.recordings, &lanes, &model.normal, device)?;
            let poses = |rows: Tensor<2>| rows.narrow(1, 0, RefinerRow::CONTACT.start);
            let error = |rows: Tensor<2>| (poses(rows) - poses(truth.clone())).square().mean().into_scalar::<f32>();
            sums[0] += error(model.infer_lanes(input.clone(), lanes.len())) * lanes.len() as f32;
            sums[1] += error(input) * lanes.len() as f32;
        }
        let errors = sums.map(|sum| sum / self.validation.len().max(1) as f32);
        Ok([errors, self.slides(model, device)?].concat())
    }
}

/// Trains by a recipe; see [`run::train`].
///
/// # Errors
/// Those of [`RmrTraining::new`] and [`run::train`].
pub fn train(recordings: &[Recording], recipe: &Recipe, run: &Run, device: &Device) -> Result<()> {
    run::train(&RmrTraining::new(recordings, recipe)?, &recipe.schedule, run, device).map(drop)
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
