//! Lanes of the controller's training (sequences of frames with feedback of predictions), and the rows of a batch.

use super::sample::{FrameIndex, RowWriter, Source};
use crate::experts::matrix;
use burn::tensor::{Device, Tensor};
use rand::Rng;
use rand::rngs::StdRng;

/// Number of frames of a lane, as in the paper.
pub const FRAMES: usize = 8;

/// A sequence of frames of a take.
pub struct Lane {
    /// Current frame, and the style that the lane is trained with.
    frame: FrameIndex,
    /// Phases in the input of the previous frame.
    phases: Vec<f32>,
    /// Raw prediction from the previous frame; empty in the first frame.
    prediction: Vec<f32>,
}

/// Raw rows of a batch, one row per lane.
#[derive(Default)]
pub struct BatchRows {
    /// Input rows, [lanes × input].
    pub input: Vec<f32>,
    /// Rows of the gate, [lanes × gate].
    pub gates: Vec<f32>,
    /// Recorded output rows, [lanes × output].
    pub truth: Vec<f32>,
}

impl BatchRows {
    /// Returns the rows of the network and of the gate as tensors. `input`, `gates`: numbers of columns.
    pub fn tensors(&self, input: usize, gates: usize, device: &Device) -> [Tensor<2>; 2] {
        [matrix(self.input.clone(), input, device), matrix(self.gates.clone(), gates, device)]
    }
}

impl Lane {
    /// Draws a lane with a random start and style. `lend`: see [`RowWriter::draw_style`].
    pub fn draw(writer: &RowWriter, source: &Source, lend: f64, rng: &mut StdRng) -> Self {
        let start = source.draw(FRAMES, rng);
        let style = writer.draw_style(&source.takes()[start.take], start.frame, lend, rng);
        Self { frame: FrameIndex { style, ..start }, phases: Vec::new(), prediction: Vec::new() }
    }

    /// Adds the rows of the current frame to a batch, and moves to the next frame. With probability `feedback`, the
    /// input contains the network's prediction of this frame ([`RowWriter::feed_back`]), otherwise recorded values
    /// only.
    pub fn add_rows(
        &mut self,
        writer: &RowWriter,
        source: &Source,
        feedback: f64,
        rng: &mut StdRng,
        batch: &mut BatchRows,
    ) {
        let (layout, take, frame) = (&writer.layout, &source.takes()[self.frame.take], self.frame.frame);
        let mut phases = vec![0.0; layout.gate_width()];
        let input = append_zeros(&mut batch.input, layout.input_width());
        writer.input(take, frame, input, &mut phases);
        writer.style(self.frame.style, input);
        if !self.prediction.is_empty() && rng.random_bool(feedback) {
            writer.feed_back(&self.prediction, &self.phases, input, &mut phases);
        }
        batch.gates.extend_from_slice(&phases);
        writer.output(take, frame, append_zeros(&mut batch.truth, layout.output_width()));
        self.phases = phases;
        self.frame.frame += take.stride;
    }

    /// Stores the network's raw prediction, which the next frame can feed back.
    pub fn advance(&mut self, prediction: &[f32]) {
        self.prediction.clear();
        self.prediction.extend_from_slice(prediction);
    }
}

/// Appends `columns` zeros to `rows`, and returns the appended slice.
pub fn append_zeros(rows: &mut Vec<f32>, columns: usize) -> &mut [f32] {
    let start = rows.len();
    rows.resize(start + columns, 0.0);
    &mut rows[start..]
}
