//! Requested paths: points on the ground → one point per frame.

use crate::error::{Error, Result};
use glam::Vec2;

/// Largest number of points of a path.
pub const MOST_POINTS: usize = 10_000;

/// Checks a path.
///
/// # Errors
/// [`Error::Option`] for fewer than two points, more than [`MOST_POINTS`], and for points that are not finite.
pub fn check(points: &[Vec2]) -> Result<()> {
    let fail = |message: String| Err(Error::Option { option: "path", message });
    if !(2..=MOST_POINTS).contains(&points.len()) {
        return fail(format!("a path has 2 to {MOST_POINTS} points, not {}", points.len()));
    }
    match points.iter().position(|point| !point.is_finite()) {
        Some(index) => fail(format!("point {index} must be two finite numbers, not {}", points[index])),
        None => Ok(()),
    }
}

/// One point for each of `span` + 1 frames, on a smooth curve (Catmull-Rom) through points at equal intervals of
/// time, bent to begin at `from` and end at `to`. `points`: at least two.
pub fn sampled(points: &[Vec2], span: usize, [from, to]: [Vec2; 2]) -> Vec<Vec2> {
    let last = points.len() - 1;
    let (first_off, last_off) = (from - points[0], to - points[last]);
    (0..=span)
        .map(|frame| {
            let share = frame as f32 / span as f32;
            at(points, share * last as f32) + first_off.lerp(last_off, share)
        })
        .collect()
}

/// A point of the curve; `place` is an index of a point with its fraction.
fn at(points: &[Vec2], place: f32) -> Vec2 {
    let last = points.len() - 1;
    let segment = (place as usize).min(last - 1);
    let part = place - segment as f32;
    let (b, c) = (points[segment], points[segment + 1]);
    let a = segment.checked_sub(1).map_or(2.0 * b - c, |before| points[before]);
    let d = points.get(segment + 2).map_or(2.0 * c - b, |after| *after);
    let (start, end) = ((c - a) * 0.5, (d - b) * 0.5);
    let (square, cube) = (part * part, part * part * part);
    b * (2.0 * cube - 3.0 * square + 1.0)
        + start * (cube - 2.0 * square + part)
        + c * (3.0 * square - 2.0 * cube)
        + end * (cube - square)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_passes_its_points_and_ends_at_the_keys() {
        let points = [Vec2::ZERO, Vec2::new(1.0, 1.0), Vec2::new(2.0, 0.0)];
        let path = sampled(&points, 20, [Vec2::ZERO, Vec2::new(2.0, 0.0)]);
        assert_eq!((path.len(), path[0]), (21, Vec2::ZERO));
        assert!(path[10].distance(points[1]) < 1e-5 && path[20].distance(points[2]) < 1e-5);
        let bent = sampled(&points, 20, [Vec2::new(0.1, 0.0), Vec2::new(2.0, 0.5)]);
        assert!(bent[0].distance(Vec2::new(0.1, 0.0)) < 1e-5 && bent[20].distance(Vec2::new(2.0, 0.5)) < 1e-5);
    }

    #[test]
    fn what_cannot_be_followed_is_refused() {
        assert!(check(&[Vec2::ZERO]).is_err() && check(&[Vec2::ZERO, Vec2::new(f32::NAN, 0.0)]).is_err());
        assert!(check(&[Vec2::ZERO, Vec2::ONE]).is_ok());
    }
}
