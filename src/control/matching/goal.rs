//! The way that the input asks for: position, velocity and heading, moved by damped springs.

use super::spring::{HeadingSpring, VelocitySpring};
use crate::body::GroundPose;
use crate::method::matching::feature::AHEAD;
use crate::method::matching::{Database, FPS};
use crate::motion::root::wrap;
use glam::Vec3;

/// Half-lives of velocity and heading, seconds.
const VELOCITY_SECS: f32 = 0.16;
const HEADING_SECS: f32 = 0.12;
/// Half-life with which the ground pose of the body follows the way, seconds.
const FOLLOW_SECS: f32 = 0.15;
/// Largest correction of position, part of the requested speed; of heading, radians per second.
const FOLLOW_SPEED: f32 = 0.5;
const FOLLOW_TURN: f32 = 4.5;

/// State of the way.
#[derive(Debug, Clone, Copy)]
pub struct Goal {
    /// On the ground, metres.
    pub position: Vec3,
    pub velocity: VelocitySpring,
    pub heading: HeadingSpring,
}

/// Returns the unit vector on the ground of a heading.
pub fn direction(heading: f32) -> Vec3 {
    Vec3::new(heading.sin(), 0.0, heading.cos())
}

impl Goal {
    /// Creates a way at rest.
    pub fn at(pose: GroundPose) -> Self {
        let (velocity, heading) = (VelocitySpring::default(), HeadingSpring::at(pose.heading));
        Self { position: pose.position, velocity, heading }
    }

    /// Advances towards a velocity, m/s, and a heading, radians.
    pub fn advance(&mut self, velocity: Vec3, heading: f32, seconds: f32) {
        self.position += self.velocity.advance(velocity, VELOCITY_SECS, seconds);
        self.heading.advance(heading, HEADING_SECS, seconds);
    }

    /// Writes the way ahead to the columns of a normalised query, in the axes of `root`. `wanted`: velocity and facing
    /// that the input asks for.
    pub fn write_ahead(mut self, database: &Database, root: GroundPose, wanted: [Vec3; 2], query: &mut [f32]) {
        let [way, faces] = database.layout.way();
        let normalisation = &database.normalisation;
        let mut put = |column: usize, value: f32| {
            query[column] = (value - normalisation.mean[column]) * normalisation.scale[column];
        };
        let facing = wanted[1].x.atan2(wanted[1].z);
        let mut frames = 0;
        for (sample, ahead) in AHEAD.into_iter().enumerate() {
            self.advance(wanted[0], facing, ((ahead - frames) as f64 / FPS) as f32);
            frames = ahead;
            let local = root.local_point(self.position);
            let turned = wrap(self.heading.heading - root.heading);
            put(way.start + 2 * sample, local.x);
            put(way.start + 2 * sample + 1, local.z);
            put(faces.start + 2 * sample, turned.sin());
            put(faces.start + 2 * sample + 1, turned.cos());
        }
    }

    /// Moves the ground pose of the body towards the way, and keeps the way within `max_lead` metres of the body.
    pub fn draw(&mut self, root: &mut GroundPose, max_lead: f32, seconds: f32) {
        let part = 1.0 - 0.5_f32.powf(seconds / FOLLOW_SECS);
        let lead = (self.position - root.position).with_y(0.0);
        root.position += (lead * part).clamp_length_max(FOLLOW_SPEED * self.velocity.velocity.length() * seconds);
        let max_turn = FOLLOW_TURN * seconds;
        let turn = wrap(self.heading.heading - root.heading);
        root.heading = wrap(root.heading + (turn * part).clamp(-max_turn, max_turn));
        let lead = (self.position - root.position).with_y(0.0);
        self.position = root.position + lead.clamp_length_max(max_lead);
    }
}
