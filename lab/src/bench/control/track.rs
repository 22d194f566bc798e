//! Control tracks: the requested motion, second by second.

use crate::Outcome;
use glam::{Vec2, Vec3};
use kinestitch::control::Control;
use serde::Deserialize;

/// The ten tracks.
const TRACKS: &str = include_str!("../../../../benchmarks/control-tracks.json");
/// Length of each track, seconds.
pub const SECONDS: f64 = 60.0;

/// A track.
#[derive(Debug, Clone, Deserialize)]
pub struct Track {
    pub name: String,
    /// Whether legs are random; used if `legs` is empty.
    #[serde(default)]
    seed: u64,
    /// Repeated until the track is full.
    legs: Vec<Leg>,
}

/// One request, held for some seconds.
#[derive(Debug, Clone, Deserialize)]
struct Leg {
    seconds: f64,
    /// Turn of the direction at the start of the leg, degrees; positive to the left.
    #[serde(default)]
    turn: f32,
    /// Turn rate of the direction, degrees per second.
    #[serde(default)]
    rate: f32,
    pace: String,
    /// Angle from the direction to the body's facing, degrees.
    facing: Option<f32>,
}

/// Request at one moment.
#[derive(Debug, Clone, Copy)]
pub struct Request {
    pub control: Control,
    /// Metres per second.
    pub velocity: Vec3,
    /// Seconds since the request changed, and the angle of that change in degrees.
    pub since: f64,
    pub turned: f32,
    /// Speed before the change, m/s.
    pub before: f32,
}

/// All tracks.
pub fn tracks() -> Outcome<Vec<Track>> {
    Ok(serde_json::from_str(TRACKS)?)
}

/// Speed of a named pace, m/s.
fn speed(pace: &str, character: &str) -> f32 {
    let paces = ["stand", "slow", "walk", "trot", "run"];
    let speeds = if character == "dog" { [0.0, 0.45, 0.9, 1.8, 3.0] } else { [0.0, 0.7, 1.3, 2.2, 3.2] };
    paces.iter().position(|known| *known == pace).map_or(0.0, |index| speeds[index])
}

impl Track {
    /// Requests for all steps of `step` seconds.
    pub fn requests(&self, character: &str, step: f64) -> Vec<Request> {
        let legs = if self.legs.is_empty() { random(self.seed) } else { self.legs.clone() };
        let (mut heading, mut requests, mut before) = (0.0_f32, Vec::new(), 0.0);
        let all = (SECONDS / step).round() as usize;
        for leg in legs.iter().cycle() {
            let turned = if requests.is_empty() { 0.0 } else { leg.turn };
            heading += turned.to_radians();
            let speed = speed(&leg.pace, character);
            for index in 0..(leg.seconds / step).round() as usize {
                if requests.len() == all {
                    return requests;
                }
                let ahead = Vec3::new(heading.sin(), 0.0, heading.cos());
                let facing = leg.facing.map(|degrees| heading + degrees.to_radians());
                let control = Control { direction: Vec2::new(ahead.x, ahead.z), facing, speed, ..Control::default() };
                let since = index as f64 * step;
                requests.push(Request { control, velocity: ahead * speed, since, turned, before });
                heading += leg.rate.to_radians() * step as f32;
            }
            before = speed;
        }
        requests
    }
}

/// Legs of half a second to four seconds with random turns and paces.
fn random(seed: u64) -> Vec<Leg> {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let mut next = move || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 40) as f32 / (1u64 << 24) as f32
    };
    let leg = |_| Leg {
        seconds: 0.5 + 3.5 * f64::from(next()),
        turn: 360.0 * (next() - 0.5),
        rate: if next() < 0.3 { 80.0 * (next() - 0.5) } else { 0.0 },
        pace: ["stand", "slow", "walk", "walk", "trot", "run"][(6.0 * next()) as usize].to_owned(),
        facing: None,
    };
    (0..60).map(leg).collect()
}
