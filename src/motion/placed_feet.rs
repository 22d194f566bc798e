//! Feet that hang elsewhere than at their legs ([`Rig::placed_feet`]) after a blend: blends interpolate such a foot and
//! its leg separately, so that the foot leaves the end of the leg.

use crate::motion::clip::Clip;
use crate::motion::ease::smoothstep;
use crate::motion::fk::{Pose, with_ancestors};
use crate::motion::foot_lock::set_world_position;
use crate::motion::rig::Rig;
use glam::Vec3;
use std::ops::Range;

/// Fraction of a range over which feet go to the ends of their legs at its start, and back at its end.
const EASE: f32 = 0.25;

/// Moves the feet in the frames `ranges` of `clip` to the ends of their legs, where they are in the recorded clips
/// `models`. Changes nothing for rigs whose feet hang at their legs.
pub fn attach(clip: &mut Clip, rig: &Rig, ranges: &[Range<usize>], models: &[&Clip]) {
    let skeleton = std::sync::Arc::clone(clip.skeleton());
    for (foot, shin) in rig.placed_feet(&skeleton) {
        let Some(offset) = mean_offset(models, foot, shin) else { continue };
        let needed = with_ancestors(&skeleton, [foot, shin]);
        let mut pose = Pose::default();
        for range in ranges {
            for frame in range.clone() {
                pose.set_joints(clip, frame, &needed);
                let end = pose.world_positions[shin] + pose.world_rotations[shin] * offset;
                let from_edge = (frame + 1 - range.start).min(range.end - frame) as f32;
                let weight = smoothstep((from_edge / (EASE * range.len() as f32 + 1.0)).min(1.0));
                let position = pose.world_positions[foot].lerp(end, weight);
                set_world_position(clip, frame, &pose, foot, position);
            }
        }
    }
}

/// Returns the mean position of a foot in the axes of its shin, metres; `None` without frames.
fn mean_offset(models: &[&Clip], foot: usize, shin: usize) -> Option<Vec3> {
    let (mut sum, mut count) = (Vec3::ZERO, 0);
    for model in models {
        let needed = with_ancestors(model.skeleton(), [foot, shin]);
        let mut pose = Pose::default();
        for frame in 0..model.frames() {
            pose.set_joints(model, frame, &needed);
            let distance = pose.world_positions[foot] - pose.world_positions[shin];
            sum += pose.world_rotations[shin].inverse() * distance;
            count += 1;
        }
    }
    (count > 0).then(|| sum / count as f32)
}
