//! Positions of the target: hips and ankles relative to the ground, scaled by leg length.

use super::stand::{Carrier, standing_height};
use crate::motion::clip::Clip;
use crate::motion::fk::Pose;
use crate::motion::ik::TwoBone;
use crate::motion::rig::{Rig, Role, leg};
use glam::{Quat, Vec3};

/// Thigh, shin, foot; left and right.
type Leg = [usize; 3];

/// Mapping from source positions to target positions.
#[derive(Debug, Clone)]
pub struct Ground {
    from: [Leg; 2],
    to: [Leg; 2],
    /// Leg length of the target divided by leg length of the source.
    scale: f32,
    /// World height of a standing ankle: source, target.
    standing: [f32; 2],
    /// Lengths of thigh and shin of the target, left and right, metres.
    bones: [[f32; 2]; 2],
    pub carrier: Carrier,
}

impl Ground {
    /// Both rigs must be bipeds (checked by the caller); missing joints fall back to joint 0.
    pub fn new(clip: &Clip, from: &Rig, target: &Clip, to: &Rig) -> Self {
        let [from_legs, to_legs] = [from, to].map(|rig| rig.legs().unwrap_or_default());
        let scale = match (length(clip, from), length(target, to)) {
            (Some(source), Some(target)) => target / source,
            _ => 1.0,
        };
        let pose = first_pose(target);
        let hips = to.joint(Role::Hips).unwrap_or(0);
        let parents: Vec<Option<usize>> = target.skeleton().joints().iter().map(|joint| joint.parent).collect();
        let carrier = Carrier::new(target.skeleton(), &parents, hips);
        let standing = [standing_ankle(clip, &from_legs), standing_ankle(target, &to_legs)];
        Self { from: from_legs, to: to_legs, scale, standing, bones: to_legs.map(|leg| bones(&pose, leg)), carrier }
    }

    /// Leg length of the target divided by leg length of the source.
    pub fn scale(&self) -> f32 {
        self.scale
    }

    /// Translation that brings the hip joints of `made` to the scaled positions of the source's. World, metres.
    pub fn hips_shift(&self, pose: &Pose, made: &Pose) -> Vec3 {
        let middle =
            |pose: &Pose, legs: &[Leg; 2]| (pose.world_positions[legs[0][0]] + pose.world_positions[legs[1][0]]) / 2.0;
        self.scaled(middle(pose, &self.from)) - middle(made, &self.to)
    }

    fn scaled(&self, place: Vec3) -> Vec3 {
        let height = self.standing[1] + (place.y - self.standing[0]) * self.scale;
        (place * self.scale).with_y(height)
    }

    /// Turns thighs and shins in `parts` (world body rotations of the target, parallel to the source's) so that the
    /// ankles reach the scaled positions of the source's. `made` is the target with its hips in place.
    pub fn bend_legs(&self, pose: &Pose, made: &Pose, parts: &mut [Option<Quat>]) {
        for side in 0..2 {
            let [thigh, _, foot] = self.from[side].map(|joint| pose.world_positions[joint]);
            let [upper, lower, _] = self.to[side];
            let (Some(upper_part), Some(lower_part)) = (parts[upper], parts[lower]) else { continue };
            let root = made.world_positions[upper];
            let middle = root + upper_part * Vec3::NEG_Y * self.bones[side][0];
            let end = middle + lower_part * Vec3::NEG_Y * self.bones[side][1];
            // Same scaled offset from its hip joint as in the source (pelvis widths differ), same scaled height over
            // the ground.
            let ankle = (root + (foot - thigh) * self.scale).with_y(self.scaled(foot).y);
            let reach = TwoBone { root, middle, end, hinge: upper_part * Vec3::X }.reach(ankle);
            parts[upper] = Some(reach.upper * upper_part);
            parts[lower] = Some(reach.upper * reach.lower * lower_part);
        }
    }
}

/// Lengths of thigh and shin, metres.
fn bones(pose: &Pose, leg: Leg) -> [f32; 2] {
    let [thigh, shin, foot] = leg.map(|joint| pose.world_positions[joint]);
    [thigh.distance(shin), shin.distance(foot)]
}

/// Mean length of both legs, hip joint to ankle, metres; `None` without legs.
pub fn length(clip: &Clip, rig: &Rig) -> Option<f32> {
    Some(leg::length(&first_pose(clip), &rig.legs()?)).filter(|length| *length > 0.0)
}

fn first_pose(clip: &Clip) -> Pose {
    if clip.frames() > 0 { Pose::from_clip(clip, 0) } else { crate::motion::rig::rest_pose(clip.skeleton()) }
}

/// World height of a standing ankle, metres.
fn standing_ankle(clip: &Clip, legs: &[Leg; 2]) -> f32 {
    standing_height(clip, |pose| pose.world_positions[legs[0][2]].y.min(pose.world_positions[legs[1][2]].y))
}
