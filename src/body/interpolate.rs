//! Interpolation between poses of the canonical biped: what networks see a gap as, and correct.
//!
//! The forms were chosen on LAFAN1 subjects 1–3; [`crate::method::interpolate`] does the same on any skeleton.

use crate::body::poses::{Poses, ROLES};
use crate::motion::quat::{exp, log};
use glam::{Quat, Vec3};

/// Frames after which the speed of a joint's rotation has decayed to 1/e.
const ROTATION_DECAY: f32 = 8.0;
/// Likewise the speed of the root.
const ROOT_DECAY: f32 = 32.0;

/// The interpolation, [gap]: slerp and a straight line, and the speeds at both ends, as far as two frames tell them, decaying
/// into it.
pub fn interpolated(past: &Poses, target: &Poses, gap: usize) -> Poses {
    let (last, span) = (past.len() - 1, (gap + 1) as f32);
    let (from, to) = (past.pose(last), target.pose(0));
    let whole: Vec<Vec3> = from.iter().zip(to).map(|(a, b)| log(a.inverse() * *b)).collect();
    // Speeds beyond the interpolation's own, a frame.
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
        let [rotation, root] = carried(since, span);
        let [rotation_back, root_back] = carried(until, span);
        let turned = (0..ROLES).map(|role| {
            let vector = whole[role] * share + start[role] * rotation - end[role] * rotation_back;
            (from[role] * exp(vector)).normalize()
        });
        poses.push(a + steady * since + start_root * root - end_root * root_back, turned);
    }
    poses
}

/// How far a speed of 1 a frame at time 0 carries until `since`, in a gap of `span` steps, for rotations and for the root:
/// zero at both ends. The forms were chosen among five on LAFAN1 subjects 1–3.
fn carried(since: f32, span: f32) -> [f32; 2] {
    let left = 1.0 - since / span;
    [since * left * (-since / ROTATION_DECAY).exp(), since * left * left * (-since / ROOT_DECAY).exp()]
}

/// Usual size of what is left to predict at step 1..=gap, of matrix elements and of the root (metres).
pub fn usual_difference(step: usize, gap: usize) -> [f32; 2] {
    let span = (gap + 1) as f32;
    let lever = step as f32 * (span - step as f32) / span;
    [0.04 * lever / (1.0 + lever / 16.0), 0.01 * lever.powf(1.25)]
}
