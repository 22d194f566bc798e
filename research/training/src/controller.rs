//! Training of the controller: recipe, data, loss, validation and weight files.
//!
//! Section 7 of the paper (Starke et al. 2020, *Local Motion Phases*) feeds predicted phases back with probability one
//! half, over eight frames. This training also feeds back joints and contacts, with a growing probability
//! ([`Recipe::feedback`]), so that the network learns to recover from its own errors. Gradients do not flow through the
//! fed-back values.
//!
//! A lane is a sequence of frames ([`lane`]). Each training step predicts one frame of every lane, and the next step
//! continues the lanes. Checkpoints do not contain lanes: a resumed run draws them anew.

pub mod check;
pub mod file;
mod jump;
pub mod lane;
pub mod loss;
pub mod recipe;
pub mod sample;
pub mod statistics;
pub mod take;

use crate::checkpoint::State;
use crate::data::{Recording, Split};
use crate::experts::{Masks, Mixture, matrix};
use crate::lanes::Lanes;
use crate::run::{self, Batch, Run, Training};
use crate::schedule::{Schedule, adamw};
use burn::optim::ModuleOptimizer;
use burn::tensor::{Device, Tensor};
use check::{MIN_SPEED, check, list_starts};
use file::Body;
pub use file::export;
use glam::Vec3;
use kinestitch::body::{Character, mirror_clip};
use kinestitch::error::{Error, Result};
use kinestitch::feature::controller::{FPS, VERSION};
use kinestitch::method::controller::network::{NAME, Sizes};
use kinestitch::nn::device::values;
use lane::{BatchRows, FRAMES, Lane};
use loss::loss;
use rand::Rng;
use rand::rngs::StdRng;
pub use recipe::Recipe;
use sample::{FrameIndex, RowWriter, Source};
use statistics::measure;
use std::path::Path;
use take::Take;

/// Training data of a recipe.
pub struct Data {
    /// Writer of the rows of frames.
    pub writer: RowWriter,
    /// Joint offsets of the character's skeleton, metres.
    pub offsets: Vec<Vec3>,
    /// Training split.
    pub train: Source,
    /// Validation split.
    pub validation: Source,
}

impl Data {
    /// Prepares the recordings that a recipe selects, and adds mirror images to the training split.
    ///
    /// # Errors
    /// [`Error::Option`] if the recipe selects no recordings for training, or none for validation, that are longer than
    /// a lane; those of [`Take::new`], [`mirror_clip`] and [`Recipe::layout`].
    pub fn new(recordings: &[Recording], recipe: &Recipe) -> Result<Self> {
        let character = recipe.body()?;
        let selected = || recordings.iter().filter_map(|recording| Some((recording, recipe.select(recording)?)));
        let selected_recordings = selected().map(|(recording, _)| recording);
        let training_recordings = selected_recordings.filter(|recording| recording.split == Split::Train);
        let offsets = mean_offsets(character, training_recordings);
        let (mut train, mut validation) = (Vec::new(), Vec::new());
        for (recording, (weight, style)) in selected() {
            let take = || Take::new(&recording.clip, character, &offsets, style);
            match recording.split {
                Split::Train => {
                    let mirrored = mirror_clip(&recording.clip, character)?;
                    train.push((weight, take()?));
                    train.push((weight, Take::new(&mirrored, character, &offsets, style)?));
                }
                Split::Validation => validation.push((weight, take()?)),
                Split::Test => {}
            }
        }
        let writer = RowWriter { layout: recipe.layout()?, character };
        let (train, validation) = (Source::new(train, FRAMES), Source::new(validation, FRAMES));
        if train.takes().is_empty() || validation.takes().is_empty() {
            let message = format!(
                "the recipe selects no recordings for training, or none for validation, of more than {} frames at \
                 {FPS} fps",
                FRAMES + 1
            );
            return Err(Error::Option { option: "data", message });
        }
        Ok(Self { writer, offsets, train, validation })
    }
}

/// Computes the mean joint offsets of recordings, weighted by their lengths and symmetric between left and right,
/// metres.
fn mean_offsets<'a>(character: &Character, recordings: impl Iterator<Item = &'a Recording>) -> Vec<Vec3> {
    let (mut sums, mut count) = (vec![Vec3::ZERO; character.len()], 0.0);
    for recording in recordings {
        let frames = recording.clip.frames() as f32;
        for (sum, joint) in sums.iter_mut().zip(recording.clip.skeleton().joints()) {
            *sum += joint.offset * frames;
        }
        count += frames;
    }
    let mean: Vec<Vec3> = sums.into_iter().map(|sum| sum / f32::max(count, 1.0)).collect();
    let symmetric = |joint: usize| {
        (mean[joint] + kinestitch::motion::vector::mirror_point(mean[character.joints[joint].opposite])) / 2.0
    };
    (0..character.len()).map(symmetric).collect()
}

/// Training of the network of a recipe.
pub struct ControllerTraining<'a> {
    data: &'a Data,
    recipe: &'a Recipe,
    sizes: Sizes,
    validation_starts: Vec<FrameIndex>,
    lanes: Lanes<Lane>,
}

impl<'a> ControllerTraining<'a> {
    /// Prepares the training. The best checkpoint has the lowest mean joint distance in validation.
    ///
    /// The validation error does not measure foot slide: on the tracks of `bench control`, feet can slide more with the
    /// best checkpoint than with the last one. That was so in one run of the character "dog".
    ///
    /// # Errors
    /// [`Error::Option`] if no recording for validation has a start ([`list_starts`]); those of [`Recipe::sizes`].
    pub fn new(data: &'a Data, recipe: &'a Recipe) -> Result<Self> {
        let (validation_starts, lanes) = (list_starts(&data.validation), Lanes::new(recipe.schedule.batch));
        if validation_starts.is_empty() {
            let message = format!(
                "the recordings for validation have no start: a frame (two per second are tested) in which the root is \
                 faster than {MIN_SPEED} m/s, and which is followed by more than a second of the recording"
            );
            return Err(Error::Option { option: "data", message });
        }
        Ok(Self { data, recipe, sizes: recipe.sizes()?, validation_starts, lanes })
    }

    /// Draws uniform noise with the standard deviation [`Recipe::noise`] for the path and joint columns of normalised
    /// rows, [rows, input]. The noise of all other columns is 0.
    fn noise(&self, rngs: &mut [StdRng], device: &Device) -> Tensor<2> {
        let layout = &self.data.writer.layout;
        let width = self.recipe.noise * 12.0_f32.sqrt();
        let mut noise = vec![0.0; rngs.len() * self.sizes.input];
        for (noise, rng) in noise.chunks_exact_mut(self.sizes.input).zip(rngs) {
            for column in layout.path().chain(layout.state()) {
                noise[column] = width * (rng.random::<f32>() - 0.5);
            }
        }
        matrix(noise, self.sizes.input, device)
    }
}

impl Training for ControllerTraining<'_> {
    type Model = Mixture;
    const LOG: &'static [&'static str] = &["loss"];
    const VALIDATION: &'static [&'static str] = &["position_cm", "first_frame_mse", "velocity_m_s"];
    const OWN_OPTIMIZER: bool = true;

    fn average(&self) -> Option<f32> {
        Some(0.999)
    }

    fn optimizer(&self, _: &Schedule) -> ModuleOptimizer {
        adamw(self.recipe.decay).init()
    }

    fn model(&self, from: Option<&Path>, device: &Device) -> Result<Mixture> {
        if let Some(path) = from {
            return Mixture::blank(&self.sizes, device).load(path, (NAME, VERSION), &self.recipe.header);
        }
        let (data, seed) = (self.data, self.recipe.schedule.seed);
        let normals = measure(&data.writer, &data.train, &self.sizes, seed);
        Ok(Mixture::untrained(&self.sizes, &normals, (seed, 1.0), device))
    }

    /// Predicts the next frame of every lane. Lanes are drawn anew every [`FRAMES`] steps.
    fn loss(&self, model: &Mixture, batch: &Batch) -> Result<Vec<Tensor<1>>> {
        let (Data { writer, train, .. }, recipe, sizes) = (self.data, self.recipe, &self.sizes);
        let feedback = recipe.feedback_at(batch.step);
        let lanes = self.lanes.take(batch, |rng| Lane::draw(writer, train, recipe.lend, rng));
        let (mut lanes, mut rngs): (Vec<Lane>, Vec<StdRng>) = lanes.into_iter().unzip();
        let (mut rows, mut masks) = (BatchRows::default(), Masks::new(sizes, recipe.dropout));
        for (lane, rng) in lanes.iter_mut().zip(&mut rngs) {
            lane.add_rows(writer, train, feedback, rng, &mut rows);
            masks.draw(rng);
        }
        let [input, gates] = rows.tensors(sizes.input, sizes.gate, batch.device);
        let [input, gates] = model.normalise(input, gates);
        let input = input + self.noise(&mut rngs, batch.device);
        let out = model.forward(input, gates, &masks.tensors(batch.device));
        let predictions = values(model.output().denormalise(out.clone()).without_autodiff())?;
        for (lane, prediction) in lanes.iter_mut().zip(predictions.chunks_exact(sizes.output)) {
            lane.advance(prediction);
        }
        let lanes_end = (batch.step + 1).is_multiple_of(FRAMES);
        self.lanes.put(batch, lanes.into_iter().map(|lane| (!lanes_end).then_some(lane)));
        Ok(vec![loss(out, rows.truth, &writer.layout, model.output())])
    }

    fn validate(&self, model: &Mixture, device: &Device) -> Result<Vec<f32>> {
        let errors = check(model, &self.data.writer, &self.data.validation, &self.validation_starts, device)?;
        Ok(vec![errors.position * 100.0, errors.first_frame, errors.velocity])
    }
}

/// Trains by a recipe ([`run::train`]), and writes the measurements for the weight file ([`Body`]) to the run's folder.
///
/// # Errors
/// Those of [`ControllerTraining::new`], [`Body::save`] and [`run::train`].
pub fn train(data: &Data, recipe: &Recipe, run: &Run, device: &Device) -> Result<State> {
    let training = ControllerTraining::new(data, recipe)?;
    Body::measure(data).save(&run.folder)?;
    run::train(&training, &recipe.schedule, run, device)
}
