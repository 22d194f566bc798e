//! Recurrent layers. This is the packed form, for inference on the CPU; `tensor` is the form for training.
//!
//! The packed form is faster than Burn, which allocates and dispatches about ten tensors per step and packs the matrix
//! for every product.

#[cfg(feature = "flex")]
mod tensor;

#[cfg(feature = "flex")]
pub use tensor::{Cell, Recurrent};

use super::activation::{sigmoid, tanh};
use super::dense::PackedDense;
use super::weights::{Weights, wrong};
use crate::error::Result;
use glam::Vec4;
use serde::{Deserialize, Serialize};

/// Kind of recurrent layer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum CellKind {
    /// Long short-term memory, which runs forwards in time, one step at a time.
    Lstm,
    /// Bidirectional gated recurrent unit, which reads whole sequences.
    Bgru,
}

impl CellKind {
    /// Returns whether the layer reads the sequence in both directions.
    pub fn is_bidirectional(self) -> bool {
        self == CellKind::Bgru
    }

    /// Returns the number of gates of a cell.
    fn gates(self) -> usize {
        if self == CellKind::Bgru { 3 } else { 4 }
    }
}

/// A recurrent layer, packed.
#[derive(Debug, Clone)]
pub struct PackedRecurrent {
    forwards: PackedCell,
    backwards: Option<PackedCell>,
}

impl PackedRecurrent {
    /// Reads the layer `name` of a weight file.
    ///
    /// # Errors
    /// [`crate::Error::Weights`] if it is missing or has another shape, or the width of its states is not a
    /// multiple of four.
    pub fn read(weights: &Weights, name: &str, kind: CellKind, shape: [usize; 2]) -> Result<Self> {
        let cell = |direction: &str| PackedCell::read(weights, &format!("{name}.{direction}"), kind, shape);
        let backwards = kind.is_bidirectional().then(|| cell("backwards")).transpose()?;
        Ok(Self { forwards: cell("forwards")?, backwards })
    }

    /// Returns the number of output columns.
    pub fn outputs(&self) -> usize {
        self.forwards.hidden * if self.backwards.is_some() { 2 } else { 1 }
    }

    /// Applies the layer to rows in time order, [frames × inputs] → [frames × outputs].
    pub fn forward(&self, rows: &[f32]) -> Vec<f32> {
        let directions = 1 + usize::from(self.backwards.is_some());
        let (hidden, frames) = (self.forwards.hidden, rows.len() / self.forwards.input.inputs());
        let mut out = vec![0.0; frames * directions * hidden];
        // One direction after the other: the recurrent weights of one (768 KiB in single precision, if the states have
        // 256 columns) fit the second-level cache, those of two do not.
        let states = out.chunks_exact_mut(directions * hidden).map(|row| &mut row[..hidden]);
        self.forwards.run(rows, 0..frames, states);
        if let Some(cell) = &self.backwards {
            let states = out.chunks_exact_mut(directions * hidden).map(|row| &mut row[hidden..]);
            cell.run(rows, (0..frames).rev(), states.rev());
        }
        out
    }

    /// Makes one step forwards with a row, `[inputs]`, for sequences whose next input depends on the state. Updates
    /// `hidden` and `cell`, `[hidden]` each; gated recurrent units do not use `cell`.
    pub fn step(&self, row: &[f32], hidden: &mut [f32], cell: &mut [f32]) {
        let (input_gates, mut state_gates) =
            (self.forwards.input.forward(row), vec![0.0; self.forwards.recurrent.outputs()]);
        self.forwards.recurrent.forward_into(hidden, &mut state_gates);
        match self.forwards.is_gru {
            true => gru(&input_gates, &state_gates, hidden),
            false => lstm(&input_gates, &state_gates, hidden, cell),
        }
    }
}

/// One direction of a recurrent layer, packed.
#[derive(Debug, Clone)]
struct PackedCell {
    input: PackedDense,
    recurrent: PackedDense,
    hidden: usize,
    is_gru: bool,
}

impl PackedCell {
    fn read(weights: &Weights, name: &str, kind: CellKind, [inputs, hidden]: [usize; 2]) -> Result<Self> {
        if !hidden.is_multiple_of(4) {
            return Err(wrong(format!("\"{name}\" has states of {hidden} columns, which is not a multiple of four")));
        }
        let dense = |layer: &str, inputs| {
            PackedDense::read(weights, &format!("{name}.{layer}"), [inputs, kind.gates() * hidden])
        };
        let (input, recurrent) = (dense("input", inputs)?, dense("recurrent", hidden)?);
        Ok(Self { input, recurrent, hidden, is_gru: kind.gates() == 3 })
    }

    /// Reads `rows`, [frames × inputs], in the order of `frames`, and writes one state, [hidden], into each of
    /// `states`.
    fn run<'a>(&self, rows: &[f32], frames: impl Iterator<Item = usize>, states: impl Iterator<Item = &'a mut [f32]>) {
        let width = self.input.outputs();
        let input_gates = self.input.forward(rows); // [frames × gates × hidden]
        let mut state_gates = vec![0.0; width]; // [gates × hidden]
        let (mut hidden, mut cell) = (vec![0.0; self.hidden], vec![0.0; self.hidden]);
        for (frame, state) in frames.zip(states) {
            self.recurrent.forward_into(&hidden, &mut state_gates);
            let input_gates = &input_gates[frame * width..][..width];
            match self.is_gru {
                true => gru(input_gates, &state_gates, &mut hidden),
                false => lstm(input_gates, &state_gates, &mut hidden, &mut cell),
            }
            state.copy_from_slice(&hidden);
        }
    }
}

/// Updates the state `hidden` of a gated recurrent unit. `input_gates`, `state_gates`: gate values (update, reset,
/// candidate) computed from the input and from the state, [3 × hidden] each.
fn gru(input_gates: &[f32], state_gates: &[f32], hidden: &mut [f32]) {
    let width = hidden.len();
    for (column, state) in hidden.chunks_exact_mut(4).enumerate() {
        let gate_values = |values: &[f32], gate: usize| Vec4::from_slice(&values[gate * width + 4 * column..]);
        let update = sigmoid(gate_values(input_gates, 0) + gate_values(state_gates, 0));
        let reset = sigmoid(gate_values(input_gates, 1) + gate_values(state_gates, 1));
        let candidate = tanh(gate_values(input_gates, 2) + reset * gate_values(state_gates, 2));
        (candidate + update * (Vec4::from_slice(state) - candidate)).write_to_slice(state);
    }
}

/// Updates the state (`hidden` and `cell`) of a long short-term memory. `input_gates`, `state_gates`: gate values
/// (input, forget, output, candidate) computed from the input and from the state, [4 × hidden] each.
fn lstm(input_gates: &[f32], state_gates: &[f32], hidden: &mut [f32], cell: &mut [f32]) {
    let width = hidden.len();
    for (column, (state, cell)) in hidden.chunks_exact_mut(4).zip(cell.chunks_exact_mut(4)).enumerate() {
        let gate_values = |values: &[f32], gate: usize| Vec4::from_slice(&values[gate * width + 4 * column..]);
        let sum = |gate| gate_values(input_gates, gate) + gate_values(state_gates, gate);
        let next = sigmoid(sum(1)) * Vec4::from_slice(cell) + sigmoid(sum(0)) * tanh(sum(3));
        next.write_to_slice(cell);
        (sigmoid(sum(2)) * tanh(next)).write_to_slice(state);
    }
}
