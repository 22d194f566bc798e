//! The root's path around a frame: the past, and ahead the given path, or one that follows from the target.

use super::{AHEAD, FPS, NOW, PathSample, Question, SAMPLES, SPACING};
use crate::body::GroundPose;
use crate::motion::root::wrap;
use glam::{Vec2, Vec3};

/// Frames in which the root's velocity decays to 1/e, where no path is given.
const DECAY: f32 = 32.0;

/// Samples of the path from a second back to a second ahead. `trail`: roots of the frames up to now, the oldest
/// first; before them the body is assumed to have come straight. `requested`: the given path, one point per frame, and
/// the index of the present frame in it; the last point is the target's.
pub fn samples(
    trail: &[GroundPose],
    question: &Question,
    requested: Option<(&[Vec2], usize)>,
) -> [PathSample; SAMPLES] {
    let ahead = ahead(question, requested);
    std::array::from_fn(|sample| match sample.checked_sub(NOW) {
        None => past(trail, question, (NOW - sample) * SPACING),
        Some(index) => ahead[index],
    })
}

fn sample(place: Vec3, heading: f32, velocity: Vec3) -> PathSample {
    let ahead = Vec3::new(heading.sin(), 0.0, heading.cos());
    PathSample { place: place.with_y(0.0), ahead, velocity: velocity.with_y(0.0), ..PathSample::default() }
}

/// Sample `back` frames ago.
fn past(trail: &[GroundPose], question: &Question, back: usize) -> PathSample {
    let last = trail.len().saturating_sub(1);
    let at = last.saturating_sub(back);
    let velocity = match trail.get(at + 1) {
        Some(next) => next.position - trail[at].position,
        None => question.now.places[0] - question.before.places[0],
    };
    let Some(root) = trail.get(at) else { return sample(question.now.places[0], 0.0, velocity) };
    let beyond = back.saturating_sub(last) as f32;
    sample(root.position - velocity * beyond, root.heading, velocity * FPS as f32)
}

/// Samples from now on.
fn ahead(question: &Question, requested: Option<(&[Vec2], usize)>) -> [PathSample; AHEAD] {
    let Question { now, before, target, span } = *question;
    let (from, to) = (now.root(), target.root());
    let turn = wrap(to.heading - from.heading);
    let steady = (to.position - from.position) / span;
    let beyond = (now.places[0] - before.places[0]).with_y(0.0) - steady;
    std::array::from_fn(|index| {
        let since = (index * SPACING) as f32;
        // A path gives no heading: it turns evenly towards that of the target.
        let heading = from.heading + turn * (since / span).min(1.0);
        let (place, velocity) = match requested {
            Some((path, at)) => {
                let (place, velocity) = on(path, at + index * SPACING);
                (Vec3::new(place.x, 0.0, place.y), Vec3::new(velocity.x, 0.0, velocity.y))
            }
            None => {
                let carried = |time: f32| {
                    let time = time.min(span);
                    time * (1.0 - time / span).powi(2) * (-time / DECAY).exp()
                };
                let place = |time: f32| from.position + steady * time + beyond * carried(time);
                let step = if index == 0 { steady + beyond } else { (place(since + 1.0) - place(since - 1.0)) / 2.0 };
                (place(since), step)
            }
        };
        sample(place, heading, velocity * FPS as f32)
    })
}

/// A point of a path and its velocity per frame; extrapolated straight beyond the end.
fn on(path: &[Vec2], at: usize) -> (Vec2, Vec2) {
    let last = path.len().saturating_sub(1);
    let inside = at.min(last);
    let (before, after) = (inside.saturating_sub(1), (inside + 1).min(last));
    let velocity = (path[after] - path[before]) / (after - before).max(1) as f32;
    (path[inside] + velocity * (at - inside) as f32, velocity)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::body::poses::ROLES;
    use crate::feature::dcmoe::Body;
    use glam::Quat;

    fn body(x: f32) -> Body {
        let rotations = [Quat::IDENTITY; ROLES];
        Body::of(Vec3::new(x, 1.0, 0.0), &rotations, &[Vec3::Y * 0.1; ROLES])
    }

    #[test]
    fn a_steady_walk_is_straight_before_and_after() {
        let (before, now, target) = (body(-0.04), body(0.0), body(1.2));
        let question = Question { now: &now, before: &before, target: &target, span: 30.0 };
        let trail = [before.root(), now.root()];
        let points: Vec<Vec2> = (0..=30).map(|at| Vec2::new(0.04 * at as f32, 0.0)).collect();
        for requested in [None, Some((&points[..], 0))] {
            for (index, sample) in samples(&trail, &question, requested).iter().enumerate() {
                let x = 0.04 * (index as f32 - NOW as f32) * SPACING as f32;
                assert!((sample.place.x - x).abs() < 1e-4, "{index}: {} for {x}", sample.place.x);
                assert!((sample.velocity.x - 1.2).abs() < 1e-3, "{index}: {}", sample.velocity.x);
            }
        }
    }
}
