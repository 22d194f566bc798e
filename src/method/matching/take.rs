//! Takes: clips as the database plays them, with poses relative to a ground pose and the movement from frame to frame.

use super::{FPS, cycle};
use crate::motion::clip::Clip;
use crate::motion::ground_limbs::{self, GroundLimb};
use crate::motion::quat::with_nearest_sign;
use crate::motion::resample::slerp;
use crate::motion::root::{GroundTransform, Root, wrap};
use glam::{Quat, Vec3};
use serde::{Deserialize, Serialize};
use std::f32::consts::FRAC_PI_4;

/// Standard deviation of the smoothing of positions of takes that are no loops, seconds.
const POSITION_SECS: f64 = 0.1;
/// Standard deviation of the smoothing of their headings, seconds: the pelvis turns to and fro in every stride.
const HEADING_SECS: f64 = 0.3;
/// A gait travels along its heading if both agree within this angle and it is faster than this, metres per second.
const TRAVEL_ANGLE: f32 = FRAC_PI_4;
const TRAVEL_SPEED: f32 = 0.3;

/// Movement of the ground pose from a frame to the next, in the axes of the first.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub struct Step {
    /// Metres; y is 0.
    pub movement: Vec3,
    /// Radians about +Y.
    pub turn: f32,
}

/// A clip prepared for the database, at [`FPS`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Take {
    /// Name of the clip, with " (mirrored)" for a mirrored copy.
    pub name: String,
    /// Index of the clip among the sources; `None` for a blend of two.
    pub source: Option<usize>,
    /// Whether the last frame leads to the first.
    pub is_loop: bool,
    /// Local rotations relative to the ground pose, [frames × joints].
    pub rotations: Vec<Quat>,
    /// Local translations relative to the ground pose, [frames × translated joints], metres.
    pub translations: Vec<Vec3>,
    /// Movement to the next frame, `[frames]`; the last of a loop leads to its first frame.
    pub steps: Vec<Step>,
    /// Contacts of the limbs, [frames × limbs].
    pub contacts: Vec<bool>,
}

/// Offset between the heading of the root and the direction of travel, radians; 0 for bipeds, whose facing is known.
pub fn forward_offset(clips: &[Clip], root: &Root, is_biped: bool) -> f32 {
    if is_biped {
        return 0.0;
    }
    let mut sum = Vec3::ZERO;
    for clip in clips.iter().filter(|clip| clip.frames() > 1) {
        let poses: Vec<_> = (0..clip.frames()).map(|frame| root.pose(clip, frame)).collect();
        for pair in poses.windows(2) {
            let movement = (pair[1].world_position - pair[0].world_position).with_y(0.0);
            sum += Quat::from_rotation_y(-pair[0].heading()) * movement;
        }
    }
    if sum.length() < 0.1 { 0.0 } else { sum.x.atan2(sum.z) }
}

impl Take {
    /// Creates a take from a clip at [`FPS`] with at least one frame. `offset`: see [`forward_offset`].
    pub fn new(clip: &Clip, source: usize, root: &Root, limbs: &[GroundLimb], offset: f32) -> Self {
        let period = cycle::period(clip, root);
        let frames = period.unwrap_or(clip.frames());
        let poses: Vec<(Vec3, f32)> = (0..clip.frames())
            .map(|frame| root.pose(clip, frame))
            .map(|pose| (pose.world_position.with_y(0.0), pose.heading() + offset))
            .collect();
        let ground = match period {
            Some(period) => loop_ground(&poses, period),
            None => smooth_ground(&poses),
        };
        let mut local = clip.clone();
        for frame in 0..frames {
            let (position, heading) = ground[frame];
            let to_local = GroundTransform::from_points(position, Vec3::ZERO, -heading);
            root.place_frames(&mut local, frame..frame + 1, &to_local);
        }
        let contacts = ground_limbs::contacts(clip, limbs);
        let (joints, width) = (clip.joints(), clip.skeleton().translated().len());
        let mut take = Self {
            name: clip.name.clone(),
            source: Some(source),
            is_loop: period.is_some(),
            rotations: local.rotations()[..frames * joints].to_vec(),
            translations: local.translations()[..frames * width].to_vec(),
            steps: steps(&ground, frames, period.is_some()),
            contacts: (0..frames).flat_map(|frame| contacts.iter().map(move |(flags, _)| flags[frame])).collect(),
        };
        take.align_signs(joints);
        take
    }

    /// Returns the number of frames.
    pub fn frames(&self) -> usize {
        self.steps.len()
    }

    /// Gives every rotation the sign nearer to that of the frame before, so that frames can be interpolated.
    pub(super) fn align_signs(&mut self, joints: usize) {
        for index in joints..self.rotations.len() {
            self.rotations[index] = with_nearest_sign(self.rotations[index], self.rotations[index - joints]);
        }
    }

    /// Returns the frame `ahead` frames after another: over the end of a loop, or the last frame of other takes.
    pub fn frame_after(&self, frame: usize, ahead: usize) -> usize {
        match self.is_loop {
            true => (frame + ahead) % self.frames(),
            false => (frame + ahead).min(self.frames() - 1),
        }
    }

    /// Returns the movement at a frame; none at the end of a take that is no loop.
    pub fn step(&self, frame: usize) -> Step {
        self.steps[frame.min(self.frames() - 1)]
    }

    /// Returns the mean speed, metres per second, and the mean turn rate, radians per second.
    pub fn pace(&self) -> (f32, f32) {
        let count = self.frames().max(1) as f32;
        let movement: Vec3 = self.steps.iter().map(|step| step.movement).sum();
        let turn: f32 = self.steps.iter().map(|step| step.turn).sum();
        (movement.length() / count * FPS as f32, turn / count * FPS as f32)
    }

    /// Writes the pose at `time`, in frames, relative to the ground pose: local rotations and translations.
    pub fn sample(&self, time: f64, rotations: &mut Vec<Quat>, translations: &mut Vec<Vec3>) {
        let frame = (time.max(0.0) as usize).min(self.frames() - 1);
        let (next, weight) = (self.frame_after(frame, 1), (time - frame as f64).clamp(0.0, 1.0) as f32);
        let [joints, width] = [self.rotations.len(), self.translations.len()].map(|length| length / self.frames());
        rotations.clear();
        translations.clear();
        let (from, to) = (&self.rotations[frame * joints..], &self.rotations[next * joints..]);
        rotations.extend(from.iter().zip(to).take(joints).map(|(a, b)| slerp(*a, *b, weight)));
        let (from, to) = (&self.translations[frame * width..], &self.translations[next * width..]);
        translations.extend(from.iter().zip(to).take(width).map(|(a, b)| a.lerp(*b, weight)));
    }
}

/// Returns the ground poses of a loop: position and heading move evenly, so that what sways in a stride stays in the
/// pose. The heading is the direction of travel where the gait goes forward, else the mean facing.
fn loop_ground(poses: &[(Vec3, f32)], period: usize) -> Vec<(Vec3, f32)> {
    let end = period.min(poses.len() - 1);
    let fraction = period as f32 / end as f32;
    let travel = (poses[end].0 - poses[0].0) * fraction;
    let turn = wrap(poses[end].1 - poses[0].1) * fraction;
    let even = |frame: usize| turn * frame as f32 / period as f32;
    let facing: Vec3 = (0..period).map(|frame| direction(poses[frame].1 - even(frame))).sum();
    let mut heading = facing.x.atan2(facing.z);
    let speed = travel.length() / period as f32 * FPS as f32;
    // A loop that turns has no single direction of travel: its facing is kept.
    let along = wrap(travel.x.atan2(travel.z) - heading);
    if speed > TRAVEL_SPEED && along.abs() < TRAVEL_ANGLE && turn.abs() < 0.2 {
        heading += along;
    }
    let offset: Vec3 = (0..period).map(|frame| poses[frame].0 - travel * (frame as f32 / period as f32)).sum();
    let start = offset / period as f32;
    (0..=period).map(|frame| (start + travel * (frame as f32 / period as f32), heading + even(frame))).collect()
}

/// Returns the ground poses of a take that is no loop: positions and headings smoothed by Gaussians.
fn smooth_ground(poses: &[(Vec3, f32)]) -> Vec<(Vec3, f32)> {
    let weights = |secs: f64| -> Vec<f32> {
        let width = secs * FPS;
        (0..=(3.0 * width).ceil() as usize).map(|d| (-0.5 * (d as f64 / width).powi(2)).exp() as f32).collect()
    };
    let (position_weights, heading_weights) = (weights(POSITION_SECS), weights(HEADING_SECS));
    let mean = |frame: usize, weights: &[f32], value: &dyn Fn(usize) -> Vec3| {
        let reach = weights.len() - 1;
        let frames = frame.saturating_sub(reach)..(frame + reach + 1).min(poses.len());
        let weighted = frames.map(|other| (value(other), weights[other.abs_diff(frame)]));
        let (sum, total) = weighted.fold((Vec3::ZERO, 0.0), |(sum, total), (v, w)| (sum + v * w, total + w));
        sum / total
    };
    (0..poses.len())
        .map(|frame| {
            let facing = mean(frame, &heading_weights, &|other| direction(poses[other].1));
            (mean(frame, &position_weights, &|other| poses[other].0), facing.x.atan2(facing.z))
        })
        .collect()
}

fn direction(heading: f32) -> Vec3 {
    Vec3::new(heading.sin(), 0.0, heading.cos())
}

/// Returns the movements between ground poses, `[frames]`; `ground` of a loop has one more entry than frames.
fn steps(ground: &[(Vec3, f32)], frames: usize, is_loop: bool) -> Vec<Step> {
    let step = |frame: usize| {
        let ((from, heading), (to, next)) = (ground[frame], ground[(frame + 1).min(ground.len() - 1)]);
        Step { movement: Quat::from_rotation_y(-heading) * (to - from), turn: wrap(next - heading) }
    };
    let mut steps: Vec<Step> = (0..frames).map(step).collect();
    if !is_loop && frames > 1 {
        steps[frames - 1] = Step::default();
    }
    steps
}
