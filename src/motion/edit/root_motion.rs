//! Root motion: extracted from a clip, restored, or computed from the feet.
//!
//! Only the body's ground position is root motion; heights and rotations stay in the clip. Computation from the feet:
//! the root moves opposite to the slide of feet on the ground.

use crate::error::{Error, Result};
use crate::motion::clip::Clip;
use crate::motion::contact::{FootPart, Legs, Tracks, foot_tracks};
use crate::motion::fk::Pose;
use crate::motion::rig::Rig;
use crate::motion::root::Root;
use glam::Vec3;

/// Height at which the weight of a foot falls to 1/e, leg lengths above the foot's ground: e^(−(height / HEIGHT)²).
const HEIGHT: f32 = 0.008;
/// Vertical speed at which the weight of a foot falls to 1/e, leg lengths per second: a landing or lifting foot is not
/// planted.
const RISE: f32 = 0.2;
/// Frames whose total foot weight is lower are airborne.
const LEAST_WEIGHT: f32 = 0.2;
/// Quantile of heights that counts as the ground, so that a glitch does not move it.
const LOWEST: f64 = 0.03;
/// Feet that slide differently from the others get less weight: tolerance as a share of the speed, and as a speed, leg
/// lengths per second.
const ODD: (f32, f32) = (0.2, 0.25);
/// Time on each side in which a foot is compared with the others, seconds.
const AROUND_SECS: f64 = 0.12;
/// Number of reweighting rounds.
const ROUNDS: usize = 4;
/// Standard deviation of the smoothing of the path, seconds.
const SMOOTH_SECS: f64 = 0.05;

/// A clip in place, and the root motion taken from it.
#[derive(Debug, Clone, PartialEq)]
pub struct RootMotion {
    /// The motion with its root at a fixed ground position.
    pub clip: Clip,
    /// Position of the root relative to the first frame, metres on the ground, `[frames]`.
    pub path: Vec<Vec3>,
}

fn root_of(clip: &Clip, rig: &Rig) -> Root {
    Root::new(clip.skeleton(), &[clip], rig)
}

/// Separates the root motion from the clip.
pub fn extract(clip: &Clip, rig: &Rig) -> RootMotion {
    let root = root_of(clip, rig);
    let mut pose = Pose::default();
    let mut places = Vec::with_capacity(clip.frames());
    for frame in 0..clip.frames() {
        pose.set(clip, frame);
        places.push(pose.world_positions[root.joint()]);
    }
    let home = places.first().copied().unwrap_or_default();
    let mut still = clip.clone();
    root.remove_travel(&mut still);
    RootMotion { clip: still, path: places.into_iter().map(|place| (place - home).with_y(0.0)).collect() }
}

/// Removes the root motion from a clip.
pub fn remove(clip: &Clip, rig: &Rig) -> Clip {
    let mut still = clip.clone();
    root_of(clip, rig).remove_travel(&mut still);
    still
}

/// Adds root motion, `[frames]`, to a clip: the inverse of [`extract`].
///
/// # Errors
/// [`Error::Option`] if the numbers of positions and frames differ.
pub fn restore(clip: &Clip, rig: &Rig, path: &[Vec3]) -> Result<Clip> {
    if path.len() != clip.frames() {
        let message = format!("{} places for {} frames", path.len(), clip.frames());
        return Err(Error::Option { option: "path", message });
    }
    let mut moved = clip.clone();
    root_of(clip, rig).slide(&mut moved, |_, frame| path[frame]);
    Ok(moved)
}

/// Adds root motion to a clip that was made in place, computed so that feet on the ground stay where they are.
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
    let feet = Feet::of(&foot_tracks(clip, &legs), leg, clip.fps());
    let steps = feet.steps(leg, clip.fps());
    let mut path = Vec::with_capacity(clip.frames());
    let mut place = Vec3::ZERO;
    path.push(place);
    for step in smoothed(&steps, SMOOTH_SECS * clip.fps()) {
        place += step;
        path.push(place);
    }
    Ok(RootMotion { clip: restore(clip, rig, &path)?, path })
}

/// Heels and toes between consecutive frames, [frames − 1].
struct Feet {
    /// Ground movement and height-based weight of each of the four parts.
    moves: Vec<[(Vec3, f32); 4]>,
}

impl Feet {
    fn of(tracks: &Tracks, leg: f32, fps: f64) -> Self {
        let grounds = FootPart::ALL.map(|part| {
            let sides = tracks.iter().flat_map(|side| &side[part as usize]);
            let mut heights: Vec<f32> = sides.map(|place| place.y).collect();
            let at = (heights.len() as f64 * LOWEST) as usize;
            *heights.select_nth_unstable_by(at, f32::total_cmp).1
        });
        let part = |side: usize, part: usize, frame: usize| {
            let (from, to) = (tracks[side][part][frame], tracks[side][part][frame + 1]);
            let height = ((from.y + to.y) / 2.0 - grounds[part]).max(0.0) / (HEIGHT * leg);
            let rise = (to.y - from.y) * fps as f32 / (RISE * leg);
            ((to - from).with_y(0.0), (-height * height - rise * rise).exp())
        };
        let frames = tracks[0][0].len() - 1;
        let all = |frame: usize| [part(0, 0, frame), part(0, 1, frame), part(1, 0, frame), part(1, 1, frame)];
        Self { moves: (0..frames).map(all).collect() }
    }

    /// Computes the root movement per frame, metres: opposite to the movement of the feet on the
    /// ground. Low swinging feet are detected by their different direction.
    fn steps(&self, leg: f32, fps: f64) -> Vec<Vec3> {
        let mut steps = self.against(|_, _| 1.0);
        for _ in 0..ROUNDS {
            let usual = smoothed(&steps, AROUND_SECS * fps);
            steps = self.against(|frame, step| {
                let odd = ODD.0 * usual[frame].length() + ODD.1 * leg / fps as f32;
                (-((step + usual[frame]).length() / odd).powi(2)).exp()
            });
        }
        steps
    }

    fn against(&self, trust: impl Fn(usize, Vec3) -> f32) -> Vec<Vec3> {
        let step = |(frame, parts): (usize, &[(Vec3, f32); 4])| {
            let weighed = parts.map(|(step, weight)| (step, weight * trust(frame, step)));
            let weight: f32 = weighed.iter().map(|(_, weight)| weight).sum();
            let sum: Vec3 = weighed.iter().map(|&(step, weight)| step * weight).sum();
            (weight > LEAST_WEIGHT).then(|| -sum / weight)
        };
        filled(self.moves.iter().enumerate().map(step).collect())
    }
}

/// Fills airborne steps by interpolation between their neighbours.
fn filled(steps: Vec<Option<Vec3>>) -> Vec<Vec3> {
    let known: Vec<(usize, Vec3)> = steps.iter().enumerate().filter_map(|(at, step)| Some((at, (*step)?))).collect();
    let between = |at: usize| {
        let next = known.partition_point(|&(frame, _)| frame < at);
        match (next.checked_sub(1).and_then(|before| known.get(before)), known.get(next)) {
            (Some(&(a, from)), Some(&(b, to))) => from.lerp(to, (at - a) as f32 / (b - a) as f32),
            (Some(&(_, only)), None) | (None, Some(&(_, only))) => only,
            (None, None) => Vec3::ZERO,
        }
    };
    steps.iter().enumerate().map(|(at, step)| step.unwrap_or_else(|| between(at))).collect()
}

/// Smooths values by a Gaussian with standard deviation `width`, frames.
fn smoothed(values: &[Vec3], width: f64) -> Vec<Vec3> {
    let reach = (3.0 * width).ceil() as usize;
    let weight = |away: usize| (-0.5 * (away as f64 / width.max(1e-6)).powi(2)).exp() as f32;
    let bell: Vec<f32> = (0..=reach).map(weight).collect();
    let mean = |at: usize| {
        let (mut sum, mut weights) = (Vec3::ZERO, 0.0);
        for other in at.saturating_sub(reach)..(at + reach + 1).min(values.len()) {
            let weight = bell[other.abs_diff(at)];
            sum += values[other] * weight;
            weights += weight;
        }
        sum / weights
    };
    (0..values.len()).map(mean).collect()
}
