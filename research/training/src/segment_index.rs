//! Search for the nearest motion segments of one length: the reference motion database M_l of RMR, section 4.
//!
//! The features of a segment are the joint positions of its first frame (weight 0.1) and last frame (weight 1), and its
//! root trajectory (weight 1). They are projected on their principal axes and searched by a k-d tree. Candidates are
//! ranked again by their full features.

use crate::data::{Recording, Split};
use glam::Vec3;
use kiddo::SquaredEuclidean;
use kiddo::immutable::float::kdtree::ImmutableKdTree;
use kinestitch::body::{GroundPose, biped};
use kinestitch::motion::fk::Pose;
use kinestitch::motion::rig::Role;
use kinestitch::motion::vector::mirror_point;
use nalgebra::{DMatrix, DVector, SymmetricEigen};
use std::num::NonZero;

/// Number of principal axes. With more axes, the search in the k-d tree is not faster.
const AXES: usize = 12;
/// Number of the tree's candidates that are ranked by their full features.
const CANDIDATES: usize = 96;
/// Points of the root trajectory in a feature.
const TRAJECTORY_POINTS: usize = 5;
/// Number of joints of the canonical body.
const JOINTS: usize = Role::ALL.len();
/// Number of values of a feature: two positions per joint; per trajectory point, x, z, and sine and cosine of
/// the change of heading.
const WIDTH: usize = JOINTS * 3 * 2 + TRAJECTORY_POINTS * 4;
/// Frames between the starts of neighbouring segments in the database.
pub const STRIDE: usize = 3;

/// A range of frames of a recording, possibly mirrored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Segment {
    /// Index of the recording.
    pub recording: usize,
    /// First frame.
    pub start: usize,
    /// Whether left and right are exchanged.
    pub mirrored: bool,
}

/// Index of all training segments of one length.
pub struct SegmentIndex {
    length: usize,
    segments: Vec<Segment>,
    features: Vec<[f32; WIDTH]>,
    mean: DVector<f32>,
    axes: DMatrix<f32>,
    tree: ImmutableKdTree<f32, u32, AXES, 32>,
}

impl SegmentIndex {
    /// Indexes every training segment of `length` frames, mirrored ones included.
    pub fn new(recordings: &[Recording], length: usize) -> Self {
        let mut segments = Vec::new();
        for (recording, r) in recordings.iter().enumerate().filter(|(_, r)| r.split == Split::Train) {
            let starts = (0..(r.clip.frames() + 1).saturating_sub(length)).step_by(STRIDE);
            let starts = starts.filter(|&start| r.is_upright(start, length));
            segments
                .extend(starts.flat_map(|start| [false, true].map(|mirrored| Segment { recording, start, mirrored })));
        }
        let features: Vec<_> = segments.iter().map(|&segment| feature(recordings, segment, length)).collect();
        let (mean, axes) = principal_axes(&features);
        let points: Vec<[f32; AXES]> = features.iter().map(|feature| project(feature, &mean, &axes)).collect();
        let tree = ImmutableKdTree::new_from_slice(&points);
        Self { length, segments, features, mean, axes, tree }
    }

    /// Finds the `rank`-th nearest segment, where 0 is the nearest. Segments in the recording of the query must start
    /// at least two lengths before or after the query. If there are too few candidates, returns the farthest one;
    /// `None` if there are none.
    pub fn neighbour(&self, recordings: &[Recording], query: Segment, rank: usize) -> Option<Segment> {
        let query_feature = feature(recordings, query, self.length);
        let point = project(&query_feature, &self.mean, &self.axes);
        let count = NonZero::new(CANDIDATES)?;
        let mut ranked: Vec<(f32, Segment)> = self
            .tree
            .nearest_n::<SquaredEuclidean>(&point, count)
            .into_iter()
            .map(|found| found.item as usize)
            .filter(|&i| {
                let other = self.segments[i];
                other.recording != query.recording || other.start.abs_diff(query.start) >= 2 * self.length
            })
            .map(|i| (distance(&query_feature, &self.features[i]), self.segments[i]))
            .collect();
        ranked.sort_by(|a, b| a.0.total_cmp(&b.0));
        ranked.get(rank.min(ranked.len().saturating_sub(1))).map(|&(_, segment)| segment)
    }
}

/// Computes the feature m = {0.1 j_1, 1.0 j_T, 1.0 u} (RMR, section 4) of a segment: joints and trajectory in the first
/// frame's root space.
fn feature(recordings: &[Recording], segment: Segment, length: usize) -> [f32; WIDTH] {
    let clip = &recordings[segment.recording].clip;
    let ground = recordings[segment.recording].ground;
    let first = GroundPose::from_clip(clip, segment.start);
    let flip_if_mirrored = |local: Vec3| if segment.mirrored { mirror_point(local) } else { local };
    let mut feature = [0.0; WIDTH];
    let (joints, trajectory) = feature.split_at_mut(JOINTS * 6);
    let mut pose = Pose::default();
    for (half, (frame, weight)) in [(segment.start, 0.1), (segment.start + length - 1, 1.0)].into_iter().enumerate() {
        pose.set(clip, frame);
        for (joint, info) in biped().joints.iter().enumerate() {
            let source = if segment.mirrored { info.opposite } else { joint };
            let local = first.local_point(pose.world_positions[source]) - Vec3::Y * ground;
            let local = flip_if_mirrored(local) * weight;
            joints[(half * JOINTS + joint) * 3..][..3].copy_from_slice(&local.to_array());
        }
    }
    for (i, out) in trajectory.chunks_exact_mut(4).enumerate() {
        let frame = segment.start + i * (length - 1) / (TRAJECTORY_POINTS - 1);
        let GroundPose { position, heading } = GroundPose::from_clip(clip, frame);
        let local = flip_if_mirrored(first.local_point(position));
        let heading_change = (heading - first.heading) * if segment.mirrored { -1.0 } else { 1.0 };
        // There are fewer points than frames, so each point has the weight of several frames.
        let weight = (length as f32 / TRAJECTORY_POINTS as f32).sqrt();
        out.copy_from_slice(&[
            local.x * weight,
            local.z * weight,
            heading_change.sin() * weight,
            heading_change.cos() * weight,
        ]);
    }
    feature
}

/// Computes the squared distance of two features.
fn distance(a: &[f32; WIDTH], b: &[f32; WIDTH]) -> f32 {
    a.iter().zip(b).map(|(a, b)| (a - b) * (a - b)).sum()
}

/// Computes the mean and the principal axes of features, from a sample of at most 4000.
fn principal_axes(features: &[[f32; WIDTH]]) -> (DVector<f32>, DMatrix<f32>) {
    let sample: Vec<&[f32; WIDTH]> = features.iter().step_by(features.len() / 4000 + 1).collect();
    let mean = sample.iter().fold(DVector::zeros(WIDTH), |sum, row| sum + DVector::from_column_slice(*row))
        / sample.len().max(1) as f32;
    let mut covariance = DMatrix::<f32>::zeros(WIDTH, WIDTH);
    for row in &sample {
        let centred = DVector::from_column_slice(*row) - &mean;
        covariance.ger(1.0, &centred, &centred, 1.0);
    }
    let eigen = SymmetricEigen::new(covariance);
    let mut order: Vec<usize> = (0..WIDTH).collect();
    order.sort_by(|&a, &b| eigen.eigenvalues[b].total_cmp(&eigen.eigenvalues[a]));
    let axes = DMatrix::from_fn(AXES, WIDTH, |axis, column| eigen.eigenvectors[(column, order[axis])]);
    (mean, axes)
}

/// Projects a feature on the principal axes.
fn project(feature: &[f32; WIDTH], mean: &DVector<f32>, axes: &DMatrix<f32>) -> [f32; AXES] {
    let point = axes * (DVector::from_column_slice(feature) - mean);
    std::array::from_fn(|axis| point[axis])
}
