//! World trajectories of the joints of a body at 30 frames a second, in canonical metres.

use crate::body::character::biped;
use crate::motion::clip::Clip;
use crate::motion::contact::Legs;
use crate::motion::fk::point_tracks;
use crate::motion::rig::{Rig, RigKind, Role};
use glam::Vec3;
use std::ops::Range;

/// Frame rate of the measurements, frames per second.
pub const FPS: f64 = 30.0;
/// The floor of a joint is this quantile of its heights: one glitch does not move it.
const FLOOR_QUANTILE: f32 = 0.02;

const FEET: [Role; 4] = [Role::LeftFoot, Role::LeftToe, Role::RightFoot, Role::RightToe];

/// Trajectories of the joints with a role.
#[derive(Debug, Clone)]
pub struct Tracks {
    /// World positions, `[joints][frames]`.
    joints: Vec<Vec<Vec3>>,
    /// Indices of ankles and toes in `joints`; empty for other bodies than bipeds.
    pub feet: Vec<usize>,
    /// Index of the hips in `joints`.
    hips: usize,
    /// Indices of the left and the right hip joint in `joints`.
    sides: Option<(usize, usize)>,
}

/// Returns canonical metres per metre of a rig.
pub fn scale(clip: &Clip, rig: &Rig) -> f32 {
    let length = Legs::detect(clip, rig).filter(|_| clip.frames() > 0).map_or(0.0, |legs| legs.length(clip, 0));
    if length > 0.0 { biped().leg_length / length } else { 1.0 }
}

impl Tracks {
    /// Computes the trajectories in a range of frames of a clip.
    pub fn new(clip: &Clip, frames: Range<usize>, rig: &Rig, scale: f32) -> Self {
        let roles: Vec<Role> = Role::ALL.into_iter().filter(|&role| rig.joint(role).is_some()).collect();
        let points: Vec<(usize, Vec3)> = match roles.is_empty() {
            true => (0..clip.joints()).map(|joint| (joint, Vec3::ZERO)).collect(),
            false => roles.iter().filter_map(|&role| Some((rig.joint(role)?, Vec3::ZERO))).collect(),
        };
        let tracks = match clip.trimmed(frames) {
            Ok(near) => point_tracks(&near, &points),
            Err(_) => vec![Vec::new(); points.len()],
        };
        let step = clip.fps() / FPS;
        let joints = tracks.into_iter().map(|track| resampled(&track, step, scale)).collect();
        let index = |role: Role| roles.iter().position(|&other| other == role);
        let feet = if rig.kind == RigKind::Biped { FEET.into_iter().filter_map(index).collect() } else { Vec::new() };
        let sides = index(Role::LeftUpLeg).zip(index(Role::RightUpLeg));
        Self { joints, feet, hips: index(Role::Hips).unwrap_or(0), sides }
    }

    /// Returns the number of frames at [`FPS`].
    pub fn frames(&self) -> usize {
        self.joints.first().map_or(0, Vec::len)
    }

    /// Converts a range of frames at a rate to frames at [`FPS`].
    pub fn range(&self, frames: Range<usize>, fps: f64) -> Range<usize> {
        let to = |frame: usize| frame as f64 * FPS / fps;
        let end = (to(frames.end).ceil() as usize).min(self.frames());
        (to(frames.start).floor() as usize).min(end)..end
    }

    /// Returns the height of the floor of a foot's joint, metres.
    pub fn lowest(&self, foot: usize) -> f32 {
        let heights: Vec<f32> = self.joints[self.feet[foot]].iter().map(|position| position.y).collect();
        if heights.is_empty() { f32::INFINITY } else { percentile(heights, FLOOR_QUANTILE) }
    }

    /// Returns the depth of a foot's joint below its floor within some frames, metres.
    pub fn depth(&self, floors: &[f32], frames: Range<usize>) -> f32 {
        let depths = self.feet.iter().zip(floors).flat_map(|(&foot, floor)| {
            self.joints[foot][frames.clone()].iter().map(move |position| floor - position.y)
        });
        depths.fold(0.0, f32::max)
    }

    /// Returns the horizontal velocity of each joint of a foot in each of some frames in which it is at most `height`
    /// over its floor, metres per second.
    pub fn standing_velocities(&self, floors: &[f32], height: f32, frames: Range<usize>) -> Vec<Vec3> {
        let frames = frames.start.max(1)..frames.end;
        let feet = self.feet.iter().zip(floors).flat_map(|(&foot, floor)| {
            let track = &self.joints[foot];
            let standing = frames.clone().filter(move |&frame| track[frame].y.max(track[frame - 1].y) < floor + height);
            standing.map(move |frame| (track[frame] - track[frame - 1]).with_y(0.0) * FPS as f32)
        });
        feet.collect()
    }

    /// Returns the lengths of [`Tracks::standing_velocities`].
    pub fn standing_speeds(&self, floors: &[f32], height: f32, frames: Range<usize>) -> Vec<f32> {
        self.standing_velocities(floors, height, frames).into_iter().map(Vec3::length).collect()
    }

    /// Returns the largest smoothed acceleration of a joint in each frame, m/s².
    pub fn accelerations(&self, sigma: f32) -> Vec<f32> {
        let mut largest = vec![0.0_f32; self.frames()];
        for track in &self.joints {
            for (largest, acceleration) in largest.iter_mut().zip(smoothed(&differences(&differences(track)), sigma)) {
                *largest = largest.max(acceleration.length());
            }
        }
        largest
    }

    /// Returns the smoothed speed of the hips over the ground, metres per second.
    pub fn hip_speeds(&self, sigma: f32) -> Vec<f32> {
        let speeds: Vec<Vec3> =
            differences(self.hips()).into_iter().map(|velocity| Vec3::X * velocity.with_y(0.0).length()).collect();
        smoothed(&speeds, sigma).into_iter().map(|speed| speed.x).collect()
    }

    /// Returns the sum of the facing directions in some frames; zero without hip joints.
    pub fn facing(&self, frames: Range<usize>) -> Vec3 {
        let Some((left, right)) = self.sides else { return Vec3::ZERO };
        let facing = |frame: usize| (self.joints[left][frame] - self.joints[right][frame]).with_y(0.0).cross(Vec3::Y);
        frames.map(|frame| facing(frame).normalize_or_zero()).sum()
    }

    /// Returns the trajectory of the hips.
    pub fn hips(&self) -> &[Vec3] {
        &self.joints[self.hips]
    }
}

/// Returns a quantile of values; 0 without values.
pub fn percentile(mut values: Vec<f32>, fraction: f32) -> f32 {
    if values.is_empty() {
        return 0.0;
    }
    let index = ((values.len() - 1) as f32 * fraction).round() as usize;
    *values.select_nth_unstable_by(index, f32::total_cmp).1
}

/// Samples a trajectory every `step` frames by cubic interpolation.
fn resampled(track: &[Vec3], step: f64, scale: f32) -> Vec<Vec3> {
    let Some(last) = track.len().checked_sub(1) else { return Vec::new() };
    let at = |index: isize| track[index.clamp(0, last as isize) as usize] * scale;
    let sample = |frame: usize| {
        let position = (frame as f64 * step).min(last as f64);
        let (index, t) = (position as isize, position.fract() as f32);
        let [a, b, c, d] = [-1, 0, 1, 2].map(|offset| at(index + offset));
        b + 0.5 * t * ((c - a) + t * ((2.0 * a - 5.0 * b + 4.0 * c - d) + t * (3.0 * (b - c) + d - a)))
    };
    (0..=(last as f64 / step + 1e-6) as usize).map(sample).collect()
}

/// Returns central differences per second; at the ends, those of the neighbouring frames.
fn differences(track: &[Vec3]) -> Vec<Vec3> {
    let last = track.len().saturating_sub(1);
    let difference = |frame: usize| {
        let frame = frame.clamp(1, last.saturating_sub(1).max(1));
        (track[(frame + 1).min(last)] - track[frame - 1]) * (FPS / 2.0) as f32
    };
    (0..track.len()).map(|frame| if last == 0 { Vec3::ZERO } else { difference(frame) }).collect()
}

/// Smooths vectors by a Gaussian; at the ends the weights are normalised.
fn smoothed(values: &[Vec3], sigma: f32) -> Vec<Vec3> {
    let reach = (3.0 * sigma).ceil() as usize;
    let weights: Vec<f32> = (0..=reach).map(|distance| (-0.5 * (distance as f32 / sigma).powi(2)).exp()).collect();
    let mean = |frame: usize| {
        let (mut sum, mut total) = (Vec3::ZERO, 0.0);
        for other in frame.saturating_sub(reach)..(frame + reach + 1).min(values.len()) {
            let weight = weights[other.abs_diff(frame)];
            (sum, total) = (sum + values[other] * weight, total + weight);
        }
        sum / total
    };
    (0..values.len()).map(mean).collect()
}
