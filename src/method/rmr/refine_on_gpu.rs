//! Refines raw rows (not normalised) with the network on tensors, for WebGPU.

use super::{Refinement, Rmr, WindowOptions};
use crate::error::{Error, Result};
use crate::feature::layout::RefinerRow;
use crate::progress::{Progress, Stage};
use burn::tensor::{Tensor, TensorData, activation};

impl Rmr {
    /// Refines raw rows around seams, [frames × 161], as [`super::PackedRmr::refine`], but on the network's device and
    /// without blocking the thread. `seams`: first frame of each clip after the first.
    ///
    /// # Errors
    /// The errors of [`super::PackedRmr::refine`]; [`Error::Device`] if the device fails.
    pub async fn refine(
        &self,
        rows: &[f32],
        seams: &[usize],
        options: WindowOptions,
        progress: &mut Progress<'_>,
    ) -> Result<Vec<f32>> {
        let mut refinement = Refinement::new(rows.to_vec(), seams, options)?;
        while let Some(input) = refinement.input() {
            refinement.merge_output(&self.forward_rows(&input).await?)?;
            progress.at(Stage::Refine, refinement.progress())?;
        }
        Ok(refinement.refined().to_vec())
    }

    /// Evaluates the network on raw rows, [frames × 161] → [frames × 161], as [`super::PackedRmr::forward`], but on the
    /// network's device. Contacts of the result are probabilities.
    ///
    /// # Errors
    /// [`Error::Device`] if the result cannot be read back.
    pub async fn forward_rows(&self, rows: &[f32]) -> Result<Vec<f32>> {
        let rows = TensorData::new(rows.to_vec(), [rows.len() / RefinerRow::WIDTH, RefinerRow::WIDTH]);
        let device = self.normal.mean().device();
        let input = self.normal.normalise(Tensor::from_data(rows, &device)); // [frames, 161]
        let refined = self.infer(input); // [frames, 161]
        let contacts = refined.clone().narrow(1, RefinerRow::CONTACT.start, RefinerRow::CONTACT.width); // [frames, 4]
        let poses = self.normal.denormalise(refined).narrow(1, 0, RefinerRow::CONTACT.start); // [frames, 157]
        let data = Tensor::cat(vec![poses, activation::sigmoid(contacts)], 1).into_data_async().await;
        let data = data.map_err(|error| Error::Device { message: error.to_string() })?;
        data.try_into_vec().map_err(|error| Error::Device { message: error.to_string() })
    }
}
