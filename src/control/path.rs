//! The path ahead, from user input.
//!
//! Velocity and heading approach the requested values exponentially from the present ones, like a massless damped
//! spring. The result is blended into the network's last prediction, with a weight that grows with the time ahead
//! (eq. 1, as in Holden et al. 2017, *PFNN*, section 6.1; in Starke et al. 2020 it is printed with falling weights).

use super::Control;
use crate::body::GroundPose;
use crate::feature::controller::{ACTIONS, AHEAD, FPS, PathSample, SPACING};
use crate::method::controller::Network;
use crate::motion::root::wrap;
use glam::Vec3;

/// Time constants of velocity, heading and actions, seconds.
const VELOCITY_SECS: f32 = 0.15;
const HEADING_SECS: f32 = 0.16;
const ACTION_SECS: f32 = 0.15;
/// τ of eq. 1: below 1 the request takes effect soon. With .5, and time constants of .22 s, a turn of 90° takes .77 s
/// (biped) and .82 s (dog); with these values .6 and .7 s, without more foot sliding.
const BIAS: f32 = 0.35;
/// Gain on the difference between requested and present velocity. The network starts and turns as slowly as people
/// without haste; with an exaggerated request until the velocity is reached, it starts in .6 s instead of 1.3 (biped,
/// open), and ends 5 % of the distance from its destination instead of 8 %; 2 is hardly better. Chosen on other
/// tracks than those of `bench control`.
const LEAD: f32 = 1.5;
/// Speed from which a body counts as moving, metres per second (A.1).
const MOVES: f32 = 0.5;
/// Requests below this speed mean standing, metres per second.
const STANDS: f32 = 0.05;

/// A request that can be followed: finite, and within the training data.
#[derive(Debug, Clone, Copy)]
pub struct Request {
    /// Velocity on the ground, metres per second.
    pub velocity: Vec3,
    /// Heading, radians about +Y.
    pub heading: f32,
    /// Weights of the actions.
    pub actions: [f32; ACTIONS],
}

impl Request {
    /// The request of user input for a character standing at `root`.
    pub fn of(want: &Control, network: &Network, root: GroundPose) -> Self {
        let speed = if want.speed.is_finite() { want.speed.clamp(0.0, network.config.fastest) } else { 0.0 };
        let direction = if want.direction.is_finite() { want.direction } else { glam::Vec2::ZERO };
        // The length of the direction is ignored, however large.
        let direction = (direction / direction.abs().max_element().max(1e-30)).normalize_or_zero();
        let action = want.action.filter(|action| (2..network.layout.actions).contains(action));
        let speed = if action.is_some() || speed < STANDS { 0.0 } else { speed };
        let velocity = Vec3::new(direction.x, 0.0, direction.y) * speed;
        let goes = velocity.length() > 0.0;
        let heading = match want.facing.filter(|facing| facing.is_finite()) {
            Some(facing) => wrap(facing % std::f32::consts::TAU),
            None if goes => velocity.x.atan2(velocity.z),
            None => root.heading,
        };
        let mut actions = [0.0; ACTIONS];
        let moves = crate::motion::ease::smoothstep((velocity.length() / MOVES).clamp(0.0, 1.0));
        match action {
            Some(action) => actions[action] = 1.0,
            None => (actions[0], actions[1]) = (1.0 - moves, moves),
        }
        Self { velocity, heading, actions }
    }

    /// The request as passed to the network: exaggerated by [`LEAD`] while the velocity differs from the present one,
    /// `now`.
    pub fn boosted(self, now: Vec3, fastest: f32) -> Self {
        if self.velocity == Vec3::ZERO {
            return self;
        }
        let velocity = self.velocity + (self.velocity - now) * LEAD;
        Self { velocity: velocity.clamp_length_max(fastest), ..self }
    }

    /// The state on the requested path after some seconds.
    fn at(&self, root: GroundPose, now: &PathSample, seconds: f32) -> PathSample {
        let left = (-seconds / VELOCITY_SECS).exp();
        let beyond = now.velocity - self.velocity;
        let turn = wrap(root.heading - self.heading) * (-seconds / HEADING_SECS).exp();
        let old = (-seconds / ACTION_SECS).exp();
        let ahead = self.heading + turn;
        PathSample {
            position: root.position + self.velocity * seconds + beyond * VELOCITY_SECS * (1.0 - left),
            facing: Vec3::new(ahead.sin(), 0.0, ahead.cos()),
            velocity: self.velocity + beyond * left,
            actions: std::array::from_fn(|action| {
                self.actions[action] + (now.actions[action] - self.actions[action]) * old
            }),
        }
    }
}

/// The path from now on. `predicted`: the network's prediction of it.
pub fn blended(request: &Request, root: GroundPose, predicted: &[PathSample; AHEAD]) -> [PathSample; AHEAD] {
    let now = predicted[0];
    std::array::from_fn(|index| {
        if index == 0 {
            return now;
        }
        let seconds = (index * SPACING) as f32 / FPS as f32;
        let goal = request.at(root, &now, seconds);
        let part = (index as f32 / (AHEAD - 1) as f32).powf(BIAS);
        let predicted = &predicted[index];
        PathSample {
            position: predicted.position.lerp(goal.position, part),
            facing: predicted.facing.lerp(goal.facing, part).try_normalize().unwrap_or(goal.facing),
            velocity: predicted.velocity.lerp(goal.velocity, part),
            // Actions are always the requested ones.
            actions: goal.actions,
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn more_than_the_wish_is_asked_for_until_it_is_there() {
        let request = |speed: f32| Request { velocity: Vec3::Z * speed, heading: 0.0, actions: [0.0; ACTIONS] };
        let boosted = |speed: f32, now: Vec3| request(speed).boosted(now, 4.0).velocity;
        assert_eq!(boosted(1.0, Vec3::ZERO), Vec3::Z * (1.0 + LEAD));
        assert_eq!(boosted(1.0, Vec3::Z), Vec3::Z);
        assert!(boosted(1.0, Vec3::Z * 2.0).z < 1.0);
        assert!((boosted(3.5, Vec3::NEG_Z).length() - 4.0).abs() < 1e-5);
        // A request to stand must not become one to walk backwards.
        assert_eq!(boosted(0.0, Vec3::Z), Vec3::ZERO);
    }
}
