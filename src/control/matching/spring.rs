//! Critically damped springs (D. Holden, "Spring-It-On: The Game Developer's Spring-Roll-Call", 2021).

use crate::motion::root::wrap;
use glam::Vec3;

/// Velocity that approaches a goal, with the position that it gives.
#[derive(Debug, Clone, Copy, Default)]
pub struct VelocitySpring {
    /// Metres per second.
    pub velocity: Vec3,
    acceleration: Vec3,
}

/// Returns the damping of a spring whose distance to the goal halves in `half_life` seconds, 1/s.
fn damping(half_life: f32) -> f32 {
    2.0 * std::f32::consts::LN_2 / half_life
}

impl VelocitySpring {
    /// Advances towards the velocity `goal`. Returns the movement, metres.
    pub fn advance(&mut self, goal: Vec3, half_life: f32, seconds: f32) -> Vec3 {
        let y = damping(half_life);
        let j0 = self.velocity - goal;
        let j1 = self.acceleration + j0 * y;
        let decay = (-y * seconds).exp();
        let movement = decay * (-j1 / (y * y) + (-j0 - j1 * seconds) / y) + j1 / (y * y) + j0 / y + goal * seconds;
        self.velocity = decay * (j0 + j1 * seconds) + goal;
        self.acceleration = decay * (self.acceleration - j1 * y * seconds);
        movement
    }
}

/// Heading that approaches a goal by the shorter way.
#[derive(Debug, Clone, Copy, Default)]
pub struct HeadingSpring {
    /// Radians.
    pub heading: f32,
    rate: f32,
}

impl HeadingSpring {
    /// Creates a spring at rest.
    pub fn at(heading: f32) -> Self {
        Self { heading, rate: 0.0 }
    }

    /// Advances towards the heading `goal`.
    pub fn advance(&mut self, goal: f32, half_life: f32, seconds: f32) {
        let y = damping(half_life);
        let j0 = wrap(self.heading - goal);
        let j1 = self.rate + j0 * y;
        let decay = (-y * seconds).exp();
        self.heading = wrap(decay * (j0 + j1 * seconds) + goal);
        self.rate = decay * (self.rate - j1 * y * seconds);
    }
}

/// An offset that decays to zero with its own velocity: the inertialization of a value.
#[derive(Debug, Clone, Copy, Default)]
pub struct Offset {
    /// Radians (a rotation vector) or metres.
    pub value: Vec3,
    /// The same per second.
    pub rate: Vec3,
}

impl Offset {
    /// Decays for some seconds.
    pub fn decay(&mut self, half_life: f32, seconds: f32) {
        let y = damping(half_life);
        let j1 = self.rate + self.value * y;
        let decay = (-y * seconds).exp();
        self.value = decay * (self.value + j1 * seconds);
        self.rate = decay * (self.rate - j1 * y * seconds);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_velocity_reaches_its_goal_and_its_position_is_the_integral() {
        let (mut fine, mut coarse) = (VelocitySpring::default(), VelocitySpring::default());
        let goal = Vec3::new(0.0, 0.0, 2.0);
        let moved: Vec3 = (0..600).map(|_| fine.advance(goal, 0.2, 1.0 / 300.0)).sum();
        let once: Vec3 = (0..10).map(|_| coarse.advance(goal, 0.2, 0.2)).sum();
        assert!(moved.distance(once) < 1e-3, "{moved} {once}");
        assert!((fine.velocity - goal).length() < 1e-2 && moved.z < 4.0 && moved.z > 3.0, "{moved}");
    }

    #[test]
    fn a_heading_turns_by_the_shorter_way() {
        let mut spring = HeadingSpring::at(3.0);
        (0..120).for_each(|_| spring.advance(-3.0, 0.15, 1.0 / 60.0));
        assert!((spring.heading + 3.0).abs() < 1e-2, "{}", spring.heading);
    }

    #[test]
    fn an_offset_decays_to_nothing() {
        let mut offset = Offset { value: Vec3::X, rate: Vec3::Y };
        (0..120).for_each(|_| offset.decay(0.1, 1.0 / 60.0));
        assert!(offset.value.length() < 1e-3 && offset.rate.length() < 1e-2);
    }
}
