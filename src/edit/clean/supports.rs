//! Supports: positions of feet that carry the body, found without knowledge of the floor.
//!
//! A floor that is too high, tilted or drifting, and a way with a wrong length, hide contacts from the usual detection.
//! Here a foot supports the body if it is the lower one, hardly moves up or down, and is below the body.

use crate::motion::clip::Clip;
use crate::motion::contact::{Legs, Tracks, foot_tracks};
use crate::motion::fk::point_tracks;
use crate::motion::rig::{Rig, Role};
use glam::Vec3;

/// Largest vertical speed of a support, leg lengths per second.
const MAX_RISE: f32 = 0.25;
/// Largest height of a support over the lower of both feet, leg lengths.
const MAX_HEIGHT: f32 = 0.06;
/// Least height of the hips over a support, leg lengths.
const MIN_HIPS: f32 = 0.6;

/// A point of a foot that carries the body in a frame.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Support {
    pub frame: usize,
    /// 0: heel, 1: toe.
    pub part: usize,
    /// World position, metres.
    pub position: Vec3,
    /// Velocity, metres per second.
    pub velocity: Vec3,
    /// Velocity of the hips, metres per second.
    pub hips_velocity: Vec3,
}

/// Legs of a clip and trajectories of feet and hips.
pub(super) struct Body {
    pub leg_length: f32,
    pub tracks: Tracks,
    pub hips: Vec<Vec3>,
}

impl Body {
    /// Returns `None` for a rig without two legs and hips, and for clips of less than three frames.
    pub fn new(clip: &Clip, rig: &Rig) -> Option<Self> {
        if clip.frames() < 3 {
            return None;
        }
        let legs = Legs::detect(clip, rig)?;
        let hips = point_tracks(clip, &[(rig.joint(Role::Hips)?, Vec3::ZERO)]).pop()?;
        let leg_length = legs.length(clip, 0);
        let tracks = foot_tracks(clip, &legs);
        (leg_length > 1e-3).then_some(Self { leg_length, tracks, hips })
    }

    /// Returns the supports of all frames.
    pub fn supports(&self, fps: f64) -> Vec<Support> {
        let mut supports = Vec::new();
        let velocity = |track: &[Vec3], frame: usize| (track[frame + 1] - track[frame - 1]) * (fps as f32 / 2.0);
        for frame in 1..self.hips.len() - 1 {
            for part in 0..2 {
                let lowest = self.tracks[0][part][frame].y.min(self.tracks[1][part][frame].y);
                for side in 0..2 {
                    let track = &self.tracks[side][part];
                    let (position, velocity) = (track[frame], velocity(track, frame));
                    let is_low = position.y - lowest < MAX_HEIGHT * self.leg_length;
                    let is_below = self.hips[frame].y - position.y > MIN_HIPS * self.leg_length;
                    if is_low && is_below && velocity.y.abs() < MAX_RISE * self.leg_length {
                        let hips_velocity = (self.hips[frame + 1] - self.hips[frame - 1]) * (fps as f32 / 2.0);
                        supports.push(Support { frame, part, position, velocity, hips_velocity });
                    }
                }
            }
        }
        supports
    }
}
