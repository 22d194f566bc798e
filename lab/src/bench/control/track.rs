//! Control tracks: the requested motion, second by second.

use crate::Outcome;
use glam::{Vec2, Vec3};
use kinestitch::control::Control;
use serde::Deserialize;

/// The ten tracks.
const TRACKS: &str = include_str!("../../../../benchmarks/control-tracks.json");
/// Length of each track, seconds.
pub const SECONDS: f64 = 60.0;

/// A track: a sequence of requests.
#[derive(Debug, Clone, Deserialize)]
pub struct Track {
    pub name: String,
    /// Seed of random legs; used if `legs` is empty.
    #[serde(default)]
    seed: u64,
    /// Requests, repeated until the track is full.
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
    pace: Pace,
    /// Angle from the direction to the body's facing, degrees.
    facing: Option<f32>,
}

/// Name of a speed.
#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Pace {
    Stand,
    Slow,
    Walk,
    Trot,
    Run,
}

/// Request at one moment.
#[derive(Debug, Clone, Copy)]
pub struct Request {
    pub control: Control,
    /// Requested velocity, metres per second.
    pub velocity: Vec3,
    /// Time since the request changed, seconds.
    pub secs_since_change: f64,
    /// Angle by which the direction changed, degrees.
    pub direction_change: f32,
    /// Speed before the change, m/s.
    pub previous_speed: f32,
}

/// Reads all tracks.
pub fn tracks() -> Outcome<Vec<Track>> {
    Ok(serde_json::from_str(TRACKS)?)
}

/// Returns the speed of a pace, m/s.
fn speed(pace: Pace, character: &str) -> f32 {
    let speeds = if character == "dog" { [0.0, 0.45, 0.9, 1.8, 3.0] } else { [0.0, 0.7, 1.3, 2.2, 3.2] };
    speeds[pace as usize]
}

impl Track {
    /// Returns the requests for all steps of `step` seconds.
    pub fn requests(&self, character: &str, step: f64) -> Vec<Request> {
        let legs = if self.legs.is_empty() { random_legs(self.seed) } else { self.legs.clone() };
        let (mut heading, mut requests, mut previous_speed) = (0.0_f32, Vec::new(), 0.0);
        let count = (SECONDS / step).round() as usize;
        for leg in legs.iter().cycle() {
            let direction_change = if requests.is_empty() { 0.0 } else { leg.turn };
            heading += direction_change.to_radians();
            let speed = speed(leg.pace, character);
            for index in 0..(leg.seconds / step).round() as usize {
                if requests.len() == count {
                    return requests;
                }
                let ahead = Vec3::new(heading.sin(), 0.0, heading.cos());
                let facing = leg.facing.map(|degrees| heading + degrees.to_radians());
                let control = Control { direction: Vec2::new(ahead.x, ahead.z), facing, speed, ..Control::default() };
                let secs_since_change = index as f64 * step;
                let velocity = ahead * speed;
                requests.push(Request { control, velocity, secs_since_change, direction_change, previous_speed });
                heading += leg.rate.to_radians() * step as f32;
            }
            previous_speed = speed;
        }
        requests
    }
}

/// Draws legs of half a second to four seconds with random turns and paces.
fn random_legs(seed: u64) -> Vec<Leg> {
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
        pace: [Pace::Stand, Pace::Slow, Pace::Walk, Pace::Walk, Pace::Trot, Pace::Run][(6.0 * next()) as usize],
        facing: None,
    };
    (0..60).map(leg).collect()
}
