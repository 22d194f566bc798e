//! One frame of a transition (section 3.2): from the frame before, towards the target. Written once, over [`Columns`]: the
//! packed network runs it on one row, training on tensors of many.

use crate::feature::manifold::columns::Columns;
use crate::feature::manifold::{condition, expected, heading, inputs, moved, moves, top};

/// The latent variable lies within this many deviations (the paper's 4.5 · tanh).
pub const REACH: f32 = 4.5;
/// Frames before the target without noise, and from which on it is whole (eq. 10).
const QUIET: [f32; 2] = [5.0, 30.0];

/// Amplitude of the noise on the target's embedding, `span` frames before it (eq. 10).
pub fn noise(span: f32) -> f32 {
    ((span - QUIET[0]) / (QUIET[1] - QUIET[0])).clamp(0.0, 1.0)
}

/// Time embedding of `width` numbers, `span` frames before the target (eq. 11).
pub fn time(span: f32, width: usize) -> Vec<f32> {
    let angle = |index: usize| span / 10_000_f32.powf((index / 2 * 2) as f32 / width as f32);
    (0..width).map(|index| if index % 2 == 0 { angle(index).sin() } else { angle(index).cos() }).collect()
}

/// What a sampler says to one frame.
pub struct Sample<C> {
    /// Latent variable, [latent].
    pub latent: C,
    /// Step of the hips, metres in their heading.
    pub step: C,
    /// Change of the upper body's rotations, [[`crate::feature::manifold::TOP`]].
    pub top: C,
}

/// The layers of manifold and sampler, on rows as they are (they normalise by themselves).
pub trait Layers<C> {
    /// Whether samples are differences to what the interpolation would do.
    fn is_guided(&self) -> bool;
    /// Three encoders, LSTM and parse decoder; steps the state.
    fn sample(&mut self, inputs: [C; 3], span: f32) -> Sample<C>;
    /// Mean of the latent variable of a frame's condition, step and moves.
    fn encode(&self, condition: &C, step: &C, moves: &C) -> C;
    /// Moves and contacts (logits) of a condition, a step and a latent variable.
    fn decode(&self, condition: &C, step: &C, latent: &C) -> [C; 2];
}

/// Rows on their way.
#[derive(Debug, Clone)]
pub struct Motion<C> {
    /// The last row.
    pub row: C,
    /// Its change since the row before.
    pub rate: C,
}

impl<C: Columns> Motion<C> {
    /// From two rows.
    pub fn between(before: &C, now: &C) -> Self {
        Self { row: now.clone(), rate: now.minus(before) }
    }

    /// Shows the sampler a frame that is given: its state goes on, nothing is made.
    pub fn observed(&self, layers: &mut impl Layers<C>, target: &C, span: f32) {
        let heading = heading(&self.row);
        let condition = condition(&self.row, &self.rate, &heading);
        let expected = expected(&self.row, &self.rate, target, span);
        layers.sample(inputs(&self.row, &self.rate, target, &expected, &condition, &heading), span);
    }

    /// The next frame, with its contacts; `span` frames are left to the target from the frame that is.
    pub fn next(&self, layers: &mut impl Layers<C>, target: &C, span: f32) -> (Self, C) {
        let heading = heading(&self.row);
        let condition = condition(&self.row, &self.rate, &heading);
        let expected = expected(&self.row, &self.rate, target, span);
        let sample = layers.sample(inputs(&self.row, &self.rate, target, &expected, &condition, &heading), span);
        let (latent, step, above) = match layers.is_guided() {
            false => (sample.latent, sample.step, sample.top),
            true => {
                let [step, guess] = moves(&expected, &heading);
                let latent = layers.encode(&condition, &step, &guess).plus(&sample.latent);
                // Nothing is left to choose in the last step: it meets the target.
                let free = 1.0 - 1.0 / span;
                let above = top(&expected).plus(&sample.top.scaled(free));
                (latent, step.plus(&sample.step.scaled(free)), above)
            }
        };
        let latent = latent.scaled(1.0 / REACH).tanh().scaled(REACH);
        let [moves, contacts] = layers.decode(&condition, &step, &latent);
        let row = moved(&self.row, &heading, &step, &moves, &above);
        (Self { rate: row.minus(&self.row), row }, contacts)
    }
}
