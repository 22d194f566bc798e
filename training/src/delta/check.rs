//! Validation of the delta in-betweener: held-out windows of several gap lengths, scored as in the LAFAN1 benchmark. As
//! in use, a prediction is the mean of those for a window and for its mirror image.

use super::sample::{Sample, Window, sample};
use crate::takes::{Cut, Take};
use glam::Vec3;
use kinestitch::body::poses::{PAST, Poses, ROLES, joint_positions};
use kinestitch::error::Result;
use kinestitch::feature::delta::OUTPUT;
use kinestitch::method::delta::decode;

/// Lengths of the gaps whose mean error selects the best checkpoint, frames.
pub const GAPS: [usize; 4] = [5, 15, 30, 45];
/// Lengths of further gaps, whose error is logged.
const LONG_GAPS: [usize; 2] = [60, 90];
/// Standard deviations of positions in LAFAN1, metres, rounded. L2P divides by them.
const DEVIATION: Vec3 = Vec3::new(0.5, 0.25, 0.35);

/// Creates validation samples for each gap length, each with its mirror image. A sample starts every `stride` frames of
/// the takes.
pub fn samples<'a>(takes: impl IntoIterator<Item = &'a Take>, stride: usize) -> Vec<Vec<[Sample; 2]>> {
    let takes: Vec<&Take> = takes.into_iter().collect();
    let samples_of_length = |gap: usize| {
        let window = Window { past: PAST, gap, target: 1 };
        let samples_of_take = |take: &Take| -> Vec<[Sample; 2]> {
            let longest = gap.max(GAPS[GAPS.len() - 1]);
            let end = (take.poses.len() + 1).saturating_sub(PAST + longest + 1);
            let cut = |start: usize, mirrored: bool| Cut { mirrored, ..Cut::unchanged(take, start) };
            let pair = |start: usize| [false, true].map(|mirrored| sample(&cut(start, mirrored), window));
            (0..end).step_by(stride).map(pair).collect()
        };
        takes.iter().copied().flat_map(samples_of_take).collect()
    };
    GAPS.into_iter().chain(LONG_GAPS).map(samples_of_length).collect()
}

/// Computes the mean L2P of a network and of the interpolation (slerp, straight lines) for each gap length. `predict`:
/// computes the output rows of windows of one length, [windows × gap × [`OUTPUT`]].
///
/// # Errors
/// Those of `predict` and of [`decode`].
pub fn check(
    samples: &[Vec<[Sample; 2]>],
    mut predict: impl FnMut(&[Sample]) -> Result<Vec<f32>>,
) -> Result<Vec<[f32; 2]>> {
    let mut score = |pairs: &Vec<[Sample; 2]>| {
        let mut sums = [0.0; 2];
        for pairs in pairs.chunks(16) {
            let rows = predict(pairs.as_flattened())?;
            let gap = pairs[0][0].truth.len();
            for ([sample, _], rows) in pairs.iter().zip(rows.chunks_exact(2 * gap * OUTPUT)) {
                let (rows, mirrored_rows) = rows.split_at(gap * OUTPUT);
                let motion = decode(&sample.input, [rows.to_vec(), mirrored_rows.to_vec()])?;
                let motion = motion.poses.to_local(sample.input.ground);
                sums[0] += l2p(&motion, &sample.truth, &sample.offsets);
                sums[1] += l2p(&sample.interpolation(), &sample.truth, &sample.offsets);
            }
        }
        Ok(sums.map(|sum| sum / pairs.len().max(1) as f32))
    };
    samples.iter().map(&mut score).collect()
}

/// Computes the ratio of the network's L2P to the L2P of interpolation for each gap length. Returns the mean ratio of
/// [`GAPS`], which selects the best checkpoint, and all ratios.
pub fn ratios(scores: &[[f32; 2]]) -> (f32, Vec<f32>) {
    let ratios: Vec<f32> = scores.iter().map(|[network, interpolation]| network / interpolation).collect();
    (ratios.iter().take(GAPS.len()).sum::<f32>() / GAPS.len() as f32, ratios)
}

/// Computes the L2P of a motion (Harvey et al. 2020): in each frame the norm of the differences of all joint positions
/// from the truth, in rounded standard deviations of LAFAN1; the mean over frames.
pub fn l2p(motion: &Poses, truth: &Poses, offsets: &[Vec3; ROLES]) -> f32 {
    let gap = truth.len();
    let difference = |frame: usize| -> f32 {
        let [a, b] = [motion, truth].map(|poses| joint_positions(poses.hips[frame], poses.pose(frame), offsets));
        a.iter().zip(&b).map(|(a, b)| ((*a - *b) / DEVIATION).length_squared()).sum::<f32>().sqrt()
    };
    (0..gap).map(difference).sum::<f32>() / gap as f32
}
