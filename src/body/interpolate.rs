//! Interpolation between poses of the canonical biped. Networks read the result as the initial guess for a gap, and
//! predict corrections to it.
//!
//! The formula is the best of five on LAFAN1 subjects 1 to 3 (research/notes/delta.md). [`crate::method::interpolate`]
//! applies it to any skeleton.

use crate::body::poses::{Poses, ROLES};
use crate::motion::quat::{exp, log};
use glam::{Quat, Vec3};

/// Time in which the angular velocity of a joint decays to 1/e, frames.
const ROTATION_DECAY: f32 = 8.0;
/// Time in which the velocity of the root decays to 1/e, frames.
const ROOT_DECAY: f32 = 32.0;

/// Interpolates the poses of a gap, `[gap]`: slerp and a straight line, plus the velocities of both ends, which decay.
/// `past` and `target` have at least one frame; a single frame has no velocity.
pub fn interpolate(past: &Poses, target: &Poses, gap: usize) -> Poses {
    let (last, steps) = (past.len() - 1, (gap + 1) as f32);
    let (from, to) = (past.pose(last), target.pose(0));
    let total_rotations: Vec<Vec3> = from.iter().zip(to).map(|(a, b)| log(a.inverse() * *b)).collect();
    // Velocity of an end minus the velocity of the slerp, per frame.
    let extra_velocities = |pair: Option<(&[Quat], &[Quat])>| -> Vec<Vec3> {
        let Some((a, b)) = pair else { return vec![Vec3::ZERO; ROLES] };
        let pairs = a.iter().zip(b).zip(&total_rotations);
        pairs.map(|((a, b), total)| log(a.inverse() * *b) - *total / steps).collect()
    };
    let start_velocities = extra_velocities((last > 0).then(|| (past.pose(last - 1), from)));
    let end_velocities = extra_velocities((target.len() > 1).then(|| (to, target.pose(1))));
    let (start, end) = (past.hips[last], target.hips[0]);
    let mean_velocity = (end - start) / steps;
    let start_root_velocity = if last > 0 { start - past.hips[last - 1] - mean_velocity } else { Vec3::ZERO };
    let end_root_velocity = if target.len() > 1 { target.hips[1] - end - mean_velocity } else { Vec3::ZERO };
    let mut poses = Poses::default();
    for step in 1..=gap {
        let (time, fraction) = (step as f32, step as f32 / steps);
        let time_left = steps - time;
        let [start_time, end_time] = [time, time_left].map(|t| rotation_from_velocity(t, steps, ROTATION_DECAY));
        let [start_root_time, end_root_time] =
            [time, time_left].map(|t| translation_from_velocity(t, steps, ROOT_DECAY));
        let rotations = (0..ROLES).map(|role| {
            let decaying = start_velocities[role] * start_time - end_velocities[role] * end_time;
            (from[role] * exp(total_rotations[role] * fraction + decaying)).normalize()
        });
        let decaying = start_root_velocity * start_root_time - end_root_velocity * end_root_time;
        poses.push(start + mean_velocity * time + decaying, rotations);
    }
    poses
}

/// Returns the rotation at `time`, frames, that results from an angular velocity of 1 per frame at time 0. The gap has
/// `length` steps, and the velocity decays to 1/e in `decay` frames. The rotation is 0 at both ends; its velocity at
/// the far end is −exp(−length / decay).
pub fn rotation_from_velocity(time: f32, length: f32, decay: f32) -> f32 {
    time * (1.0 - time / length) * (-time / decay).exp()
}

/// Returns the translation that results from a velocity, as [`rotation_from_velocity`] does for rotations. Its velocity
/// at the far end is 0.
pub fn translation_from_velocity(time: f32, length: f32, decay: f32) -> f32 {
    let remaining = 1.0 - time / length;
    time * remaining * remaining * (-time / decay).exp()
}

/// Returns the typical size of a network's correction at a step from 1 to `gap`: for matrix elements of rotations, and
/// for the position of the root, metres. At step `gap` + 1, the target, both are 0.
pub fn typical_correction(step: usize, gap: usize) -> [f32; 2] {
    let steps = (gap + 1) as f32;
    // Corrections grow with the distance from both ends, frames.
    let distance = step as f32 * (steps - step as f32) / steps;
    [0.04 * distance / (1.0 + distance / 16.0), 0.01 * distance.powf(1.25)]
}
