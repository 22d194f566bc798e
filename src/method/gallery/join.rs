//! Connects found atoms to one path between two ground states.

use super::file::Stored;
use super::index::{Index, NO_DIRECTION, sample};
use super::search::Sequence;
use crate::body::interpolate::shift_carried;
use crate::motion::ease::smoothstep;
use crate::motion::ground_path::{GroundPath, GroundState};
use crate::motion::root::wrap;
use glam::Vec2;
use std::f32::consts::TAU;

/// Steps of a path, 30 a second, per step of a track.
pub const STEPS: usize = 3;
/// Number of steps in which the velocity difference at an end decays to 1/e.
const DECAY: f32 = 8.0;
/// Number of smoothing passes over a path of several atoms, which round the corners between them.
const PASSES: usize = 2;

/// A position rotated about the vertical: by π/2 from +z to +x.
fn turned(place: Vec2, radians: f32) -> Vec2 {
    let (sin, cos) = radians.sin_cos();
    Vec2::new(place.x * cos + place.y * sin, place.y * cos - place.x * sin)
}

/// The path, 30 steps a second, and its scale factor.
pub fn joined(
    stored: &Stored,
    index: &Index,
    found: &Sequence,
    direction: f32,
    from: GroundState,
    to: GroundState,
) -> (GroundPath, f32) {
    let direct = from.place.distance(to.place);
    let led: f32 = found.atoms.iter().map(|&atom| index.atoms[atom].ends.distance).sum();
    let scale = if direct >= NO_DIRECTION && led > 0.5 * NO_DIRECTION { direct / led } else { 1.0 };
    let mut coarse = GroundPath { places: vec![from.place], headings: Vec::new() };
    for &atom in &found.atoms {
        let atom = &index.atoms[atom];
        let track = &stored.tracks[atom.piece.track as usize];
        let turn = direction - atom.direction;
        let start = atom.piece.start as usize;
        let at = |step: usize| sample(track, start + step, atom.mirrored);
        let (corner, base) = (coarse.places[coarse.places.len() - 1], at(0).0);
        if coarse.headings.is_empty() {
            coarse.headings.push(at(0).1 + turn);
        }
        for step in 1..=atom.piece.steps as usize {
            let (place, heading) = at(step);
            let before = coarse.headings[coarse.headings.len() - 1];
            coarse.places.push(corner + scale * turned(place - base, turn));
            coarse.headings.push(before + wrap(heading + turn - before));
        }
    }
    if found.atoms.len() > 1 {
        (0..PASSES).for_each(|_| smooth(&mut coarse));
    }
    let mut way = coarse.resampled(STEPS * coarse.steps());
    fit(&mut way, from, to);
    (way, scale)
}

/// One pass of a binomial filter; the ends keep their values.
fn smooth(way: &mut GroundPath) {
    for index in 1..way.steps() {
        way.places[index] = 0.25 * (way.places[index - 1] + way.places[index + 1]) + 0.5 * way.places[index];
        way.headings[index] = 0.25 * (way.headings[index - 1] + way.headings[index + 1]) + 0.5 * way.headings[index];
    }
}

/// Moves both ends to the positions and velocities of the body there.
pub fn fit(way: &mut GroundPath, from: GroundState, to: GroundState) {
    let last = way.steps();
    if last == 0 {
        return;
    }
    let length = last as f32;
    let (off, missed) = (from.place - way.places[0], to.place - way.places[last]);
    let whole = ((from.heading - way.headings[0]) / TAU).round() * TAU;
    way.headings.iter_mut().for_each(|heading| *heading += whole);
    let turn = [wrap(from.heading - way.headings[0]), wrap(to.heading - way.headings[last])];
    for step in 0..=last {
        let (part, eased) = (step as f32 / length, smoothstep(step as f32 / length));
        way.places[step] += off * (1.0 - part) + missed * part;
        way.headings[step] += turn[0] * (1.0 - eased) + turn[1] * eased;
    }
    let beyond = |velocity: Option<Vec2>, own: Vec2| velocity.map_or(Vec2::ZERO, |velocity| velocity - own);
    let start = beyond(from.velocity, way.places[1] - way.places[0]);
    let end = beyond(to.velocity, way.places[last] - way.places[last - 1]);
    for step in 1..last {
        let time = step as f32;
        way.places[step] +=
            start * shift_carried(time, length, DECAY) - end * shift_carried(length - time, length, DECAY);
    }
}
