//! Root motion: the way over the ground, taken out of a clip, put back, or found again from the feet.
//!
//! Only the ground position of the body travels; heights and turns stay in the clip. The way back is found from feet
//! on the ground: what slides under a body that is held in place would stand still under one that walks.

use crate::error::{Error, Result};
use crate::motion::clip::Clip;
use crate::motion::contact::{Legs, Part, Tracks, tracks};
use crate::motion::fk::Pose;
use crate::motion::rig::Rig;
use crate::motion::root::Root;
use glam::Vec3;

/// A foot counts by its height over its lowest, e^(−(height / this)²), leg lengths …
const HEIGHT: f32 = 0.008;
/// … and by how fast it rises or sinks, likewise, leg lengths a second: one that lands or lifts off does not stand yet.
const RISE: f32 = 0.2;
/// Frames whose feet count for less than this in all are in the air.
const LEAST_WEIGHT: f32 = 0.2;
/// The lowest this part of heights is the ground, which a glitch does not move.
const LOWEST: f64 = 0.03;
/// Feet that slide unlike the others count less: by this part of the speed, and by this speed, leg lengths a second.
const ODD: (f32, f32) = (0.2, 0.25);
/// Time to both sides in which the other feet are compared, seconds.
const AROUND_SECS: f64 = 0.12;
/// Times that odd feet are weighed anew.
const ROUNDS: usize = 4;
/// The way found is smoothed over this, seconds.
const SMOOTH_SECS: f64 = 0.05;

/// A clip in place, and the way over the ground that was in it.
#[derive(Debug, Clone, PartialEq)]
pub struct RootMotion {
    /// The motion, its root over one place.
    pub clip: Clip,
    /// Way of the root from its place in the first frame, metres on the ground, [frames].
    pub path: Vec<Vec3>,
}

fn root_of(clip: &Clip, rig: &Rig) -> Root {
    Root::of(clip.skeleton(), &[clip], rig)
}

/// Separates the way over the ground from the motion.
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
    root.stay(&mut still);
    RootMotion { clip: still, path: places.into_iter().map(|place| (place - home).with_y(0.0)).collect() }
}

/// The motion without its way over the ground.
pub fn remove(clip: &Clip, rig: &Rig) -> Clip {
    let mut still = clip.clone();
    root_of(clip, rig).stay(&mut still);
    still
}

/// A motion along a way over the ground, [frames]: what [`extract`] took apart.
///
/// # Errors
/// [`Error::Option`] where there are not as many places as frames.
pub fn restore(clip: &Clip, rig: &Rig, path: &[Vec3]) -> Result<Clip> {
    if path.len() != clip.frames() {
        let message = format!("{} places for {} frames", path.len(), clip.frames());
        return Err(Error::Option { option: "path", message });
    }
    let mut moved = clip.clone();
    root_of(clip, rig).slide(&mut moved, |_, frame| path[frame]);
    Ok(moved)
}

/// The motion of a clip made in place along the way that its feet walk: whatever foot is on the ground stays where it
/// is.
///
/// # Errors
/// [`Error::Rig`] for a body without two legs.
pub fn from_feet(clip: &Clip, rig: &Rig) -> Result<RootMotion> {
    let Some(legs) = Legs::of(clip, rig) else {
        let message = "its way is found from two legs, which it has not; map them first".to_owned();
        return Err(Error::Rig { clip: clip.name.clone(), message });
    };
    if clip.frames() < 2 {
        return Ok(RootMotion { clip: clip.clone(), path: vec![Vec3::ZERO; clip.frames()] });
    }
    let leg = legs.length(clip, 0);
    let feet = Feet::of(&tracks(clip, &legs), leg, clip.fps());
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

/// Heels and toes between neighbouring frames, [frames − 1].
struct Feet {
    /// Way over the ground and weight by height, of each of the four parts.
    moves: Vec<[(Vec3, f32); 4]>,
}

impl Feet {
    fn of(tracks: &Tracks, leg: f32, fps: f64) -> Self {
        let grounds = Part::ALL.map(|part| {
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

    /// Steps of the root, metres a frame: against the feet on the ground. Feet that swing low are told by their going
    /// another way.
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

/// Steps in the air lie between those before and after.
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

/// Means under a bell of standard deviation `width`, frames.
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
