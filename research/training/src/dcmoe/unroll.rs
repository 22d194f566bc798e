//! Gradients through several predicted frames of a lane.
//!
//! Lanes are advanced by plain arithmetic, without a tape. The gradient of a later frame's error must still reach the
//! predictions of earlier frames. Therefore [`GradientCarrier`] has a tensor for the current body and one for the
//! previous body. Their values are zero. Their gradients are those of the bodies with respect to all predictions since
//! the lane's last recorded frame. They are added to the next input (its velocities need both bodies) and to the error
//! of the next body. (This extends the straight-through estimator of Bengio et al. 2013, section 3.)
//!
//! The extrapolation is linear in world space, so its gradient is exact. These dependences on predictions have no
//! gradient: root space, path and gate row of the next input; its rotation vectors from joints to the target; the
//! normalisation of the forward and up vectors of joints; the corrected fraction of the distance to a requested path.

use super::sample::{Advanced, Rows};
use crate::experts::matrix;
use burn::tensor::{Device, Tensor, TensorData};
use kinestitch::body::poses::ROLES;
use kinestitch::feature::controller::JOINT_WIDTH;
use kinestitch::feature::dcmoe::{CONTACT, FPS, INPUT, MOVE, MOVES, SUPPORTS, extrapolation_decays, input_columns};

/// Vectors of a joint: position, forward and up axis.
const VECTORS: usize = MOVE / 3;

/// Tensors of the bodies of all lanes in world space: zero in value, with the gradients of past predictions. They have
/// one row per lane.
pub struct GradientCarrier {
    /// Current body, [rows, roles × vectors, 3].
    current: Tensor<3>,
    /// Body of the previous frame, [rows, roles × vectors, 3].
    previous: Tensor<3>,
}

impl GradientCarrier {
    /// Creates tensors without gradients.
    pub fn none(lanes: usize, device: &Device) -> Self {
        let zeros = Tensor::zeros([lanes, ROLES * VECTORS, 3], device);
        Self { current: zeros.clone(), previous: zeros }
    }

    /// Drops the gradients of lanes whose current frame is recorded.
    pub fn keep_fed_back(self, rows: &[Rows]) -> Self {
        let kept = column(rows, &self.current.device(), |row| f32::from(u8::from(row.is_fed_back)));
        Self { current: self.current * kept.clone(), previous: self.previous * kept }
    }

    /// Returns the tensor to add to the input rows that are not normalised, [rows, input].
    pub fn input(&self, rows: &[Rows]) -> Tensor<2> {
        let (count, device) = (rows.len(), self.current.device());
        let to_root = root_matrices(rows, &device);
        let joints = |vectors: Tensor<3>| vectors.matmul(to_root.clone()).reshape([count, ROLES, MOVE]);
        // Positions are relative to the ground below the hips.
        let moved = self.current.clone() - hips_on_ground(&self.current) * position_mask(&device);
        let velocity = (self.current.clone() - self.previous.clone()) * FPS as f32;
        let velocity = joints(velocity).narrow(2, 0, 3);
        let state = Tensor::cat(vec![joints(moved), velocity], 2).reshape([count, ROLES * JOINT_WIDTH]);
        let to_target = joints(self.current.clone()).narrow(2, 0, 3).neg();
        let rotation = Tensor::zeros(to_target.dims(), &device);
        let [_, target, path] = input_columns();
        let goal = Tensor::cat(vec![to_target, rotation], 2).reshape([count, target.len()]);
        let input = Tensor::cat(vec![state, goal, Tensor::zeros([count, path.len()], &device)], 1);
        debug_assert_eq!(input.dims(), [count, INPUT]);
        input
    }

    /// Advances by one frame. `raw`: output rows that are not normalised, [rows, output]. `advanced`: results of
    /// [`super::sample::Lane::advance`] for the same rows.
    pub fn advance(self, raw: Tensor<2>, rows: &[Rows], advanced: &[Advanced]) -> Self {
        let Self { current, previous } = self;
        let (count, device) = (rows.len(), current.device());
        let constant = |value: fn(&Rows) -> f32| column(rows, &device, value);
        let inverse_span = constant(|row| 1.0 - row.prediction_weight);
        let root_decay = constant(|row| extrapolation_decays(row.span())[0]);
        let rotation_decay = constant(|row| extrapolation_decays(row.span())[1]);
        let excess = current.clone() - previous + current.clone() * inverse_span.clone();
        let hips_excess = excess.clone().narrow(1, 0, 1) * position_mask(&device);
        let carried = (excess - hips_excess.clone()) * rotation_decay + hips_excess * root_decay;
        let raw_change = raw.clone() - raw.detach(); // zero, with the gradient of the output
        let prediction = raw_change.clone().narrow(1, 0, MOVES).reshape([count, ROLES * VECTORS, 3]);
        let prediction = prediction.matmul(root_matrices(rows, &device).transpose());
        let next = current.clone() - current.clone() * inverse_span
            + carried
            + prediction * constant(|row| row.prediction_weight);

        let correction = matrix(advanced.iter().map(|step| step.path_correction).collect(), 1, &device);
        let next = next.clone() - hips_on_ground(&next) * position_mask(&device) * correction.unsqueeze_dim::<3>(2);
        let holds = matrix(advanced.iter().flat_map(|step| step.holds).collect(), ROLES, &device);
        let holds = at_positions(holds, &device) * horizontal_mask(&device);
        let next = next.clone() + (current.clone() - next) * holds;
        let contacts = raw_change.narrow(1, CONTACT, SUPPORTS.len()).unsqueeze_dim::<3>(2);
        let slopes = advanced.iter().flat_map(|step| step.hold_slopes).flat_map(|slope| slope.to_array()).collect();
        let slopes = matrix(slopes, 3, &device).reshape([count, SUPPORTS.len(), 3]);
        Self { current: next + supports_to_body(&device).matmul(slopes * contacts), previous: current }
    }

    /// Returns the tensor of the current body, [rows, roles, 9].
    pub fn body(&self) -> Tensor<3> {
        let [count, _, _] = self.current.dims();
        self.current.clone().reshape([count, ROLES, MOVE])
    }
}

/// Creates a constant of each row, [rows, 1, 1].
fn column(rows: &[Rows], device: &Device, value: impl Fn(&Rows) -> f32) -> Tensor<3> {
    matrix(rows.iter().map(value).collect(), 1, device).unsqueeze_dim::<3>(2)
}

/// Returns matrices that rotate row vectors from world space to root space, [rows, 3, 3].
fn root_matrices(rows: &[Rows], device: &Device) -> Tensor<3> {
    let values: Vec<f32> = rows.iter().flat_map(|row| row.to_root.to_cols_array()).collect();
    Tensor::from_data(TensorData::new(values, [rows.len(), 3, 3]), device)
}

/// Returns x and z of the hips, with y zero, [rows, 1, 3].
fn hips_on_ground(vectors: &Tensor<3>) -> Tensor<3> {
    vectors.clone().narrow(1, 0, 1) * horizontal_mask(&vectors.device())
}

/// Returns the mask of horizontal axes: 1 for x and z, 0 for y, [1, 1, 3].
fn horizontal_mask(device: &Device) -> Tensor<3> {
    Tensor::from_data(TensorData::new(vec![1.0_f32, 0.0, 1.0], [1, 1, 3]), device)
}

/// Returns the mask of positions: 1 for positions, 0 for forward and up axes, [1, roles × vectors, 1].
fn position_mask(device: &Device) -> Tensor<3> {
    at_positions(Tensor::ones([1, ROLES], device), device)
}

/// Returns the matrix that places vectors of supports at their positions in a body, [1, roles × vectors, supports].
fn supports_to_body(device: &Device) -> Tensor<3> {
    let mut values = vec![0.0; ROLES * VECTORS * SUPPORTS.len()];
    for (support, role) in SUPPORTS.iter().enumerate() {
        values[*role as usize * VECTORS * SUPPORTS.len() + support] = 1.0;
    }
    matrix(values, SUPPORTS.len(), device).unsqueeze::<3>()
}

/// Places values of roles, [rows, roles], at the positions of a body, and zeros at the axes, as a tensor of
/// [rows, roles × vectors, 1].
fn at_positions(values: Tensor<2>, device: &Device) -> Tensor<3> {
    let [rows, roles] = values.dims();
    let zeros = Tensor::zeros([rows, roles, VECTORS - 1], device);
    Tensor::cat(vec![values.unsqueeze_dim::<3>(2), zeros], 2).reshape([rows, roles * VECTORS, 1])
}
