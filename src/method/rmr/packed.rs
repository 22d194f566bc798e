//! The refiner's network on packed blocks, for the CPU. Other layouts of the blocks and their times: research/notes/rmr.md.

use super::{Config, HIDDEN, LAYOUT, NAME};
use crate::error::Result;
use crate::feature::layout::RefinerRow;
use crate::nn::activation::relu;
use crate::nn::dense::PackedDense;
use crate::nn::normal::PackedNormal;
use crate::nn::recurrent::PackedRecurrent;
use crate::nn::weights::Weights;

/// The refiner, packed.
#[derive(Debug, Clone)]
pub struct PackedRmr {
    normal: PackedNormal,
    encoder: [PackedDense; 2],
    recurrent: [PackedRecurrent; 2],
    decoder: [PackedDense; 2],
}

impl PackedRmr {
    /// Reads the refiner from the bytes of a weight file.
    ///
    /// # Errors
    /// Those of [`Weights::read`] and [`Self::read`].
    pub fn from_bytes(bytes: &[u8]) -> Result<Self> {
        Self::read(&Weights::read(bytes)?)
    }

    /// Reads the refiner from a weight file whose metadata has been read.
    ///
    /// # Errors
    /// [`crate::Error::Weights`] if the file belongs to another network, or its tensors have other sizes.
    pub fn read(weights: &Weights) -> Result<Self> {
        weights.check_layout(NAME, LAYOUT)?;
        let Config { cell, .. } = weights.config()?;
        let dense = |name: &str, shape| PackedDense::read(weights, name, shape);
        let first = PackedRecurrent::read(weights, "recurrent.0", cell, [HIDDEN, HIDDEN])?;
        let second = PackedRecurrent::read(weights, "recurrent.1", cell, [first.outputs(), HIDDEN])?;
        Ok(Self {
            normal: PackedNormal::read(weights, "normal", RefinerRow::WIDTH)?,
            encoder: [dense("encoder.0", [RefinerRow::WIDTH, HIDDEN])?, dense("encoder.1", [HIDDEN, HIDDEN])?],
            decoder: [
                dense("decoder.0", [second.outputs(), HIDDEN])?,
                dense("decoder.1", [HIDDEN, RefinerRow::WIDTH])?,
            ],
            recurrent: [first, second],
        })
    }

    /// Returns the standard deviation of each column, `[161]`: the unit of normalised rows.
    pub fn deviations(&self) -> &[f32] {
        self.normal.deviation()
    }

    /// Refines raw rows, [frames × 161] → [frames × 161]. Contacts of the result are probabilities.
    pub fn forward(&self, rows: &[f32]) -> Vec<f32> {
        let mut normalised = rows.to_vec();
        normalised.chunks_exact_mut(RefinerRow::WIDTH).for_each(|row| self.normal.normalise(row));
        let mut refined = self.infer(&normalised);
        for row in refined.chunks_exact_mut(RefinerRow::WIDTH) {
            let (poses, contacts) = row.split_at_mut(RefinerRow::CONTACT.start);
            self.normal.denormalise(poses);
            contacts.iter_mut().for_each(|value| *value = 1.0 / (1.0 + (-*value).exp()));
        }
        refined
    }

    /// Refines normalised rows, [frames × 161] → [frames × 161]. Contacts of the result are logits. States of the
    /// recurrent layers have 256 columns, those of bidirectional layers 512.
    pub fn infer(&self, rows: &[f32]) -> Vec<f32> {
        let mut encoded = self.encoder[0].forward(rows); // [frames × 256]
        relu(&mut encoded);
        let mut encoded = self.encoder[1].forward(&encoded);
        relu(&mut encoded);
        let states = self.recurrent[1].forward(&self.recurrent[0].forward(&encoded)); // [frames × 256 or 512]
        let mut decoded = self.decoder[0].forward(&states); // [frames × 256]
        relu(&mut decoded);
        let mut refined = self.decoder[1].forward(&decoded); // [frames × 161]
        for (refined, row) in refined.chunks_exact_mut(RefinerRow::WIDTH).zip(rows.chunks_exact(RefinerRow::WIDTH)) {
            for (value, input) in refined.iter_mut().zip(&row[..RefinerRow::CONTACT.start]) {
                *value += input;
            }
        }
        refined
    }
}
