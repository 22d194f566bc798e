//! Recurrent motion refiner: Kim et al., *Recurrent Motion Refiner for Locomotion Stitching*. [`network`] is section 5,
//! [`window`] section 6; here both together, from rows to rows.

pub mod network;
pub mod window;

pub use network::{Config, CpuRmr, Rmr};
pub use window::WindowOptions;

use crate::error::{Error, Result};
use crate::feature::layout::Refiner as Row;
use crate::nn::device;
use crate::progress::Progress;
use burn::tensor::{Device, Tensor, TensorData, activation};

/// A trained refiner on its device.
#[derive(Debug)]
pub struct Refiner {
    /// The network.
    pub model: Rmr,
    /// Where its tensors are.
    pub device: Device,
    /// Its layers packed for the CPU, where it runs there.
    packed: Option<CpuRmr>,
}

impl Refiner {
    /// A network whose tensors are on `device`, run by Burn.
    pub fn new(model: Rmr, device: Device) -> Self {
        Self { model, device, packed: None }
    }

    /// The refiner of a weight file, for the CPU.
    ///
    /// # Errors
    /// [`Error::Weights`] where the file does not load.
    pub fn on_cpu(bytes: &[u8]) -> Result<Self> {
        let device = device::cpu();
        let model = Rmr::load(bytes, &device)?;
        Ok(Self { packed: Some(CpuRmr::new(&model)?), model, device })
    }

    /// Refines raw rows, [frames × 161], around their seams ([`window`]). Rows outside every window come back bit-equal; in
    /// windows contacts are probabilities, and root displacements what the network predicts.
    ///
    /// # Errors
    /// [`Error::Option`] where `rows` are no whole number of rows, [`Error::Device`] where the device fails,
    /// [`Error::Aborted`] where `progress` says so.
    pub async fn refine(
        &self,
        rows: &[f32],
        seams: &[usize],
        options: WindowOptions,
        progress: &mut Progress<'_>,
    ) -> Result<Vec<f32>> {
        if !rows.len().is_multiple_of(Row::WIDTH) {
            let message = format!("{} numbers are no whole rows of {}", rows.len(), Row::WIDTH);
            return Err(Error::Option { option: "rows", message });
        }
        window::refine_with(rows, seams, options, async |rows: &[f32]| self.forward(rows).await, progress).await
    }

    /// Standard deviation of each column of the rows, [161]: what one normalised unit is.
    ///
    /// # Errors
    /// [`Error::Device`] where it cannot be read back.
    pub async fn deviations(&self) -> Result<Vec<f32>> {
        read(self.model.normal.deviation()).await
    }

    /// One pass over raw rows, [frames × 161]; contacts come out as probabilities.
    ///
    /// # Errors
    /// [`Error::Device`] where the result cannot be read back, or is not finite.
    pub async fn forward(&self, rows: &[f32]) -> Result<Vec<f32>> {
        let rows = match &self.packed {
            Some(packed) => packed.forward(rows),
            None => self.forward_on_device(rows).await?,
        };
        if !rows.iter().all(|value| value.is_finite()) {
            return Err(Error::Device { message: "it gave rows that are not finite".to_owned() });
        }
        Ok(rows)
    }

    async fn forward_on_device(&self, rows: &[f32]) -> Result<Vec<f32>> {
        let rows = TensorData::new(rows.to_vec(), [rows.len() / Row::WIDTH, Row::WIDTH]);
        let input = self.model.normal.normalise(Tensor::from_data(rows, &self.device)); // [frames, 161]
        let refined = self.model.infer(input); // [frames, 161]
        let touching = refined.clone().narrow(1, Row::CONTACT.start, Row::CONTACT.width); // [frames, 4]
        let poses = self.model.normal.denormalise(refined).narrow(1, 0, Row::CONTACT.start); // [frames, 157]
        read(Tensor::cat(vec![poses, activation::sigmoid(touching)], 1)).await
    }
}

/// A tensor's values, row by row. Never blocks.
async fn read(tensor: Tensor<2>) -> Result<Vec<f32>> {
    let data = tensor.into_data_async().await.map_err(|error| Error::Device { message: error.to_string() })?;
    data.try_into_vec().map_err(|error| Error::Device { message: error.to_string() })
}
