//! Hand-written gradients of gated recurrent layers: backpropagation through time (Werbos 1990) over whole sequences.
//!
//! The layers are gated recurrent units (Cho et al. 2014), with the reset gate after the product. For the input x and
//! the previous state h, biases left out:
//!
//! - update gate u = σ(W_u x + U_u h), reset gate r = σ(W_r x + U_r h),
//! - candidate c = tanh(W_c x + r ∘ m) with the recurrent term m = U_c h,
//! - next state h' = c + u ∘ (h − c).
//!
//! Burn's automatic differentiation records about twenty operations per step and accumulates every weight's gradient at
//! every step. Here the gradient of each weight is one matrix product over all steps. Rows are time-major,
//! [frames × batch].

use burn::nn::Linear;
use burn::optim::GradientsParams;
use burn::tensor::{Device, Tensor, TensorData};
use kinestitch::error::Result;
use kinestitch::nn::device::values;
use kinestitch::nn::recurrent::{Cell, Recurrent};

/// Values of a layer's forward pass that the backward pass uses.
pub struct Trace {
    /// Input, [frames × batch, inputs].
    rows: Tensor<2>,
    /// Number of sequences.
    batch: usize,
    /// One trace per direction.
    cells: Vec<CellTrace>,
}

/// Values of one direction's forward pass.
struct CellTrace {
    /// States, [frames × batch × hidden].
    states: Vec<f32>,
    /// u, r, c and m, [frames × batch × 4 hidden].
    gates: Vec<f32>,
}

/// A layer with hand-written gradients. Implemented for [`Recurrent`] layers, which must be gated
/// recurrent units ([`Recurrent::is_gru`]).
pub trait Traced {
    /// Runs the forward pass without a tape: rows [frames × batch, inputs] → states [frames × batch × outputs]. Also
    /// returns the values for [`Traced::backward`].
    ///
    /// # Errors
    /// [`kinestitch::Error::Weights`] if values cannot be read from the device.
    fn forward_with_trace(&self, rows: Tensor<2>, batch: usize) -> Result<(Vec<f32>, Trace)>;

    /// Runs the backward pass: gradient of the states [frames × batch × outputs] → gradient of the rows [frames ×
    /// batch, inputs]. Writes the gradients of the weights to `gradients`.
    ///
    /// # Errors
    /// [`kinestitch::Error::Weights`] if values cannot be read from the device.
    fn backward(&self, trace: &Trace, state_gradients: &[f32], gradients: &mut GradientsParams) -> Result<Tensor<2>>;
}

impl Traced for Recurrent {
    fn forward_with_trace(&self, rows: Tensor<2>, batch: usize) -> Result<(Vec<f32>, Trace)> {
        let [count, _] = rows.dims();
        let outputs = self.outputs();
        let mut states = vec![0.0; count * outputs];
        let mut cells = Vec::with_capacity(2);
        for (index, cell) in self.directions().enumerate() {
            let trace = forward_direction(cell, &rows, batch, index == 1)?;
            let hidden = cell.hidden;
            for (row, state) in states.chunks_exact_mut(outputs).zip(trace.states.chunks_exact(hidden)) {
                row[index * hidden..][..hidden].copy_from_slice(state);
            }
            cells.push(trace);
        }
        Ok((states, Trace { rows, batch, cells }))
    }

    fn backward(&self, trace: &Trace, state_gradients: &[f32], gradients: &mut GradientsParams) -> Result<Tensor<2>> {
        let outputs = self.outputs();
        let mut sum: Option<Tensor<2>> = None;
        for (index, (cell, cell_trace)) in self.directions().zip(&trace.cells).enumerate() {
            let first_column = index * cell.hidden;
            let columns = (state_gradients, outputs, first_column);
            let rows = backward_direction(cell, cell_trace, trace, columns, index == 1, gradients)?;
            sum = Some(sum.map_or(rows.clone(), |sum| sum + rows));
        }
        Ok(sum.unwrap_or_else(|| Tensor::zeros(trace.rows.dims(), &trace.rows.device())))
    }
}

/// Returns the frames in the order in which a direction reads them.
fn order(frames: usize, backwards: bool) -> Vec<usize> {
    if backwards { (0..frames).rev().collect() } else { (0..frames).collect() }
}

/// Runs the forward pass of one direction. `rows`: [frames × batch, inputs].
fn forward_direction(cell: &Cell, rows: &Tensor<2>, batch: usize, backwards: bool) -> Result<CellTrace> {
    let ([count, _], device, n) = (rows.dims(), rows.device(), cell.hidden);
    let projected = values(rows.clone().matmul(weights_without_tape(&cell.input)))?; // [frames × batch × 3 hidden]
    let (input_bias, recurrent_bias) = (bias(&cell.input)?, bias(&cell.recurrent)?);
    let weight = weights_without_tape(&cell.recurrent);
    let (mut states, mut gates) = (vec![0.0; count * n], vec![0.0; count * 4 * n]);
    let mut hidden = vec![0.0; batch * n];
    for (index, &frame) in order(count / batch.max(1), backwards).iter().enumerate() {
        let recurrent = match index {
            0 => vec![0.0; batch * 3 * n],
            _ => values(matrix(hidden.clone(), n, &device).matmul(weight.clone()))?,
        };
        for lane in 0..batch {
            let row = frame * batch + lane;
            let from_input = Parts::<3>::of(&projected[row * 3 * n..][..3 * n], n);
            let from_state = Parts::<3>::of(&recurrent[lane * 3 * n..][..3 * n], n);
            let (b, rb) = (Parts::<3>::of(&input_bias, n), Parts::<3>::of(&recurrent_bias, n));
            let hidden = &mut hidden[lane * n..][..n];
            let [update, reset, candidate, recurrent_term] = split_mut(&mut gates[row * 4 * n..][..4 * n], n);
            for i in 0..n {
                let u = sigmoid(from_input.0[0][i] + b.0[0][i] + from_state.0[0][i] + rb.0[0][i]);
                let r = sigmoid(from_input.0[1][i] + b.0[1][i] + from_state.0[1][i] + rb.0[1][i]);
                let m = from_state.0[2][i] + rb.0[2][i];
                let c = tanh(from_input.0[2][i] + b.0[2][i] + r * m);
                (update[i], reset[i], candidate[i], recurrent_term[i]) = (u, r, c, m);
                hidden[i] = c + u * (hidden[i] - c);
            }
            states[row * n..][..n].copy_from_slice(hidden);
        }
    }
    Ok(CellTrace { states, gates })
}

/// Runs the backward pass of one direction, and returns the gradient of the input rows. The tuple contains the
/// gradients of the states of all directions, [frames × batch × columns], the number of these columns, and the first
/// column of this direction.
fn backward_direction(
    cell: &Cell,
    cell_trace: &CellTrace,
    trace: &Trace,
    (state_gradients, outputs, first_column): (&[f32], usize, usize),
    backwards: bool,
    gradients: &mut GradientsParams,
) -> Result<Tensor<2>> {
    let ([count, _], device, n, batch) = (trace.rows.dims(), trace.rows.device(), cell.hidden, trace.batch);
    let weight = weights_without_tape(&cell.recurrent).transpose(); // [3 hidden, hidden]
    // Gradients of the terms W x and of the terms U h of the gates, and the states h before each step.
    let (mut input_gradients, mut recurrent_gradients) = (vec![0.0; count * 3 * n], vec![0.0; count * 3 * n]);
    let mut previous_states = vec![0.0; count * n];
    // Gradient of the state that flows back from the later step, [batch × hidden].
    let mut carried = vec![0.0; batch * n];
    let order = order(count / batch.max(1), backwards);
    for (index, &frame) in order.iter().enumerate().rev() {
        if let Some(previous_frame) = index.checked_sub(1).map(|index| order[index]) {
            previous_states[frame * batch * n..][..batch * n]
                .copy_from_slice(&cell_trace.states[previous_frame * batch * n..][..batch * n]);
        }
        for lane in 0..batch {
            let row = frame * batch + lane;
            let gates = Parts::<4>::of(&cell_trace.gates[row * 4 * n..][..4 * n], n);
            let previous = &previous_states[row * n..][..n];
            let gradient = &state_gradients[row * outputs + first_column..][..n];
            let carried = &mut carried[lane * n..][..n];
            let [input_u, input_r, input_c] = split_mut(&mut input_gradients[row * 3 * n..][..3 * n], n);
            let [recurrent_u, recurrent_r, recurrent_c] =
                split_mut(&mut recurrent_gradients[row * 3 * n..][..3 * n], n);
            for i in 0..n {
                let [u, r, c, m] = [0, 1, 2, 3].map(|gate| gates.0[gate][i]);
                // Gradients of h', and of the arguments of tanh and of both σ.
                let state = gradient[i] + carried[i];
                let candidate = state * (1.0 - u) * (1.0 - c * c);
                let update = state * (previous[i] - c) * u * (1.0 - u);
                let reset = candidate * m * r * (1.0 - r);
                (input_u[i], input_r[i], input_c[i]) = (update, reset, candidate);
                (recurrent_u[i], recurrent_r[i], recurrent_c[i]) = (update, reset, candidate * r);
                carried[i] = state * u;
            }
        }
        if index > 0 {
            let rows = matrix(recurrent_gradients[frame * batch * 3 * n..][..batch * 3 * n].to_vec(), 3 * n, &device);
            let gradient = values(rows.matmul(weight.clone()))?; // [batch × hidden]
            carried.iter_mut().zip(gradient).for_each(|(carried, gradient)| *carried += gradient);
        }
    }
    // [frames × batch, 3 hidden].
    let (input_gradients, recurrent_gradients) =
        (matrix(input_gradients, 3 * n, &device), matrix(recurrent_gradients, 3 * n, &device));
    register(&cell.recurrent, matrix(previous_states, n, &device), recurrent_gradients, gradients);
    register(&cell.input, trace.rows.clone(), input_gradients.clone(), gradients);
    Ok(input_gradients.matmul(weights_without_tape(&cell.input).transpose()))
}

/// Registers the gradients of a linear layer from its input rows and its output gradient.
fn register(layer: &Linear, rows: Tensor<2>, out: Tensor<2>, gradients: &mut GradientsParams) {
    if let Some(bias) = &layer.bias {
        gradients.register(bias.id, out.clone().sum_dim(0).squeeze_dim::<1>(0));
    }
    gradients.register(layer.weight.id, rows.transpose().matmul(out));
}

/// Returns the weights of a layer without a tape.
fn weights_without_tape(layer: &Linear) -> Tensor<2> {
    layer.weight.val().without_autodiff()
}

/// Returns the bias of a layer, zeros if the layer has none.
fn bias(layer: &Linear) -> Result<Vec<f32>> {
    match &layer.bias {
        Some(bias) => values(bias.val().without_autodiff()),
        None => Ok(vec![0.0; layer.weight.dims()[1]]),
    }
}

/// Creates a tensor, [rows, columns], from values.
fn matrix(values: Vec<f32>, columns: usize, device: &Device) -> Tensor<2> {
    let rows = values.len() / columns;
    Tensor::from_data(TensorData::new(values, [rows, columns]), device)
}

/// A row divided into `N` column ranges of equal width.
struct Parts<'a, const N: usize>([&'a [f32]; N]);

impl<'a, const N: usize> Parts<'a, N> {
    fn of(row: &'a [f32], width: usize) -> Self {
        Self(std::array::from_fn(|part| &row[part * width..][..width]))
    }
}

/// Divides a row into `N` mutable column ranges of equal width.
fn split_mut<const N: usize>(row: &mut [f32], width: usize) -> [&mut [f32]; N] {
    let mut parts = row.chunks_exact_mut(width);
    std::array::from_fn(|_| parts.next().unwrap_or_default())
}

#[inline(always)]
fn sigmoid(x: f32) -> f32 {
    0.5 * tanh(0.5 * x) + 0.5
}

/// Approximates tanh by the rational function of the library Eigen, exact to a few units in the last place. The
/// compiler can vectorise this function, unlike the standard library's tanh.
#[inline(always)]
fn tanh(x: f32) -> f32 {
    let x = x.clamp(-7.905_311, 7.905_311);
    let s = x * x;
    let odd = -2.760_768_5e-16 * s + 2.000_188e-13;
    let odd = ((odd * s - 8.604_672e-11) * s + 5.122_297e-8) * s + 1.485_722_4e-5;
    let odd = (odd * s + 6.372_619e-4) * s + 4.893_524_6e-3;
    let even = ((1.198_258_4e-6 * s + 1.185_347_1e-4) * s + 2.268_434_6e-3) * s + 4.893_525e-3;
    x * odd / even
}

#[cfg(test)]
mod tests {
    use super::*;
    use burn::module::{Module, ModuleVisitor, Param};
    use burn::tensor::{Distribution, Tolerance};
    use kinestitch::nn::recurrent::CellKind;

    #[test]
    fn tanh_and_sigmoid_agree_with_the_standard_library() {
        for step in -2000..2000 {
            let x = step as f32 * 0.005;
            assert!((tanh(x) - x.tanh()).abs() < 3e-7 && (sigmoid(x) - 1.0 / (1.0 + (-x).exp())).abs() < 3e-7, "{x}");
        }
    }

    /// Compares two sets of gradients per parameter, and counts the parameters.
    struct Comparison<'a>(&'a GradientsParams, &'a GradientsParams, usize);

    impl ModuleVisitor for Comparison<'_> {
        fn visit_float<const D: usize>(&mut self, param: &Param<Tensor<D>>) {
            let [ours, burns] = [self.0, self.1].map(|gradients| gradients.get::<D>(param.id).unwrap().into_data());
            ours.assert_approx_eq::<f32>(&burns, Tolerance::absolute(2e-4).set_relative(1e-3));
            self.2 += 1;
        }
    }

    #[test]
    fn gradients_agree_with_burns_automatic_differentiation() {
        let device = Device::flex();
        let tape = device.clone().autodiff();
        let layer = Recurrent::new(CellKind::Bgru, 5, 8, &tape);
        let (frames, batch, outputs) = (7, 3, layer.outputs());
        let rows = Tensor::<2>::random([frames * batch, 5], Distribution::Normal(0.0, 1.0), &device);
        let state_gradients = Tensor::<2>::random([frames * batch, outputs], Distribution::Normal(0.0, 1.0), &device);

        let input = Tensor::from_inner(rows.clone()).require_grad();
        let steps: Vec<_> = (0..frames).map(|frame| input.clone().narrow(0, frame * batch, batch)).collect();
        let states = Tensor::cat(layer.forward(&steps), 0);
        let mut burns = (states.clone() * Tensor::from_inner(state_gradients.clone())).sum().backward();
        let burns_rows = input.grad_remove(&mut burns).unwrap();
        let burns = GradientsParams::from_grads(burns, &layer);

        let (ours_states, trace) = layer.forward_with_trace(rows, batch).unwrap();
        let mut ours = GradientsParams::new();
        let ours_rows = layer.backward(&trace, &values(state_gradients).unwrap(), &mut ours).unwrap();
        let close = Tolerance::absolute(1e-4);
        matrix(ours_states, outputs, &device).into_data().assert_approx_eq::<f32>(&states.into_data(), close);
        ours_rows.into_data().assert_approx_eq::<f32>(&burns_rows.into_data(), close);
        let mut comparison = Comparison(&ours, &burns, 0);
        layer.visit(&mut comparison);
        assert_eq!(comparison.2, 8, "number of compared parameters");
    }
}
