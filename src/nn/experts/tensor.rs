//! An expert layer on tensors.

use burn::module::{Module, Param};
use burn::tensor::{Device, Distribution, Tensor};

/// An expert layer.
#[derive(Module, Debug)]
pub struct Experts {
    /// [experts, inputs, outputs].
    weight: Param<Tensor<3>>,
    /// [experts, outputs].
    bias: Param<Tensor<2>>,
}

impl Experts {
    /// Creates an untrained layer with uniform random weights (Glorot and Bengio 2010) and zero biases.
    pub fn new([experts, inputs, outputs]: [usize; 3], device: &Device) -> Self {
        let bound = (6.0 / (inputs + outputs) as f64).sqrt();
        let weight = Tensor::random([experts, inputs, outputs], Distribution::Uniform(-bound, bound), device);
        let bias = Tensor::zeros([experts, outputs], device);
        Self { weight: Param::from_tensor(weight), bias: Param::from_tensor(bias) }
    }

    /// Applies the layers, blended by each row's `expert_weights`, [batch, experts], to rows, [batch, inputs] → [batch,
    /// outputs].
    pub fn forward(&self, rows: Tensor<2>, expert_weights: Tensor<2>) -> Tensor<2> {
        let products = rows.unsqueeze_dim::<3>(0).matmul(self.weight.val()); // [experts, batch, outputs]
        let factors = expert_weights.clone().swap_dims(0, 1).unsqueeze_dim::<3>(2); // [experts, batch, 1]
        let blended = (products * factors).sum_dim(0).squeeze_dim::<2>(0); // [batch, outputs]
        blended + expert_weights.matmul(self.bias.val())
    }
}
