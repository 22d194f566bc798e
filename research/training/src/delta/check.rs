//! Validation of the delta in-betweener: held-out windows of several gap lengths, scored as in the LAFAN1 benchmark. As
//! in use, a prediction is the mean of those for a window and for its mirror image.

use super::sample::{Sample, Window, sample};
use crate::takes::{Cut, Take};
use glam::Vec3;
use kinestitch::body::poses::{PAST, Poses, ROLES, joint_positions};
use kinestitch::error::Result;
use kinestitch::feature::delta::OUTPUT;
use kinestitch::method::delta::decode;
use kinestitch::metrics::skate::weighted_step;
use kinestitch::motion::rig::Role;

/// Lengths of the gaps whose mean error selects the best checkpoint, frames.
pub const GAPS: [usize; 4] = [5, 15, 30, 45];
/// Lengths of further gaps, whose error is logged.
const LONG_GAPS: [usize; 2] = [60, 90];
/// Length of the shortest take that has a window of each gap length, frames.
pub const SHORTEST_TAKE: usize = PAST + LONG_GAPS[LONG_GAPS.len() - 1] + 1;
/// Standard deviations of positions in LAFAN1, metres, rounded. L2P divides by them.
const DEVIATION: Vec3 = Vec3::new(0.5, 0.25, 0.35);
/// Weight of the mean ratio of foot skate beside that of L2P in [`Ratios::selection`].
const SKATE_WEIGHT: f32 = 0.25;

/// Errors of a network and of the interpolation (slerp, straight lines) in gaps of one length, means over the windows.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct GapErrors {
    /// [`l2p`] of the network and of the interpolation.
    pub l2p: [f32; 2],
    /// [`foot_skate`] of the network and of the interpolation.
    pub skate: [f32; 2],
}

/// Errors of a network relative to those of interpolation, for each gap length: those of [`GAPS`], then the long ones.
#[derive(Debug, Clone, PartialEq)]
pub struct Ratios {
    /// Ratios of L2P.
    pub l2p: Vec<f32>,
    /// Ratios of foot skate.
    pub skate: Vec<f32>,
}

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

/// Computes the mean errors of a network for each gap length. `predict`: computes the output rows of windows of one
/// length, [windows × gap × [`OUTPUT`]].
///
/// # Errors
/// Those of `predict` and of [`decode`].
pub fn check(
    samples: &[Vec<[Sample; 2]>],
    mut predict: impl FnMut(&[Sample]) -> Result<Vec<f32>>,
) -> Result<Vec<GapErrors>> {
    let mut score = |pairs: &Vec<[Sample; 2]>| {
        let mut errors = GapErrors::default();
        for windows in pairs.chunks(16) {
            let rows = predict(windows.as_flattened())?;
            let gap = windows[0][0].truth.len();
            for ([sample, _], rows) in windows.iter().zip(rows.chunks_exact(2 * gap * OUTPUT)) {
                let (rows, mirrored_rows) = rows.split_at(gap * OUTPUT);
                let motion = decode(&sample.input, [rows.to_vec(), mirrored_rows.to_vec()])?;
                let motions = [motion.poses.to_local(sample.input.ground), sample.interpolation()];
                for (source, motion) in motions.iter().enumerate() {
                    errors.l2p[source] += l2p(motion, &sample.truth, &sample.offsets) / pairs.len() as f32;
                    errors.skate[source] += foot_skate(motion, sample) / pairs.len() as f32;
                }
            }
        }
        Ok(errors)
    };
    samples.iter().map(&mut score).collect()
}

impl Ratios {
    /// Computes the ratios of errors by gap length.
    pub fn new(errors: &[GapErrors]) -> Self {
        let ratio = |[network, interpolation]: [f32; 2]| network / interpolation;
        Self {
            l2p: errors.iter().map(|errors| ratio(errors.l2p)).collect(),
            skate: errors.iter().map(|errors| ratio(errors.skate)).collect(),
        }
    }

    /// Returns the mean ratio of L2P over [`GAPS`].
    pub fn mean_l2p(&self) -> f32 {
        self.l2p.iter().take(GAPS.len()).sum::<f32>() / GAPS.len() as f32
    }

    /// Returns the number by which checkpoints are compared; the lowest is the best: [`Ratios::mean_l2p`], plus a quarter
    /// of the mean ratio of foot skate over all lengths. L2P alone prefers networks whose feet slide in long gaps. Not
    /// finite if there are no windows of a length, or if the interpolation has no foot skate.
    pub fn selection(&self) -> f32 {
        self.mean_l2p() + SKATE_WEIGHT * self.skate.iter().sum::<f32>() / self.skate.len() as f32
    }
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

/// Computes the foot skate of a motion that fills a sample's gap: [`weighted_step`] of the toes, metres per frame; the mean
/// over frames and toes.
pub fn foot_skate(motion: &Poses, sample: &Sample) -> f32 {
    let toes = [Role::LeftToe, Role::RightToe].map(|role| role as usize);
    let mut previous = sample.ends[0];
    let mut sum = 0.0;
    for frame in 0..motion.len() {
        let joints = joint_positions(motion.hips[frame], motion.pose(frame), &sample.offsets);
        for toe in toes {
            sum += weighted_step((joints[toe] - previous[toe]).with_y(0.0).length(), joints[toe].y);
        }
        previous = joints;
    }
    sum / (toes.len() * motion.len()) as f32
}
