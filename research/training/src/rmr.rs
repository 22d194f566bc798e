//! Training of the recurrent motion refiner ([`kinestitch::method::rmr`]), sections 4 and 5 of its paper.

use crate::batch::{batch, stack_lanes, steps};
use crate::data::{Recording, Split};
use crate::pairs::{self, Neighbours, Pair};
use crate::recipe::{Recipe, check_dropout, check_probability, load};
use crate::recurrent::gradients;
use crate::rmr_loss::{Loss, loss, slide};
use crate::run::{self, Batch, Run, Training};
use crate::seams::{self, Pieces, Seam};
use crate::segment_index::Segment;
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

/// Maximum number of pairs for validation. If there are fewer training pairs, their number is the maximum.
const VALIDATION_PAIRS: usize = 512;
/// Maximum number of real seams for validation. If there are fewer training pairs, their number is the maximum.
const VALIDATION_SEAMS: usize = 128;
/// Pairs per forward pass in validation.
const LANES: usize = 32;
/// Maximum number of pairs whose mean and deviation normalise the rows.
const NORMALISATION_PAIRS: usize = 2000;

/// The refiner's training: recordings and the pairs drawn from them.
pub struct RmrTraining<'a> {
    recordings: &'a [Recording],
    recipe: &'a Recipe,
    pairs: Vec<Pair>,
    validation: Vec<Pair>,
    pieces: Pieces,
    validation_seams: Vec<Seam>,
    /// If true, the normalisation is measured on these recordings even if the run starts from a weight file.
    pub renormalise: bool,
}

impl<'a> RmrTraining<'a> {
    /// Draws the pairs of a recipe. This takes minutes for many recordings.
    ///
    /// # Errors
    /// [`Error::Option`] if a split has no window or no pair, if the recipe asks for no pairs, or if its dropout rate
    /// or fraction of seams is out of range.
    pub fn new(recordings: &'a [Recording], recipe: &'a Recipe) -> Result<Self> {
        check_dropout(recipe.dropout)?;
        check_probability("seams", recipe.seams)?;
        if recipe.pairs == 0 {
            let message = "the training needs pairs: set the recipe's \"pairs\" to 1 or more".to_owned();
            return Err(Error::Option { option: "pairs", message });
        }
        let (training_windows, held_out_windows) =
            (windows(recordings, Split::Train)?, windows(recordings, Split::Validation)?);
        let bar = ProgressBar::new(1).with_style(run::bar_style());
        bar.set_message("indexing segments");
        let neighbours = Neighbours::new(recordings);
        bar.set_message("drawing pairs");
        let seed = recipe.schedule.seed;
        let draw = |windows: &[Segment], count: usize, seed: u64| {
            bar.set_length(count as u64);
            bar.set_position(0);
            neighbours.draw(recordings, windows, count, &mut StdRng::seed_from_u64(seed), || bar.inc(1))
        };
        let pairs = draw(&training_windows, recipe.pairs, seed)?;
        let validation = draw(&held_out_windows, VALIDATION_PAIRS.min(recipe.pairs), seed + 1)?;
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
    /// Computes the normalised rows (input, truth) of a batch's lanes, [frames × lanes, 161] each, and the weight of
    /// each lane's deviations from the truth, [lanes].
    fn rows(&self, model: &Rmr, batch: &Batch) -> Result<(Tensor<2>, Tensor<2>, Vec<f32>)> {
        let (mut lanes, mut truth_weights) = (Vec::new(), Vec::new());
        for lane in batch.lanes.clone() {
            let mut rng = batch.rng(lane);
            let is_seam = rng.random::<f64>() < self.recipe.seams;
            let seam = self.pieces.draw(&mut rng).filter(|_| is_seam);
            truth_weights.push(if seam.is_some() { seams::DRAFT_WEIGHT } else { 1.0 });
            lanes.push(match seam {
                Some(seam) => seams::rows(self.recordings, &seam)?,
                None => pairs::rows(self.recordings, &self.pairs[rng.random_range(0..self.pairs.len())])?,
            });
        }
        let (input, truth) = stack_lanes(&lanes, &model.normal, batch.device);
        Ok((input, truth, truth_weights))
    }

    /// Measures the horizontal movement of planted joints in validation seams, metres per frame. Returns it for the
    /// refined seams, and for the drafts ([`seams`]).
    fn slides(&self, model: &Rmr, device: &Device) -> Result<[f32; 2]> {
        let mut sums = [0.0; 2];
        for lanes in self.validation_seams.chunks(LANES) {
            let rows: Vec<_> = lanes.iter().map(|seam| seams::rows(self.recordings, seam)).collect::<Result<_>>()?;
            let (input, truth) = stack_lanes(&rows, &model.normal, device);
            let refined = model.infer_lanes(input.clone(), lanes.len());
            for (sum, rows) in sums.iter_mut().zip([refined, input]) {
                let slide = slide(&model.normal, rows, truth.clone(), lanes.len()).into_scalar::<f32>();
                *sum += slide * lanes.len() as f32 / self.validation_seams.len() as f32;
            }
        }
        Ok(sums)
    }
}

/// Computes the losses of refined rows, the total first.
fn losses(
    model: &Rmr,
    refined: Tensor<2>,
    truth: Tensor<2>,
    input: Tensor<2>,
    truth_weights: &[f32],
) -> Vec<Tensor<1>> {
    let Loss { total, terms } = loss(&model.normal, refined, truth, input, truth_weights);
    std::iter::once(total).chain(terms).collect()
}

impl Training for RmrTraining<'_> {
    type Model = Rmr;
    const LOG: &'static [&'static str] = &["total", "pose", "trajectory", "foot", "begin", "motion", "slide"];
    const VALIDATION: &'static [&'static str] = &["validation", "validation_input", "seam_slide", "seam_slide_input"];

    fn model(&self, from: Option<&Path>, device: &Device) -> Result<Rmr> {
        let measure = || {
            let pairs = &self.pairs[..self.pairs.len().min(NORMALISATION_PAIRS)];
            let (mean, deviation) = pairs::statistics(self.recordings, pairs)?;
            Ok(Normal::new(&mean, &deviation, device))
        };
        match from.map(|path| load(self.recipe, path, device)).transpose()? {
            Some(model) if self.renormalise => Ok(Rmr { normal: measure()?, ..model }),
            Some(model) => Ok(model),
            None => Ok(Rmr::new(self.recipe.config().cell, measure()?, self.recipe.dropout, device)),
        }
    }

    fn loss(&self, model: &Rmr, batch: &Batch) -> Result<Vec<Tensor<1>>> {
        let (input, truth, truth_weights) = self.rows(model, batch)?;
        let refined = model.forward(&steps(&input));
        Ok(losses(model, refined, truth, input, &truth_weights))
    }

    fn gradients(&self, model: &Rmr, batch: &Batch) -> Result<(GradientsParams, Vec<f32>)> {
        if !model.is_gru() {
            return run::autodiff_gradients(self, model, batch);
        }
        let (input, truth, truth_weights) = self.rows(model, batch)?;
        let losses = |refined| Ok(losses(model, refined, truth, input.clone(), &truth_weights));
        gradients(model, batch, input.clone(), losses)
    }

    /// Computes four errors: the mean squared error of normalised pose columns after and before refinement, and the
    /// slide at real seams after and before refinement.
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

/// Lists the windows of a split.
fn windows(recordings: &[Recording], split: Split) -> Result<Vec<Segment>> {
    let windows = pairs::windows(recordings, split);
    if windows.is_empty() {
        let message = format!("no upright window of {} frames in split {split:?}; add recordings", pairs::WINDOW);
        return Err(Error::Option { option: "data", message });
    }
    Ok(windows)
}
