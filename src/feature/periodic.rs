//! Rows of the periodic autoencoder: velocities of all joints, in root space of each frame, in windows of two seconds.

use crate::body::poses::{Poses, ROLES, joint_positions};
use crate::body::{GroundPose, to_canonical};
use crate::error::{Error, Result};
use crate::motion::clip::Clip;
use crate::motion::resample::resample;
use crate::motion::rig::{Rig, RigKind};
use glam::Vec3;

/// Frame rate of rows, frames per second.
pub const FPS: f64 = 30.0;
/// Number of frames in a window: two seconds, centred on the frame that the window describes.
pub const WINDOW: usize = 61;
/// Index of the frame that a window describes.
pub const MIDDLE: usize = WINDOW / 2;
/// Number of columns of a row: velocity of each joint, metres per second.
pub const COLUMNS: usize = 3 * ROLES;
/// Version of this layout, stored in weight files; increased whenever the meaning of a column changes.
pub const VERSION: u32 = 1;

/// Computes the velocities of all joints, [frames × 66], metres per second: by central differences, in the first and
/// the last frame by one-sided differences. `offsets`: bone offsets of the skeleton, metres.
pub fn velocities(poses: &Poses, offsets: &[Vec3; ROLES]) -> Vec<f32> {
    let frames = poses.len();
    let positions: Vec<_> =
        (0..frames).map(|frame| joint_positions(poses.hips[frame], poses.pose(frame), offsets)).collect();
    let mut rows = Vec::with_capacity(frames * COLUMNS);
    for frame in 0..frames {
        let (before, after) = (frame.saturating_sub(1), (frame + 1).min(frames - 1));
        let secs = (after - before).max(1) as f32 / FPS as f32;
        let to_root = GroundPose::from_root(poses.hips[frame], poses.pose(frame)[0]).rotation().inverse();
        let velocity = |joint: usize| to_root * (positions[after][joint] - positions[before][joint]) / secs;
        rows.extend((0..ROLES).flat_map(|joint| velocity(joint).to_array()));
    }
    rows
}

/// Computes the rows of a clip's canonical body, resampled to [`FPS`], [frames × 66].
///
/// # Errors
/// [`Error::Rig`] if the rig is not a biped, and the errors of [`to_canonical`] and [`resample`].
pub fn rows(clip: &Clip, rig: &Rig) -> Result<Vec<f32>> {
    if rig.kind != RigKind::Biped {
        let message = "phases of the whole body need a human rig: map hips, legs and feet".to_owned();
        return Err(Error::Rig { clip: clip.name.clone(), message });
    }
    let body = resample(&to_canonical(clip, rig)?.clip, FPS)?;
    let mut offsets = [Vec3::ZERO; ROLES];
    offsets.iter_mut().zip(body.skeleton().joints()).for_each(|(offset, joint)| *offset = joint.offset);
    Ok(velocities(&Poses::from_clip(&body, 0..body.frames()), &offsets))
}

/// Writes the window around a frame, [[`WINDOW`] × 66]: each column minus its mean over the window, divided by `scale`,
/// `[66]`. Beyond both ends of `rows`, the first and the last row are repeated: the motion continues at constant
/// velocity.
pub fn write_window(rows: &[f32], frame: usize, scale: &[f32], out: &mut [f32]) {
    let last = rows.len() / COLUMNS - 1;
    for (index, out) in out.chunks_exact_mut(COLUMNS).enumerate() {
        let source_row = (frame + index).saturating_sub(MIDDLE).min(last);
        out.copy_from_slice(&rows[source_row * COLUMNS..][..COLUMNS]);
    }
    let mut mean = [0.0_f32; COLUMNS];
    for row in out.chunks_exact(COLUMNS) {
        mean.iter_mut().zip(row).for_each(|(mean, x)| *mean += x / WINDOW as f32);
    }
    for row in out.chunks_exact_mut(COLUMNS) {
        row.iter_mut().zip(&mean).zip(scale).for_each(|((x, mean), scale)| *x = (*x - mean) / scale);
    }
}
