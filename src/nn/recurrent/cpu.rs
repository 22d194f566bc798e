//! Recurrent layers on slices, for inference on the CPU: [`Recurrent::infer`] at batch 1 without Burn.
//!
//! Burn's part of a step is some ten tensors, each allocated and dispatched, and a product that packs its matrix anew.
//! Figures: [`crate::method::rmr::network`].

use super::{Cell, Recurrent};
use crate::error::{Error, Result};
use crate::nn::packed::{Row, Sequence};
use glam::Vec4;

/// A recurrent layer, packed.
#[derive(Debug, Clone)]
pub struct CpuRecurrent {
    forwards: CpuCell,
    backwards: Option<CpuCell>,
}

impl CpuRecurrent {
    /// Packs a layer's weights.
    ///
    /// # Errors
    /// [`Error::Weights`] where they cannot be read back from their device, or states are no multiple of four wide.
    pub fn new(layer: &Recurrent) -> Result<Self> {
        let backwards = layer.backwards.as_ref().map(CpuCell::new).transpose()?;
        Ok(Self { forwards: CpuCell::new(&layer.forwards)?, backwards })
    }

    /// Rows in time order, [frames × inputs] → [frames × outputs].
    pub fn forward(&self, rows: &[f32]) -> Vec<f32> {
        let directions = 1 + usize::from(self.backwards.is_some());
        let (hidden, frames) = (self.forwards.hidden, rows.len() / self.forwards.input.inputs());
        let mut out = vec![0.0; frames * directions * hidden];
        // One direction after the other: the recurrent weights of one (768 KiB) fit the second cache, those of two do not.
        let states = out.chunks_exact_mut(directions * hidden).map(|row| &mut row[..hidden]);
        self.forwards.run(rows, 0..frames, states);
        if let Some(cell) = &self.backwards {
            let states = out.chunks_exact_mut(directions * hidden).map(|row| &mut row[hidden..]);
            cell.run(rows, (0..frames).rev(), states.rev());
        }
        out
    }
}

/// One direction, packed.
#[derive(Debug, Clone)]
struct CpuCell {
    input: Sequence,
    recurrent: Row,
    hidden: usize,
    is_gru: bool,
}

impl CpuCell {
    fn new(cell: &Cell) -> Result<Self> {
        if !cell.hidden.is_multiple_of(4) {
            return Err(Error::Weights { message: format!("states of {} columns are not packed", cell.hidden) });
        }
        let (input, recurrent) = (Sequence::new(&cell.input)?, Row::new(&cell.recurrent)?);
        Ok(Self { input, recurrent, hidden: cell.hidden, is_gru: cell.gates == 3 })
    }

    /// Reads `rows`, [frames × inputs], in the order of `frames`; writes a state of [hidden] into each of `states`.
    fn run<'a>(&self, rows: &[f32], frames: impl Iterator<Item = usize>, states: impl Iterator<Item = &'a mut [f32]>) {
        let width = self.input.outputs();
        let projected = self.input.forward(rows); // [frames × gates × hidden]
        let mut remembered = vec![0.0; width]; // [gates × hidden]
        let (mut hidden, mut cell) = (vec![0.0; self.hidden], vec![0.0; self.hidden]);
        for (frame, state) in frames.zip(states) {
            self.recurrent.forward_into(&hidden, &mut remembered);
            let projected = &projected[frame * width..][..width];
            match self.is_gru {
                true => gru(projected, &remembered, &mut hidden),
                false => lstm(projected, &remembered, &mut hidden, &mut cell),
            }
            state.copy_from_slice(&hidden);
        }
    }
}

/// Gates (update, reset, candidate), [3 × hidden] from the input and from the state; `hidden` becomes the new state.
fn gru(projected: &[f32], remembered: &[f32], hidden: &mut [f32]) {
    let width = hidden.len();
    for (column, state) in hidden.chunks_exact_mut(4).enumerate() {
        let at = |values: &[f32], gate: usize| Vec4::from_slice(&values[gate * width + 4 * column..]);
        let update = sigmoid(at(projected, 0) + at(remembered, 0));
        let reset = sigmoid(at(projected, 1) + at(remembered, 1));
        let candidate = tanh(at(projected, 2) + reset * at(remembered, 2));
        (candidate + update * (Vec4::from_slice(state) - candidate)).write_to_slice(state);
    }
}

/// Gates (input, forget, output, candidate), [4 × hidden] each; `hidden` and `cell` become the new ones.
fn lstm(projected: &[f32], remembered: &[f32], hidden: &mut [f32], cell: &mut [f32]) {
    let width = hidden.len();
    for (column, (state, cell)) in hidden.chunks_exact_mut(4).zip(cell.chunks_exact_mut(4)).enumerate() {
        let at = |values: &[f32], gate: usize| Vec4::from_slice(&values[gate * width + 4 * column..]);
        let sum = |gate| at(projected, gate) + at(remembered, gate);
        let kept = sigmoid(sum(1)) * Vec4::from_slice(cell) + sigmoid(sum(0)) * tanh(sum(3));
        kept.write_to_slice(cell);
        (sigmoid(sum(2)) * tanh(kept)).write_to_slice(state);
    }
}

fn sigmoid(x: Vec4) -> Vec4 {
    0.5 * tanh(0.5 * x) + Vec4::splat(0.5)
}

/// Eigen's rational approximation (`ptanh_float`, also onnxruntime's), right to a few units in the last place.
fn tanh(x: Vec4) -> Vec4 {
    const ODD: [f32; 7] =
        [-2.760_768_5e-16, 2.000_188e-13, -8.604_672e-11, 5.122_297e-8, 1.485_722_4e-5, 6.372_619_3e-4, 4.893_524_6e-3];
    const EVEN: [f32; 4] = [1.198_258_4e-6, 1.185_347e-4, 2.268_434_6e-3, 4.893_525e-3];
    let x = x.clamp(Vec4::splat(-7.9), Vec4::splat(7.9));
    let square = x * x;
    let polynomial =
        |factors: &[f32]| factors.iter().fold(Vec4::ZERO, |sum, &factor| sum * square + Vec4::splat(factor));
    x * polynomial(&ODD) / polynomial(&EVEN)
}
