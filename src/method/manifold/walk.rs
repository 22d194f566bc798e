//! One frame of a transition (section 3.2): from the frame before, towards the target. Generic over [`Columns`]: the
//! packed network uses one row, training tensors of many.

use crate::feature::manifold::columns::{Columns, Row};
use crate::feature::manifold::mirror::mirrored;
use crate::feature::manifold::{condition, heading, held, inputs, moved, moves, top};

/// The latent variable is clamped to this many deviations (the paper's 4.5 · tanh would distort the encoder's
/// output).
pub const REACH: f32 = 4.5;
/// Number of frames before the target in which the hold on feet in contact decreases, because they must reach the
/// target.
const LET_GO: f32 = 6.0;
/// Number of frames before the target without noise, and from which on it has its full amplitude (eq. 10).
const QUIET: [f32; 2] = [5.0, 30.0];

/// Position of a frame in its gap.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Moment {
    /// Frames since the last given one; 0 before and in it.
    pub since: usize,
    /// Frames to the target.
    pub span: usize,
}

impl Moment {
    /// Distance from both ends of the gap: 1 in its middle, near 0 at its ends.
    pub fn middle(self) -> f32 {
        let share = (self.since + 1) as f32 / (self.since + self.span) as f32;
        4.0 * share * (1.0 - share)
    }

    /// Weight of the hold on feet in contact.
    pub fn hold(self) -> f32 {
        (self.span.saturating_sub(1) as f32 / LET_GO).min(1.0)
    }

    /// Amplitude of the noise on the target's embedding (eq. 10).
    pub fn noise(self) -> f32 {
        ((self.span as f32 - QUIET[0]) / (QUIET[1] - QUIET[0])).clamp(0.0, 1.0)
    }

    /// Time embedding of `width` numbers (eq. 11): of the frames to the target in the first half, of those since the
    /// past in the second. Clamped to `longest` frames.
    pub fn embedding(self, width: usize, longest: usize) -> Vec<f32> {
        let half = width / 2;
        let one = |frames: usize, width: usize| {
            let frames = frames.min(longest) as f32;
            (0..width).map(move |index| {
                let angle = frames / 10_000_f32.powf((index / 2 * 2) as f32 / width as f32);
                if index % 2 == 0 { angle.sin() } else { angle.cos() }
            })
        };
        one(self.span, half).chain(one(self.since, width - half)).collect()
    }
}

/// Output of the sampler for one frame.
pub struct Sample<C> {
    /// Change of the latent variable, [latent].
    pub latent: C,
    /// Difference from the interpolation's step of the hips, metres in their heading,
    /// [[`crate::feature::manifold::STEP`]].
    pub step: C,
    /// Difference from the interpolation's moves, [[`crate::feature::manifold::MOVES`]].
    pub moves: C,
    /// Difference from the interpolation's rotations of the upper body, [[`crate::feature::manifold::TOP`]].
    pub top: C,
    /// Weight of the hold on feet in contact, one column.
    pub hold: C,
}

/// The layers of manifold and sampler, on raw rows (they normalise their inputs).
pub trait Layers<C> {
    /// Positions of rows in their gap.
    type At;
    /// Three encoders, LSTM and parse decoder; advances the state.
    fn sample(&mut self, inputs: [C; 3], at: Self::At) -> Sample<C>;
    /// Mean of the latent variable of a frame's condition, step and moves.
    fn encode(&self, condition: &C, step: &C, moves: &C) -> C;
    /// Moves and contacts (logits) of a condition, a step and a latent variable.
    fn decode(&self, condition: &C, step: &C, latent: &C) -> [C; 2];
}

/// Current rows and their rates.
#[derive(Debug, Clone)]
pub struct Motion<C> {
    /// The last row.
    pub row: C,
    /// Its change since the row before.
    pub rate: C,
}

impl<C: Columns> Motion<C> {
    /// From two consecutive rows.
    pub fn between(before: &C, now: &C) -> Self {
        Self { row: now.clone(), rate: now.minus(before) }
    }

    /// Shows the sampler a frame whose successor is given: advances the state without a prediction.
    pub fn observed<L: Layers<C>>(&self, layers: &mut L, target: &C, next: &C, at: L::At) {
        let heading = heading(&self.row);
        let condition = condition(&self.row, &self.rate, &heading);
        let guess = next.minus(&self.row);
        layers.sample(inputs(&self.row, &self.rate, target, &guess, &condition, &heading), at);
    }

    /// The next frame, with its contacts. `reference`: the interpolation's.
    pub fn next<L: Layers<C>>(&self, layers: &mut L, target: &C, reference: &C, at: L::At) -> (Self, C) {
        let heading = heading(&self.row);
        let condition = condition(&self.row, &self.rate, &heading);
        let guess = reference.minus(&self.row);
        let sample = layers.sample(inputs(&self.row, &self.rate, target, &guess, &condition, &heading), at);
        let [step, wanted] = moves(&guess, &heading);
        let (step, wanted) = (step.plus(&sample.step), wanted.plus(&sample.moves));
        let above = top(&guess).plus(&sample.top);
        let latent = layers.encode(&condition, &step, &wanted).plus(&sample.latent).within(REACH);
        let [moves, contacts] = layers.decode(&condition, &step, &latent);
        let moves = held(&moves, &contacts.logistic().times(&sample.hold));
        let row = moved(&self.row, &heading, &step, &moves, &above);
        (Self { rate: row.minus(&self.row), row }, contacts)
    }
}

impl Motion<Row> {
    /// The mirrored rows.
    pub fn mirrored(&self) -> Self {
        Self { row: mirrored(&self.row), rate: mirrored(&self.rate) }
    }
}
