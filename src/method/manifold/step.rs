//! Generates one frame of a transition (section 3.2) from the previous frame and the target. Generic over [`Columns`]:
//! the packed network uses one row, training uses tensors of many rows.

use crate::feature::manifold::columns::{Columns, Row};
use crate::feature::manifold::mirror::mirror_row;
use crate::feature::manifold::{advance, condition, encoder_inputs, heading, hold_feet, split_change, upper_rotations};

/// The latent variable is clamped to this many standard deviations. The paper's 4.5 · tanh would distort the encoder's
/// output.
pub const MAX_LATENT: f32 = 4.5;
/// Number of frames before the target over which the hold on feet in contact decreases, because feet must reach the
/// target.
const RELEASE_FRAMES: f32 = 6.0;
/// Range of the number of frames to the target in which the amplitude of the noise rises from 0 to 1 (eq. 10).
const NOISE_RANGE: [f32; 2] = [5.0, 30.0];

/// Position of the current frame in its gap. The sampler predicts the frame after it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Moment {
    /// Number of frames generated since the interpolation was computed, usually since the last past frame; 0 for past
    /// frames.
    pub elapsed: usize,
    /// Number of frames from the current frame to the target.
    pub span: usize,
}

impl Moment {
    /// Returns the weight, in the predicted frame, of an offset that fades towards both ends of the gap: 1 in the
    /// middle, near 0 at the ends.
    pub fn middle_weight(self) -> f32 {
        let time = (self.elapsed + 1) as f32 / (self.elapsed + self.span) as f32;
        4.0 * time * (1.0 - time)
    }

    /// Returns the weight of the hold on feet in contact, 0 to 1, in the predicted frame.
    pub fn hold_weight(self) -> f32 {
        (self.span.saturating_sub(1) as f32 / RELEASE_FRAMES).min(1.0)
    }

    /// Returns the amplitude of the noise on the target's embedding, 0 to 1 (eq. 10).
    pub fn noise_amplitude(self) -> f32 {
        ((self.span as f32 - NOISE_RANGE[0]) / (NOISE_RANGE[1] - NOISE_RANGE[0])).clamp(0.0, 1.0)
    }

    /// Computes the time embedding of `width` numbers (eq. 11). The first half encodes `span`, the second half
    /// `elapsed`; both are clamped to `longest`.
    pub fn embedding(self, width: usize, longest: usize) -> Vec<f32> {
        let half = width / 2;
        let waves = |frames: usize, width: usize| {
            let frames = frames.min(longest) as f32;
            (0..width).map(move |index| {
                let angle = frames / 10_000_f32.powf((index / 2 * 2) as f32 / width as f32);
                if index % 2 == 0 { angle.sin() } else { angle.cos() }
            })
        };
        waves(self.span, half).chain(waves(self.elapsed, width - half)).collect()
    }
}

/// Output of the sampler for one frame: corrections of the change from the current frame to the next frame of the
/// interpolation.
pub struct Sample<C> {
    /// Correction of the latent variable of the corrected step and moves, `[latent]`.
    pub latent: C,
    /// Correction of the hips' step, metres in heading space, [[`crate::feature::manifold::STEP`]].
    pub step: C,
    /// Correction of the moves of lower body and hips, [[`crate::feature::manifold::MOVES`]].
    pub moves: C,
    /// Correction of the change of the upper body's rotations, [[`crate::feature::manifold::UPPER_COLUMNS`]].
    pub upper: C,
    /// Weight of the hold on feet in contact, one column.
    pub hold: C,
}

/// The layers of manifold and sampler. Inputs are raw rows; the layers normalise them.
pub trait Layers<C> {
    /// Position of each frame in its gap.
    type Moments;
    /// Evaluates the sampler (three encoders, LSTM and parse decoder), and advances its state.
    fn sample(&mut self, inputs: [C; 3], moments: Self::Moments) -> Sample<C>;
    /// Encodes a frame's condition, step and moves: returns the mean of the latent variable.
    fn encode(&self, condition: &C, step: &C, moves: &C) -> C;
    /// Decodes a condition, a step and a latent variable: returns moves and contacts (logits).
    fn decode(&self, condition: &C, step: &C, latent: &C) -> [C; 2];
}

/// Row of the current frame, and its change. In training, rows of several motions or frames.
#[derive(Debug, Clone)]
pub struct MotionState<C> {
    /// Row of the current frame.
    pub row: C,
    /// Change from the row of the previous frame.
    pub rate: C,
}

impl<C: Columns> MotionState<C> {
    /// Creates the state from the rows of two consecutive frames.
    pub fn between(previous: &C, current: &C) -> Self {
        Self { row: current.clone(), rate: current.minus(previous) }
    }

    /// Advances the sampler's state by one frame without a prediction, because the next frame is known. `next`: row of
    /// the next frame.
    pub fn observe<L: Layers<C>>(&self, layers: &mut L, target: &C, next: &C, moments: L::Moments) {
        let heading = heading(&self.row);
        let condition = condition(&self.row, &self.rate, &heading);
        let change = next.minus(&self.row);
        layers.sample(encoder_inputs(&self.row, &self.rate, target, &change, &condition, &heading), moments);
    }

    /// Predicts the next frame and its contacts (logits). `reference`: row of the next frame of the interpolation.
    pub fn next<L: Layers<C>>(&self, layers: &mut L, target: &C, reference: &C, moments: L::Moments) -> (Self, C) {
        let heading = heading(&self.row);
        let condition = condition(&self.row, &self.rate, &heading);
        let change = reference.minus(&self.row);
        let inputs = encoder_inputs(&self.row, &self.rate, target, &change, &condition, &heading);
        let sample = layers.sample(inputs, moments);
        let [step, moves] = split_change(&change, &heading);
        let (step, moves) = (step.plus(&sample.step), moves.plus(&sample.moves));
        let upper = upper_rotations(&change).plus(&sample.upper);
        // The corrected moves are projected to the manifold: encoded, changed there, and decoded.
        let latent = layers.encode(&condition, &step, &moves).plus(&sample.latent).clamp_abs(MAX_LATENT);
        let [moves, contacts] = layers.decode(&condition, &step, &latent);
        let moves = hold_feet(&moves, &contacts.logistic().times(&sample.hold));
        let row = advance(&self.row, &heading, &step, &moves, &upper);
        (Self { rate: row.minus(&self.row), row }, contacts)
    }
}

impl MotionState<Row> {
    /// Returns the mirrored motion.
    pub fn mirrored(&self) -> Self {
        Self { row: mirror_row(&self.row), rate: mirror_row(&self.rate) }
    }
}
