//! Training of DC-MoE: recipe, data, loss, validation and weight files.
//!
//! A lane is a sequence of frames of a take ([`sample`]). Each training step predicts one or more frames of every lane,
//! and the next step continues the lanes. At first, every input comes from the recording; later, more and more inputs
//! are fed-back predictions. Within a step, gradients flow through fed-back predictions ([`unroll`]). Predictions drift
//! from the recording. There are two losses of joints: one against the recording, and one against a truth that leads
//! back to the recording gradually, so that the network learns to recover without a jump. Checkpoints do not contain
//! lanes: a resumed run draws them anew.

pub mod loss;
pub mod posture;
pub mod recipe;
pub mod sample;
pub mod statistics;
pub mod style;
pub mod take;
mod unroll;

use crate::data::{Recording, Split};
use crate::experts::{Masks, Mixture, matrix};
use crate::lanes::Lanes;
use crate::manifold::check::{Gap, fill_scores, gaps};
use crate::recipe::check_probability;
use crate::run::{Batch, Training};
use crate::schedule::{Schedule, adamw};
use crate::takes::Take as PoseTake;
use burn::optim::ModuleOptimizer;
use burn::tensor::{Device, Tensor};
use kinestitch::body::poses::{PAST, ROLES};
use kinestitch::error::{Error, Result};
use kinestitch::feature::dcmoe::{GATE, INPUT, MOVE, MOVES, OUTPUT, VERSION, input_columns};
use kinestitch::method::dcmoe::{Conditions, Config, NAME, Network};
use kinestitch::method::filler::BodyKeys;
use kinestitch::nn::device::values;
use kinestitch::nn::weights::Weights;
use kinestitch::nn::weights::write::{Precision, to_bytes};
use loss::{absolute_error, losses};
use rand::Rng;
use rand::rngs::StdRng;
pub use recipe::Recipe;
use sample::{Advanced, Lane, MIN_TAKE_FRAMES, Rows, Source};
use statistics::measure;
use std::path::Path;
use take::{Phases, Take};
use unroll::GradientCarrier;

/// Fraction of the rows in which some joints of the target are masked.
const MASKED_ROWS: f64 = 0.1;
/// Fraction of masked joints in these rows.
const MASKED_JOINTS: f64 = 0.5;
/// Lengths of the validation gaps, frames.
pub const GAPS: [usize; 4] = [15, 30, 60, 90];
/// Frames between the starts of validation gaps.
const STRIDE: usize = 300;

/// Training data of a recipe.
pub struct Data {
    /// Training split.
    pub train: Source,
    /// Validation split.
    pub held_out: Vec<PoseTake>,
}

impl Data {
    /// Reads the recordings that a recipe selects, adds mirror images to the training split, and computes phases by a
    /// periodic autoencoder.
    ///
    /// # Errors
    /// [`Error::Option`] if none are left, and if the probability of feedback is not from 0 to 1; [`Error::Weights`] if
    /// a phase is not finite.
    pub fn new(recordings: &[Recording], recipe: &Recipe, phases: &Phases) -> Result<Self> {
        check_probability("feedback", recipe.feedback)?;
        let (mut train, mut held_out) = (Vec::new(), Vec::new());
        for recording in recordings {
            let Some(weight) = recipe.weight(recording) else { continue };
            match recording.split {
                Split::Train if recording.clip.frames() >= MIN_TAKE_FRAMES => {
                    let take = PoseTake::from_recording(recording);
                    for mirrored in [false, true] {
                        train.push((weight, Take::new(&take, mirrored, phases)?));
                    }
                }
                Split::Validation if recipe.validation.contains(&recording.set) => {
                    held_out.push(PoseTake::from_recording(recording))
                }
                _ => {}
            }
        }
        let train = Source::new(train);
        if train.takes().is_empty() || held_out.is_empty() {
            let message = "the recipe selects no recordings for training, or none for validation".to_owned();
            return Err(Error::Option { option: "data", message });
        }
        Ok(Self { train, held_out })
    }
}

/// Training of the network of a recipe.
pub struct DcmoeTraining<'a> {
    source: &'a Source,
    recipe: &'a Recipe,
    gaps: Vec<Vec<Gap>>,
    lanes: Lanes<Lane>,
}

impl<'a> DcmoeTraining<'a> {
    /// Prepares the training. The best checkpoint has the lowest mean ratio of its L2P to the L2P of interpolation in
    /// validation, where gaps are filled without a style or a path.
    pub fn new(data: &'a Data, recipe: &'a Recipe) -> Self {
        let gaps = GAPS.map(|gap| gaps(&data.held_out, gap, STRIDE)).into();
        Self { source: &data.train, recipe, gaps, lanes: Lanes::new(recipe.schedule.batch) }
    }

    /// Computes the scores of [`fill_scores`] for each gap length.
    fn scores(&self, model: &Mixture) -> Result<Vec<[f32; 2]>> {
        let bytes = weights(self.recipe, model, Precision::F32)?;
        let network = Network::read(&Weights::read(&bytes)?)?;
        let conditions = Conditions::default();
        let fill = |gaps: &Vec<Gap>| {
            fill_scores(gaps, |past, target, gap, offsets, ground| {
                network.fill(&BodyKeys { past, target, offsets, ground }, gap, &conditions)
            })
        };
        self.gaps.iter().map(fill).collect()
    }

    /// Predicts the next frame of every lane, and advances the lanes. Returns the losses, the total first, and the
    /// gradient carrier of the next frame.
    fn predict_frame(
        &self,
        model: &Mixture,
        (lanes, rngs): (&mut [Lane], &mut [StdRng]),
        carrier: GradientCarrier,
        batch: &Batch,
    ) -> Result<([Tensor<1>; 7], GradientCarrier)> {
        let (source, recipe, device) = (self.source, self.recipe, batch.device);
        let feedback = recipe.feedback_at(batch.step);
        let mut masks = Masks::new(&recipe.sizes(), recipe.dropout);
        let mut rows = Vec::with_capacity(lanes.len());
        for (lane, rng) in lanes.iter_mut().zip(&mut *rngs) {
            let mut row = Rows::blank();
            lane.compute_rows(source, feedback, rng, &mut row);
            masks.draw(rng);
            rows.push(row);
        }
        let carrier = carrier.keep_fed_back(&rows);
        let [input, gates] = self.input(model, &rows, carrier.input(&rows), rngs, device);
        let out = model.forward(input, gates, &masks.tensors(device));
        let raw = model.output().denormalise(out.clone());
        let predictions = values(raw.clone().without_autodiff())?;
        let advance = |((lane, row), prediction): ((&mut Lane, &Rows), &[f32])| lane.advance(source, prediction, row);
        let advanced: Vec<Advanced> =
            lanes.iter_mut().zip(&rows).zip(predictions.chunks_exact(OUTPUT)).map(advance).collect();
        let carrier = carrier.advance(raw.clone(), &rows, &advanced);
        let errors = matrix(advanced.into_iter().flat_map(|step| step.error).collect(), MOVES, device);
        let absolute = absolute_error(errors.reshape([rows.len(), ROLES, MOVE]) + carrier.body());
        let [position, rotation, contact, phase, planted] = losses(out, raw, &rows, model.output());
        let total = (position.clone() + rotation.clone()) * recipe.local
            + contact.clone()
            + phase.clone()
            + planted.clone()
            + absolute.clone() * recipe.absolute;
        Ok(([total, position, rotation, contact, phase, planted, absolute], carrier))
    }

    /// Computes the normalised rows of the network and of the gate. Adds noise to the current joints, and masks random
    /// joints of the target. `gradients`: result of [`GradientCarrier::input`].
    fn input(
        &self,
        model: &Mixture,
        rows: &[Rows],
        gradients: Tensor<2>,
        rngs: &mut [StdRng],
        device: &Device,
    ) -> [Tensor<2>; 2] {
        let stack = |row_of: fn(&Rows) -> &[f32], columns: usize| {
            matrix(rows.iter().flat_map(row_of).copied().collect(), columns, device)
        };
        let [input, gates] = model.normalise(stack(|row| &row.input, INPUT) + gradients, stack(|row| &row.gate, GATE));
        let [state, target, _] = input_columns();
        // A uniform distribution of this width has the standard deviation `noise`.
        let width = self.recipe.noise * 12.0_f32.sqrt();
        let (mut noise, mut mask) = (vec![0.0; rows.len() * INPUT], vec![1.0; rows.len() * INPUT]);
        let columns = noise.chunks_exact_mut(INPUT).zip(mask.chunks_exact_mut(INPUT));
        for ((noise, mask), rng) in columns.zip(rngs) {
            noise[state.clone()].iter_mut().for_each(|noise| *noise = width * (rng.random::<f32>() - 0.5));
            if rng.random_bool(MASKED_ROWS) {
                // Six columns per joint. The first joint, the hips, is never masked.
                for joint in mask[target.clone()].chunks_exact_mut(6).skip(1) {
                    if rng.random_bool(MASKED_JOINTS) {
                        joint.fill(0.0);
                    }
                }
            }
        }
        [(input + matrix(noise, INPUT, device)) * matrix(mask, INPUT, device), gates]
    }
}

impl Training for DcmoeTraining<'_> {
    type Model = Mixture;
    const LOG: &'static [&'static str] = &["total", "position", "rotation", "contact", "phase", "planted", "absolute"];
    const VALIDATION: &'static [&'static str] =
        &["ratio", "ratio_15", "slide_15", "ratio_30", "slide_30", "ratio_60", "slide_60", "ratio_90", "slide_90"];
    const OWN_OPTIMIZER: bool = true;

    fn average(&self) -> Option<f32> {
        Some(0.999)
    }

    fn optimizer(&self, _: &Schedule) -> ModuleOptimizer {
        adamw(self.recipe.decay).init()
    }

    fn model(&self, from: Option<&Path>, device: &Device) -> Result<Mixture> {
        let sizes = self.recipe.sizes();
        if let Some(path) = from {
            return Mixture::blank(&sizes, device).load(path, (NAME, VERSION), &self.recipe.header);
        }
        let seed = self.recipe.schedule.seed;
        let normals = measure(self.source, &sizes, seed);
        // Small last weights: the untrained network lets the body keep its velocity.
        Ok(Mixture::untrained(&sizes, &normals, (seed, 0.1), device))
    }

    /// Predicts the next frames of every lane.
    fn loss(&self, model: &Mixture, batch: &Batch) -> Result<Vec<Tensor<1>>> {
        let (source, recipe) = (self.source, self.recipe);
        let lanes = self.lanes.take(batch, |rng| source.draw(recipe.frames, rng));
        let (mut lanes, mut rngs): (Vec<Lane>, Vec<StdRng>) = lanes.into_iter().unzip();
        let mut carrier = GradientCarrier::none(lanes.len(), batch.device);
        let frames = recipe.unroll.max(1);
        let mut sums: Option<[Tensor<1>; 7]> = None;
        for _ in 0..frames {
            for (lane, rng) in lanes.iter_mut().zip(&mut rngs).filter(|(lane, _)| lane.is_done()) {
                *lane = source.draw(recipe.frames, rng);
            }
            let losses;
            (losses, carrier) = self.predict_frame(model, (&mut lanes, &mut rngs), carrier, batch)?;
            sums = Some(match sums {
                Some(sums) => std::array::from_fn(|index| sums[index].clone() + losses[index].clone()),
                None => losses,
            });
        }
        self.lanes.put(batch, lanes.into_iter().map(|lane| (!lane.is_done()).then_some(lane)));
        Ok(sums.into_iter().flatten().map(|sum| sum / frames as f32).collect())
    }

    fn validate(&self, model: &Mixture, _: &Device) -> Result<Vec<f32>> {
        // A network with non-finite output cannot become the best.
        let scores = self.scores(model).unwrap_or_else(|_| vec![[f32::MAX; 2]; GAPS.len()]);
        let mean = scores.iter().map(|score| score[0] / GAPS.len() as f32).sum::<f32>();
        if mean.is_nan() {
            let frames = PAST + GAPS[GAPS.len() - 1] + 1;
            let message = format!(
                "the validation error is not a number: add recordings that move and have {frames} frames or more to \
                 the validation split of {}",
                self.recipe.validation.join(", ")
            );
            return Err(Error::Option { option: "validation", message });
        }
        Ok(std::iter::once(mean).chain(scores.into_iter().flatten()).collect())
    }
}

/// Encodes a network as a weight file.
///
/// # Errors
/// [`Error::Weights`] if a weight cannot be read from its device, or is out of the range of `precision`.
pub fn weights(recipe: &Recipe, model: &Mixture, precision: Precision) -> Result<Vec<u8>> {
    let config = Config { sizes: recipe.sizes(), styles: Vec::new() };
    to_bytes(&recipe.header.meta(NAME, VERSION, &config)?, &model.tensors()?, precision)
}

/// Creates a weight file from a run's checkpoint (`.bpk`), or from another weight file, without postures.
///
/// # Errors
/// [`Error::File`] and [`Error::Weights`] if the file cannot be read, or has other sizes than the recipe.
pub fn export(recipe: &Recipe, checkpoint: &Path, precision: Precision) -> Result<Vec<u8>> {
    let model = Mixture::blank(&recipe.sizes(), &Device::flex()).load(checkpoint, (NAME, VERSION), &recipe.header)?;
    weights(recipe, &model, precision)
}
