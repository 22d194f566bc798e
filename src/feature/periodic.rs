//! Rows of the periodic autoencoder: velocities of all joints, in the heading of their own frame, in windows of two
//! seconds.

use crate::body::poses::{Poses, ROLES, joints};
use crate::body::{GroundPose, canonical};
use crate::error::{Error, Result};
use crate::motion::clip::Clip;
use crate::motion::resample::resample;
use crate::motion::rig::{Rig, RigKind};
use glam::Vec3;

/// Frame rate of rows, frames per second.
pub const FPS: f64 = 30.0;
/// Number of frames in a window: two seconds, centred on the frame it describes.
pub const WINDOW: usize = 61;
/// Index of the frame that a window describes.
pub const MIDDLE: usize = WINDOW / 2;
/// Number of columns of a row: velocity of each joint, metres per second.
pub const COLUMNS: usize = 3 * ROLES;
/// Increased whenever the meaning of a column changes.
pub const VERSION: u32 = 1;

/// Velocities of all joints, [frames × 66], by central differences.
pub fn velocities(poses: &Poses, offsets: &[Vec3; ROLES]) -> Vec<f32> {
    let frames = poses.len();
    let places: Vec<_> = (0..frames).map(|frame| joints(poses.hips[frame], poses.pose(frame), offsets)).collect();
    let mut rows = Vec::with_capacity(frames * COLUMNS);
    for frame in 0..frames {
        let (before, after) = (frame.saturating_sub(1), (frame + 1).min(frames - 1));
        let secs = (after - before).max(1) as f32 / FPS as f32;
        let back = GroundPose::under(poses.hips[frame], poses.pose(frame)[0]).rotation().inverse();
        let rate = |joint: usize| back * (places[after][joint] - places[before][joint]) / secs;
        rows.extend((0..ROLES).flat_map(|joint| rate(joint).to_array()));
    }
    rows
}

/// Rows of a clip's canonical body, [frames at [`FPS`] × 66].
///
/// # Errors
/// [`Error::Rig`] where the rig is not a biped, and those of [`canonical`] and [`resample`].
pub fn rows(clip: &Clip, rig: &Rig) -> Result<Vec<f32>> {
    if rig.kind != RigKind::Biped {
        let message = "phases of a whole body need a biped: map hips, legs and feet".to_owned();
        return Err(Error::Rig { clip: clip.name.clone(), message });
    }
    let body = resample(&canonical(clip, rig)?.clip, FPS)?;
    let mut offsets = [Vec3::ZERO; ROLES];
    offsets.iter_mut().zip(body.skeleton().joints()).for_each(|(offset, joint)| *offset = joint.offset);
    Ok(velocities(&Poses::of(&body, 0..body.frames()), &offsets))
}

/// The window around a frame, [[`WINDOW`] × 66]: each column minus its mean over the window, in units of `scale`,
/// [66]. Beyond the ends the motion is extrapolated.
pub fn window(rows: &[f32], frame: usize, scale: &[f32], out: &mut [f32]) {
    let last = rows.len() / COLUMNS - 1;
    for (at, out) in out.chunks_exact_mut(COLUMNS).enumerate() {
        let from = (frame + at).saturating_sub(MIDDLE).min(last);
        out.copy_from_slice(&rows[from * COLUMNS..][..COLUMNS]);
    }
    let mut mean = [0.0_f32; COLUMNS];
    for row in out.chunks_exact(COLUMNS) {
        mean.iter_mut().zip(row).for_each(|(mean, x)| *mean += x / WINDOW as f32);
    }
    for row in out.chunks_exact_mut(COLUMNS) {
        row.iter_mut().zip(&mean).zip(scale).for_each(|((x, mean), scale)| *x = (*x - mean) / scale);
    }
}
