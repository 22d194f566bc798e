//! The normalisation on tensors. Mean and deviation are parameters of the module, so that they are stored with the
//! weights.

use burn::module::{Module, Param};
use burn::tensor::{Device, Tensor, TensorData};

/// Normalises columns of rows; never trained.
#[derive(Module, Debug)]
pub struct Normal {
    mean: Param<Tensor<1>>,
    deviation: Param<Tensor<1>>,
}

impl Normal {
    /// Creates the normalisation. `mean` and `deviation`: `[columns]`.
    pub fn new(mean: &[f32], deviation: &[f32], device: &Device) -> Self {
        let constant = |values: &[f32]| {
            Param::from_tensor(Tensor::from_data(TensorData::new(values.to_vec(), [values.len()]), device))
                .set_require_grad(false)
        };
        Self { mean: constant(mean), deviation: constant(deviation) }
    }

    /// Returns the mean of each column, [1, columns].
    pub fn mean(&self) -> Tensor<2> {
        self.mean.val().unsqueeze::<2>()
    }

    /// Returns the standard deviation of each column, [1, columns].
    pub fn deviation(&self) -> Tensor<2> {
        self.deviation.val().unsqueeze::<2>()
    }

    /// Normalises raw rows, [rows, columns].
    pub fn normalise(&self, rows: Tensor<2>) -> Tensor<2> {
        (rows - self.mean()) / self.deviation() // [rows, columns]
    }

    /// Converts normalised rows to raw values, [rows, columns].
    pub fn denormalise(&self, rows: Tensor<2>) -> Tensor<2> {
        rows * self.deviation() + self.mean() // [rows, columns]
    }
}
