//! Interpolation between poses of the canonical biped. Networks read it as the initial guess of a gap and predict
//! corrections to it.
//!
//! The formula is the best of five on LAFAN1 subjects 1–3. [`crate::method::interpolate`] applies it to any skeleton.

use crate::body::poses::{Poses, ROLES};
use crate::motion::quat::{exp, log};
use glam::{Quat, Vec3};

/// Frames in which the angular velocity of a joint decays to 1/e.
const ROTATION_DECAY: f32 = 8.0;
/// Frames in which the velocity of the root decays to 1/e.
const ROOT_DECAY: f32 = 32.0;

/// Interpolates the poses of a gap, `[gap]`: slerp and a straight line, plus the decaying velocities of both ends. An
/// end of a single frame has no velocity.
pub fn interpolate(past: &Poses, target: &Poses, gap: usize) -> Poses {
    let (last, span) = (past.len() - 1, (gap + 1) as f32);
    let (from, to) = (past.pose(last), target.pose(0));
    let whole: Vec<Vec3> = from.iter().zip(to).map(|(a, b)| log(a.inverse() * *b)).collect();
    // Velocities minus the velocity of the interpolation itself, per frame.
    let beyond = |pair: Option<(&[Quat], &[Quat])>| -> Vec<Vec3> {
        let Some((a, b)) = pair else { return vec![Vec3::ZERO; ROLES] };
        let both = a.iter().zip(b).zip(&whole);
        both.map(|((a, b), whole)| log(a.inverse() * *b) - *whole / span).collect()
    };
    let start = beyond((last > 0).then(|| (past.pose(last - 1), from)));
    let end = beyond((target.len() > 1).then(|| (to, target.pose(1))));
    let (a, b) = (past.hips[last], target.hips[0]);
    let steady = (b - a) / span;
    let start_root = if last > 0 { a - past.hips[last - 1] - steady } else { Vec3::ZERO };
    let end_root = if target.len() > 1 { target.hips[1] - b - steady } else { Vec3::ZERO };
    let mut poses = Poses::default();
    for step in 1..=gap {
        let (since, share) = (step as f32, step as f32 / span);
        let until = span - since;
        let [rotation, rotation_back] = [since, until].map(|time| rotation_from_velocity(time, span, ROTATION_DECAY));
        let [root, root_back] = [since, until].map(|time| translation_from_velocity(time, span, ROOT_DECAY));
        let turned = (0..ROLES).map(|role| {
            let vector = whole[role] * share + start[role] * rotation - end[role] * rotation_back;
            (from[role] * exp(vector)).normalize()
        });
        poses.push(a + steady * since + start_root * root - end_root * root_back, turned);
    }
    poses
}

/// Rotation at `time` frames caused by an angular velocity of 1 per frame at time 0. The gap has `length` steps and
/// the velocity decays within `decay` frames. 0 at both ends; the velocity at the far end is −exp(−length / decay).
pub fn rotation_from_velocity(time: f32, length: f32, decay: f32) -> f32 {
    time * (1.0 - time / length) * (-time / decay).exp()
}

/// As [`rotation_from_velocity`], for a translation; the velocity at the far end is 0.
pub fn translation_from_velocity(time: f32, length: f32, decay: f32) -> f32 {
    let left = 1.0 - time / length;
    time * left * left * (-time / decay).exp()
}

/// Typical size of the correction to predict at step 1..=gap: of matrix elements, and of the root (metres).
pub fn typical_correction(step: usize, gap: usize) -> [f32; 2] {
    let span = (gap + 1) as f32;
    let lever = step as f32 * (span - step as f32) / span;
    [0.04 * lever / (1.0 + lever / 16.0), 0.01 * lever.powf(1.25)]
}
