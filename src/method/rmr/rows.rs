//! The network on tensors, from rows to rows, for WebGPU.

use super::{Refinement, Rmr, WindowOptions};
use crate::error::{Error, Result};
use crate::feature::layout::RefinerRow;
use crate::progress::{Progress, Stage};
use burn::tensor::{Tensor, TensorData, activation};

impl Rmr {
    /// [`super::PackedRmr::refine`], on this network's device. Never blocks.
    ///
    /// # Errors
    /// Those of [`super::PackedRmr::refine`]; [`Error::Device`] where the device fails.
    pub async fn refine(
        &self,
        rows: &[f32],
        seams: &[usize],
        options: WindowOptions,
        progress: &mut Progress<'_>,
    ) -> Result<Vec<f32>> {
        let mut refinement = Refinement::new(rows.to_vec(), seams, options)?;
        while let Some(input) = refinement.input() {
            refinement.put(&self.forward_rows(&input).await?)?;
            progress.at(Stage::Refine, refinement.done())?;
        }
        Ok(refinement.refined().to_vec())
    }

    /// [`super::PackedRmr::forward`], on this network's device.
    ///
    /// # Errors
    /// [`Error::Device`] where the result cannot be read back.
    pub async fn forward_rows(&self, rows: &[f32]) -> Result<Vec<f32>> {
        let rows = TensorData::new(rows.to_vec(), [rows.len() / RefinerRow::WIDTH, RefinerRow::WIDTH]);
        let device = self.normal.mean().device();
        let input = self.normal.normalise(Tensor::from_data(rows, &device)); // [frames, 161]
        let refined = self.infer(input); // [frames, 161]
        let touching = refined.clone().narrow(1, RefinerRow::CONTACT.start, RefinerRow::CONTACT.width); // [frames, 4]
        let poses = self.normal.denormalise(refined).narrow(1, 0, RefinerRow::CONTACT.start); // [frames, 157]
        let data = Tensor::cat(vec![poses, activation::sigmoid(touching)], 1).into_data_async().await;
        let data = data.map_err(|error| Error::Device { message: error.to_string() })?;
        data.try_into_vec().map_err(|error| Error::Device { message: error.to_string() })
    }
}
