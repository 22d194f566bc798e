//! A path over the ground: positions and headings, evenly spaced in time.

use crate::motion::ease::smoothstep;
use crate::motion::root::wrap;
use glam::Vec2;
use std::f32::consts::FRAC_PI_3;

/// Number of steps, of 1/30 s, over which the angle between heading and path decays to zero from each end of a drawn
/// path.
const TURN_STEPS: f32 = 24.0;
/// Length over which corners of a drawn path are rounded, approximately, metres.
const ROUNDING_LENGTH: f32 = 0.15;
/// Spacing of the points used to measure a drawn path, metres.
const POINT_SPACING: f32 = 0.02;
/// Largest number of points of a drawn path, to bound the cost of long ones.
const MAX_POINTS: usize = 4000;

/// Position, heading and velocity of a body on the ground.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct GroundState {
    /// x and z, metres.
    pub position: Vec2,
    /// Radians about +Y, 0 along +z, π/2 along +x.
    pub heading: f32,
    /// Metres per step; `None` if unknown.
    pub velocity: Option<Vec2>,
}

/// A path over the ground, both ends included.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct GroundPath {
    /// x and z, metres.
    pub positions: Vec<Vec2>,
    /// Headings, one for each position: radians about +Y, 0 along +z. Continuous, without jumps of full turns.
    pub headings: Vec<f32>,
}

impl GroundPath {
    /// Returns the number of time steps: one less than the number of positions.
    pub fn steps(&self) -> usize {
        self.positions.len().saturating_sub(1)
    }

    /// Returns the length over the ground, metres.
    pub fn length(&self) -> f32 {
        self.positions.windows(2).map(|pair| pair[0].distance(pair[1])).sum()
    }

    /// Returns position and heading at a fraction of the path's time, 0 to 1, by Catmull-Rom interpolation. Zeros if
    /// the path is empty or has not one heading for each position.
    pub fn sample(&self, fraction: f32) -> (Vec2, f32) {
        let (Some(last), true) = (self.positions.len().checked_sub(1), self.positions.len() == self.headings.len())
        else {
            return (Vec2::ZERO, 0.0);
        };
        let time = fraction.clamp(0.0, 1.0) * last as f32;
        let index = (time as usize).min(last.saturating_sub(1));
        let t = time - index as f32;
        let clamp = |offset: isize| (index as isize + offset).clamp(0, last as isize) as usize;
        let [a, b, c, d] = [-1, 0, 1, 2].map(clamp);
        let (square, cube) = (t * t, t * t * t);
        let weights = [
            0.5 * (2.0 * square - cube - t),
            0.5 * (3.0 * cube - 5.0 * square + 2.0),
            0.5 * (4.0 * square - 3.0 * cube + t),
            0.5 * (cube - square),
        ];
        let mut position = Vec2::ZERO;
        let mut heading = 0.0;
        for (index, weight) in [a, b, c, d].into_iter().zip(weights) {
            position += weight * self.positions[index];
            heading += weight * self.headings[index];
        }
        (position, heading)
    }

    /// Returns the same path with another number of steps, evenly spaced in its time.
    #[must_use]
    pub fn resampled(&self, steps: usize) -> Self {
        let points = (0..=steps).map(|step| self.sample(step as f32 / steps.max(1) as f32));
        let (positions, headings) = points.unzip();
        Self { positions, headings }
    }

    /// Returns the path with its positions multiplied by `factor`, for other units.
    #[must_use]
    pub fn scaled(mut self, factor: f32) -> Self {
        self.positions.iter_mut().for_each(|position| *position *= factor);
        self
    }

    /// Returns the mean distance to another path at equal fractions of the time, metres.
    pub fn mean_distance(&self, other: &Self) -> f32 {
        const SAMPLES: usize = 16;
        let fractions = (0..=SAMPLES).map(|sample| sample as f32 / SAMPLES as f32);
        fractions.map(|fraction| self.sample(fraction).0.distance(other.sample(fraction).0)).sum::<f32>()
            / (SAMPLES + 1) as f32
    }

    /// Creates a cubic Hermite path of `steps` steps from the position of `from` to the position of `to`. The
    /// velocities at its ends are theirs, or lower in paths of more than 30 steps; an unknown velocity is replaced by
    /// the mean velocity. The heading eases from one to the other by the shorter rotation.
    pub fn hermite(from: GroundState, to: GroundState, steps: usize) -> Self {
        let length = steps.max(1) as f32;
        let chord = to.position - from.position;
        // A tangent is the distance travelled in at most one second (30 steps): longer tangents would lead far away
        // from the ends.
        let tangent = |state: GroundState| state.velocity.map_or(chord, |velocity| velocity * length.min(30.0));
        let (start, end) = (tangent(from), tangent(to));
        let turn = wrap(to.heading - from.heading);
        let mut path = Self::default();
        for step in 0..=steps {
            let t = step as f32 / length;
            let (square, cube) = (t * t, t * t * t);
            path.positions.push(
                from.position
                    + chord * (3.0 * square - 2.0 * cube)
                    + start * (cube - 2.0 * square + t)
                    + end * (cube - square),
            );
            path.headings.push(from.heading + turn * smoothstep(t));
        }
        path
    }

    /// Creates a path of `steps` steps along drawn points. Corners are rounded, the ends are moved to the positions of
    /// `from` and `to`, and the speed eases from the speed of one to the speed of the other. The heading follows the
    /// path, except near the ends, where it eases from or to the heading of the body. If the angles between body and
    /// path at both ends differ by less than 60° (as in a walk backwards), the angle changes slowly from one to the
    /// other along the whole path instead.
    pub fn from_points(points: &[Vec2], from: GroundState, to: GroundState, steps: usize) -> Self {
        let line = round_corners(points, from.position, to.position);
        let total = line.last().map_or(0.0, |(_, distance)| *distance);
        if total < POINT_SPACING {
            return Self::hermite(from, to, steps);
        }
        let direction = |distance: f32| {
            let (position_behind, position_ahead) = (
                position_at(&line, distance - 2.0 * POINT_SPACING),
                position_at(&line, distance + 2.0 * POINT_SPACING),
            );
            let direction_vector = position_ahead - position_behind;
            direction_vector.x.atan2(direction_vector.y)
        };
        let length = steps.max(1) as f32;
        // Speed at an end, relative to the mean speed. It is limited to 3, so that the distance, a cubic polynomial of
        // time, never decreases (Fritsch and Carlson 1980).
        let slope = |state: GroundState, distance: f32| {
            let direction_vector = Vec2::from_angle(std::f32::consts::FRAC_PI_2 - direction(distance));
            state.velocity.map_or(1.0, |velocity| velocity.dot(direction_vector) * length / total).clamp(0.0, 3.0)
        };
        let (start, end) = (slope(from, 0.0), slope(to, total));
        let angles = [wrap(from.heading - direction(0.0)), wrap(to.heading - direction(total))];
        let keeps_angle = wrap(angles[1] - angles[0]).abs() < FRAC_PI_3;
        let turn_steps = TURN_STEPS.min(length / 2.0);
        let mut path = Self::default();
        for step in 0..=steps {
            let t = step as f32 / length;
            let (square, cube) = (t * t, t * t * t);
            let fraction = 3.0 * square - 2.0 * cube + start * (cube - 2.0 * square + t) + end * (cube - square);
            let distance = total * fraction.clamp(0.0, 1.0);
            let angle = match keeps_angle {
                true => angles[0] + wrap(angles[1] - angles[0]) * smoothstep(t),
                false => {
                    let weight = |steps_away: f32| 1.0 - smoothstep((steps_away / turn_steps).min(1.0));
                    angles[0] * weight(step as f32) + angles[1] * weight(length - step as f32)
                }
            };
            let heading = direction(distance) + angle;
            let previous = path.headings.last().copied().unwrap_or(from.heading);
            path.positions.push(position_at(&line, distance));
            path.headings.push(previous + wrap(heading - previous));
        }
        path
    }
}

/// Moves the ends of drawn points to `from` and `to`, and rounds the corners. Returns evenly spaced points with their
/// distances along the path.
fn round_corners(points: &[Vec2], from: Vec2, to: Vec2) -> Vec<(Vec2, f32)> {
    let mut points: Vec<Vec2> = points.iter().copied().filter(|point| point.is_finite()).collect();
    if points.len() < 2 {
        points = vec![from, to];
    }
    let line = measure_distances(&points);
    let total = line[line.len() - 1].1;
    let (start_shift, end_shift) = (from - points[0], to - points[points.len() - 1]);
    let count = ((total / POINT_SPACING) as usize).clamp(1, MAX_POINTS);
    let mut fine: Vec<Vec2> = (0..=count)
        .map(|index| {
            let fraction = index as f32 / count as f32;
            let position = if total > 0.0 { position_at(&line, fraction * total) } else { points[0] };
            position + start_shift * (1.0 - fraction) + end_shift * fraction
        })
        .collect();
    // Each pass with the weights (¼, ½, ¼) adds ½ to the variance of the smoothing, in squared spacings.
    let passes = (2.0 * (ROUNDING_LENGTH / (total / count as f32).max(1e-4)).powi(2)).min(240.0) as usize;
    for _ in 0..passes {
        let mut previous = fine[0];
        for index in 1..count {
            let current = fine[index];
            fine[index] = 0.25 * (previous + fine[index + 1]) + 0.5 * current;
            previous = current;
        }
    }
    measure_distances(&fine)
}

/// Returns the points with their distances along the polyline.
fn measure_distances(points: &[Vec2]) -> Vec<(Vec2, f32)> {
    let mut distance = 0.0;
    let mut previous = points.first().copied().unwrap_or_default();
    let with_distances = points.iter().map(|&point| {
        distance += point.distance(previous);
        previous = point;
        (point, distance)
    });
    with_distances.collect()
}

/// Returns the position at a distance along a polyline, extrapolated straight beyond its ends.
fn position_at(line: &[(Vec2, f32)], distance: f32) -> Vec2 {
    let index = line.partition_point(|(_, point_distance)| *point_distance < distance).clamp(1, line.len().max(2) - 1);
    let (Some(&(a, start)), Some(&(b, end))) = (line.get(index - 1), line.get(index)) else {
        return line.first().map_or(Vec2::ZERO, |(position, _)| *position);
    };
    if end > start { a + (b - a) * ((distance - start) / (end - start)) } else { a }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::f32::consts::{FRAC_PI_2, PI};

    fn state(x: f32, z: f32, heading: f32, velocity: Option<Vec2>) -> GroundState {
        GroundState { position: Vec2::new(x, z), heading, velocity }
    }

    #[test]
    fn a_hermite_path_has_the_velocities_of_its_ends() {
        let (out, back) = (Vec2::new(0.0, 0.04), Vec2::new(0.03, 0.0));
        let path = GroundPath::hermite(state(0.0, 0.0, 3.0, Some(out)), state(1.0, 1.0, -3.0, Some(back)), 30);
        assert_eq!((path.steps(), path.headings.len()), (30, 31));
        assert!((path.positions[1] - path.positions[0]).distance(out) < 0.01);
        assert!((path.positions[30] - path.positions[29]).distance(back) < 0.01);
        // By the shorter turn, through π.
        assert!((path.headings[30] - 3.0 - (2.0 * PI - 6.0)).abs() < 1e-5);
    }

    #[test]
    fn a_drawn_path_keeps_its_shape_and_its_ends() {
        let corner = [Vec2::new(0.1, 0.0), Vec2::new(0.0, 2.0), Vec2::new(2.0, 2.1)];
        let speed = Some(Vec2::new(0.0, 0.04));
        let path = GroundPath::from_points(&corner, state(0.0, 0.0, 0.0, speed), state(2.0, 2.0, FRAC_PI_2, None), 90);
        assert_eq!((path.positions[0], path.steps()), (Vec2::ZERO, 90));
        assert!(path.positions[90].distance(Vec2::new(2.0, 2.0)) < 1e-4);
        assert!(path.positions.iter().any(|position| position.distance(Vec2::new(0.0, 2.0)) < 0.25), "cuts the corner");
        assert!((path.positions[1].y - 0.04).abs() < 0.01, "{}", path.positions[1]);
        let steps: Vec<f32> = path.positions.windows(2).map(|pair| pair[0].distance(pair[1])).collect();
        assert!(steps.iter().all(|step| *step < 0.12), "{steps:?}");
        // The heading follows the path.
        assert!(path.headings[20].abs() < 0.2 && (path.headings[75] - FRAC_PI_2).abs() < 0.3, "{:?}", path.headings);
    }

    #[test]
    fn a_path_backwards_is_walked_backwards() {
        let points = [Vec2::ZERO, Vec2::new(0.0, -2.0)];
        let path = GroundPath::from_points(&points, state(0.0, 0.0, 0.1, None), state(0.0, -2.0, -0.1, None), 60);
        assert!(path.headings.iter().all(|heading| heading.abs() < 0.2), "{:?}", path.headings);
    }

    #[test]
    fn no_points_and_equal_points_give_a_path_too() {
        for points in [&[][..], &[Vec2::ONE; 5], &[Vec2::NAN, Vec2::ONE]] {
            let path = GroundPath::from_points(points, state(0.0, 0.0, 0.0, None), state(0.0, 1.0, 0.0, None), 20);
            assert!(
                path.positions.iter().all(|position| position.is_finite())
                    && path.headings.iter().all(|h| h.is_finite())
            );
            assert!(path.positions[20].distance(Vec2::new(0.0, 1.0)) < 1e-3);
        }
        assert_eq!(GroundPath::default().sample(0.5), (Vec2::ZERO, 0.0));
        assert_eq!(GroundPath::default().resampled(2).steps(), 2);
    }

    #[test]
    fn resampling_keeps_times_and_positions() {
        let path = GroundPath::hermite(state(0.0, 0.0, 0.0, None), state(0.0, 3.0, 1.0, None), 30);
        let shorter = path.resampled(10);
        assert!(shorter.resampled(30).mean_distance(&path) < 0.01);
        assert!((shorter.length() - path.length()).abs() < 0.02);
    }
}
