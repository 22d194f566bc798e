//! Checks requested paths, and samples them at one point per frame.

use crate::error::{Error, Result};
use glam::Vec2;

/// Largest number of points of a path.
pub const MAX_POINTS: usize = 10_000;
/// Largest coordinate of a point, metres: a tenth of [`crate::method::filler::MAX_HIPS_COORDINATE`], because the curve
/// may swing out between points.
const MAX_COORDINATE: f32 = 1e11;

/// Checks a path.
///
/// # Errors
/// [`Error::Option`] for fewer than two points, more than [`MAX_POINTS`], and points that are not finite or too far
/// away.
pub fn check(points: &[Vec2]) -> Result<()> {
    let fail = |message: String| Err(Error::Option { option: "path", message });
    if !(2..=MAX_POINTS).contains(&points.len()) {
        return fail(format!("a path has 2 to {MAX_POINTS} points, not {}", points.len()));
    }
    let is_usable = |point: &Vec2| point.is_finite() && point.abs().max_element() <= MAX_COORDINATE;
    match points.iter().position(|point| !is_usable(point)) {
        Some(index) => {
            let [x, z] = points[index].to_array();
            fail(format!("point {index} must be two numbers of at most ±{MAX_COORDINATE:e} metres, not {x:?}, {z:?}"))
        }
        None => Ok(()),
    }
}

/// Samples a smooth curve (Catmull-Rom) through `points`, at least two, which are at equal time intervals. Shifts the
/// curve gradually so that it begins at `from` and ends at `to`. Returns one point for each of `span` + 1 frames;
/// `span` is at least 1.
pub fn sample(points: &[Vec2], span: usize, [from, to]: [Vec2; 2]) -> Vec<Vec2> {
    let last = points.len() - 1;
    let (start_shift, end_shift) = (from - points[0], to - points[last]);
    (0..=span)
        .map(|frame| {
            let time = frame as f32 / span as f32;
            curve_point(points, time * last as f32) + start_shift.lerp(end_shift, time)
        })
        .collect()
}

/// Evaluates the curve. `index`: index into `points`, with a fraction between two points.
fn curve_point(points: &[Vec2], index: f32) -> Vec2 {
    let last = points.len() - 1;
    let segment = (index as usize).min(last - 1);
    let time = index - segment as f32;
    let (start, end) = (points[segment], points[segment + 1]);
    let previous = segment.checked_sub(1).map_or(2.0 * start - end, |index| points[index]);
    let next = points.get(segment + 2).map_or(2.0 * end - start, |point| *point);
    let (start_tangent, end_tangent) = ((end - previous) * 0.5, (next - start) * 0.5);
    let (square, cube) = (time * time, time * time * time);
    start * (2.0 * cube - 3.0 * square + 1.0)
        + start_tangent * (cube - 2.0 * square + time)
        + end * (3.0 * square - 2.0 * cube)
        + end_tangent * (cube - square)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_passes_its_points_and_ends_at_the_keys() {
        let points = [Vec2::ZERO, Vec2::new(1.0, 1.0), Vec2::new(2.0, 0.0)];
        let path = sample(&points, 20, [Vec2::ZERO, Vec2::new(2.0, 0.0)]);
        assert_eq!((path.len(), path[0]), (21, Vec2::ZERO));
        assert!(path[10].distance(points[1]) < 1e-5 && path[20].distance(points[2]) < 1e-5);
        let shifted = sample(&points, 20, [Vec2::new(0.1, 0.0), Vec2::new(2.0, 0.5)]);
        assert!(shifted[0].distance(Vec2::new(0.1, 0.0)) < 1e-5 && shifted[20].distance(Vec2::new(2.0, 0.5)) < 1e-5);
    }

    #[test]
    fn paths_of_one_point_or_not_finite_or_too_far_away_are_rejected() {
        assert!(check(&[Vec2::ZERO]).is_err());
        for far in [f32::NAN, f32::INFINITY, 3e38, -1e12] {
            assert!(check(&[Vec2::ZERO, Vec2::new(far, 0.0)]).is_err(), "{far}");
        }
        assert!(check(&[Vec2::ZERO, Vec2::ONE]).is_ok());
    }
}
