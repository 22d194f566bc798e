//! Windows of a motion: joint positions over 13 frames, in the ground frame of the middle one, as cosine series along time.
//!
//! Of the series' terms the first says where a joint is, the last ones how it trembles. Recordings have much of the first and
//! next to nothing of the last, so each term has a scale of its own.

use crate::body::GroundPose;
use crate::body::mirror::opposite;
use crate::body::poses::{Poses, ROLES, joints};
use glam::{Quat, Vec3};
use std::f32::consts::PI;
use std::ops::Range;
use std::sync::LazyLock;

/// Frames of a window.
pub const FRAMES: usize = 13;
/// Frame that a window is about.
pub const MIDDLE: usize = FRAMES / 2;
/// Columns of a window: [roles × axes × terms].
pub const COLUMNS: usize = ROLES * 3 * FRAMES;

/// Joint positions of some frames of a motion, and the ground frames they are seen from.
pub struct Places {
    joints: Vec<[Vec3; ROLES]>,
    frames: Vec<GroundPose>,
}

impl Places {
    /// Of some frames of a canonical motion, on a skeleton of these offsets.
    pub fn of(motion: &Poses, frames: Range<usize>, offsets: &[Vec3; ROLES], ground: f32) -> Self {
        let down = Vec3::Y * ground;
        Self {
            joints: frames.clone().map(|at| joints(motion.hips[at] - down, motion.pose(at), offsets)).collect(),
            frames: frames.map(|at| GroundPose::under(motion.hips[at], motion.pose(at)[0])).collect(),
        }
    }

    /// Number of whole windows.
    pub fn windows(&self) -> usize {
        (self.joints.len() + 1).saturating_sub(FRAMES)
    }

    /// The window that begins at a frame, into [`COLUMNS`].
    pub fn window(&self, start: usize, out: &mut [f32]) {
        let frame = self.frames[start + MIDDLE];
        let (turn, basis) = (Quat::from_rotation_y(-frame.heading), &*BASIS);
        let around = &self.joints[start..start + FRAMES];
        for (role, out) in out.chunks_exact_mut(3 * FRAMES).enumerate() {
            let local: [Vec3; FRAMES] = std::array::from_fn(|at| turn * (around[at][role] - frame.position));
            for (term, wave) in basis.iter().enumerate() {
                let sum: Vec3 = local.iter().zip(wave).map(|(place, weight)| *place * *weight).sum();
                (out[term], out[FRAMES + term], out[2 * FRAMES + term]) = (sum.x, sum.y, sum.z);
            }
        }
    }
}

/// A window in the mirror x → −x, into [`COLUMNS`].
pub fn mirror(window: &[f32], out: &mut [f32]) {
    for (role, out) in out.chunks_exact_mut(3 * FRAMES).enumerate() {
        out.copy_from_slice(&window[opposite(role) * 3 * FRAMES..][..3 * FRAMES]);
        out[..FRAMES].iter_mut().for_each(|x| *x = -*x);
    }
}

/// Orthonormal cosines (DCT-II), [terms × frames].
static BASIS: LazyLock<[[f32; FRAMES]; FRAMES]> = LazyLock::new(|| {
    let count = FRAMES as f32;
    std::array::from_fn(|term| {
        let norm = if term == 0 { (1.0 / count).sqrt() } else { (2.0 / count).sqrt() };
        std::array::from_fn(|at| norm * (PI / count * (at as f32 + 0.5) * term as f32).cos())
    })
});
