//! Report on the motions of a database.

use super::tag::Tag;
use super::take::Take;
use super::{Coverage, Database, FPS};
use glam::Vec3;

/// Frames over which speeds and turns are averaged: a third of a second.
const WINDOW: usize = 10;
/// Speeds below which a body stands, and above which it walks and runs, limb lengths per second.
const STANDING: f32 = 0.12;
const WALKING: f32 = 0.8;
const RUNNING: f32 = 2.6;
/// Turn rate of a turn, radians per second.
const TURNING: f32 = 0.8;

/// Returns the coverage of a database.
pub fn of(database: &Database) -> Coverage {
    let takes = || database.takes.iter().zip(&database.tags);
    let locomotion = || takes().filter(|(_, tag)| **tag == Tag::Locomotion).map(|(take, _)| take);
    let paces: Vec<(f32, f32)> = locomotion().flat_map(paces).collect();
    let speeds = || paces.iter().map(|(speed, _)| *speed);
    let slowest = speeds().fold(f32::INFINITY, f32::min);
    let fastest = speeds().fold(0.0, f32::max);
    let turns = || paces.iter().map(|(_, turn)| *turn);
    let names = |tag: Tag| {
        let is_original = |take: &&Take| take.source.is_some() && !take.name.ends_with(" (mirrored)");
        let tagged = takes().filter(|(_, other)| **other == tag).map(|(take, _)| take);
        tagged.filter(is_original).map(|take| take.name.clone()).collect::<Vec<_>>()
    };
    let length = database.limb_length();
    let has = |from: f32, to: f32| speeds().any(|speed| speed >= from * length && speed < to * length);
    let turning = |sign: f32| turns().any(|turn| sign * turn > TURNING);
    let mut missing = Vec::new();
    let mut add = |is_there: bool, text: &str| {
        if !is_there {
            missing.push(text.to_owned());
        }
    };
    add(has(0.0, STANDING), "no clip stands still: add an idle");
    add(has(WALKING, RUNNING), "no clip walks: add a walk");
    add(fastest >= RUNNING * length, "no clip runs: add a run");
    add(turning(1.0) && turning(-1.0), "no clip turns: turns are made by bending the way; add turns to both sides");
    let names_of = |tag| names(tag);
    Coverage {
        speeds: [if slowest.is_finite() { slowest } else { 0.0 }, fastest],
        turns: [-turns().fold(0.0, f32::min), turns().fold(0.0, f32::max)],
        locomotion: names_of(Tag::Locomotion),
        actions: names_of(Tag::Action),
        in_place: database.in_place().to_vec(),
        missing,
    }
}

/// Returns the highest speed of a take, metres per second: over a third of a second.
pub fn fastest(take: &Take) -> f32 {
    paces(take).into_iter().map(|(speed, _)| speed).fold(0.0, f32::max)
}

/// Returns speed, m/s, and turn rate, rad/s, of each window of a take.
fn paces(take: &Take) -> Vec<(f32, f32)> {
    if take.frames() < WINDOW {
        return vec![take.pace()];
    }
    let window = |start: usize| {
        let steps = &take.steps[start..start + WINDOW];
        let movement: Vec3 = steps.iter().map(|step| step.movement).sum();
        let turn: f32 = steps.iter().map(|step| step.turn).sum();
        (movement.length() / WINDOW as f32 * FPS as f32, turn / WINDOW as f32 * FPS as f32)
    };
    (0..take.frames() - WINDOW).map(window).collect()
}
