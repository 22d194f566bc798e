//! Training of the controller: recipe, loop and checkpoints.
//!
//! Forward and backward pass are written out over slices ([`step`]), as those of [`crate::train::delta`]. Section 7 of the paper
//! feeds phases back with a probability of one half over eight frames; ours feeds back joints and contacts too, with a
//! probability that grows ([`Recipe::feedback`]), so that the network learns to come back from its own mistakes. Gradients do
//! not flow through what is fed back. `tests/controller.rs` holds the gradients to differences of the loss, and the passes to
//! the packed network that ships.

pub mod check;
pub mod file;
pub mod learn;
pub mod recipe;
pub mod sample;
pub mod step;
pub mod take;

use crate::body::Character;
use crate::error::{Error, Result};
use crate::feature::controller::Layout;
use crate::method::controller::gate_columns;
use crate::method::controller::network::Sizes;
use crate::nn::weights::Precision;
use crate::train::checkpoint::{Folder, Log, State, fail};
use crate::train::data::{Recording, Split};
use crate::train::run::style;
use check::{check, starts};
use file::{restore, save, write};
pub use file::{stored, weights};
use glam::Vec3;
use indicatif::ProgressBar;
use learn::{Learner, Normals};
use rand::SeedableRng;
use rand::rngs::StdRng;
pub use recipe::Recipe;
use sample::{Rows, Source};
use std::path::PathBuf;
use std::time::Instant;
use take::Take;

/// Frames that statistics are measured on.
const STATISTICS: usize = 6000;
const LOG_EVERY: usize = 64;

/// What a recipe makes of recordings.
pub struct Data {
    /// How rows are made.
    pub rows: Rows,
    /// Bones of the skeleton it moves.
    pub offsets: Vec<Vec3>,
    /// What trains.
    pub train: Source,
    /// What validates.
    pub validation: Source,
}

impl Data {
    /// The recordings that a recipe wants, and the mirror images of those that train.
    ///
    /// # Errors
    /// [`Error::Option`] where there are none, and those of [`Take::of`].
    pub fn of(recordings: &[Recording], recipe: &Recipe) -> Result<Self> {
        let character = recipe.body()?;
        let wanted = || recordings.iter().filter_map(|recording| Some((recording, recipe.wants(recording)?)));
        let offsets = mean_offsets(character, wanted().map(|(recording, _)| recording));
        let (mut train, mut validation) = (Vec::new(), Vec::new());
        for (recording, (weight, style)) in wanted() {
            let take = || Take::of(&recording.clip, character, &offsets, style);
            match recording.split {
                Split::Train => {
                    let mirrored = crate::body::mirrored(&recording.clip, character)?;
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
        if train.is_empty() || validation.is_empty() {
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

/// Mean bones, both sides alike.
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
    let both = |joint: usize| (mean[joint] + crate::body::mirror::flip(mean[character.joints[joint].opposite])) / 2.0;
    (0..character.len()).map(both).collect()
}

/// Where and how far a recipe is trained.
#[derive(Debug, Clone)]
pub struct Run {
    /// Folder for checkpoints and losses.
    pub folder: PathBuf,
    /// Goes on from the folder's last checkpoint.
    pub resume: bool,
    /// Stops at this step, leaving the schedule as the recipe has it.
    pub stop: usize,
}

/// Trains by a recipe. Writes `last.safetensors` (everything), `network.safetensors` (the network alone), `best.safetensors`
/// (that with the least mean distance of joints in validation), `state.json` and `loss.csv` to the run's folder.
///
/// What validation says of a second is not all: of the dog's first run it chose a checkpoint from before the rate fell, which
/// slides more than the last one on the tracks of `bench control`.
///
/// # Errors
/// [`Error::File`] where files cannot be read or written, [`Error::Weights`] for weights of other sizes, [`Error::Option`]
/// where the loss is not finite.
pub fn train(data: &Data, recipe: &Recipe, run: &Run) -> Result<State> {
    let folder = Folder::new(&run.folder)?;
    let resumed = if run.resume { folder.state()? } else { None };
    let sizes = data.sizes(recipe);
    let held_out = starts(&data.validation);
    let mut rng = StdRng::seed_from_u64(recipe.seed);
    let normals = Normals::of(&data.rows, &data.train, &sizes, STATISTICS, &mut rng);
    let mut learner = Learner::new(sizes, normals, recipe.seed);
    if let Some(state) = &resumed {
        restore(&mut learner, &folder.file("last.safetensors"), state.step)?;
    }
    let mut state = resumed.unwrap_or(State::START);
    let head = ["step", "rate", "seconds", "loss", "first", "position_cm", "step_m_s"];
    let mut log = Log::open(folder.file("loss.csv"), &head, state.step > 0)?;
    let bar = ProgressBar::new(recipe.steps as u64).with_style(style());
    bar.set_position(state.step as u64);
    let (mut clock, mut sum, mut count, began) = (Instant::now(), 0.0, 0.0, state.hours);
    let end = recipe.steps.min(run.stop);
    while state.step < end {
        let rule = recipe.rule(state.step);
        let loss = learner.learn(&data.rows, &data.train, &rule);
        if !loss.is_finite() {
            let message = format!("the loss of step {} is not finite; take a lower rate", state.step);
            return Err(Error::Option { option: "rate", message });
        }
        (sum, count) = (sum + loss, count + 1.0);
        state.step += 1;
        bar.set_position(state.step as u64);
        let is_checkpoint = state.step.is_multiple_of(recipe.every) || state.step == end;
        if !is_checkpoint && !state.step.is_multiple_of(LOG_EVERY) {
            continue;
        }
        state.hours += clock.elapsed().as_secs_f64() / 3600.0;
        clock = Instant::now();
        let seconds = (state.hours - began) * 3600.0;
        let mut row = vec![state.step.to_string(), format!("{:.6}", rule.rate), format!("{seconds:.0}")];
        row.push(format!("{:.5}", sum / count));
        (sum, count) = (0.0, 0.0);
        if is_checkpoint {
            let Learner { network, average, normals, .. } = &learner;
            let found = check(network, average, normals, &data.rows, &data.validation, &held_out);
            let bytes = weights(data, recipe, &learner, Precision::F32)?;
            write(&folder.file("network.safetensors"), &bytes)?;
            if found.position < state.best {
                (state.best, state.best_step) = (found.position, state.step);
                write(&folder.file("best.safetensors"), &bytes)?;
            }
            save(recipe, &learner, &folder)?;
            let path = folder.file("state.json");
            let text = serde_json::to_string_pretty(&state).map_err(|error| fail(&path, error))?;
            write(&path, text.as_bytes())?;
            bar.set_message(format!("{found:.4?}"));
            row.extend([found.first, found.position * 100.0, found.step].map(|value| format!("{value:.4}")));
        }
        row.resize(head.len(), String::new());
        log.write(&row)?;
    }
    bar.abandon();
    Ok(state)
}
