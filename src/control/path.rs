//! The path ahead, from user input.
//!
//! Velocity and heading approach the requested values exponentially from the present ones, like a massless damped
//! spring. The result is blended into the network's last prediction: eq. 1 of Starke et al. 2020. That paper prints a
//! weight that falls with the time ahead; here it grows, as in Holden et al. 2017, *PFNN*, section 6.1.

use super::Control;
use crate::body::GroundPose;
use crate::feature::controller::{AHEAD, FPS, MAX_ACTIONS, PathSample, SPACING};
use crate::method::controller::Network;
use crate::motion::root::wrap;
use glam::Vec3;

/// Time constants of velocity, heading and actions, seconds.
const VELOCITY_SECS: f32 = 0.15;
const HEADING_SECS: f32 = 0.16;
const ACTION_SECS: f32 = 0.15;
/// τ of eq. 1: below 1 the request takes effect soon. With 0.5, and time constants of 0.22 s, a turn of 90° takes 0.77
/// s (biped) and 0.82 s (dog); with these values 0.6 and 0.7 s, without more foot sliding.
const BIAS: f32 = 0.35;
/// Gain for the difference between requested and present velocity. The network starts and turns as slowly as people
/// without haste; with an exaggerated request until the velocity is reached, it starts in 0.6 s instead of 1.3 s
/// (biped, set open), and misses its destination by 5 % of the distance instead of 8 %; a gain of 2 is hardly better.
/// Chosen on sequences of requests that `bench control` does not use.
const GAIN: f32 = 1.5;
/// Smallest speed at which the action "move" has its full weight, metres per second (appendix A.1).
const MOVING_SPEED: f32 = 0.5;
/// Requests below this speed mean standing, metres per second.
const STANDING_SPEED: f32 = 0.05;

/// A request that can be followed: finite, and within the training data.
#[derive(Debug, Clone, Copy)]
pub struct Request {
    /// Velocity on the ground, metres per second.
    pub velocity: Vec3,
    /// Heading, radians about +Y.
    pub heading: f32,
    /// Weights of the actions.
    pub actions: [f32; MAX_ACTIONS],
}

impl Request {
    /// Converts user input to a request for a character at `root`.
    pub fn new(control: &Control, network: &Network, root: GroundPose) -> Self {
        let speed = if control.speed.is_finite() { control.speed.clamp(0.0, network.config.fastest) } else { 0.0 };
        let direction = if control.direction.is_finite() { control.direction } else { glam::Vec2::ZERO };
        // The length of the direction is ignored, however large.
        let direction = (direction / direction.abs().max_element().max(1e-30)).normalize_or_zero();
        // Actions 0 and 1, standing and moving, follow from the speed.
        let action = control.action.filter(|action| (2..network.layout.actions).contains(action));
        let speed = if action.is_some() || speed < STANDING_SPEED { 0.0 } else { speed };
        let velocity = Vec3::new(direction.x, 0.0, direction.y) * speed;
        let is_moving = velocity.length() > 0.0;
        let heading = match control.facing.filter(|facing| facing.is_finite()) {
            Some(facing) => wrap(facing),
            None if is_moving => velocity.x.atan2(velocity.z),
            None => root.heading,
        };
        let mut actions = [0.0; MAX_ACTIONS];
        let move_weight = crate::motion::ease::smoothstep((velocity.length() / MOVING_SPEED).clamp(0.0, 1.0));
        match action {
            Some(action) => actions[action] = 1.0,
            None => (actions[0], actions[1]) = (1.0 - move_weight, move_weight),
        }
        Self { velocity, heading, actions }
    }

    /// Returns the request as passed to the network: exaggerated by [`GAIN`] while its velocity differs from
    /// `present_velocity`.
    pub fn exaggerate(self, present_velocity: Vec3, fastest: f32) -> Self {
        if self.velocity == Vec3::ZERO {
            return self;
        }
        let velocity = self.velocity + (self.velocity - present_velocity) * GAIN;
        Self { velocity: velocity.clamp_length_max(fastest), ..self }
    }

    /// Returns the sample of the requested path after some seconds.
    fn sample_after(&self, root: GroundPose, current: &PathSample, seconds: f32) -> PathSample {
        let velocity_decay = (-seconds / VELOCITY_SECS).exp();
        let velocity_offset = current.velocity - self.velocity;
        let heading_offset = wrap(root.heading - self.heading) * (-seconds / HEADING_SECS).exp();
        let action_decay = (-seconds / ACTION_SECS).exp();
        let heading = self.heading + heading_offset;
        PathSample {
            position: root.position
                + self.velocity * seconds
                + velocity_offset * VELOCITY_SECS * (1.0 - velocity_decay),
            facing: Vec3::new(heading.sin(), 0.0, heading.cos()),
            velocity: self.velocity + velocity_offset * velocity_decay,
            actions: std::array::from_fn(|action| {
                self.actions[action] + (current.actions[action] - self.actions[action]) * action_decay
            }),
        }
    }
}

/// Returns the path from now on: a blend of the network's prediction and the requested path.
pub fn blend_paths(request: &Request, root: GroundPose, predicted: &[PathSample; AHEAD]) -> [PathSample; AHEAD] {
    let current = predicted[0];
    std::array::from_fn(|index| {
        if index == 0 {
            return current;
        }
        let seconds = (index * SPACING) as f32 / FPS as f32;
        let goal = request.sample_after(root, &current, seconds);
        let weight = (index as f32 / (AHEAD - 1) as f32).powf(BIAS);
        let predicted = &predicted[index];
        PathSample {
            position: predicted.position.lerp(goal.position, weight),
            facing: predicted.facing.lerp(goal.facing, weight).try_normalize().unwrap_or(goal.facing),
            velocity: predicted.velocity.lerp(goal.velocity, weight),
            // Actions are always the requested ones.
            actions: goal.actions,
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requests_are_exaggerated_until_their_velocity_is_reached() {
        let request = |speed: f32| Request { velocity: Vec3::Z * speed, heading: 0.0, actions: [0.0; MAX_ACTIONS] };
        let exaggerated = |speed: f32, now: Vec3| request(speed).exaggerate(now, 4.0).velocity;
        assert_eq!(exaggerated(1.0, Vec3::ZERO), Vec3::Z * (1.0 + GAIN));
        assert_eq!(exaggerated(1.0, Vec3::Z), Vec3::Z);
        assert!(exaggerated(1.0, Vec3::Z * 2.0).z < 1.0);
        assert!((exaggerated(3.5, Vec3::NEG_Z).length() - 4.0).abs() < 1e-5);
        // A request to stand must not become one to walk backwards.
        assert_eq!(exaggerated(0.0, Vec3::Z), Vec3::ZERO);
    }
}
