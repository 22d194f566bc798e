//! Scores refined windows against the recorded motion (RMR, sections 7.3 and 7.5).

use crate::data::Recording;
use crate::pairs::{self, Pair, WINDOW};
use kinestitch::body::GroundPose;
use kinestitch::error::Result;
use kinestitch::feature::decode;
use kinestitch::feature::layout::RefinerRow;
use kinestitch::metrics::{Npss, Sole, foot_skate, jerk, largest_step};
use kinestitch::motion::clip::Clip;
use kinestitch::motion::fk;
use kinestitch::motion::quat::with_nearest_sign;
use kinestitch::motion::rig::Role;

/// Scores of a method, means over pairs.
#[derive(Debug, Clone, Copy, Default)]
pub struct Score {
    /// Mean squared error of world joint positions, m² × 10⁻³.
    pub mse: f64,
    /// NPSS (normalised power spectrum similarity) of local rotations. LAFAN1's protocol uses world rotations.
    pub npss: f64,
    /// Horizontal foot displacement while the foot is less than 2 cm above its height at rest, metres per frame (RMR,
    /// Table 3).
    pub slide: f64,
    /// Largest jerk of a joint in the window, m/s³.
    pub peak_jerk: f64,
    /// Largest displacement of a joint between two frames, metres.
    pub pop: f64,
}

/// Scores clips, one per pair, in the order of `pairs`.
///
/// # Errors
/// Those of [`pairs::cut`].
pub fn score(recordings: &[Recording], pairs: &[Pair], clips: &[Clip]) -> Result<Score> {
    let mut npss = Npss::new(WINDOW);
    let mut sum = Score::default();
    for (pair, clip) in pairs.iter().zip(clips) {
        let recording = &recordings[pair.truth.recording];
        let truth = pairs::cut(recordings, pair.truth, WINDOW)?;
        npss.add(truth.rotations(), clip.rotations());
        let (a, b) = (fk::world_positions(&truth), fk::world_positions(clip));
        let error: f64 = a.iter().zip(&b).map(|(a, b)| f64::from(a.distance_squared(*b))).sum();
        sum.mse += 1e3 * error / a.len() as f64;
        let sole = |role: Role, rest: f32| Sole { joint: role as usize, resting_height: recording.ground + rest };
        let (left, right) = if pair.truth.mirrored { (3, 1) } else { (1, 3) };
        let soles = [sole(Role::LeftToe, recording.rest[left]), sole(Role::RightToe, recording.rest[right])];
        sum.slide += f64::from(foot_skate(clip, &soles, 0..WINDOW).slide);
        sum.peak_jerk += f64::from(jerk(clip).into_iter().fold(0.0, f32::max));
        sum.pop += f64::from(largest_step(clip));
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

/// Decodes refined raw rows of a pair, [`WINDOW` × 161], to a clip on the ground path of the pair's input.
///
/// # Errors
/// Those of [`pairs::cut`] and [`decode::clip`].
pub fn decode_rows(recordings: &[Recording], pair: &Pair, rows: &[f32]) -> Result<Clip> {
    debug_assert_eq!(rows.len(), WINDOW * RefinerRow::WIDTH);
    let input = pairs::inertialize(recordings, pair)?;
    let path: Vec<_> = (0..WINDOW).map(|frame| GroundPose::from_clip(&input, frame)).collect();
    let mut clip = decode::clip(rows, &path, &input, recordings[pair.truth.recording].ground)?;
    // Decoded quaternions have arbitrary signs; NPSS needs the continuous signs of the input.
    for (rotation, reference) in clip.rotations_mut().iter_mut().zip(input.rotations()) {
        *rotation = with_nearest_sign(*rotation, *reference);
    }
    Ok(clip)
}
