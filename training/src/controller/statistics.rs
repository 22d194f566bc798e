//! Statistics of the controller's rows.

use super::sample::{FrameIndex, Rows, Source};
use crate::experts::normal::{Normal, Normals, column_groups};
use kinestitch::feature::controller::JOINT;
use kinestitch::method::controller::network::Sizes;
use rand::SeedableRng;
use rand::rngs::StdRng;

/// Frames sampled for the statistics.
const STATISTICS: usize = 6000;

/// Measures the statistics of the rows of random frames.
pub fn measure(rows: &Rows, source: &Source, sizes: &Sizes, seed: u64) -> Normals {
    let (mut rng, count) = (StdRng::seed_from_u64(seed), STATISTICS);
    let mut input = vec![0.0; count * sizes.input];
    let mut gates = vec![0.0; count * sizes.gate];
    let mut output = vec![0.0; count * sizes.output];
    for index in 0..count {
        let FrameIndex { take, frame, .. } = source.draw(1, &mut rng);
        let take = &source.takes()[take];
        let (input, phases) = (&mut input[index * sizes.input..], &mut gates[index * sizes.gate..]);
        rows.input(take, frame, &mut input[..sizes.input], &mut phases[..sizes.gate]);
        rows.output(take, frame, &mut output[index * sizes.output..][..sizes.output]);
    }
    let layout = &rows.layout;
    let mut of_input = column_groups(layout.path(), layout.sample_width(), &[2, 2, 2, layout.actions]);
    of_input.extend([layout.style(), layout.contact()]);
    of_input.extend(column_groups(layout.state(), JOINT, &[3, 6, 3]));
    let mut of_output = column_groups(layout.out_path(), layout.sample_width(), &[2, 2, 2, layout.actions]);
    let root = layout.out_root();
    of_output.extend([root.start..root.start + 2, root.start + 2..root.end, layout.out_contact()]);
    of_output.extend(column_groups(layout.out_state(), JOINT, &[3, 6, 3]));
    let (phase, half) = (layout.out_phase(), layout.out_phase().len() / 2);
    of_output.extend([phase.start..phase.start + half, phase.start + half..phase.end]);
    Normals {
        input: Normal::of(&input, sizes.input, &of_input),
        gate: Normal::of(&gates, sizes.gate, std::slice::from_ref(&(0..sizes.gate))),
        output: Normal::of(&output, sizes.output, &of_output),
    }
}
