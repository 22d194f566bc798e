//! Gradients through several predicted frames of a lane.
//!
//! Lanes are advanced by plain arithmetic, without a tape. The gradient of a later frame's error must still reach the
//! predictions of earlier frames. Therefore [`GradientCarrier`] has tensors whose values are zero, and whose gradients
//! are those of the next rows with respect to all predictions since the lane's last recorded frame. They are added to
//! the next rows before these are normalised. (This extends the straight-through estimator of Bengio et al. 2013,
//! section 3.) Feedback is linear, so the gradients are exact.

use super::sample::PREDICTED_PHASE_WEIGHT;
use crate::experts::matrix;
use burn::tensor::{Device, Tensor};
use kinestitch::feature::controller::{AHEAD, Layout, NOW};

/// Tensors of the next rows of all lanes: zero in value, with the gradients of past predictions.
pub struct GradientCarrier {
    /// Rows of the network, [lanes, input].
    pub input: Tensor<2>,
    /// Rows of the gate, [lanes, gate].
    pub gates: Tensor<2>,
}

impl GradientCarrier {
    /// Creates tensors without gradients.
    pub fn none(lanes: usize, layout: &Layout, device: &Device) -> Self {
        Self {
            input: Tensor::zeros([lanes, layout.input_width()], device),
            gates: Tensor::zeros([lanes, layout.gate_width()], device),
        }
    }

    /// Drops the gradients of lanes whose current frame is recorded. `fed_back`: whether it is fed back, by lane.
    pub fn keep_fed_back(self, fed_back: &[bool]) -> Self {
        let kept = fed_back.iter().map(|fed_back| f32::from(u8::from(*fed_back))).collect();
        let kept = matrix(kept, 1, &self.input.device());
        Self { input: self.input * kept.clone(), gates: self.gates * kept }
    }

    /// Advances by one frame, as [`super::sample::RowWriter::feed_back`] does. `raw`: output rows that are not
    /// normalised, [lanes, output].
    pub fn advance(self, raw: Tensor<2>, layout: &Layout) -> Self {
        let device = raw.device();
        let [lanes, _] = raw.dims();
        let zeros = |columns: usize| Tensor::zeros([lanes, columns], &device);
        let change = raw.clone() - raw.clone().detach(); // zero, with the gradient of the output
        let columns = |range: std::ops::Range<usize>| change.clone().narrow(1, range.start, range.len());
        // Contacts are clamped to 0..1, so that values outside have no gradient.
        let contacts = raw.detach().narrow(1, layout.out_contact().start, layout.contacts);
        let inside = contacts.clone().equal(contacts.clamp(0.0, 1.0)).float();
        let input = vec![
            zeros(layout.state().start),
            columns(layout.out_state()),
            zeros(NOW * layout.contacts),
            columns(layout.out_contact()) * inside,
        ];
        let (first, count) = (2 * NOW * layout.limbs, 2 * AHEAD * layout.limbs);
        let phases = columns(layout.out_phase());
        let [predicted, changes] = [0, count].map(|start| phases.clone().narrow(1, start, count));
        let current = self.gates.narrow(1, first, count);
        let next = predicted * PREDICTED_PHASE_WEIGHT + (current + changes) * (1.0 - PREDICTED_PHASE_WEIGHT);
        Self { input: Tensor::cat(input, 1), gates: Tensor::cat(vec![zeros(first), next], 1) }
    }
}
