//! Control tracks: the requested motion, second by second.

use crate::Outcome;
use glam::{Vec2, Vec3};
use kinestitch::control::Control;
use serde::Deserialize;

/// The ten tracks.
const TRACKS: &str = include_str!("../../../../benchmarks/control-tracks.json");
/// Length of each track, seconds.
pub const SECONDS: f64 = 60.0;

/// A track: a sequence of sections.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Track {
    pub name: String,
    /// Seed of random sections; used if `sections` is empty.
    #[serde(default)]
    seed: u64,
    /// Sections, repeated until the track is full.
    sections: Vec<Section>,
}

/// Some seconds of a track, at one pace.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
struct Section {
    seconds: f64,
    /// Turn of the direction at the start of the section, degrees; positive to the left.
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
pub enum Pace {
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
    /// Time since the start of the section, seconds.
    pub secs_in_section: f64,
    /// Angle by which the direction changed at the start of the section, degrees.
    pub direction_change: f32,
    /// Speed in the previous section, m/s.
    pub previous_speed: f32,
}

/// Reads all tracks.
pub fn tracks() -> Outcome<Vec<Track>> {
    Ok(serde_json::from_str(TRACKS)?)
}

/// Returns the speed of a pace, m/s.
pub fn speed(pace: Pace, character: &str) -> f32 {
    let (dog, person) = match pace {
        Pace::Stand => (0.0, 0.0),
        Pace::Slow => (0.45, 0.7),
        Pace::Walk => (0.9, 1.3),
        Pace::Trot => (1.8, 2.2),
        Pace::Run => (3.0, 3.2),
    };
    if character == "dog" { dog } else { person }
}

impl Track {
    /// Returns the requests for all steps of `step` seconds.
    pub fn requests(&self, character: &str, step: f64) -> Vec<Request> {
        let sections = if self.sections.is_empty() { random_sections(self.seed) } else { self.sections.clone() };
        let steps = |seconds: f64| (seconds / step).round() as usize;
        assert!(sections.iter().any(|section| steps(section.seconds) > 0), "{}: no section has a step", self.name);
        let (mut heading, mut requests, mut previous_speed) = (0.0_f32, Vec::new(), 0.0);
        for section in sections.iter().cycle() {
            if requests.len() >= steps(SECONDS) {
                break;
            }
            let direction_change = if requests.is_empty() { 0.0 } else { section.turn };
            heading += direction_change.to_radians();
            let speed = speed(section.pace, character);
            for index in 0..steps(section.seconds) {
                let ahead = Vec3::new(heading.sin(), 0.0, heading.cos());
                let facing = section.facing.map(|degrees| heading + degrees.to_radians());
                let control = Control { direction: Vec2::new(ahead.x, ahead.z), facing, speed, ..Control::default() };
                let secs_in_section = index as f64 * step;
                let velocity = ahead * speed;
                requests.push(Request { control, velocity, secs_in_section, direction_change, previous_speed });
                heading += section.rate.to_radians() * step as f32;
            }
            previous_speed = speed;
        }
        requests.truncate(steps(SECONDS));
        requests
    }
}

/// Draws sections of half a second to four seconds with random turns and paces.
fn random_sections(seed: u64) -> Vec<Section> {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let mut next = move || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 40) as f32 / (1u64 << 24) as f32
    };
    let section = |_| Section {
        seconds: 0.5 + 3.5 * f64::from(next()),
        turn: 360.0 * (next() - 0.5),
        rate: if next() < 0.3 { 80.0 * (next() - 0.5) } else { 0.0 },
        pace: [Pace::Stand, Pace::Slow, Pace::Walk, Pace::Walk, Pace::Trot, Pace::Run][(6.0 * next()) as usize],
        facing: None,
    };
    (0..60).map(section).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(section: &str) -> serde_json::Result<Track> {
        serde_json::from_str(&format!(r#"{{"name": "test", "sections": [{section}]}}"#))
    }

    #[test]
    fn sections_are_repeated_until_the_track_is_full() {
        let track = read(r#"{"seconds": 0.7, "turn": 90, "pace": "walk"}"#).unwrap();
        assert_eq!(track.requests("biped", 0.1).len(), 600);
    }

    #[test]
    fn unknown_fields_are_refused() {
        let error = read(r#"{"seconds": 1, "turns": 90, "pace": "walk"}"#).unwrap_err().to_string();
        assert!(error.contains("turns"), "{error}");
    }

    #[test]
    #[should_panic(expected = "no section has a step")]
    fn sections_without_steps_are_refused() {
        read(r#"{"seconds": 0, "pace": "stand"}"#).unwrap().requests("biped", 0.1);
    }
}
