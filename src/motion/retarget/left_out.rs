//! Motion that a retargeted clip lacks: props, hair, fingers that the other body does not have.

use super::same_axes;
use crate::error::quoted;
use crate::motion::clip::Clip;
use crate::motion::rig::{Rig, Role, is_helper, trunk};

/// Smallest rotation and translation of a joint, relative to the first frame, that count as its own motion: radians,
/// metres.
const MIN_MOTION: (f32, f32) = (0.05, 0.01);
/// Largest number of names in the sentence.
const MAX_NAMES: usize = 5;

/// Returns a sentence that names the joints of `clip` whose own motion has no place on the skeleton of `target`; `None`
/// if there are none, or if the skeletons are equal. Joints between the parts of the body (twist joints), and those
/// that carry the body, are not named: their motion is part of the transferred rotations.
pub fn left_out(clip: &Clip, from: &Rig, target: &Clip, to: &Rig) -> Option<String> {
    let skeleton = clip.skeleton();
    if same_axes(skeleton, from, target.skeleton(), to) {
        return None;
    }
    let mut is_body = vec![false; skeleton.len()];
    for joint in Role::ALL.into_iter().filter_map(|role| from.joint(role)) {
        trunk::path(skeleton, joint).into_iter().for_each(|joint| is_body[joint] = true);
    }
    for (role, &joint) in &from.details {
        is_body[joint] = to.details.contains_key(role);
    }
    let is_left_out =
        |&joint: &usize| !is_body[joint] && !is_helper(&skeleton.joints()[joint].name) && has_motion(clip, joint);
    let joints: Vec<usize> = (0..skeleton.len()).filter(is_left_out).collect();
    let names: Vec<String> =
        joints.iter().take(MAX_NAMES).map(|&joint| quoted(&skeleton.joints()[joint].name)).collect();
    let more = match joints.len().saturating_sub(MAX_NAMES) {
        0 => String::new(),
        count => format!(" and {count} more"),
    };
    (!names.is_empty()).then(|| {
        let name = &clip.name;
        format!("the motion of {}{more} in {name} is left out: the other skeleton has no such joints", names.join(", "))
    })
}

/// Returns whether a joint moves relative to its parent.
fn has_motion(clip: &Clip, joint: usize) -> bool {
    let (angle, distance) = MIN_MOTION;
    (1..clip.frames()).any(|frame| {
        let [first, now] = [0, frame].map(|frame| clip.frame_rotations(frame)[joint]);
        let [start, place] = [0, frame].map(|frame| clip.local_translation(frame, joint));
        now.angle_between(first) > angle || place.distance(start) > distance
    })
}
