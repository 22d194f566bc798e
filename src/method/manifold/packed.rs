//! Manifold and sampler on packed blocks, for the CPU.

use super::seed::Noise;
use super::sizes::Sizes;
use super::walk::{Layers, Moment, Sample};
use super::{Conditions, FARTHEST};
use crate::error::Result;
use crate::feature::manifold::columns::{Columns, Row};
use crate::feature::manifold::{CHANGE, CONDITION, CONTACTS, MOVES, OFFSET, STATE, STEP, TARGET, TOP, usual};
use crate::nn::activation::{elu, plu, softmax};
use crate::nn::dense::PackedDense;
use crate::nn::experts::PackedExperts;
use crate::nn::normal::PackedNormal;
use crate::nn::recurrent::{CellKind, PackedRecurrent};
use crate::nn::weights::Weights;

/// Both networks, packed.
#[derive(Debug, Clone)]
pub(super) struct Packed {
    pub sizes: Sizes,
    condition: PackedNormal,
    step: PackedNormal,
    moves: PackedNormal,
    encoder: [PackedDense; 3],
    gate: [PackedDense; 3],
    experts: [PackedExperts; 3],
    inputs: [PackedNormal; 3],
    encoders: [[PackedDense; 2]; 3],
    recurrent: PackedRecurrent,
    parse: [PackedDense; 3],
}

impl Packed {
    /// Reads the networks of an open weight file.
    pub fn read(weights: &Weights) -> Result<Self> {
        let sizes: Sizes = weights.config()?;
        let Sizes { latent, experts, hidden, gate, embedding: [first, second], state, parse, .. } = sizes;
        let [past, longest] = [sizes.past, sizes.longest];
        weights
            .check_sizes(&[latent, experts, hidden, gate, first, second, state, parse[0], parse[1], past, longest])?;
        let conditioning = STEP + latent;
        let dense = |name: &str, shape: [usize; 2]| PackedDense::read(weights, name, shape);
        let normal = |name: &str, columns| PackedNormal::read(weights, name, columns);
        let expert = |name: &str, [from, to]: [usize; 2]| PackedExperts::read(weights, name, [experts, from, to]);
        let encoder = |part: usize, columns: usize| -> Result<[PackedDense; 2]> {
            let name = |layer: usize| format!("encoders.{part}.{layer}");
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
                dense("manifold.gate.0", [CONDITION + conditioning, gate])?,
                dense("manifold.gate.1", [gate, gate])?,
                dense("manifold.gate.2", [gate, experts])?,
            ],
            experts: [
                expert("manifold.experts.0", [CONDITION + conditioning, hidden])?,
                expert("manifold.experts.1", [hidden + conditioning, hidden])?,
                expert("manifold.experts.2", [hidden + conditioning, MOVES + CONTACTS])?,
            ],
            inputs: [normal("inputs.0", STATE)?, normal("inputs.1", TARGET)?, normal("inputs.2", OFFSET)?],
            encoders: [encoder(0, STATE)?, encoder(1, TARGET)?, encoder(2, OFFSET)?],
            recurrent: PackedRecurrent::read(weights, "recurrent", CellKind::Lstm, [3 * second, state])?,
            parse: [
                dense("parse.0", [state, parse[0]])?,
                dense("parse.1", [parse[0], parse[1]])?,
                dense("parse.2", [parse[1], latent + CHANGE])?,
            ],
        })
    }

    /// A lane in its initial state.
    pub fn lane(&self, conditions: &Conditions) -> Lane<'_> {
        let Sizes { state, embedding, latent, .. } = self.sizes;
        let rest = || vec![0.0; state];
        Lane {
            packed: self,
            hidden: rest(),
            cell: rest(),
            noise: conditions.seed.map(|seed| Noise::new(seed, embedding[1], latent)),
            pushed: conditions.latent.to_vec(),
        }
    }
}

fn limited(normal: &PackedNormal, row: &Row) -> Vec<f32> {
    let mut row = row.0.clone();
    normal.normalise(&mut row);
    row.iter_mut().for_each(|x| *x = x.clamp(-FARTHEST, FARTHEST));
    row
}

/// Evaluates layers; each but the last is followed by an activation.
fn through(layers: &[PackedDense], row: Vec<f32>, activation: fn(&mut [f32])) -> Vec<f32> {
    let last = layers.len() - 1;
    layers.iter().enumerate().fold(row, |row, (index, layer)| {
        let mut out = layer.forward(&row);
        if index < last {
            activation(&mut out);
        }
        out
    })
}

/// State of one motion in the sampler.
#[derive(Debug, Clone)]
pub(super) struct Lane<'a> {
    packed: &'a Packed,
    hidden: Vec<f32>,
    cell: Vec<f32>,
    noise: Option<Noise>,
    /// Offset of the latent variable in the middle of a gap.
    pushed: Vec<f32>,
}

impl Lane<'_> {
    /// A copy of the state without the offset, if there is one.
    pub fn unpushed(&self) -> Option<Self> {
        let pushes = self.pushed.iter().any(|push| *push != 0.0);
        pushes.then(|| Self { pushed: Vec::new(), ..self.clone() })
    }
}

impl Layers<Row> for Lane<'_> {
    type At = Moment;

    fn sample(&mut self, inputs: [Row; 3], at: Moment) -> Sample<Row> {
        let Packed { sizes, .. } = self.packed;
        let width = sizes.embedding[1];
        let conditioning = at.embedding(width, sizes.longest);
        let mut rows = Vec::with_capacity(3 * width);
        for (part, input) in inputs.iter().enumerate() {
            let mut row = through(&self.packed.encoders[part], limited(&self.packed.inputs[part], input), plu);
            plu(&mut row);
            row.iter_mut().zip(&conditioning).for_each(|(row, conditioning)| *row += conditioning);
            if let (1, Some(noise)) = (part, &self.noise) {
                row.iter_mut().zip(noise.target()).for_each(|(row, one)| *row += at.noise() * one);
            }
            rows.append(&mut row);
        }
        self.packed.recurrent.step(&rows, &mut self.hidden, &mut self.cell);
        let mut out = through(&self.packed.parse, self.hidden.clone(), elu);
        let mut change = out.split_off(sizes.latent);
        if let Some(noise) = &self.noise {
            let (latent, sway) = noise.waves(at);
            out.iter_mut().zip(latent).for_each(|(out, wave)| *out += wave);
            change.iter_mut().zip(sway).for_each(|(change, wave)| *change += wave);
        }
        out.iter_mut().zip(&self.pushed).for_each(|(out, pushed)| *out += at.middle() * pushed);
        let usual = usual(at.since + 1, at.since + at.span - 1);
        change.iter_mut().zip(usual).for_each(|(x, usual)| *x *= usual);
        let change = Row(change);
        let step = change.narrow(0, STEP);
        let (moves, top) = (change.narrow(STEP, MOVES), change.narrow(STEP + MOVES, TOP));
        Sample { latent: Row(out), step, moves, top, hold: Row(vec![at.hold()]) }
    }

    fn encode(&self, condition: &Row, step: &Row, moves: &Row) -> Row {
        let Packed { condition: by, step: by_step, moves: by_moves, encoder, sizes, .. } = self.packed;
        let mut row = limited(by, condition);
        row.append(&mut limited(by_step, step));
        row.append(&mut limited(by_moves, moves));
        let mut both = through(encoder, row, elu);
        both.truncate(sizes.latent);
        Row(both)
    }

    fn decode(&self, condition: &Row, step: &Row, latent: &Row) -> [Row; 2] {
        let Packed { condition: by, step: by_step, moves, gate, experts, .. } = self.packed;
        let conditioning = [limited(by_step, step), latent.0.clone()].concat();
        let mut row = limited(by, condition);
        row.extend(&conditioning);
        let mut shares = through(gate, row.clone(), elu);
        softmax(&mut shares);
        for (index, layer) in experts.iter().enumerate() {
            if index > 0 {
                elu(&mut row);
                row.extend(&conditioning);
            }
            let mut out = vec![0.0; layer.outputs()];
            layer.step(&row, &shares, &mut out);
            row = out;
        }
        let contacts = row.split_off(MOVES);
        moves.denormalise(&mut row);
        [Row(row), Row(contacts)]
    }
}
