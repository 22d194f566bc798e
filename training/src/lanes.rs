//! Lanes of a batch that go on in the next step with the network's own output.
//!
//! Each lane has its own slot, and its own random generator in every step, so that the result depends on seed and steps
//! and not on the number of threads. Lanes are not part of a checkpoint: a resumed run draws all of them anew.

use crate::run::Batch;
use rand::rngs::StdRng;
use std::sync::{Mutex, PoisonError};

/// Slots of a batch's lanes.
pub struct Lanes<L>(Vec<Mutex<Slot<L>>>);

/// A lane, and the step in which it goes on.
struct Slot<L> {
    lane: Option<L>,
    step: usize,
}

impl<L> Lanes<L> {
    /// Empty slots for a batch of this size.
    pub fn new(batch: usize) -> Self {
        Self((0..batch).map(|_| Mutex::new(Slot { lane: None, step: 0 })).collect())
    }

    /// Takes the lanes of part of a batch out of their slots, each with its random generator. Where there is none for
    /// this step, `draw` makes one.
    pub fn take(&self, batch: &Batch, mut draw: impl FnMut(&mut StdRng) -> L) -> Vec<(L, StdRng)> {
        let mut one = |index: usize| {
            let mut rng = batch.rng(index);
            let mut slot = self.0[index].lock().unwrap_or_else(PoisonError::into_inner);
            let kept = slot.lane.take().filter(|_| slot.step == batch.step);
            drop(slot);
            let lane = kept.unwrap_or_else(|| draw(&mut rng));
            (lane, rng)
        };
        batch.lanes.clone().map(&mut one).collect()
    }

    /// Puts lanes back for the next step, in the order of [`Lanes::take`]. `None` for those that have ended.
    pub fn put(&self, batch: &Batch, lanes: impl IntoIterator<Item = Option<L>>) {
        for (index, lane) in batch.lanes.clone().zip(lanes) {
            *self.0[index].lock().unwrap_or_else(PoisonError::into_inner) = Slot { lane, step: batch.step + 1 };
        }
    }
}
