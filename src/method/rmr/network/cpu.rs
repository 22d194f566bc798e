//! The refiner on slices, for inference on the CPU.

use super::Rmr;
use crate::error::Result;
use crate::feature::layout::Refiner;
use crate::nn::packed::{Sequence, values};
use crate::nn::recurrent::cpu::CpuRecurrent;

/// The refiner's layers, packed.
#[derive(Debug, Clone)]
pub struct CpuRmr {
    mean: Vec<f32>,
    deviation: Vec<f32>,
    encoder: [Sequence; 2],
    recurrent: [CpuRecurrent; 2],
    decoder: [Sequence; 2],
}

impl CpuRmr {
    /// Packs a network's weights, wherever they are; with WebGPU they cannot be read without waiting.
    ///
    /// # Errors
    /// [`crate::Error::Weights`] where they cannot be read back from their device.
    pub fn new(model: &Rmr) -> Result<Self> {
        let [encode, encoded] = &model.encoder;
        let [first, second] = &model.recurrent;
        let [decode, decoded] = &model.decoder;
        Ok(Self {
            mean: values(model.normal.mean())?,
            deviation: values(model.normal.deviation())?,
            encoder: [Sequence::new(encode)?, Sequence::new(encoded)?],
            recurrent: [CpuRecurrent::new(first)?, CpuRecurrent::new(second)?],
            decoder: [Sequence::new(decode)?, Sequence::new(decoded)?],
        })
    }

    /// Raw rows, [frames × 161], in and out; contacts come out as probabilities.
    pub fn forward(&self, rows: &[f32]) -> Vec<f32> {
        let mut refined = rows.to_vec();
        for row in refined.chunks_exact_mut(Refiner::WIDTH) {
            for ((value, mean), deviation) in row.iter_mut().zip(&self.mean).zip(&self.deviation) {
                *value = (*value - mean) / deviation;
            }
        }
        let mut refined = self.infer(&refined);
        for row in refined.chunks_exact_mut(Refiner::WIDTH) {
            let (poses, contacts) = row.split_at_mut(Refiner::CONTACT.start);
            for ((value, mean), deviation) in poses.iter_mut().zip(&self.mean).zip(&self.deviation) {
                *value = *value * deviation + mean;
            }
            contacts.iter_mut().for_each(|value| *value = 1.0 / (1.0 + (-*value).exp()));
        }
        refined
    }

    /// What [`Rmr::infer`] computes: normalised rows, [frames × 161], in and out.
    pub fn infer(&self, rows: &[f32]) -> Vec<f32> {
        let encoded = relu(self.encoder[1].forward(&relu(self.encoder[0].forward(rows)))); // [frames × 256]
        let states = self.recurrent[1].forward(&self.recurrent[0].forward(&encoded)); // [frames × 512]
        let mut refined = self.decoder[1].forward(&relu(self.decoder[0].forward(&states))); // [frames × 161]
        for (refined, row) in refined.chunks_exact_mut(Refiner::WIDTH).zip(rows.chunks_exact(Refiner::WIDTH)) {
            for (value, input) in refined.iter_mut().zip(&row[..Refiner::CONTACT.start]) {
                *value += input;
            }
        }
        refined
    }
}

fn relu(mut values: Vec<f32>) -> Vec<f32> {
    values.iter_mut().for_each(|value| *value = value.max(0.0));
    values
}
