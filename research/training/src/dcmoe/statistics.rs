//! Means and standard deviations of DC-MoE's rows, for normalisation.

use super::sample::{Rows, Source};
use crate::experts::normal::{Normal, Normals, column_groups};
use kinestitch::body::poses::ROLES;
use kinestitch::feature::controller::JOINT_WIDTH;
use kinestitch::feature::dcmoe::{CHANNELS, CONTACT, MOVE, OUTPUT, PHASE, SAMPLES, input_columns};
use kinestitch::nn::mixture::Sizes;
use rand::SeedableRng;
use rand::rngs::StdRng;

/// Number of random rows that the statistics are measured on.
const SAMPLED_ROWS: usize = 6000;

/// Measures the means and standard deviations of input, gate and output on random rows of the recordings.
pub fn measure(source: &Source, sizes: &Sizes, seed: u64) -> Normals {
    let mut rng = StdRng::seed_from_u64(seed);
    let (mut input, mut gates, mut output) = (Vec::new(), Vec::new(), Vec::new());
    let mut rows = Rows::blank();
    for _ in 0..SAMPLED_ROWS {
        source.draw(1, &mut rng).compute_rows(source, 0.0, &mut rng, &mut rows);
        input.extend_from_slice(&rows.input);
        gates.extend_from_slice(&rows.gate);
        output.extend_from_slice(&rows.truth);
    }
    let [state, target, path] = input_columns();
    let mut input_groups = column_groups(state, JOINT_WIDTH, &[3, 6, 3]);
    input_groups.extend(column_groups(target, 6, &[3, 3]));
    input_groups.extend(column_groups(path, 6, &[2, 2, 2]));
    let mut output_groups = column_groups(0..MOVE * ROLES, MOVE, &[3, 6]);
    output_groups.extend([CONTACT..PHASE, PHASE..OUTPUT]);
    // Only phases are normalised; the gate's other columns are already of order 1.
    let phases = 0..2 * CHANNELS * SAMPLES;
    let mut gate = Normal::measure(&gates, sizes.gate, std::slice::from_ref(&phases));
    gate.mean.fill(0.0);
    gate.deviation[phases.end..].fill(1.0);
    Normals {
        input: Normal::measure(&input, sizes.input, &input_groups),
        gate,
        output: Normal::measure(&output, sizes.output, &output_groups),
    }
}
