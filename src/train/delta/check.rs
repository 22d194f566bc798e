//! Validation: held-out windows of four lengths, by the benchmark's measures.

use super::learn::{Normal, stacked};
use super::sample::{Sample, Window, sample};
use super::step::{Network, Pass};
use crate::feature::delta::{OUTPUT, PAST, Poses, ROLES, answer, joints};
use crate::train::takes::{Cut, Take};
use glam::Vec3;

/// Lengths of the gaps.
pub const GAPS: [usize; 4] = [5, 15, 30, 45];
/// Standard deviations of LAFAN1's positions, metres, rounded: L2P's units.
const DEVIATION: Vec3 = Vec3::new(0.5, 0.25, 0.35);

/// Samples of each length, every `stride` frames of the takes.
pub fn samples(takes: &[Take], stride: usize) -> Vec<Vec<Sample>> {
    let of = |gap: usize| {
        let window = Window { past: PAST, gap, target: 1 };
        let one = |take: &Take| -> Vec<Sample> {
            let last = (take.poses.len() + 1).saturating_sub(PAST + 45 + 1);
            (0..last).step_by(stride).map(|start| sample(&Cut::plain(take, start), window)).collect()
        };
        takes.iter().flat_map(one).collect()
    };
    GAPS.map(of).into()
}

/// L2P of the network, and of slerp and straight lines, for each length.
pub fn check(network: &Network, normal: &Normal, weights: &[f32], samples: &[Vec<Sample>]) -> Vec<[f32; 2]> {
    let mut pass = Pass::default();
    let mut score = |samples: &Vec<Sample>| {
        let mut sums = [0.0; 2];
        for chunk in samples.chunks(32) {
            let (rows, spans) = stacked(normal, chunk);
            network.forward(weights, &rows, &spans, &mut pass);
            for (sample, span) in chunk.iter().zip(&spans) {
                let own = &pass.out[(span.start + sample.question.past) * OUTPUT..];
                let ours = answer(&sample.question, own).0.moved(sample.question.frame);
                sums[0] += l2p(&ours, &sample.truth, &sample.offsets);
                sums[1] += l2p(&sample.plain(), &sample.truth, &sample.offsets);
            }
        }
        sums.map(|sum| sum / samples.len().max(1) as f32)
    };
    samples.iter().map(&mut score).collect()
}

/// L2P of a motion, with usual deviations: those of LAFAN1's positions, rounded.
pub fn l2p(ours: &Poses, truth: &Poses, offsets: &[Vec3; ROLES]) -> f32 {
    let gap = truth.len();
    let one = |at: usize| -> f32 {
        let [a, b] = [ours, truth].map(|poses| joints(poses.hips[at], poses.pose(at), offsets));
        a.iter().zip(&b).map(|(a, b)| ((*a - *b) / DEVIATION).length_squared()).sum::<f32>().sqrt()
    };
    (0..gap).map(one).sum::<f32>() / gap as f32
}
