//! Training loop of the methods with hand-written gradients on slices ([`crate::dcmoe`], [`crate::controller`]):
//! validation, checkpoints, losses as CSV. [`crate::run`] is the loop of methods on Burn.

pub mod parameters;
pub mod product;
pub mod row;

use crate::checkpoint::{Folder, Log, State, replace};
use crate::run::{Run, style};
use crate::schedule::Level;
use indicatif::ProgressBar;
use kinestitch::error::{Error, Result};
use std::time::Instant;

/// Steps between rows of the loss file.
const LOG_EVERY: usize = 50;

/// A model in training.
pub trait Learning {
    /// Names of the loss's parts: columns of the loss file.
    const PARTS: &'static [&'static str];

    /// Runs one step. Returns the parts of its loss, in the order of [`Learning::PARTS`].
    fn learn(&mut self, step: usize) -> Vec<f32>;

    /// Names of the validation errors: columns of the loss file.
    fn errors(&self) -> Vec<String>;

    /// The value that selects the best checkpoint, and the validation errors in the order of [`Learning::errors`].
    fn validate(&self) -> (f32, Vec<f32>);

    /// Weight file with the network alone, in single precision.
    ///
    /// # Errors
    /// [`Error::Weights`] if it cannot be written.
    fn network(&self) -> Result<Vec<u8>>;

    /// Safetensors file with the complete training state.
    ///
    /// # Errors
    /// [`Error::Weights`] if it cannot be written.
    fn checkpoint(&self) -> Result<Vec<u8>>;
}

/// Trains from `state` to the end of the schedule or of the run. Writes to the run's folder: `last.safetensors`
/// (complete state), `network.safetensors` (network alone), `best.safetensors` (network with the lowest validation
/// error), `state.json` and `loss.csv`. Each file is replaced atomically, so an interrupted run leaves complete files.
///
/// # Errors
/// [`Error::File`] if files cannot be written, [`Error::Option`] if the loss is not finite.
pub fn train<L: Learning>(learning: &mut L, mut state: State, schedule: &Level, run: &Run) -> Result<State> {
    let folder = Folder::new(&run.folder)?;
    let mut head: Vec<String> =
        ["step", "rate", "seconds"].iter().chain(L::PARTS).map(|name| (*name).to_owned()).collect();
    head.extend(learning.errors());
    let head: Vec<&str> = head.iter().map(String::as_str).collect();
    let mut log = Log::open(folder.file("loss.csv"), &head, state.step > 0)?;
    let bar = ProgressBar::new(schedule.steps as u64).with_style(style());
    bar.set_position(state.step as u64);

    let (mut clock, began) = (Instant::now(), state.hours);
    let (mut sums, mut count) = (vec![0.0; L::PARTS.len()], 0.0);
    let end = schedule.steps.min(run.stop);
    while state.step < end {
        let parts = learning.learn(state.step);
        if !parts.iter().all(|part| part.is_finite()) {
            bar.abandon();
            let message = format!("the loss of step {} is not finite; take a lower rate", state.step);
            return Err(Error::Option { option: "rate", message });
        }
        sums.iter_mut().zip(parts).for_each(|(sum, part)| *sum += part);
        count += 1.0;
        let rate = schedule.rate_at(state.step);
        state.step += 1;
        bar.set_position(state.step as u64);
        let is_checkpoint = state.step.is_multiple_of(schedule.every.max(1)) || state.step == end;
        if !is_checkpoint && !state.step.is_multiple_of(LOG_EVERY) {
            continue;
        }
        state.hours += clock.elapsed().as_secs_f64() / 3600.0;
        clock = Instant::now();
        let seconds = (state.hours - began) * 3600.0;
        let mut row = vec![state.step.to_string(), format!("{rate:.6}"), format!("{seconds:.0}")];
        row.extend(sums.iter().map(|sum| format!("{:.5}", sum / count)));
        sums.fill(0.0);
        count = 0.0;
        if is_checkpoint {
            let (error, errors) = learning.validate();
            let network = learning.network()?;
            if error < state.best {
                (state.best, state.best_step) = (error, state.step);
                replace(&folder.file("best.safetensors"), &network)?;
            }
            replace(&folder.file("network.safetensors"), &network)?;
            replace(&folder.file("last.safetensors"), &learning.checkpoint()?)?;
            folder.save_state(state)?;
            bar.set_message(format!("validation {errors:.4?}"));
            row.extend(errors.iter().map(|error| format!("{error:.4}")));
        }
        row.resize(head.len(), String::new());
        log.write(&row)?;
    }
    bar.abandon();
    Ok(state)
}
