//! Gradients of networks with two recurrent layers between an encoder and a decoder. The recurrent layers' gradients
//! are written by hand ([`crate::bptt`]); encoder and decoder have a Burn tape each.

use crate::bptt::Traced;
use crate::run::Batch;
use burn::module::Module;
use burn::optim::{GradientsAccumulator, GradientsParams};
use burn::tensor::{Tensor, TensorData};
use kinestitch::error::Result;
use kinestitch::method::rmr::Rmr;
use kinestitch::nn::device::values;
use kinestitch::nn::recurrent::Recurrent;
use rand::Rng;

/// A network with an encoder, two recurrent layers and a decoder. Rows are time-major, [frames × lanes, columns].
pub trait RecurrentNetwork: Module {
    /// Returns the gated layers between encoder and decoder.
    fn recurrent(&self) -> &[Recurrent; 2];

    /// Returns the dropout rate of the first layer's output, 0 to 1.
    fn dropout_rate(&self) -> f64;

    /// Encodes normalised rows to the input of the recurrent layers.
    fn encode(&self, rows: Tensor<2>) -> Tensor<2>;

    /// Decodes normalised rows and recurrent states to output rows.
    fn decode(&self, rows: Tensor<2>, states: Tensor<2>) -> Tensor<2>;
}

impl RecurrentNetwork for Rmr {
    fn recurrent(&self) -> &[Recurrent; 2] {
        &self.recurrent
    }

    fn dropout_rate(&self) -> f64 {
        self.dropout.prob
    }

    fn encode(&self, rows: Tensor<2>) -> Tensor<2> {
        Rmr::encode(self, rows)
    }

    fn decode(&self, rows: Tensor<2>, states: Tensor<2>) -> Tensor<2> {
        Rmr::decode(self, rows, states)
    }
}

/// Computes the gradients of the first loss times [`Batch::weight`], and the values of all losses. `rows`: normalised
/// input on the autodiff device. `losses`: computes the losses of output rows.
///
/// # Errors
/// [`kinestitch::Error::Weights`] if values cannot be read from the device; those of `losses`.
pub fn gradients<M: RecurrentNetwork>(
    model: &M,
    batch: &Batch,
    rows: Tensor<2>,
    losses: impl FnOnce(Tensor<2>) -> Result<Vec<Tensor<1>>>,
) -> Result<(GradientsParams, Vec<f32>)> {
    let (lanes, recurrent) = (batch.lanes.len(), model.recurrent());
    let encoded = model.encode(rows.clone());
    let (mut states, first) = recurrent[0].forward_with_trace(encoded.clone().without_autodiff(), lanes)?;
    let mask = dropout(model, batch, states.len() / lanes.max(1));
    apply(&mut states, &mask);
    let columns = recurrent[0].outputs();
    let states = TensorData::new(states, [rows.dims()[0], columns]);
    let (states, second) =
        recurrent[1].forward_with_trace(Tensor::from_data(states, &batch.device.clone().inner()), lanes)?;
    let states = TensorData::new(states, [rows.dims()[0], recurrent[1].outputs()]);
    let states = Tensor::<2>::from_data(states, batch.device).require_grad();

    let losses = losses(model.decode(rows, states.clone()))?;
    let loss_values = losses.iter().map(|loss| loss.clone().into_scalar::<f32>()).collect();
    let mut sum = GradientsAccumulator::new();
    if let Some(total) = losses.into_iter().next() {
        let mut tape = (total * batch.weight()).backward();
        if let Some(gradient) = states.grad_remove(&mut tape) {
            let mut gradients = GradientsParams::from_grads(tape, model);
            let gradient = recurrent[1].backward(&second, &values(gradient)?, &mut gradients)?;
            let mut gradient = values(gradient)?;
            apply(&mut gradient, &mask);
            let gradient = recurrent[0].backward(&first, &gradient, &mut gradients)?;
            sum.accumulate(model, gradients);
            // By the chain rule, the gradient of this sum is the gradient of the loss by the encoder's weights.
            let tape = (encoded * Tensor::from_inner(gradient)).sum().backward();
            sum.accumulate(model, GradientsParams::from_grads(tape, model));
        }
    }
    Ok((sum.grads(), loss_values))
}

/// Draws dropout factors, time-major like the rows; empty if the dropout rate is 0. `count`: number of factors per
/// lane. Each lane has its own random generator, so that the result does not depend on the number of threads.
fn dropout<M: RecurrentNetwork>(model: &M, batch: &Batch, count: usize) -> Vec<f32> {
    let (lanes, columns) = (batch.lanes.len(), model.recurrent()[0].outputs());
    let rate = model.dropout_rate() as f32;
    if rate <= 0.0 {
        return Vec::new();
    }
    let mut mask = vec![0.0; count * lanes];
    for (index, lane) in batch.lanes.clone().enumerate() {
        let mut rng = batch.rng(lane);
        let _: [u64; 4] = rng.random(); // skips the random numbers that chose the window
        for row in mask.chunks_exact_mut(columns).skip(index).step_by(lanes) {
            row.iter_mut()
                .for_each(|factor| *factor = if rng.random::<f32>() < rate { 0.0 } else { 1.0 / (1.0 - rate) });
        }
    }
    mask
}

/// Multiplies values by dropout factors. Keeps the values if there are no factors.
fn apply(values: &mut [f32], mask: &[f32]) {
    values.iter_mut().zip(mask).for_each(|(value, factor)| *value *= factor);
}
