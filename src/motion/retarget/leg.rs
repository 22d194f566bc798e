//! Positions of the target: hips and ankles relative to the ground, scaled by leg length.

use super::stand::{Carrier, standing_height};
use crate::motion::clip::Clip;
use crate::motion::fk::Pose;
use crate::motion::ik::TwoBone;
use crate::motion::rig::{Rig, Role, leg};
use glam::{Quat, Vec3};

/// Thigh, shin, foot; left and right.
type Leg = [usize; 3];

/// Transfer of the positions of hips and ankles, scaled by leg length.
#[derive(Debug, Clone)]
pub struct LegTransfer {
    from: [Leg; 2],
    to: [Leg; 2],
    /// Leg length of the target divided by the leg length of the source.
    scale: f32,
    /// World height of a standing ankle: source, target.
    ankle_heights: [f32; 2],
    /// Lengths of thigh and shin of the target, left and right, metres.
    bones: [[f32; 2]; 2],
    /// Joint of the target whose translation places the body.
    pub carrier: Carrier,
}

impl LegTransfer {
    /// Measures both rigs, which must be bipeds (the caller checks it); joint 0 stands for missing joints.
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
        let ankle_heights = [standing_ankle(clip, &from_legs), standing_ankle(target, &to_legs)];
        Self {
            from: from_legs,
            to: to_legs,
            scale,
            ankle_heights,
            bones: to_legs.map(|leg| bone_lengths(&pose, leg)),
            carrier,
        }
    }

    /// Returns the leg length of the target divided by the leg length of the source.
    pub fn scale(&self) -> f32 {
        self.scale
    }

    /// Returns the translation that brings the middle of both hip joints in `target_pose` to its scaled position in the
    /// source; world, metres.
    pub fn hips_shift(&self, pose: &Pose, target_pose: &Pose) -> Vec3 {
        let hip_centre =
            |pose: &Pose, legs: &[Leg; 2]| (pose.world_positions[legs[0][0]] + pose.world_positions[legs[1][0]]) / 2.0;
        self.scale_position(hip_centre(pose, &self.from)) - hip_centre(target_pose, &self.to)
    }

    /// Scales a position by leg length; its height is scaled relative to the height of a standing ankle.
    fn scale_position(&self, position: Vec3) -> Vec3 {
        let height = self.ankle_heights[1] + (position.y - self.ankle_heights[0]) * self.scale;
        (position * self.scale).with_y(height)
    }

    /// Rotates thighs and shins in `part_rotations` (world body rotations of the target, equal to those of the source),
    /// so that the ankles reach their scaled positions. `target_pose` has its hips in position already.
    pub fn bend_legs(&self, pose: &Pose, target_pose: &Pose, part_rotations: &mut [Option<Quat>]) {
        for side in 0..2 {
            let [thigh, _, foot] = self.from[side].map(|joint| pose.world_positions[joint]);
            let [upper, lower, _] = self.to[side];
            let (Some(thigh_rotation), Some(shin_rotation)) = (part_rotations[upper], part_rotations[lower]) else {
                continue;
            };
            let hip = target_pose.world_positions[upper];
            let knee = hip + thigh_rotation * Vec3::NEG_Y * self.bones[side][0];
            let ankle = knee + shin_rotation * Vec3::NEG_Y * self.bones[side][1];
            // On the ground, the scaled offset from the hip joint counts, because pelvis widths differ; in height, the
            // scaled height over the ground.
            let target_ankle = (hip + (foot - thigh) * self.scale).with_y(self.scale_position(foot).y);
            let reach =
                TwoBone { root: hip, middle: knee, end: ankle, hinge: thigh_rotation * Vec3::X }.reach(target_ankle);
            part_rotations[upper] = Some(reach.upper * thigh_rotation);
            part_rotations[lower] = Some(reach.upper * reach.lower * shin_rotation);
        }
    }
}

/// Returns the lengths of thigh and shin, metres.
fn bone_lengths(pose: &Pose, leg: Leg) -> [f32; 2] {
    let [thigh, shin, foot] = leg.map(|joint| pose.world_positions[joint]);
    [thigh.distance(shin), shin.distance(foot)]
}

/// Returns the mean length of both legs, hip joint to ankle, metres; `None` without legs.
pub fn length(clip: &Clip, rig: &Rig) -> Option<f32> {
    Some(leg::length(&first_pose(clip), &rig.legs()?)).filter(|length| *length > 0.0)
}

fn first_pose(clip: &Clip) -> Pose {
    if clip.frames() > 0 { Pose::from_clip(clip, 0) } else { crate::motion::rig::rest_pose(clip.skeleton()) }
}

/// Returns the world height of a standing ankle, metres.
fn standing_ankle(clip: &Clip, legs: &[Leg; 2]) -> f32 {
    standing_height(clip, |pose| pose.world_positions[legs[0][2]].y.min(pose.world_positions[legs[1][2]].y))
}
