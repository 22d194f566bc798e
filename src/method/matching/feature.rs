//! Columns of the search: Holden et al. 2020, *Learned Motion Matching*, section 3.
//!
//! For n limbs, per row: positions of the tips (3 n), velocities of the tips (3 n), velocity of the hips (3), way on the
//! ground at [`AHEAD`] (2 × 3) and facing there (2 × 3), all in the axes of the ground pose, in metres and metres per
//! second. A group of columns is divided by the mean of their standard deviations and multiplied by its weight.

use super::take::Take;
use super::{DatabaseOptions, FPS};
use crate::body::GroundPose;
use crate::motion::fk::world_transforms;
use crate::motion::ground_limbs::GroundLimb;
use crate::motion::skeleton::Skeleton;
use glam::{Quat, Vec3};
use serde::{Deserialize, Serialize};
use std::ops::Range;

/// Frames ahead of the samples of the way: a third, two thirds and one second.
pub const AHEAD: [usize; 3] = [10, 20, 30];

/// Places of the columns.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Layout {
    /// Number of limbs.
    pub limbs: usize,
}

impl Layout {
    /// Returns the number of columns.
    pub fn width(self) -> usize {
        6 * self.limbs + 15
    }

    /// Returns the columns of the way ahead, and of the facing ahead.
    pub fn way(self) -> [Range<usize>; 2] {
        let start = 6 * self.limbs + 3;
        [start..start + 6, start + 6..start + 12]
    }

    /// Returns the number of columns of the pose, which come first; those of the way follow.
    pub fn pose_width(self) -> usize {
        6 * self.limbs + 3
    }

    /// Returns the groups of columns with their weights, and the smallest standard deviation that they are divided by
    /// (metres, m/s or none): positions, velocities, hips, way, facing. Columns that hardly change, such as the facing
    /// where all clips go straight, must not outweigh the others.
    fn groups(self, options: &DatabaseOptions) -> [(Range<usize>, f32, f32); 5] {
        let [way, facing] = self.way();
        let n = 3 * self.limbs;
        [
            (0..n, options.position_weight, 0.05),
            (n..2 * n, options.velocity_weight, 0.2),
            (2 * n..2 * n + 3, options.hips_weight, 0.1),
            (way, options.way_weight, 0.2),
            (facing, options.facing_weight, 0.3),
        ]
    }
}

/// Normalisation of the columns: x → (x − mean) × scale.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Normalisation {
    /// Means, `[width]`.
    pub mean: Vec<f32>,
    /// Weight over standard deviation, `[width]`.
    pub scale: Vec<f32>,
}

impl Normalisation {
    /// Measures rows, [rows × width].
    pub fn measure(rows: &[f32], layout: Layout, options: &DatabaseOptions) -> Self {
        let width = layout.width();
        let count = (rows.len() / width).max(1) as f64;
        let mut mean = vec![0.0_f64; width];
        rows.chunks_exact(width).for_each(|row| mean.iter_mut().zip(row).for_each(|(sum, x)| *sum += f64::from(*x)));
        mean.iter_mut().for_each(|sum| *sum /= count);
        let mut deviation = vec![0.0_f64; width];
        for row in rows.chunks_exact(width) {
            for ((sum, x), mean) in deviation.iter_mut().zip(row).zip(&mean) {
                *sum += (f64::from(*x) - mean).powi(2);
            }
        }
        let mut scale = vec![0.0; width];
        for (columns, weight, least) in layout.groups(options) {
            let sum: f64 = deviation[columns.clone()].iter().map(|sum| (sum / count).sqrt()).sum();
            let mean_deviation = (sum / columns.len() as f64) as f32;
            scale[columns].fill(weight / mean_deviation.max(least));
        }
        Self { mean: mean.into_iter().map(|value| value as f32).collect(), scale }
    }

    /// Normalises a row in place.
    pub fn apply(&self, row: &mut [f32]) {
        for ((x, mean), scale) in row.iter_mut().zip(&self.mean).zip(&self.scale) {
            *x = (*x - mean) * scale;
        }
    }
}

/// Computes the columns of all frames of a take, not normalised, [frames × width].
pub fn rows(take: &Take, skeleton: &Skeleton, hips: usize, limbs: &[GroundLimb]) -> Vec<f32> {
    let layout = Layout { limbs: limbs.len() };
    let points: Vec<Vec<Vec3>> = (0..take.frames()).map(|frame| points(take, frame, skeleton, hips, limbs)).collect();
    let mut out = Vec::with_capacity(take.frames() * layout.width());
    for frame in 0..take.frames() {
        let now = &points[frame];
        out.extend(now[1..].iter().flat_map(|point| point.to_array()));
        let velocities = velocities(take, &points, frame);
        out.extend(velocities[1..].iter().chain(&velocities[..1]).flat_map(|velocity| velocity.to_array()));
        let ahead = ways_ahead(take, frame);
        out.extend(ahead.iter().flat_map(|pose| [pose.position.x, pose.position.z]));
        out.extend(ahead.iter().flat_map(|pose| [pose.heading.sin(), pose.heading.cos()]));
    }
    out
}

/// Returns hips and tips of the limbs relative to the ground pose of a frame, metres, [1 + limbs].
fn points(take: &Take, frame: usize, skeleton: &Skeleton, hips: usize, limbs: &[GroundLimb]) -> Vec<Vec3> {
    let (joints, width) = (skeleton.len(), skeleton.translated().len());
    let rotations = &take.rotations[frame * joints..][..joints];
    let translations = &take.translations[frame * width..][..width];
    let local = |joint: usize| {
        let translation = skeleton.translation_slot(joint).map(|slot| translations[slot]);
        (translation.unwrap_or(skeleton.joints()[joint].offset), rotations[joint])
    };
    let (mut positions, mut world) = (vec![Vec3::ZERO; joints], vec![Quat::IDENTITY; joints]);
    let parents = (0..joints).map(|joint| (joint, skeleton.joints()[joint].parent));
    world_transforms(parents, local, &mut positions, &mut world);
    let tip = |limb: &GroundLimb| positions[limb.tip.0] + world[limb.tip.0] * limb.tip.1;
    std::iter::once(positions[hips]).chain(limbs.iter().map(tip)).collect()
}

/// Returns the world velocities of the points of a frame in the axes of its ground pose, m/s: to the next frame, or at
/// the end of a take that is no loop, from the frame before.
fn velocities(take: &Take, points: &[Vec<Vec3>], frame: usize) -> Vec<Vec3> {
    let is_end = !take.is_loop && frame + 1 == take.frames();
    let from = if is_end { frame.saturating_sub(1) } else { frame };
    let (step, next) = (take.step(from), take.frame_after(from, 1));
    let moved = |point: Vec3| step.movement + Quat::from_rotation_y(step.turn) * point;
    points[from].iter().zip(&points[next]).map(|(now, next)| (moved(*next) - *now) * FPS as f32).collect()
}

/// Returns the ground poses [`AHEAD`] of a frame, in the axes of its own.
fn ways_ahead(take: &Take, frame: usize) -> [GroundPose; 3] {
    let (mut pose, mut current) = (GroundPose::default(), frame);
    let mut ahead = [GroundPose::default(); 3];
    for count in 1..=AHEAD[2] {
        pose = advance(pose, take, current);
        current = take.frame_after(current, 1);
        if let Some(sample) = AHEAD.iter().position(|&frames| frames == count) {
            ahead[sample] = pose;
        }
    }
    ahead
}

/// Moves a ground pose by the step of a frame.
fn advance(pose: GroundPose, take: &Take, frame: usize) -> GroundPose {
    let step = take.step(frame);
    GroundPose { position: pose.world_point(step.movement), heading: pose.heading + step.turn }
}
