//! Recurrent layers on tensors, with all gates in one matrix product.
//!
//! A sequence is a list of time steps, [batch, columns] each, instead of one tensor. If a tensor is sliced per step,
//! autodiff writes a whole gradient tensor per step. Times of a training step (161 → 256 → 2 × BiGRU 256 → 161, batch
//! 32 × 60 frames, Burn's flex backend on 2 cores): Burn's `BiGru` 0.71 s; gates in one product, on slices of one
//! tensor 0.55 s, on a list of tensors 0.49 s. Without gradients, [`Recurrent::infer`] works on one tensor; on the CPU
//! with a batch of 1, [`super::PackedRecurrent`] replaces it.

use super::CellKind;
use burn::module::Module;
use burn::nn::{Initializer, Linear, LinearConfig};
use burn::tensor::{Device, Tensor, activation};

/// One direction of a recurrent layer. Order of gates: update, reset, candidate in a GRU, whose reset gate multiplies
/// the product of state and weights, not the state; input, forget, output, candidate in an LSTM.
#[derive(Module, Debug)]
pub struct Cell {
    /// Linear layer from the input to all gates, [inputs → gates × hidden].
    pub input: Linear,
    /// Linear layer from the previous state to all gates, [hidden → gates × hidden].
    pub recurrent: Linear,
    /// Width of the state.
    pub hidden: usize,
    /// Number of gates: 3 in a gated recurrent unit, 4 in a long short-term memory.
    pub gates: usize,
}

impl Cell {
    fn new(kind: CellKind, inputs: usize, hidden: usize, device: &Device) -> Self {
        let bound = 1.0 / (hidden as f64).sqrt();
        let linear = |inputs| {
            LinearConfig::new(inputs, kind.gates() * hidden)
                .with_initializer(Initializer::Uniform { min: -bound, max: bound })
                .init(device)
        };
        Self { input: linear(inputs), recurrent: linear(hidden), hidden, gates: kind.gates() }
    }

    /// Runs over steps, [batch, inputs] each, from last to first if `backwards`. Returns the states in time order.
    fn forward(&self, steps: &[Tensor<2>], backwards: bool) -> Vec<Tensor<2>> {
        let Some(first) = steps.first() else { return Vec::new() };
        let zero = || Tensor::zeros([first.dims()[0], self.hidden], &first.device());
        let (mut hidden, mut cell) = (zero(), zero());
        let mut states = Vec::with_capacity(steps.len());
        let mut advance = |step: &Tensor<2>| {
            let input_gates = self.input.forward(step.clone()); // [batch, gates × hidden]
            (hidden, cell) = match self.gates {
                3 => (self.gru(input_gates, hidden.clone()), cell.clone()),
                _ => self.lstm(input_gates, hidden.clone(), cell.clone()),
            };
            states.push(hidden.clone());
        };
        if backwards {
            steps.iter().rev().for_each(&mut advance);
            states.reverse();
        } else {
            steps.iter().for_each(&mut advance);
        }
        states
    }

    /// Runs over rows in time order, [frames × batch, inputs] → [frames × batch, hidden]. Faster than
    /// [`Cell::forward`], because one product projects the inputs of all frames. For inference only: it slices a
    /// tensor in every step, which makes autodiff slow.
    fn infer(&self, rows: Tensor<2>, batch: usize, backwards: bool) -> Tensor<2> {
        let (frames, device) = (rows.dims()[0] / batch, rows.device());
        if frames == 0 {
            return Tensor::zeros([0, self.hidden], &device);
        }
        let input_gates = self.input.forward(rows); // [frames × batch, gates × hidden]
        let zero = || Tensor::zeros([batch, self.hidden], &device);
        let (mut hidden, mut cell) = (zero(), zero());
        let mut states = vec![hidden.clone(); frames];
        for index in 0..frames {
            let frame = if backwards { frames - 1 - index } else { index };
            let step = input_gates.clone().narrow(0, frame * batch, batch); // [batch, gates × hidden]
            (hidden, cell) = match self.gates {
                3 => (self.gru(step, hidden), cell),
                _ => self.lstm(step, hidden, cell),
            };
            states[frame] = hidden.clone();
        }
        Tensor::cat(states, 0)
    }

    fn gru(&self, input_gates: Tensor<2>, hidden: Tensor<2>) -> Tensor<2> {
        let n = self.hidden;
        let state_gates = self.recurrent.forward(hidden.clone()); // [batch, 3 × hidden]
        let gates =
            activation::sigmoid(input_gates.clone().narrow(1, 0, 2 * n) + state_gates.clone().narrow(1, 0, 2 * n));
        let update = gates.clone().narrow(1, 0, n); // [batch, hidden]
        let reset = gates.narrow(1, n, n);
        let candidate = (input_gates.narrow(1, 2 * n, n) + reset * state_gates.narrow(1, 2 * n, n)).tanh();
        candidate.clone() + update * (hidden - candidate)
    }

    fn lstm(&self, input_gates: Tensor<2>, hidden: Tensor<2>, cell: Tensor<2>) -> (Tensor<2>, Tensor<2>) {
        let n = self.hidden;
        let sum = input_gates + self.recurrent.forward(hidden); // [batch, 4 × hidden]
        let gates = activation::sigmoid(sum.clone().narrow(1, 0, 3 * n));
        let candidate = sum.narrow(1, 3 * n, n).tanh();
        let cell = gates.clone().narrow(1, n, n) * cell + gates.clone().narrow(1, 0, n) * candidate;
        (gates.narrow(1, 2 * n, n) * cell.clone().tanh(), cell)
    }
}

/// A recurrent layer, in one direction or both.
#[derive(Module, Debug)]
pub struct Recurrent {
    forwards: Cell,
    backwards: Option<Cell>,
}

impl Recurrent {
    /// Creates an untrained layer from `inputs` columns to [`Recurrent::outputs`] columns.
    pub fn new(kind: CellKind, inputs: usize, hidden: usize, device: &Device) -> Self {
        let backwards = kind.is_bidirectional().then(|| Cell::new(kind, inputs, hidden, device));
        Self { forwards: Cell::new(kind, inputs, hidden, device), backwards }
    }

    /// Iterates over the cells of the directions, the forward cell first.
    pub fn directions(&self) -> impl Iterator<Item = &Cell> {
        std::iter::once(&self.forwards).chain(self.backwards.as_ref())
    }

    /// Returns whether the layer consists of gated recurrent units, in one direction or both.
    pub fn is_gru(&self) -> bool {
        self.forwards.gates == 3
    }

    /// Returns the number of output columns: `hidden`, or twice as many if the layer is bidirectional.
    pub fn outputs(&self) -> usize {
        self.forwards.hidden * if self.backwards.is_some() { 2 } else { 1 }
    }

    /// Applies the layer to steps of [batch, inputs]; returns steps of [batch, outputs].
    pub fn forward(&self, steps: &[Tensor<2>]) -> Vec<Tensor<2>> {
        let forwards = self.forwards.forward(steps, false);
        match &self.backwards {
            None => forwards,
            Some(cell) => {
                let both = forwards.into_iter().zip(cell.forward(steps, true));
                both.map(|(forwards, backwards)| Tensor::cat(vec![forwards, backwards], 1)).collect()
            }
        }
    }

    /// Makes one step of the forward cell with a row, [batch, inputs], for sequences whose next input depends on the
    /// state. Takes the previous state and returns the next: hidden and cell, [batch, hidden] each. Gated recurrent
    /// units return the cell unchanged.
    pub fn step(&self, row: Tensor<2>, [hidden, cell]: [Tensor<2>; 2]) -> [Tensor<2>; 2] {
        let input_gates = self.forwards.input.forward(row); // [batch, gates × hidden]
        match self.forwards.gates {
            3 => [self.forwards.gru(input_gates, hidden), cell],
            _ => self.forwards.lstm(input_gates, hidden, cell).into(),
        }
    }

    /// Applies the layer to rows in time order, [frames × batch, inputs] → [frames × batch, outputs], for inference
    /// only.
    pub fn infer(&self, rows: Tensor<2>, batch: usize) -> Tensor<2> {
        let forwards = self.forwards.infer(rows.clone(), batch, false);
        match &self.backwards {
            None => forwards,
            Some(cell) => Tensor::cat(vec![forwards, cell.infer(rows, batch, true)], 1),
        }
    }
}
