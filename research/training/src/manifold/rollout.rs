//! Rollout of the sampler over a batch, with gradients, in two passes. The first pass runs without gradients and
//! computes the input row of each frame. The second pass recomputes all frames from these inputs, with one matrix
//! product per layer for all frames, except in the LSTM.
//!
//! Gradients flow between frames through the LSTM's state, but not through generated rows: a generated row is a
//! constant in the input of the next frame.

use burn::tensor::Tensor;
use kinestitch::feature::manifold::columns::Columns;
use kinestitch::method::manifold::step::{Moment, MotionState};
use kinestitch::method::manifold::tensor::{Lanes, ManifoldSampler};

/// A batch of gaps of one length. Each tensor holds one frame of all lanes, [lanes, columns], without gradients.
pub struct Gaps<'a> {
    /// Rows of the recordings: `past` + 2 frames before the gap, the gap, the target. The first frame gives only the
    /// speed of the second; the last frame before the gap is the input of the gap's first frame.
    pub truth: &'a [Tensor<2>],
    /// Rows of the interpolation in the gap.
    pub interpolation: &'a [Tensor<2>],
    /// Number of frames that the LSTM reads before the gap.
    pub past: usize,
    /// Whether only one frame before the gap is known, so that its speed is unknown; `past` is then 0.
    pub is_single: bool,
}

impl Gaps<'_> {
    /// Returns the rows of the target frame.
    fn target(&self) -> &Tensor<2> {
        &self.truth[self.truth.len() - 1]
    }

    /// Returns the moment from which a frame of the gap is predicted: that of the frame before it.
    fn moment(&self, frame: usize) -> Moment {
        Moment { elapsed: frame, span: self.interpolation.len() + 1 - frame }
    }

    /// Runs the LSTM over the known frames.
    fn observe(&self, lanes: &mut Lanes) {
        let known_frames = 1..self.past + 1;
        if known_frames.is_empty() {
            return;
        }
        let moments = known_frames
            .clone()
            .map(|frame| Moment { elapsed: 0, span: self.interpolation.len() + 2 + self.past - frame });
        let rows = |offset: isize| {
            let rows = known_frames.clone().map(|frame| self.truth[frame.wrapping_add_signed(offset)].clone());
            Tensor::cat(rows.collect(), 0) // [past × lanes, columns]
        };
        let motion = MotionState::between(&rows(-1), &rows(0));
        motion.observe(lanes, &self.target().clone().repeat_dim(0, self.past), &rows(1), moments.collect());
    }

    /// Runs the first pass: computes the input row of each frame of the gap, [gap × lanes, columns]. `network` and
    /// `noise` must not require gradients.
    pub fn roll_out(&self, network: &ManifoldSampler, noise: Tensor<2>) -> MotionState<Tensor<2>> {
        let mut lanes = network.lanes(noise);
        self.observe(&mut lanes);
        let last = self.past + 1;
        let mut motion = MotionState::between(&self.truth[last - 1], &self.truth[last]);
        if self.is_single {
            motion.rate = self.target().minus(&motion.row).scale(1.0 / (self.interpolation.len() + 1) as f32);
        }
        let mut inputs = Vec::with_capacity(self.interpolation.len());
        for (frame, row) in self.interpolation.iter().enumerate() {
            inputs.push(motion.clone());
            (motion, _) = motion.next(&mut lanes, self.target(), row, vec![self.moment(frame)]);
        }
        let (rows, rates) = inputs.into_iter().map(|motion| (motion.row, motion.rate)).unzip();
        MotionState { row: Tensor::cat(rows, 0), rate: Tensor::cat(rates, 0) }
    }

    /// Runs the second pass: computes the generated rows, [gap × lanes, columns], with gradients. `inputs`: result of
    /// [`Gaps::roll_out`].
    pub fn recompute(&self, network: &ManifoldSampler, noise: Tensor<2>, inputs: &MotionState<Tensor<2>>) -> Tensor<2> {
        let mut lanes = network.lanes(noise);
        self.observe(&mut lanes);
        let target = self.target().clone().repeat_dim(0, self.interpolation.len());
        let moments = (0..self.interpolation.len()).map(|frame| self.moment(frame)).collect();
        let (generated, _) = inputs.next(&mut lanes, &target, &Tensor::cat(self.interpolation.to_vec(), 0), moments);
        generated.row
    }
}
