//! Feet that hang elsewhere than at their legs ([`Rig::placed_feet`]) after a blend: blends interpolate such a foot and
//! its leg separately, so that the foot leaves the end of the leg.

use crate::motion::clip::Clip;
use crate::motion::fk::{Pose, with_ancestors};
use crate::motion::foot_lock::set_world_position;
use crate::motion::rig::Rig;
use glam::Vec3;
use std::ops::Range;

/// Moves the feet in the blended frames `ranges` of a clip to the ends of their legs: a foot goes from its position in
/// the axes of its shin before the blend to the one after it. Changes nothing for rigs whose feet hang at their legs.
pub fn attach(clip: &mut Clip, rig: &Rig, ranges: &[Range<usize>]) {
    let skeleton = std::sync::Arc::clone(clip.skeleton());
    for (foot, shin) in rig.placed_feet(&skeleton) {
        let needed = with_ancestors(&skeleton, [foot, shin]);
        let mut pose = Pose::default();
        for range in ranges {
            let offset_at = |frame: usize| {
                let mut pose = Pose::default();
                pose.set_joints(clip, frame, &needed);
                pose.world_rotations[shin].inverse() * (pose.world_positions[foot] - pose.world_positions[shin])
            };
            let before = range.start.checked_sub(1).map(offset_at);
            let after = (range.end < clip.frames()).then(|| offset_at(range.end));
            let Some((before, after)) = before.or(after).zip(after.or(before)) else { continue };
            for frame in range.clone() {
                pose.set_joints(clip, frame, &needed);
                let along = (frame + 1 - range.start) as f32 / (range.len() + 1) as f32;
                let offset: Vec3 = before.lerp(after, along);
                let end = pose.world_positions[shin] + pose.world_rotations[shin] * offset;
                set_world_position(clip, frame, &pose, foot, end);
            }
        }
    }
}
