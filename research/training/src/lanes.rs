//! Lanes that continue over several training steps. A lane is one example of a batch; here it is a sequence of frames,
//! of which each step predicts one. The network's output can be part of the lane's next input.
//!
//! Each lane has a slot, and a new random generator in every step. Therefore lanes depend on the seed and the step, but
//! not on the number of threads. Checkpoints do not contain lanes: a resumed run draws all of them anew.

use crate::run::Batch;
use rand::rngs::StdRng;
use std::sync::{Mutex, PoisonError};

/// Slots of a batch's lanes.
pub struct Lanes<L>(Vec<Mutex<Slot<L>>>);

/// A lane, and the step in which it continues.
struct Slot<L> {
    lane: Option<L>,
    step: usize,
}

impl<L> Lanes<L> {
    /// Creates empty slots for a batch of this size.
    pub fn new(batch: usize) -> Self {
        Self((0..batch).map(|_| Mutex::new(Slot { lane: None, step: 0 })).collect())
    }

    /// Takes the lanes of a batch ([`Batch::lanes`]) out of their slots, each with its random generator. Calls `draw`
    /// for a slot without a lane for this step.
    pub fn take(&self, batch: &Batch, mut draw: impl FnMut(&mut StdRng) -> L) -> Vec<(L, StdRng)> {
        let mut take_lane = |index: usize| {
            let mut rng = batch.rng(index);
            let mut slot = self.0[index].lock().unwrap_or_else(PoisonError::into_inner);
            let lane = slot.lane.take().filter(|_| slot.step == batch.step);
            drop(slot);
            let lane = lane.unwrap_or_else(|| draw(&mut rng));
            (lane, rng)
        };
        batch.lanes.clone().map(&mut take_lane).collect()
    }

    /// Puts lanes back into their slots for the next step, in the order of [`Lanes::take`]. `None`: the lane has ended.
    pub fn put(&self, batch: &Batch, lanes: impl IntoIterator<Item = Option<L>>) {
        for (index, lane) in batch.lanes.clone().zip(lanes) {
            *self.0[index].lock().unwrap_or_else(PoisonError::into_inner) = Slot { lane, step: batch.step + 1 };
        }
    }
}
