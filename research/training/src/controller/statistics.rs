//! Means and standard deviations of the controller's rows, for normalisation.

use super::sample::{FrameIndex, RowWriter, Source};
use crate::experts::normal::{Normal, Normals, column_groups};
use kinestitch::feature::controller::JOINT_WIDTH;
use kinestitch::method::controller::network::Sizes;
use rand::SeedableRng;
use rand::rngs::StdRng;

/// Frames sampled for the statistics.
const SAMPLED_FRAMES: usize = 6000;

/// Measures the means and standard deviations of input, gate and output on the rows of random frames.
pub fn measure(writer: &RowWriter, source: &Source, sizes: &Sizes, seed: u64) -> Normals {
    let (mut rng, count) = (StdRng::seed_from_u64(seed), SAMPLED_FRAMES);
    let mut input = vec![0.0; count * sizes.input];
    let mut gates = vec![0.0; count * sizes.gate];
    let mut output = vec![0.0; count * sizes.output];
    for index in 0..count {
        let FrameIndex { take, frame, .. } = source.draw(1, &mut rng);
        let take = &source.takes()[take];
        let (input, phases) = (&mut input[index * sizes.input..], &mut gates[index * sizes.gate..]);
        writer.input(take, frame, &mut input[..sizes.input], &mut phases[..sizes.gate]);
        writer.output(take, frame, &mut output[index * sizes.output..][..sizes.output]);
    }
    let layout = &writer.layout;
    let mut input_groups = column_groups(layout.path(), layout.sample_width(), &[2, 2, 2, layout.actions]);
    input_groups.extend([layout.style(), layout.contact()]);
    input_groups.extend(column_groups(layout.state(), JOINT_WIDTH, &[3, 6, 3]));
    let mut output_groups = column_groups(layout.out_path(), layout.sample_width(), &[2, 2, 2, layout.actions]);
    let root = layout.out_root();
    output_groups.extend([root.start..root.start + 2, root.start + 2..root.end, layout.out_contact()]);
    output_groups.extend(column_groups(layout.out_state(), JOINT_WIDTH, &[3, 6, 3]));
    let (phase, half) = (layout.out_phase(), layout.out_phase().len() / 2);
    output_groups.extend([phase.start..phase.start + half, phase.start + half..phase.end]);
    Normals {
        input: Normal::measure(&input, sizes.input, &input_groups),
        gate: Normal::measure(&gates, sizes.gate, std::slice::from_ref(&(0..sizes.gate))),
        output: Normal::measure(&output, sizes.output, &output_groups),
    }
}
