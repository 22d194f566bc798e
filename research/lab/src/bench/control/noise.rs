//! Runs the test tracks with generative noise: measures the quality lost to the noise, and differences between seeds.

use super::score::{score_motion, score_track};
use super::track;
use super::{MIN_MOVING_SPEED, Options, Sums, TrackRun, mean, run_track};
use crate::Outcome;
use crate::report::{Report, number};
use kinestitch::body::Character;
use kinestitch::control::Control;
use kinestitch::feature::controller::FPS;
use kinestitch::method::controller::Network;
use kinestitch::motion::clip::Clip;
use kinestitch::motion::fk::Pose;
use kinestitch::motion::root::wrap;
use std::sync::Arc;

/// Adds a table with one row per noise level: means over tracks and seeds.
pub fn table(network: &Arc<Network>, options: &Options, report: &mut Report) -> Outcome {
    if options.noise.is_empty() {
        return Ok(());
    }
    if network.generative.is_none() {
        return Err("these weights have no generative control: noise changes nothing".into());
    }
    let character = network.character;
    let columns = [
        "noise",
        "collapsed",
        "path error, %",
        "slide, m/s",
        "angle updates, °/frame",
        "start, s",
        "turn, s",
        "between seeds: distance, m",
        "speed, m/s",
        "heading, °",
        "step, ms",
    ];
    report.table(format!("{}: noise", character.name), columns);
    let mut collapses = Vec::new();
    for &noise in &options.noise {
        let mut scores = run_tracks(network, options, noise)?;
        collapses.append(&mut scores.collapses);
        let Scores { sums, differences, .. } = scores;
        report.row([
            noise.to_string(),
            format!("{} of {}", sums.collapses, sums.path_error.len()),
            number(mean(&sums.path_error) * 100.0, 1),
            number(mean(&sums.slide), 3),
            number(mean(&sums.angle_updates), 1),
            number(mean(&sums.start_secs), 2),
            number(mean(&sums.turn_secs), 2),
            number(mean(&differences[0]), 2),
            number(mean(&differences[1]), 3),
            number(mean(&differences[2]), 1),
            number(mean(&sums.step_secs) * 1e3, 3),
        ]);
    }
    collapses.iter().for_each(|collapse| report.note(collapse));
    Ok(())
}

/// Scores at one noise level.
#[derive(Default)]
struct Scores {
    sums: Sums,
    /// Differences between two seeds, in the order of [`difference`]. Each list: one value per track and pair of seeds.
    differences: [Vec<f64>; 3],
    /// Descriptions of the collapses, each with noise level, track and seed.
    collapses: Vec<String>,
}

/// Runs all tracks with all seeds at one noise level.
fn run_tracks(network: &Arc<Network>, options: &Options, noise: f32) -> Outcome<Scores> {
    let character = network.character;
    let mut scores = Scores::default();
    for track in track::tracks()? {
        let requests = track.requests(character.name, 1.0 / FPS);
        let mut track_runs = Vec::new();
        for seed in 0..options.seeds {
            let control = Control { style: options.style, noise, seed, ..Control::default() };
            let track_run = run_track(network, &requests, control)?;
            let motion_score = score_motion(&track_run.clip, character, &network.config.rest, 0.0, MIN_MOVING_SPEED);
            let track_score = score_track(&requests, &track_run.roots, &track_run.clip, character);
            if !track_score.collapse.is_empty() {
                scores.collapses.push(format!("noise {noise}, {}, seed {seed}: {}", track.name, track_score.collapse));
            }
            scores.sums.add(&track_run, motion_score, track_score);
            track_runs.push(track_run);
        }
        for (index, a) in track_runs.iter().enumerate() {
            for b in &track_runs[index + 1..] {
                let differences = difference(a, b, character);
                scores.differences.iter_mut().zip(differences).for_each(|(values, value)| values.push(value));
            }
        }
    }
    Ok(scores)
}

/// Returns mean differences between two runs of one track: distance of the roots (m), difference of their speeds (m/s)
/// and angle between the trunk headings (degrees).
fn difference(a: &TrackRun, b: &TrackRun, character: &Character) -> [f64; 3] {
    let headings = [&a.clip, &b.clip].map(|clip| headings(clip, character));
    let frames = a.roots.len().min(b.roots.len()).min(headings[0].len());
    let speed =
        |track_run: &TrackRun, frame: usize| track_run.roots[frame].distance(track_run.roots[frame - 1]) * FPS as f32;
    let mut sums = [0.0; 3];
    for frame in 1..frames {
        sums[0] += f64::from(a.roots[frame].distance(b.roots[frame]));
        sums[1] += f64::from((speed(a, frame) - speed(b, frame)).abs());
        sums[2] += f64::from(wrap(headings[0][frame] - headings[1][frame]).abs().to_degrees());
    }
    sums.map(|sum| sum / frames.saturating_sub(1).max(1) as f64)
}

/// Returns the heading of the trunk in each frame, radians about +Y.
fn headings(clip: &Clip, character: &Character) -> Vec<f32> {
    let mut pose = Pose::default();
    let mut heading = |frame: usize| {
        pose.set(clip, frame);
        let ahead: glam::Vec3 = character.trunk.iter().map(|&joint| pose.world_rotations[joint] * glam::Vec3::Z).sum();
        ahead.x.atan2(ahead.z)
    };
    (0..clip.frames()).map(&mut heading).collect()
}
