//! Manifold and sampler on packed blocks, for the CPU.

use super::seed::Noise;
use super::sizes::Sizes;
use super::step::{Layers, Moment, Sample};
use super::{Conditions, MAX_DEVIATIONS};
use crate::error::Result;
use crate::feature::manifold::columns::{Columns, Row};
use crate::feature::manifold::{
    CHANGE, CONDITION, CONTACTS, MOVES, OFFSET, STATE, STEP, TARGET, UPPER_COLUMNS, typical_difference,
};
use crate::nn::activation::{elu, plu, softmax};
use crate::nn::dense::PackedDense;
use crate::nn::experts::PackedExperts;
use crate::nn::normal::PackedNormal;
use crate::nn::recurrent::{CellKind, PackedRecurrent};
use crate::nn::weights::Weights;

/// Manifold and sampler, packed.
#[derive(Debug, Clone)]
pub(super) struct PackedManifold {
    pub sizes: Sizes,
    // Manifold: normalisation of conditions, steps and moves; encoder; gate and experts of the decoder.
    condition: PackedNormal,
    step: PackedNormal,
    moves: PackedNormal,
    encoder: [PackedDense; 3],
    gate: [PackedDense; 3],
    experts: [PackedExperts; 3],
    // Sampler: normalisation of the inputs of its three encoders; encoders; LSTM; parse decoder.
    inputs: [PackedNormal; 3],
    encoders: [[PackedDense; 2]; 3],
    recurrent: PackedRecurrent,
    parse: [PackedDense; 3],
}

impl PackedManifold {
    /// Reads manifold and sampler from a weight file.
    pub fn read(weights: &Weights) -> Result<Self> {
        let sizes: Sizes = weights.config()?;
        let Sizes { latent, experts, hidden, gate, embedding: [first, second], state, parse, .. } = sizes;
        sizes.check(weights)?;
        // Step and latent variable, which the gate and each layer of the experts read.
        let step_and_latent = STEP + latent;
        let dense = |name: &str, shape: [usize; 2]| PackedDense::read(weights, name, shape);
        let normal = |name: &str, columns| PackedNormal::read(weights, name, columns);
        let expert =
            |name: &str, [inputs, outputs]: [usize; 2]| PackedExperts::read(weights, name, [experts, inputs, outputs]);
        let sampler_encoder = |index: usize, columns: usize| -> Result<[PackedDense; 2]> {
            let name = |layer: usize| format!("encoders.{index}.{layer}");
            Ok([dense(&name(0), [columns, first])?, dense(&name(1), [first, second])?])
        };
        Ok(Self {
            sizes,
            condition: normal("manifold.condition", CONDITION)?,
            step: normal("manifold.step", STEP)?,
            moves: normal("manifold.moves", MOVES)?,
            encoder: [
                dense("manifold.encoder.0", [CONDITION + STEP + MOVES, hidden])?,
                dense("manifold.encoder.1", [hidden, hidden])?,
                dense("manifold.encoder.2", [hidden, 2 * latent])?,
            ],
            gate: [
                dense("manifold.gate.0", [CONDITION + step_and_latent, gate])?,
                dense("manifold.gate.1", [gate, gate])?,
                dense("manifold.gate.2", [gate, experts])?,
            ],
            experts: [
                expert("manifold.experts.0", [CONDITION + step_and_latent, hidden])?,
                expert("manifold.experts.1", [hidden + step_and_latent, hidden])?,
                expert("manifold.experts.2", [hidden + step_and_latent, MOVES + CONTACTS])?,
            ],
            inputs: [normal("inputs.0", STATE)?, normal("inputs.1", TARGET)?, normal("inputs.2", OFFSET)?],
            encoders: [sampler_encoder(0, STATE)?, sampler_encoder(1, TARGET)?, sampler_encoder(2, OFFSET)?],
            recurrent: PackedRecurrent::read(weights, "recurrent", CellKind::Lstm, [3 * second, state])?,
            parse: [
                dense("parse.0", [state, parse[0]])?,
                dense("parse.1", [parse[0], parse[1]])?,
                dense("parse.2", [parse[1], latent + CHANGE])?,
            ],
        })
    }

    /// Creates the state of the sampler for a new motion.
    pub fn lane(&self, conditions: &Conditions) -> Lane<'_> {
        let Sizes { state, embedding, latent, .. } = self.sizes;
        let zeros = || vec![0.0; state];
        Lane {
            packed: self,
            hidden: zeros(),
            cell: zeros(),
            noise: conditions.seed.map(|seed| Noise::new(seed, embedding[1], latent)),
            offset: conditions.latent.to_vec(),
        }
    }
}

/// Normalises a row and clamps its columns to ±[`MAX_DEVIATIONS`].
fn normalise(normal: &PackedNormal, row: &Row) -> Vec<f32> {
    let mut row = row.0.clone();
    normal.normalise(&mut row);
    row.iter_mut().for_each(|x| *x = x.clamp(-MAX_DEVIATIONS, MAX_DEVIATIONS));
    row
}

/// Evaluates layers with an activation after each layer except the last.
fn evaluate(layers: &[PackedDense], row: Vec<f32>, activation: fn(&mut [f32])) -> Vec<f32> {
    let last = layers.len() - 1;
    layers.iter().enumerate().fold(row, |row, (index, layer)| {
        let mut out = layer.forward(&row);
        if index < last {
            activation(&mut out);
        }
        out
    })
}

/// State of the sampler for one motion.
#[derive(Debug, Clone)]
pub(super) struct Lane<'a> {
    packed: &'a PackedManifold,
    hidden: Vec<f32>,
    cell: Vec<f32>,
    noise: Option<Noise>,
    /// Offset of the latent variable in the middle of a gap; missing components are 0.
    offset: Vec<f32>,
}

impl Lane<'_> {
    /// Returns a copy of the state without the offset; `None` if there is no offset.
    pub fn without_offset(&self) -> Option<Self> {
        let has_offset = self.offset.iter().any(|offset| *offset != 0.0);
        has_offset.then(|| Self { offset: Vec::new(), ..self.clone() })
    }
}

impl Layers<Row> for Lane<'_> {
    type Moments = Moment;

    fn sample(&mut self, inputs: [Row; 3], moment: Moment) -> Sample<Row> {
        let PackedManifold { sizes, .. } = self.packed;
        let width = sizes.embedding[1];
        let time_embedding = moment.embedding(width, sizes.longest);
        let mut rows = Vec::with_capacity(3 * width);
        for (index, input) in inputs.iter().enumerate() {
            let mut row = evaluate(&self.packed.encoders[index], normalise(&self.packed.inputs[index], input), plu);
            plu(&mut row);
            row.iter_mut().zip(&time_embedding).for_each(|(x, embedding)| *x += embedding);
            // Only the embedding of the target has noise.
            if let (1, Some(noise)) = (index, &self.noise) {
                row.iter_mut().zip(noise.target_noise()).for_each(|(x, noise)| *x += moment.noise_amplitude() * noise);
            }
            rows.append(&mut row);
        }
        self.packed.recurrent.step(&rows, &mut self.hidden, &mut self.cell);
        let mut latent = evaluate(&self.packed.parse, self.hidden.clone(), elu);
        let mut change = latent.split_off(sizes.latent);
        if let Some(noise) = &self.noise {
            let (latent_wave, change_wave) = noise.waves(moment);
            latent.iter_mut().zip(latent_wave).for_each(|(latent, wave)| *latent += wave);
            change.iter_mut().zip(change_wave).for_each(|(change, wave)| *change += wave);
        }
        latent.iter_mut().zip(&self.offset).for_each(|(latent, offset)| *latent += moment.middle_weight() * offset);
        // The sampler predicts changes in units of the typical difference from the interpolation at this frame.
        let units = typical_difference(moment.elapsed + 1, moment.elapsed + moment.span - 1);
        change.iter_mut().zip(units).for_each(|(x, unit)| *x *= unit);
        let change = Row(change);
        let step = change.narrow(0, STEP);
        let (moves, upper) = (change.narrow(STEP, MOVES), change.narrow(STEP + MOVES, UPPER_COLUMNS));
        Sample { latent: Row(latent), step, moves, upper, hold: Row(vec![moment.hold_weight()]) }
    }

    fn encode(&self, condition: &Row, step: &Row, moves: &Row) -> Row {
        let packed = self.packed;
        let mut row = normalise(&packed.condition, condition);
        row.append(&mut normalise(&packed.step, step));
        row.append(&mut normalise(&packed.moves, moves));
        // The first half of the output is the mean; the second half, the log variance, is for training only.
        let mut output = evaluate(&packed.encoder, row, elu);
        output.truncate(packed.sizes.latent);
        Row(output)
    }

    fn decode(&self, condition: &Row, step: &Row, latent: &Row) -> [Row; 2] {
        let packed = self.packed;
        let step_and_latent = [normalise(&packed.step, step), latent.0.clone()].concat();
        let mut row = normalise(&packed.condition, condition);
        row.extend(&step_and_latent);
        let mut weights = evaluate(&packed.gate, row.clone(), elu);
        softmax(&mut weights);
        for (index, layer) in packed.experts.iter().enumerate() {
            if index > 0 {
                elu(&mut row);
                row.extend(&step_and_latent);
            }
            let mut out = vec![0.0; layer.outputs()];
            layer.apply_row(&row, &weights, &mut out);
            row = out;
        }
        let contacts = row.split_off(MOVES);
        packed.moves.denormalise(&mut row);
        [Row(row), Row(contacts)]
    }
}
