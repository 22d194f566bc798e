//! Training of DC-MoE: recipe, data and files of a run.
//!
//! Forward and backward pass are those of the controller ([`crate::experts`]). Training starts with pairs of recorded
//! frames, then uses lanes of several frames with feedback of predictions ([`sample`]). Gradients do not flow through
//! the fed-back values. Predictions drift from the recording; the target leads back to it gradually, so that the
//! network learns to recover.

pub mod learn;
pub mod loss;
pub mod posture;
pub mod recipe;
pub mod sample;
pub mod style;
pub mod take;

use crate::checkpoint::{Folder, State, fail};
use crate::data::{Recording, Split};
use crate::experts::normal::Normals;
use crate::manifold::check::{Gap, gaps, ratios};
use crate::own::{self, Learning};
use crate::run::Run;
use crate::takes::Take as Plain;
use kinestitch::error::{Error, Result};
use kinestitch::feature::dcmoe::{GATE, INPUT, OUTPUT, VERSION};
use kinestitch::method::dcmoe::{Conditions, Config, NAME, Network};
use kinestitch::nn::mixture::Sizes;
use kinestitch::nn::weights::write::{Named, Precision, to_bytes};
use kinestitch::nn::weights::{Meta, Weights};
use learn::{Learner, measured};
pub use recipe::Recipe;
use sample::Source;
use take::{Phases, Take};

/// Lengths of the validation gaps, frames.
pub const GAPS: [usize; 4] = [15, 30, 60, 90];
const STRIDE: usize = 300;

/// Training data of a recipe.
pub struct Data {
    /// Training split.
    pub train: Source,
    /// Validation split.
    pub held_out: Vec<Plain>,
}

impl Data {
    /// Reads the recordings that a recipe selects, adds mirror images to the training split, and computes phases by a
    /// periodic autoencoder.
    ///
    /// # Errors
    /// [`Error::Option`] if none are left, [`Error::Weights`] if a phase is not finite.
    pub fn of(recordings: &[Recording], recipe: &Recipe, phases: &Phases) -> Result<Self> {
        let (mut train, mut held_out) = (Vec::new(), Vec::new());
        for recording in recordings {
            let Some(weight) = recipe.wants(recording) else { continue };
            match recording.split {
                Split::Train if recording.clip.frames() > 15 => {
                    let plain = Plain::of(recording);
                    for side in [false, true] {
                        train.push((weight, Take::of(&plain, side, phases)?));
                    }
                }
                Split::Validation if recipe.validation.contains(&recording.set) => held_out.push(Plain::of(recording)),
                _ => {}
            }
        }
        let train = Source::new(train);
        if train.takes().is_empty() || held_out.is_empty() {
            let message = "no recordings of the recipe to train on, or none to validate by".to_owned();
            return Err(Error::Option { option: "data", message });
        }
        Ok(Self { train, held_out })
    }
}

/// Sizes of the recipe's network.
pub fn sizes(recipe: &Recipe) -> Sizes {
    let Recipe { gate_hidden, experts, hidden, .. } = *recipe;
    Sizes { input: INPUT, gate: GATE, gate_hidden, experts, hidden, output: OUTPUT }
}

/// A learner with its data.
struct Training<'a> {
    learner: Learner,
    source: &'a Source,
    recipe: &'a Recipe,
    gaps: Vec<Vec<Gap>>,
}

impl Training<'_> {
    /// For each gap length: L2P relative to interpolation, and foot slide.
    fn scores(&self) -> Result<Vec<[f32; 2]>> {
        let bytes = self.network()?;
        let network = Network::read(&Weights::read(&bytes)?)?;
        let conditions = Conditions::default();
        let fill = |gaps: &Vec<Gap>| {
            ratios(gaps, |past, target, gap, offsets, ground| {
                network.fill(past, target, gap, offsets, ground, &conditions)
            })
        };
        self.gaps.iter().map(fill).collect()
    }
}

impl Learning for Training<'_> {
    const PARTS: &'static [&'static str] = &["place", "turn", "contact", "phase", "planted"];

    fn learn(&mut self, step: usize) -> Vec<f32> {
        self.learner.learn(self.source, &self.recipe.rule(step)).to_vec()
    }

    fn errors(&self) -> Vec<String> {
        GAPS.iter().flat_map(|gap| [format!("ratio_{gap}"), format!("slide_{gap}")]).collect()
    }

    fn validate(&self) -> (f32, Vec<f32>) {
        // A network with non-finite output cannot become the best.
        let scores = self.scores().unwrap_or_else(|_| vec![[f32::MAX; 2]; GAPS.len()]);
        let mean = scores.iter().map(|score| score[0]).sum::<f32>() / GAPS.len() as f32;
        (mean, scores.into_iter().flatten().collect())
    }

    fn network(&self) -> Result<Vec<u8>> {
        weights(self.recipe, &self.learner, Precision::F32)
    }

    fn checkpoint(&self) -> Result<Vec<u8>> {
        let tensors: Vec<Named> =
            self.learner.trained.stored("").into_iter().chain(self.learner.normals.stored()).collect();
        to_bytes(&meta(self.recipe)?, &tensors, Precision::F32)
    }
}

/// Trains by a recipe ([`own::train`]). The best checkpoint has the lowest mean L2P relative to interpolation in
/// validation, without style or path. [`Run::from`] is a weight file of the same sizes.
///
/// # Errors
/// [`Error::File`] if files cannot be read or written, [`Error::Weights`] for weights of other sizes, [`Error::Option`]
/// if the loss is not finite.
pub fn train(data: &Data, recipe: &Recipe, run: &Run) -> Result<State> {
    let folder = Folder::new(&run.folder)?;
    let resumed = if run.resume { folder.state()? } else { None };
    let sizes = sizes(recipe);
    let mut learner =
        Learner::new(sizes, measured(&data.train, &sizes, recipe.schedule.seed), recipe.schedule.seed, run.threads);
    let given = match (&resumed, &run.from) {
        (Some(_), _) => Some(folder.file("last.safetensors")),
        (None, from) => from.clone(),
    };
    if let Some(path) = given {
        let bytes = std::fs::read(&path).map_err(|error| fail(&path, error))?;
        let file = Weights::read(&bytes)?;
        file.check_layout(NAME, VERSION)?;
        learner.normals = Normals::read(&file, &sizes)?;
        match &resumed {
            Some(state) => learner.trained.restore(&file, "", state.step)?,
            None => {
                for parameter in &learner.network.parameters {
                    let values = file.tensor(&parameter.name, &parameter.shape)?;
                    learner.trained.weights[parameter.range()].copy_from_slice(&values);
                }
                learner.trained.average.clone_from(&learner.trained.weights);
            }
        }
    }
    let gaps = GAPS.map(|gap| gaps(&data.held_out, gap, STRIDE)).into();
    let mut training = Training { learner, source: &data.train, recipe, gaps };
    own::train(&mut training, resumed.unwrap_or(State::START), &recipe.schedule, run)
}

fn meta(recipe: &Recipe) -> Result<Meta> {
    let config = Config { sizes: sizes(recipe), styles: Vec::new() };
    let config = serde_json::to_value(config).map_err(|error| Error::Weights { message: error.to_string() })?;
    let (set, licence) = (recipe.set.clone(), recipe.licence.clone());
    Ok(Meta { name: NAME.to_owned(), layout: VERSION, config, set, licence })
}

/// Weight file with the averaged network.
///
/// # Errors
/// Those of [`to_bytes`].
pub fn weights(recipe: &Recipe, learner: &Learner, precision: Precision) -> Result<Vec<u8>> {
    let mut tensors = learner.normals.stored();
    tensors.extend(learner.network.parameters.iter().map(|parameter| Named {
        name: parameter.name.clone(),
        shape: parameter.shape.clone(),
        values: learner.trained.average[parameter.range()].to_vec(),
    }));
    to_bytes(&meta(recipe)?, &tensors, precision)
}
