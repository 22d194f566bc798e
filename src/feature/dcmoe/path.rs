//! Samples the root's path around a frame. The past path is known. The future path is either requested or estimated
//! from the velocity and the target.

use super::{AHEAD, FPS, NOW, NetworkInput, PathSample, SAMPLES, SPACING};
use crate::body::GroundPose;
use crate::motion::root::wrap;
use glam::{Vec2, Vec3};

/// Number of frames in which the root's excess velocity, beyond the mean velocity to the target, decays to 1/e if no
/// path is requested.
const DECAY: f32 = 32.0;

/// Samples the path from one second in the past to one second in the future, in world space. `trail`: ground poses of
/// the frames up to the current one, the oldest first; before the oldest, the path is assumed to be straight. An empty
/// trail counts as the current ground pose alone.
/// `requested`: the requested path, one point (x and z, metres) per frame up to the target, and the index of the
/// current frame in it.
pub fn samples(
    trail: &[GroundPose],
    input: &NetworkInput,
    requested: Option<(&[Vec2], usize)>,
) -> [PathSample; SAMPLES] {
    let current = [input.current.root()];
    let trail = if trail.is_empty() { &current } else { trail };
    let future = future(input, requested);
    std::array::from_fn(|sample| match sample.checked_sub(NOW) {
        None => past(trail, input, (NOW - sample) * SPACING),
        Some(index) => future[index],
    })
}

/// Creates a sample on the ground, without actions. `velocity`: metres per second.
fn sample(position: Vec3, heading: f32, velocity: Vec3) -> PathSample {
    let facing = Vec3::new(heading.sin(), 0.0, heading.cos());
    PathSample { position: position.with_y(0.0), facing, velocity: velocity.with_y(0.0), ..PathSample::default() }
}

/// Returns the sample `age` frames before the current one. `trail` has at least one ground pose.
fn past(trail: &[GroundPose], input: &NetworkInput, age: usize) -> PathSample {
    let last = trail.len().saturating_sub(1);
    let index = last.saturating_sub(age);
    // Metres per frame.
    let velocity = match trail.get(index + 1) {
        Some(next) => next.position - trail[index].position,
        None => input.current.positions[0] - input.previous.positions[0],
    };
    let root = &trail[index];
    let frames_before_trail = age.saturating_sub(last) as f32;
    sample(root.position - velocity * frames_before_trail, root.heading, velocity * FPS as f32)
}

/// Returns the samples from the current frame on. Without a requested path, the root moves to the target at the mean
/// velocity, and the excess of its current velocity decays on the way.
fn future(input: &NetworkInput, requested: Option<(&[Vec2], usize)>) -> [PathSample; AHEAD] {
    let NetworkInput { current, previous, target, span } = *input;
    let (from, to) = (current.root(), target.root());
    let heading_change = wrap(to.heading - from.heading);
    // Velocities in metres per frame.
    let mean_velocity = (to.position - from.position) / span;
    let excess_velocity = (current.positions[0] - previous.positions[0]).with_y(0.0) - mean_velocity;
    std::array::from_fn(|index| {
        let elapsed = (index * SPACING) as f32;
        // A requested path has no headings: in both cases, the heading changes evenly to that of the target.
        let heading = from.heading + heading_change * (elapsed / span).min(1.0);
        let (position, velocity) = match requested {
            Some((path, current_index)) => {
                let (position, velocity) = path_point(path, current_index + index * SPACING);
                (Vec3::new(position.x, 0.0, position.y), Vec3::new(velocity.x, 0.0, velocity.y))
            }
            None => {
                // Displacement by an excess velocity of one metre per frame: zero again at the target.
                let unit_displacement = |time: f32| {
                    let time = time.min(span);
                    time * (1.0 - time / span).powi(2) * (-time / DECAY).exp()
                };
                let position =
                    |time: f32| from.position + mean_velocity * time + excess_velocity * unit_displacement(time);
                let velocity = match index {
                    0 => mean_velocity + excess_velocity,
                    _ => (position(elapsed + 1.0) - position(elapsed - 1.0)) / 2.0,
                };
                (position(elapsed), velocity)
            }
        };
        sample(position, heading, velocity * FPS as f32)
    })
}

/// Returns a point of a path, metres, and the velocity there, metres per frame. Beyond the end, the path continues
/// straight.
fn path_point(path: &[Vec2], index: usize) -> (Vec2, Vec2) {
    let last = path.len().saturating_sub(1);
    let nearest = index.min(last);
    let (before, after) = (nearest.saturating_sub(1), (nearest + 1).min(last));
    let velocity = (path[after] - path[before]) / (after - before).max(1) as f32;
    (path[nearest] + velocity * (index - nearest) as f32, velocity)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::body::poses::ROLES;
    use crate::feature::dcmoe::Body;
    use glam::Quat;

    fn body(x: f32) -> Body {
        let rotations = [Quat::IDENTITY; ROLES];
        Body::from_local_rotations(Vec3::new(x, 1.0, 0.0), &rotations, &[Vec3::Y * 0.1; ROLES])
    }

    #[test]
    fn a_steady_walk_is_straight_before_and_after() {
        let (previous, current, target) = (body(-0.04), body(0.0), body(1.2));
        let input = NetworkInput { current: &current, previous: &previous, target: &target, span: 30.0 };
        let trail = [previous.root(), current.root()];
        let points: Vec<Vec2> = (0..=30).map(|frame| Vec2::new(0.04 * frame as f32, 0.0)).collect();
        for (trail, requested) in [(&trail[..], None), (&trail[..], Some((&points[..], 0))), (&[], None)] {
            for (index, sample) in samples(trail, &input, requested).iter().enumerate() {
                let x = 0.04 * (index as f32 - NOW as f32) * SPACING as f32;
                assert!((sample.position.x - x).abs() < 1e-4, "{index}: x is {}, not {x}", sample.position.x);
                assert!((sample.velocity.x - 1.2).abs() < 1e-3, "{index}: {}", sample.velocity.x);
            }
        }
    }
}
