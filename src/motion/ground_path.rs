//! A path over the ground: positions and headings, evenly spaced in time.

use crate::motion::ease::smoothstep;
use crate::motion::root::wrap;
use glam::Vec2;
use std::f32::consts::FRAC_PI_3;

/// The angle between heading and path at an end of a drawn path decays to zero within this many steps of 1/30 s.
const TURN_STEPS: f32 = 24.0;
/// Corners of a drawn path are rounded over about this length, metres.
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
    /// Headings, one per place: radians about +Y, 0 along +z. Continuous, without jumps of full turns.
    pub headings: Vec<f32>,
}

impl GroundPath {
    /// Number of time steps: one less than its points.
    pub fn steps(&self) -> usize {
        self.positions.len().saturating_sub(1)
    }

    /// Length over the ground, metres.
    pub fn length(&self) -> f32 {
        self.positions.windows(2).map(|pair| pair[0].distance(pair[1])).sum()
    }

    /// Position and heading at the fraction `part` of its time, 0 to 1; Catmull-Rom between its points. Zeros for an
    /// empty path.
    pub fn sample(&self, part: f32) -> (Vec2, f32) {
        let (Some(last), true) = (self.positions.len().checked_sub(1), self.positions.len() == self.headings.len())
        else {
            return (Vec2::ZERO, 0.0);
        };
        let time = part.clamp(0.0, 1.0) * last as f32;
        let from = (time as usize).min(last.saturating_sub(1));
        let t = time - from as f32;
        let index = |away: isize| (from as isize + away).clamp(0, last as isize) as usize;
        let [a, b, c, d] = [-1, 0, 1, 2].map(index);
        let (square, cube) = (t * t, t * t * t);
        let weights = [
            0.5 * (2.0 * square - cube - t),
            0.5 * (3.0 * cube - 5.0 * square + 2.0),
            0.5 * (4.0 * square - 3.0 * cube + t),
            0.5 * (cube - square),
        ];
        let mut place = Vec2::ZERO;
        let mut heading = 0.0;
        for (index, weight) in [a, b, c, d].into_iter().zip(weights) {
            place += weight * self.positions[index];
            heading += weight * self.headings[index];
        }
        (place, heading)
    }

    /// The same path with another number of steps, evenly spaced in its time.
    #[must_use]
    pub fn resampled(&self, steps: usize) -> Self {
        let points = (0..=steps).map(|step| self.sample(step as f32 / steps.max(1) as f32));
        let (places, headings) = points.unzip();
        Self { positions: places, headings }
    }

    /// The path with positions scaled, for other units.
    #[must_use]
    pub fn scaled(mut self, by: f32) -> Self {
        self.positions.iter_mut().for_each(|place| *place *= by);
        self
    }

    /// Mean distance to another path at equal fractions of the time, metres.
    pub fn mean_distance(&self, other: &Self) -> f32 {
        const SAMPLES: usize = 16;
        let parts = (0..=SAMPLES).map(|sample| sample as f32 / SAMPLES as f32);
        parts.map(|part| self.sample(part).0.distance(other.sample(part).0)).sum::<f32>() / (SAMPLES + 1) as f32
    }

    /// A cubic Hermite path that leaves with the velocity of one end and arrives with that of the other, in `steps`
    /// steps. The heading eases between both by the shorter turn.
    pub fn hermite(from: GroundState, to: GroundState, steps: usize) -> Self {
        let length = steps.max(1) as f32;
        let chord = to.position - from.position;
        // Velocities are used for a second at most: on a long path they would lead far off.
        let slope = |stand: GroundState| stand.velocity.map_or(chord, |velocity| velocity * length.min(30.0));
        let (start, end) = (slope(from), slope(to));
        let turn = wrap(to.heading - from.heading);
        let mut way = Self::default();
        for step in 0..=steps {
            let t = step as f32 / length;
            let (square, cube) = (t * t, t * t * t);
            way.positions.push(
                from.position
                    + chord * (3.0 * square - 2.0 * cube)
                    + start * (cube - 2.0 * square + t)
                    + end * (cube - square),
            );
            way.headings.push(from.heading + turn * smoothstep(t));
        }
        way
    }

    /// A path along drawn points, in `steps` steps. Corners are rounded, the ends are moved to those of the motion,
    /// and the speed eases from that of one end to that of the other. The heading follows the path, except near the
    /// ends, where it starts from that of the body; a body with the same angle to the path at both ends keeps that
    /// angle all along.
    pub fn from_points(points: &[Vec2], from: GroundState, to: GroundState, steps: usize) -> Self {
        let line = rounded(points, from.position, to.position);
        let total = line.last().map_or(0.0, |(_, distance)| *distance);
        if total < POINT_SPACING {
            return Self::hermite(from, to, steps);
        }
        let direction = |distance: f32| {
            let (back, ahead) =
                (place_at(&line, distance - 2.0 * POINT_SPACING), place_at(&line, distance + 2.0 * POINT_SPACING));
            let along = ahead - back;
            along.x.atan2(along.y)
        };
        let length = steps.max(1) as f32;
        // Monotone while neither slope exceeds three times the mean (Fritsch and Carlson 1980).
        let pace = |stand: GroundState, at: f32| {
            let along = Vec2::from_angle(std::f32::consts::FRAC_PI_2 - direction(at));
            stand.velocity.map_or(1.0, |velocity| velocity.dot(along) * length / total).clamp(0.0, 3.0)
        };
        let (start, end) = (pace(from, 0.0), pace(to, total));
        let aside = [wrap(from.heading - direction(0.0)), wrap(to.heading - direction(total))];
        let alike = wrap(aside[1] - aside[0]).abs() < FRAC_PI_3;
        let turning = TURN_STEPS.min(length / 2.0);
        let mut way = Self::default();
        for step in 0..=steps {
            let t = step as f32 / length;
            let (square, cube) = (t * t, t * t * t);
            let part = 3.0 * square - 2.0 * cube + start * (cube - 2.0 * square + t) + end * (cube - square);
            let distance = total * part.clamp(0.0, 1.0);
            let off = match alike {
                true => aside[0] + wrap(aside[1] - aside[0]) * smoothstep(t),
                false => {
                    let left = |away: f32| 1.0 - smoothstep((away / turning).min(1.0));
                    aside[0] * left(step as f32) + aside[1] * left(length - step as f32)
                }
            };
            let heading = direction(distance) + off;
            let before = way.headings.last().copied().unwrap_or(from.heading);
            way.positions.push(place_at(&line, distance));
            way.headings.push(before + wrap(heading - before));
        }
        way
    }
}

/// Points with their distance along the path: ends moved to their targets, corners rounded, evenly spaced.
fn rounded(points: &[Vec2], from: Vec2, to: Vec2) -> Vec<(Vec2, f32)> {
    let mut points: Vec<Vec2> = points.iter().copied().filter(|point| point.is_finite()).collect();
    if points.len() < 2 {
        points = vec![from, to];
    }
    let line = measured(&points);
    let total = line[line.len() - 1].1;
    let (off, missed) = (from - points[0], to - points[points.len() - 1]);
    let count = ((total / POINT_SPACING) as usize).clamp(1, MAX_POINTS);
    let mut fine: Vec<Vec2> = (0..=count)
        .map(|index| {
            let part = index as f32 / count as f32;
            let place = if total > 0.0 { place_at(&line, part * total) } else { points[0] };
            place + off * (1.0 - part) + missed * part
        })
        .collect();
    // Each pass of (¼, ½, ¼) widens by √½ steps.
    let passes = (2.0 * (ROUNDING_LENGTH / (total / count as f32).max(1e-4)).powi(2)).min(240.0) as usize;
    for _ in 0..passes {
        let mut before = fine[0];
        for index in 1..count {
            let now = fine[index];
            fine[index] = 0.25 * (before + fine[index + 1]) + 0.5 * now;
            before = now;
        }
    }
    measured(&fine)
}

fn measured(points: &[Vec2]) -> Vec<(Vec2, f32)> {
    let mut distance = 0.0;
    let mut before = points.first().copied().unwrap_or_default();
    let along = points.iter().map(|&point| {
        distance += point.distance(before);
        before = point;
        (point, distance)
    });
    along.collect()
}

/// Position at a distance along a polyline; extrapolated straight beyond its ends.
fn place_at(line: &[(Vec2, f32)], distance: f32) -> Vec2 {
    let after = line.partition_point(|(_, at)| *at < distance).clamp(1, line.len().max(2) - 1);
    let (Some(&(a, start)), Some(&(b, end))) = (line.get(after - 1), line.get(after)) else {
        return line.first().map_or(Vec2::ZERO, |(place, _)| *place);
    };
    if end > start { a + (b - a) * ((distance - start) / (end - start)) } else { a }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::f32::consts::{FRAC_PI_2, PI};

    fn stand(x: f32, z: f32, heading: f32, velocity: Option<Vec2>) -> GroundState {
        GroundState { position: Vec2::new(x, z), heading, velocity }
    }

    #[test]
    fn a_way_between_goes_on_and_arrives() {
        let (out, back) = (Vec2::new(0.0, 0.04), Vec2::new(0.03, 0.0));
        let way = GroundPath::hermite(stand(0.0, 0.0, 3.0, Some(out)), stand(1.0, 1.0, -3.0, Some(back)), 30);
        assert_eq!((way.steps(), way.headings.len()), (30, 31));
        assert!((way.positions[1] - way.positions[0]).distance(out) < 0.01);
        assert!((way.positions[30] - way.positions[29]).distance(back) < 0.01);
        // By the shorter turn, through π.
        assert!((way.headings[30] - 3.0 - (2.0 * PI - 6.0)).abs() < 1e-5);
    }

    #[test]
    fn a_drawn_way_keeps_its_shape_and_its_ends() {
        let corner = [Vec2::new(0.1, 0.0), Vec2::new(0.0, 2.0), Vec2::new(2.0, 2.1)];
        let speed = Some(Vec2::new(0.0, 0.04));
        let way = GroundPath::from_points(&corner, stand(0.0, 0.0, 0.0, speed), stand(2.0, 2.0, FRAC_PI_2, None), 90);
        assert_eq!((way.positions[0], way.steps()), (Vec2::ZERO, 90));
        assert!(way.positions[90].distance(Vec2::new(2.0, 2.0)) < 1e-4);
        assert!(way.positions.iter().any(|place| place.distance(Vec2::new(0.0, 2.0)) < 0.25), "cuts the corner");
        assert!((way.positions[1].y - 0.04).abs() < 0.01, "{}", way.positions[1]);
        let steps: Vec<f32> = way.positions.windows(2).map(|pair| pair[0].distance(pair[1])).collect();
        assert!(steps.iter().all(|step| *step < 0.12), "{steps:?}");
        // The heading follows the path.
        assert!(way.headings[20].abs() < 0.2 && (way.headings[75] - FRAC_PI_2).abs() < 0.3, "{:?}", way.headings);
    }

    #[test]
    fn a_way_backwards_is_walked_backwards() {
        let points = [Vec2::ZERO, Vec2::new(0.0, -2.0)];
        let way = GroundPath::from_points(&points, stand(0.0, 0.0, 0.1, None), stand(0.0, -2.0, -0.1, None), 60);
        assert!(way.headings.iter().all(|heading| heading.abs() < 0.2), "{:?}", way.headings);
    }

    #[test]
    fn nothing_drawn_and_points_on_one_spot_are_ways_too() {
        for points in [&[][..], &[Vec2::ONE; 5], &[Vec2::NAN, Vec2::ONE]] {
            let way = GroundPath::from_points(points, stand(0.0, 0.0, 0.0, None), stand(0.0, 1.0, 0.0, None), 20);
            assert!(way.positions.iter().all(|place| place.is_finite()) && way.headings.iter().all(|h| h.is_finite()));
            assert!(way.positions[20].distance(Vec2::new(0.0, 1.0)) < 1e-3);
        }
        assert_eq!(GroundPath::default().sample(0.5), (Vec2::ZERO, 0.0));
        assert_eq!(GroundPath::default().resampled(2).steps(), 2);
    }

    #[test]
    fn resampled_keeps_time_and_place() {
        let way = GroundPath::hermite(stand(0.0, 0.0, 0.0, None), stand(0.0, 3.0, 1.0, None), 30);
        let coarse = way.resampled(10);
        assert!(coarse.resampled(30).mean_distance(&way) < 0.01);
        assert!((coarse.length() - way.length()).abs() < 0.02);
    }
}
