//! Training of the controller: recipe, loop and checkpoints.
//!
//! Forward and backward pass are written over slices ([`crate::experts`]). Section 7 of the
//! paper feeds predicted phases back with probability one half, over eight frames. Ours also feeds back joints and
//! contacts, with a growing probability ([`Recipe::feedback`]), so that the network learns to recover from its own
//! errors. Gradients do not flow through the fed-back values. `tests/controller.rs` checks the gradients against
//! differences of the loss, and the passes against the packed network.

pub mod check;
pub mod feet;
pub mod file;
pub mod learn;
pub mod recipe;
pub mod sample;
pub mod take;

use crate::checkpoint::{Folder, State};
use crate::data::{Recording, Split};
use crate::experts::normal::Normals;
use crate::own::{self, Learning};
use crate::run::Run;
use check::{check, starts};
use feet::Feet;
use file::{begin, restore};
pub use file::{stored, weights};
use glam::Vec3;
use kinestitch::body::Character;
use kinestitch::error::{Error, Result};
use kinestitch::feature::controller::Layout;
use kinestitch::method::controller::gate_columns;
use kinestitch::method::controller::network::Sizes;
use kinestitch::nn::weights::Precision;
use learn::Learner;
use rand::SeedableRng;
use rand::rngs::StdRng;
pub use recipe::Recipe;
use sample::{Rows, Source};
use take::Take;

/// Frames sampled for the statistics.
const STATISTICS: usize = 6000;

/// Training data of a recipe.
pub struct Data {
    /// Layout of the rows.
    pub rows: Rows,
    /// Offsets of the character's skeleton.
    pub offsets: Vec<Vec3>,
    /// Training split.
    pub train: Source,
    /// Validation split.
    pub validation: Source,
}

impl Data {
    /// Reads the recordings that a recipe selects, and adds mirror images to the training split.
    ///
    /// # Errors
    /// [`Error::Option`] if none are left, and those of [`Take::of`].
    pub fn of(recordings: &[Recording], recipe: &Recipe) -> Result<Self> {
        let character = recipe.body()?;
        let wanted = || recordings.iter().filter_map(|recording| Some((recording, recipe.wants(recording)?)));
        let offsets = mean_offsets(character, wanted().map(|(recording, _)| recording));
        let (mut train, mut validation) = (Vec::new(), Vec::new());
        for (recording, (weight, style)) in wanted() {
            let take = || Take::of(&recording.clip, character, &offsets, style);
            match recording.split {
                Split::Train => {
                    let mirrored = kinestitch::body::mirrored(&recording.clip, character)?;
                    train.push((weight, take()?));
                    train.push((weight, Take::of(&mirrored, character, &offsets, style)?));
                }
                Split::Validation => validation.push((weight, take()?)),
                Split::Test => {}
            }
        }
        let layout = Layout::of(character, recipe.actions.len(), recipe.styles.len());
        let rows = Rows { layout, character, gate: recipe.gate };
        let (train, validation) = (Source::new(train, learn::FRAMES), Source::new(validation, learn::FRAMES));
        if train.takes().is_empty() || validation.takes().is_empty() {
            let message = "no recordings of the recipe to train on, or none to validate by".to_owned();
            return Err(Error::Option { option: "data", message });
        }
        Ok(Self { rows, offsets, train, validation })
    }

    /// Sizes of the recipe's network.
    pub fn sizes(&self, recipe: &Recipe) -> Sizes {
        let Recipe { gate_hidden, experts, hidden, .. } = *recipe;
        let layout = &self.rows.layout;
        let gate = gate_columns(layout, recipe.gate);
        Sizes { input: layout.input(), gate, gate_hidden, experts, hidden, output: layout.output() }
    }
}

/// Mean offsets, symmetric between left and right.
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
    let both =
        |joint: usize| (mean[joint] + kinestitch::body::mirror::flip(mean[character.joints[joint].opposite])) / 2.0;
    (0..character.len()).map(both).collect()
}

/// A learner with its data.
struct Training<'a> {
    learner: Learner,
    data: &'a Data,
    recipe: &'a Recipe,
    held_out: Vec<sample::FrameIndex>,
}

impl Learning for Training<'_> {
    const PARTS: &'static [&'static str] = &["loss"];

    fn learn(&mut self, step: usize) -> Vec<f32> {
        vec![self.learner.learn(&self.data.rows, &self.data.train, &self.recipe.rule(step))]
    }

    fn errors(&self) -> Vec<String> {
        ["first", "position_cm", "step_m_s"].map(str::to_owned).to_vec()
    }

    fn validate(&self) -> (f32, Vec<f32>) {
        let (Learner { network, trained, normals, .. }, data) = (&self.learner, self.data);
        let found = check(network, &trained.average, normals, &data.rows, &data.validation, &self.held_out);
        (found.position, vec![found.first, found.position * 100.0, found.step])
    }

    fn network(&self) -> Result<Vec<u8>> {
        weights(self.data, self.recipe, &self.learner, Precision::F32)
    }

    fn checkpoint(&self) -> Result<Vec<u8>> {
        file::checkpoint(self.recipe, &self.learner)
    }
}

/// Trains by a recipe ([`own::train`]). The best checkpoint has the lowest mean joint distance in validation.
/// [`Run::from`] is a weight file of the same sizes.
///
/// The validation loss is not reliable by itself: for the dog it once selected a checkpoint from before the learning
/// rate fell, which slides more than the last one on the tracks of `bench control`.
///
/// # Errors
/// [`Error::File`] if files cannot be read or written, [`Error::Weights`] for weights of other sizes, [`Error::Option`]
/// if the loss is not finite.
pub fn train(data: &Data, recipe: &Recipe, run: &Run) -> Result<State> {
    let folder = Folder::new(&run.folder)?;
    let resumed = if run.resume { folder.state()? } else { None };
    let sizes = data.sizes(recipe);
    let seed = recipe.schedule.seed;
    let feet = Feet::of(data.rows.character, &data.offsets);
    let mut learner = match &run.from {
        Some(from) => begin(from, sizes, feet, seed)?,
        None => {
            let mut rng = StdRng::seed_from_u64(seed);
            let normals = Normals::of(&data.rows, &data.train, &sizes, STATISTICS, &mut rng);
            Learner::new(sizes, normals, feet, seed)
        }
    };
    if let Some(state) = &resumed {
        restore(&mut learner, &folder.file("last.safetensors"), state.step)?;
    }
    let mut training = Training { learner, data, recipe, held_out: starts(&data.validation) };
    own::train(&mut training, resumed.unwrap_or(State::START), &recipe.schedule, run)
}
