//! Positions of the target: hips and ankles relative to the ground, scaled by leg length.

use super::stand::{Carrier, standing_height};
use crate::motion::clip::Clip;
use crate::motion::fk::Pose;
use crate::motion::ik::TwoBone;
use crate::motion::rig::axes::Axes;
use crate::motion::rig::{Rig, Role, leg, rest_pose};
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
    /// `target_axes`: axes of `to`.
    pub fn new(clip: &Clip, from: &Rig, target: &Clip, to: &Rig, target_axes: &Axes) -> Self {
        let [from_legs, to_legs] = [from, to].map(|rig| rig.legs().unwrap_or_default());
        // The result has the bones of the reference pose; the bones in the frames of `target` may have other lengths.
        let reference_pose = target_axes.world_reference_pose(target.skeleton());
        let target_length = leg::length(&reference_pose, &to_legs);
        let scale = length(clip, from).filter(|_| target_length > 0.0).map_or(1.0, |source| target_length / source);
        let hips = to.joint(Role::Hips).unwrap_or(0);
        let carrier = Carrier::new(target.skeleton(), &to.body_parents(target.skeleton()), hips);
        let ankle_heights = [standing_ankle(clip, &from_legs), standing_ankle(target, &to_legs)];
        Self {
            from: from_legs,
            to: to_legs,
            scale,
            ankle_heights,
            bones: to_legs.map(|leg| bone_lengths(&reference_pose, leg)),
            carrier,
        }
    }

    /// Returns the leg length of the target divided by the leg length of the source.
    pub fn scale(&self) -> f32 {
        self.scale
    }

    /// Sets the world heights of standing ankles: source, target.
    pub fn set_ankle_heights(&mut self, heights: [f32; 2]) {
        self.ankle_heights = heights;
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

/// Returns the mean length of both legs in the first frame, hip joint to ankle, metres; `None` without legs.
pub fn length(clip: &Clip, rig: &Rig) -> Option<f32> {
    let pose = if clip.frames() > 0 { Pose::from_clip(clip, 0) } else { rest_pose(clip.skeleton()) };
    Some(leg::length(&pose, &rig.legs()?)).filter(|length| *length > 0.0)
}

/// Returns the world height of a standing ankle, metres.
fn standing_ankle(clip: &Clip, legs: &[Leg; 2]) -> f32 {
    standing_height(clip, |pose| pose.world_positions[legs[0][2]].y.min(pose.world_positions[legs[1][2]].y))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::motion::bvh::parse;
    use crate::motion::retarget::retarget;
    use crate::motion::rig::infer;
    use crate::motion::skeleton::{Channel, Skeleton};
    use std::sync::Arc;

    /// Returns the clip with translations for shins and feet that are `factor` times their offsets.
    fn with_longer_legs(clip: &Clip, legs: [Leg; 2], factor: f32) -> Clip {
        let stretched = [legs[0][1], legs[0][2], legs[1][1], legs[1][2]];
        let mut joints = clip.skeleton().joints().to_vec();
        for joint in stretched {
            joints[joint].channels.extend([Channel::Xposition, Channel::Yposition, Channel::Zposition]);
        }
        let skeleton = Arc::new(Skeleton::new(joints, clip.skeleton().space()).unwrap());
        let scale = |joint: usize| if stretched.contains(&joint) { factor } else { 1.0 };
        let translations = (0..clip.frames()).flat_map(|frame| {
            skeleton.translated().iter().map(move |&joint| clip.local_translation(frame, joint) * scale(joint))
        });
        let (translations, rotations) = (translations.collect(), clip.rotations().to_vec());
        Clip::new("long legs", Arc::clone(&skeleton), clip.frame_time_secs(), rotations, translations).unwrap()
    }

    #[test]
    fn feet_stay_on_the_ground_if_frames_and_offsets_of_the_target_differ_in_leg_length() {
        let source = parse("ada", include_bytes!("../../../tests/fixtures/ada-walk.bvh")).unwrap().clip;
        let target = parse("bo", include_bytes!("../../../tests/fixtures/bo-walk.bvh")).unwrap().clip;
        let (from, to) = (infer(&source), infer(&target));
        let target = with_longer_legs(&target, to.legs().unwrap(), 1.05);
        let result = retarget(&source, &from, &target, &to).unwrap();
        let [expected, height] = [&target, &result].map(|clip| standing_ankle(clip, &to.legs().unwrap()));
        assert!((height - expected).abs() < 5e-3, "ankles stand at {height} m instead of {expected} m");
    }
}
