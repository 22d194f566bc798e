//! The course of a body over the ground on one side of a seam.

use super::tracks::{FPS, Tracks};
use glam::Vec3;
use std::f32::consts::FRAC_PI_4;
use std::ops::Range;

/// Longest motion on one side of a seam that gives its course, seconds.
pub const COURSE_SECS: f64 = 2.0;
/// Shortest motion that gives a course, seconds.
const MIN_SECS: f64 = 0.6;
/// Lowest speed that gives a course, metres per second.
const MIN_SPEED: f32 = 0.6;
/// Largest angle between the courses of both halves of a straight way, radians.
const MAX_BEND: f32 = 0.17;

/// Course of a motion.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Course {
    /// The direction of a straight way, radians about +Y.
    Straight(f32),
    /// The way bends.
    Bent,
}

/// Returns the course of a body in some frames: that of its hips, or, if they do not travel, the direction opposite to
/// that in which its standing feet slide (clips made in place). `None` if the body does not walk.
pub fn course(tracks: &Tracks, frames: Range<usize>, floors: &[f32]) -> Option<Course> {
    if (frames.len() as f64) < MIN_SECS * FPS {
        return None;
    }
    let middle = frames.start + frames.len() / 2;
    let halves = [frames.start..middle, middle..frames.end];
    let hips = tracks.hips();
    let travel = |frames: &Range<usize>| (hips[frames.end - 1] - hips[frames.start]).with_y(0.0);
    let slide = |frames: &Range<usize>| {
        let velocities = tracks.standing_velocities(floors, super::LOW_HEIGHT, frames.clone());
        -velocities.iter().sum::<Vec3>() / velocities.len().max(1) as f32
    };
    let speed = |way: Vec3| way.length() * FPS as f32 / frames.len() as f32;
    let (whole, parts) = match speed(travel(&frames)) >= MIN_SPEED {
        true => (travel(&frames), halves.each_ref().map(travel)),
        false if speed(travel(&frames)) < MIN_SPEED / 4.0 && slide(&frames).length() >= MIN_SPEED => {
            (slide(&frames), halves.each_ref().map(slide))
        }
        false => return None,
    };
    // Steps backwards and to the side keep the facing direction.
    if whole.angle_between(tracks.facing(frames)) > FRAC_PI_4 {
        return None;
    }
    let bend = parts[0].angle_between(parts[1]);
    Some(if bend < MAX_BEND { Course::Straight(whole.x.atan2(whole.z)) } else { Course::Bent })
}
