//! Windows of a motion: joint positions over 13 frames, relative to the ground pose of the middle frame, as cosine
//! series over time.
//!
//! The first term of a series is the mean position of a joint, the last terms are its jitter. Recordings have large
//! first terms and tiny last ones, so each term has a scale of its own.

use crate::body::GroundPose;
use crate::body::mirror::opposite_role;
use crate::body::poses::{Poses, ROLES, joint_positions};
use glam::{Quat, Vec3};
use std::f32::consts::PI;
use std::ops::Range;
use std::sync::LazyLock;

/// Number of frames in a window.
pub const FRAMES: usize = 13;
/// Index of the frame that a window describes.
pub const MIDDLE: usize = FRAMES / 2;
/// Number of columns of a window: [roles × axes × terms].
pub const COLUMNS: usize = ROLES * 3 * FRAMES;

/// World joint positions, relative to the height of the ground, and ground poses of a range of frames.
pub struct Trajectories {
    joints: Vec<[Vec3; ROLES]>,
    ground_poses: Vec<GroundPose>,
}

impl Trajectories {
    /// Computes the joint positions in a range of frames of a canonical motion, on a skeleton with these offsets.
    /// `ground` is the height of the ground, in the units of the motion.
    pub fn new(motion: &Poses, frames: Range<usize>, offsets: &[Vec3; ROLES], ground: f32) -> Self {
        let ground_height = Vec3::Y * ground;
        Self {
            joints: frames
                .clone()
                .map(|frame| joint_positions(motion.hips[frame] - ground_height, motion.pose(frame), offsets))
                .collect(),
            ground_poses: frames
                .map(|frame| GroundPose::from_root(motion.hips[frame], motion.pose(frame)[0]))
                .collect(),
        }
    }

    /// Returns the number of complete windows.
    pub fn windows(&self) -> usize {
        (self.joints.len() + 1).saturating_sub(FRAMES)
    }

    /// Writes the window that begins at a frame, [[`COLUMNS`]].
    pub fn window(&self, start: usize, out: &mut [f32]) {
        let ground_pose = self.ground_poses[start + MIDDLE];
        let (to_heading, basis) = (Quat::from_rotation_y(-ground_pose.heading), &*BASIS);
        let window = &self.joints[start..start + FRAMES];
        for (role, out) in out.chunks_exact_mut(3 * FRAMES).enumerate() {
            let local: [Vec3; FRAMES] =
                std::array::from_fn(|frame| to_heading * (window[frame][role] - ground_pose.position));
            for (term, wave) in basis.iter().enumerate() {
                let sum: Vec3 = local.iter().zip(wave).map(|(position, weight)| *position * *weight).sum();
                (out[term], out[FRAMES + term], out[2 * FRAMES + term]) = (sum.x, sum.y, sum.z);
            }
        }
    }
}

/// Mirrors a window in x = 0, [[`COLUMNS`]].
pub fn mirror(window: &[f32], out: &mut [f32]) {
    for (role, out) in out.chunks_exact_mut(3 * FRAMES).enumerate() {
        out.copy_from_slice(&window[opposite_role(role) * 3 * FRAMES..][..3 * FRAMES]);
        out[..FRAMES].iter_mut().for_each(|x| *x = -*x);
    }
}

/// Orthonormal cosines (DCT-II), [terms × frames].
static BASIS: LazyLock<[[f32; FRAMES]; FRAMES]> = LazyLock::new(|| {
    let count = FRAMES as f32;
    std::array::from_fn(|term| {
        let norm = if term == 0 { (1.0 / count).sqrt() } else { (2.0 / count).sqrt() };
        std::array::from_fn(|frame| norm * (PI / count * (frame as f32 + 0.5) * term as f32).cos())
    })
});
