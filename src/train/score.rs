//! Scores of refined windows against the truth, beside inertialization: RMR, sections 7.3 and 7.5.

use crate::error::Result;
use crate::feature::body::{Body, ROLES};
use crate::feature::decode;
use crate::feature::layout::Refiner;
use crate::metrics::{Npss, Sole, foot_skate, jerk, largest_step};
use crate::motion::rig::Role;
use crate::train::pack::Recording;
use crate::train::pairs::{self, Pair, WINDOW};
use glam::Quat;

/// Means over pairs.
#[derive(Debug, Clone, Copy, Default)]
pub struct Score {
    /// Mean squared error of world joint positions, m² × 10⁻³.
    pub mse: f64,
    /// NPSS of local rotations (not the LAFAN1 protocol's world rotations).
    pub npss: f64,
    /// Horizontal foot displacement while lower than 2 cm, metres a frame (RMR, Table 3).
    pub slide: f64,
    /// Largest joint jerk of the window, m/s³.
    pub peak_jerk: f64,
    /// Largest joint displacement between two frames, metres.
    pub pop: f64,
}

/// Scores candidates, each a name and one body a pair, in the order of `pairs`.
///
/// # Errors
/// Those of [`Body::to_clip`].
pub fn score(recordings: &[Recording], pairs: &[Pair], bodies: &[Body]) -> Result<Score> {
    let mut npss = Npss::new(WINDOW);
    let mut sum = Score::default();
    for (pair, body) in pairs.iter().zip(bodies) {
        let recording = &recordings[pair.truth.recording];
        let truth = pairs::cut(recordings, pair.truth, WINDOW);
        npss.add(&truth.rotations, &body.rotations);
        let error = (0..WINDOW).flat_map(|frame| {
            let (a, b) = (truth.positions(frame), body.positions(frame));
            (0..ROLES).map(move |role| f64::from(a[role].distance_squared(b[role])))
        });
        sum.mse += 1e3 * error.sum::<f64>() / (WINDOW * ROLES) as f64;
        let clip = body.to_clip("window")?;
        let sole = |role: Role, rest: f32| Sole { joint: role as usize, world_ground: recording.ground + rest };
        let (left, right) = if pair.truth.mirrored { (3, 1) } else { (1, 3) };
        let soles = [sole(Role::LeftToe, recording.rest[left]), sole(Role::RightToe, recording.rest[right])];
        sum.slide += f64::from(foot_skate(&clip, &soles, 0..WINDOW).slide);
        sum.peak_jerk += f64::from(jerk(&clip).into_iter().fold(0.0, f32::max));
        sum.pop += f64::from(largest_step(&clip));
    }
    let count = pairs.len().max(1) as f64;
    Ok(Score {
        mse: sum.mse / count,
        npss: npss.value(),
        slide: sum.slide / count,
        peak_jerk: sum.peak_jerk / count,
        pop: sum.pop / count,
    })
}

/// Body of refined raw rows, [`WINDOW` × 161], on the input's own root trajectory.
pub fn refined(recordings: &[Recording], pair: &Pair, rows: &[f32]) -> Body {
    debug_assert_eq!(rows.len(), WINDOW * Refiner::WIDTH);
    let input = pairs::inertialized(recordings, pair);
    let roots: Vec<_> = (0..WINDOW).map(|frame| input.root(frame)).collect();
    let mut body = decode::body(rows, &roots, &input, recordings[pair.truth.recording].ground);
    // Quaternions of a row have no time: signs follow the input's for the spectrum.
    for (rotation, like) in body.rotations.iter_mut().zip(&input.rotations) {
        if rotation.dot(*like) < 0.0 {
            *rotation = Quat::from_vec4(-glam::Vec4::from(*rotation));
        }
    }
    body
}
