//! Root motion: extracted from a clip, restored, or computed from the feet.
//!
//! Only the body's position on the ground is root motion; heights and rotations stay in the clip. Root motion from the
//! feet: in a clip that was made in place, planted feet slide; the root moves opposite to their slide.

use crate::error::{Error, Result};
use crate::motion::clip::Clip;
use crate::motion::contact::{FootPart, Legs, Tracks, foot_tracks};
use crate::motion::fk::Pose;
use crate::motion::rig::Rig;
use crate::motion::root::Root;
use glam::Vec3;

/// Height over its ground at which the weight of heel or toe falls to 1/e, leg lengths: e^(−(height /
/// FALLOFF_HEIGHT)²).
const FALLOFF_HEIGHT: f32 = 0.008;
/// Vertical speed at which the weight of heel or toe falls to 1/e, leg lengths per second: a landing or lifting foot is
/// not planted.
const FALLOFF_SPEED: f32 = 0.2;
/// Smallest total weight of heels and toes in a frame that is not airborne.
const MIN_WEIGHT: f32 = 0.2;
/// Quantile of the heights that counts as the ground; the minimum would be moved by one glitch.
const GROUND_QUANTILE: f64 = 0.03;
/// Difference from the smoothed movement of planted feet at which the weight of heel or toe falls to 1/e: a fraction of
/// the smoothed speed, plus a speed in leg lengths per second.
const TOLERANCE: (f32, f32) = (0.2, 0.25);
/// Standard deviation of the smoothing of this movement, seconds.
const COMPARISON_SECS: f64 = 0.12;
/// Number of reweighting rounds.
const ROUNDS: usize = 4;
/// Standard deviation of the smoothing of the computed path, seconds.
const PATH_SMOOTH_SECS: f64 = 0.05;

/// A clip and its root motion. [`extract`] returns the clip without this motion, [`from_feet`] the clip with it.
#[derive(Debug, Clone, PartialEq)]
pub struct RootMotion {
    /// The edited clip.
    pub clip: Clip,
    /// Movement over the ground since the first frame, metres, `[frames]`; y is 0.
    pub path: Vec<Vec3>,
}

fn find_root(clip: &Clip, rig: &Rig) -> Root {
    Root::new(clip.skeleton(), &[clip], rig)
}

/// Separates the root motion from the clip: [`remove`] and [`path()`] in one.
pub fn extract(clip: &Clip, rig: &Rig) -> RootMotion {
    RootMotion { clip: remove(clip, rig), path: path(clip, rig) }
}

/// Returns the root motion of a clip: position of the root on the ground relative to the first frame, metres,
/// `[frames]`.
pub fn path(clip: &Clip, rig: &Rig) -> Vec<Vec3> {
    let joint = find_root(clip, rig).joint();
    let mut pose = Pose::default();
    let mut positions = Vec::with_capacity(clip.frames());
    for frame in 0..clip.frames() {
        pose.set(clip, frame);
        positions.push(pose.world_positions[joint]);
    }
    let first_position = positions.first().copied().unwrap_or_default();
    positions.into_iter().map(|position| (position - first_position).with_y(0.0)).collect()
}

/// Removes the root motion from a clip.
pub fn remove(clip: &Clip, rig: &Rig) -> Clip {
    let mut in_place = clip.clone();
    find_root(clip, rig).remove_travel(&mut in_place);
    in_place
}

/// Adds root motion, `[frames]`, to a clip: the inverse of [`extract`].
///
/// # Errors
/// [`Error::Option`] if the numbers of positions and frames differ.
pub fn restore(clip: &Clip, rig: &Rig, path: &[Vec3]) -> Result<Clip> {
    if path.len() != clip.frames() {
        let message = format!("{} positions for {} frames", path.len(), clip.frames());
        return Err(Error::Option { option: "path", message });
    }
    let mut moved = clip.clone();
    find_root(clip, rig).slide(&mut moved, |_, frame| path[frame]);
    Ok(moved)
}

/// Computes root motion for a clip that was made in place, so that feet on the ground stay where they are. Returns the
/// clip with this motion added, and the motion.
///
/// # Errors
/// [`Error::Rig`] for a body without two legs.
pub fn from_feet(clip: &Clip, rig: &Rig) -> Result<RootMotion> {
    let Some(legs) = Legs::detect(clip, rig) else {
        let message = "root motion from the feet needs two legs; map them first".to_owned();
        return Err(Error::Rig { clip: clip.name.clone(), message });
    };
    if clip.frames() < 2 {
        return Ok(RootMotion { clip: clip.clone(), path: vec![Vec3::ZERO; clip.frames()] });
    }
    let leg = legs.length(clip, 0);
    let feet = Feet::new(&foot_tracks(clip, &legs), leg, clip.fps());
    let steps = feet.steps(leg, clip.fps());
    let mut path = Vec::with_capacity(clip.frames());
    let mut position = Vec3::ZERO;
    path.push(position);
    for step in smooth(&steps, PATH_SMOOTH_SECS * clip.fps()) {
        position += step;
        path.push(position);
    }
    Ok(RootMotion { clip: restore(clip, rig, &path)?, path })
}

/// Movement of heels and toes between consecutive frames.
struct Feet {
    /// [frames − 1] × [left heel, left toe, right heel, right toe]: horizontal movement, metres, and its weight, which
    /// falls with height and vertical speed.
    movements: Vec<[(Vec3, f32); 4]>,
}

impl Feet {
    fn new(tracks: &Tracks, leg: f32, fps: f64) -> Self {
        let grounds = FootPart::ALL.map(|part| {
            let sides = tracks.iter().flat_map(|side| &side[part as usize]);
            let mut heights: Vec<f32> = sides.map(|position| position.y).collect();
            let ground_index = (heights.len() as f64 * GROUND_QUANTILE) as usize;
            *heights.select_nth_unstable_by(ground_index, f32::total_cmp).1
        });
        let movement = |side: usize, part: usize, frame: usize| {
            let (from, to) = (tracks[side][part][frame], tracks[side][part][frame + 1]);
            let height = ((from.y + to.y) / 2.0 - grounds[part]).max(0.0) / (FALLOFF_HEIGHT * leg);
            let rise = (to.y - from.y) * fps as f32 / (FALLOFF_SPEED * leg);
            ((to - from).with_y(0.0), (-height * height - rise * rise).exp())
        };
        let frames = tracks[0][0].len() - 1;
        let all_parts =
            |frame: usize| [movement(0, 0, frame), movement(0, 1, frame), movement(1, 0, frame), movement(1, 1, frame)];
        Self { movements: (0..frames).map(all_parts).collect() }
    }

    /// Computes the root movement per frame, metres: opposite to the movement of the feet on the ground. A foot that
    /// swings low over the ground gets less weight in each round, because it moves differently from the planted foot.
    fn steps(&self, leg: f32, fps: f64) -> Vec<Vec3> {
        let mut steps = self.root_steps(|_, _| 1.0);
        for _ in 0..ROUNDS {
            let smoothed_steps = smooth(&steps, COMPARISON_SECS * fps);
            steps = self.root_steps(|frame, movement| {
                let tolerance = TOLERANCE.0 * smoothed_steps[frame].length() + TOLERANCE.1 * leg / fps as f32;
                // The root moves opposite to a planted foot, so their sum is 0 for a perfect match.
                (-((movement + smoothed_steps[frame]).length() / tolerance).powi(2)).exp()
            });
        }
        steps
    }

    /// Computes the root movement per frame as the weighted mean of the movements of the four parts, reversed. `trust`
    /// returns a factor of a part's weight, from the frame and the movement of the part.
    fn root_steps(&self, trust: impl Fn(usize, Vec3) -> f32) -> Vec<Vec3> {
        let step = |(frame, parts): (usize, &[(Vec3, f32); 4])| {
            let weighted = parts.map(|(movement, weight)| (movement, weight * trust(frame, movement)));
            let weight: f32 = weighted.iter().map(|(_, weight)| weight).sum();
            let sum: Vec3 = weighted.iter().map(|&(movement, weight)| movement * weight).sum();
            (weight > MIN_WEIGHT).then(|| -sum / weight)
        };
        fill_airborne(self.movements.iter().enumerate().map(step).collect())
    }
}

/// Replaces the missing steps of airborne frames by interpolation between the steps before and after them.
fn fill_airborne(steps: Vec<Option<Vec3>>) -> Vec<Vec3> {
    let grounded: Vec<(usize, Vec3)> =
        steps.iter().enumerate().filter_map(|(frame, step)| Some((frame, (*step)?))).collect();
    let interpolate = |frame: usize| {
        let next = grounded.partition_point(|&(other_frame, _)| other_frame < frame);
        match (next.checked_sub(1).and_then(|previous| grounded.get(previous)), grounded.get(next)) {
            (Some(&(a, from)), Some(&(b, to))) => from.lerp(to, (frame - a) as f32 / (b - a) as f32),
            (Some(&(_, only)), None) | (None, Some(&(_, only))) => only,
            (None, None) => Vec3::ZERO,
        }
    };
    steps.iter().enumerate().map(|(frame, step)| step.unwrap_or_else(|| interpolate(frame))).collect()
}

/// Smooths values by a Gaussian with standard deviation `width`, frames.
fn smooth(values: &[Vec3], width: f64) -> Vec<Vec3> {
    let reach = (3.0 * width).ceil() as usize;
    let weight = |distance: usize| (-0.5 * (distance as f64 / width.max(1e-6)).powi(2)).exp() as f32;
    let weights: Vec<f32> = (0..=reach).map(weight).collect();
    let weighted_mean = |frame: usize| {
        let (mut sum, mut weight_sum) = (Vec3::ZERO, 0.0);
        for neighbour in frame.saturating_sub(reach)..(frame + reach + 1).min(values.len()) {
            let weight = weights[neighbour.abs_diff(frame)];
            sum += values[neighbour] * weight;
            weight_sum += weight;
        }
        sum / weight_sum
    };
    (0..values.len()).map(weighted_mean).collect()
}
