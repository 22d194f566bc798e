//! Connects atoms to one path between two ground states.

use super::file::Contents;
use super::index::{Index, MIN_DISTANCE, sample};
use super::search::Sequence;
use crate::body::interpolate::translation_from_velocity;
use crate::motion::ease::smoothstep;
use crate::motion::ground_path::{GroundPath, GroundState};
use crate::motion::root::wrap;
use glam::Vec2;
use std::f32::consts::TAU;

/// Number of steps of a path, 30 per second, per step of a track.
pub const STEPS_PER_SAMPLE: usize = 3;
/// Number of steps in which the velocity difference at an end decays to 1/e.
const DECAY_STEPS: f32 = 8.0;
/// Number of smoothing passes over a path of several atoms, which round its corners.
const SMOOTHING_PASSES: usize = 2;

/// Rotates a position on the ground (x, z) about the vertical axis. A rotation by π/2 moves +z to +x.
fn rotate(position: Vec2, radians: f32) -> Vec2 {
    let (sin, cos) = radians.sin_cos();
    Vec2::new(position.x * cos + position.y * sin, position.y * cos - position.x * sin)
}

/// Connects the atoms of a sequence. Returns the path, 30 steps per second, and the factor by which the atoms were
/// scaled. `direction`: direction from start to end, radians about +Y.
pub fn connect(
    contents: &Contents,
    index: &Index,
    sequence: &Sequence,
    direction: f32,
    from: GroundState,
    to: GroundState,
) -> (GroundPath, f32) {
    let requested_distance = from.position.distance(to.position);
    let recorded_distance: f32 = sequence.atoms.iter().map(|&atom| index.atoms[atom].ends.distance).sum();
    let scale = if requested_distance >= MIN_DISTANCE && recorded_distance > 0.5 * MIN_DISTANCE {
        requested_distance / recorded_distance
    } else {
        1.0
    };
    // One step per step of a track.
    let mut track_path = GroundPath { positions: vec![from.position], headings: Vec::new() };
    for &atom in &sequence.atoms {
        let atom = &index.atoms[atom];
        let track = &contents.tracks[atom.segment.track as usize];
        let yaw = direction - atom.direction;
        let start = atom.segment.start as usize;
        let recorded = |step: usize| sample(track, start + step, atom.is_mirrored);
        let (start_position, recorded_start) = (track_path.positions[track_path.positions.len() - 1], recorded(0).0);
        if track_path.headings.is_empty() {
            track_path.headings.push(recorded(0).1 + yaw);
        }
        for step in 1..=atom.segment.steps as usize {
            let (position, heading) = recorded(step);
            let previous = track_path.headings[track_path.headings.len() - 1];
            track_path.positions.push(start_position + scale * rotate(position - recorded_start, yaw));
            track_path.headings.push(previous + wrap(heading + yaw - previous));
        }
    }
    if sequence.atoms.len() > 1 {
        (0..SMOOTHING_PASSES).for_each(|_| smooth(&mut track_path));
    }
    let mut path = track_path.resampled(STEPS_PER_SAMPLE * track_path.steps());
    fit(&mut path, from, to);
    (path, scale)
}

/// Smooths a path by one pass with the weights ¼, ½, ¼; both ends keep their values. The pass is in place: each step is
/// averaged with the smoothed step before it.
fn smooth(path: &mut GroundPath) {
    for index in 1..path.steps() {
        path.positions[index] =
            0.25 * (path.positions[index - 1] + path.positions[index + 1]) + 0.5 * path.positions[index];
        path.headings[index] =
            0.25 * (path.headings[index - 1] + path.headings[index + 1]) + 0.5 * path.headings[index];
    }
}

/// Changes a path gradually so that its ends have the positions, headings and velocities of the body.
pub fn fit(path: &mut GroundPath, from: GroundState, to: GroundState) {
    let last = path.steps();
    if last == 0 {
        return;
    }
    let length = last as f32;
    let (start_shift, end_shift) = (from.position - path.positions[0], to.position - path.positions[last]);
    let full_turns = ((from.heading - path.headings[0]) / TAU).round() * TAU;
    path.headings.iter_mut().for_each(|heading| *heading += full_turns);
    let heading_errors = [wrap(from.heading - path.headings[0]), wrap(to.heading - path.headings[last])];
    for step in 0..=last {
        let time = step as f32 / length;
        let eased = smoothstep(time);
        path.positions[step] += start_shift * (1.0 - time) + end_shift * time;
        path.headings[step] += heading_errors[0] * (1.0 - eased) + heading_errors[1] * eased;
    }
    let velocity_error =
        |velocity: Option<Vec2>, path_velocity: Vec2| velocity.map_or(Vec2::ZERO, |velocity| velocity - path_velocity);
    let start_error = velocity_error(from.velocity, path.positions[1] - path.positions[0]);
    let end_error = velocity_error(to.velocity, path.positions[last] - path.positions[last - 1]);
    for step in 1..last {
        let time = step as f32;
        path.positions[step] += start_error * translation_from_velocity(time, length, DECAY_STEPS)
            - end_error * translation_from_velocity(length - time, length, DECAY_STEPS);
    }
}
