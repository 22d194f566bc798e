//! The frames of a motion that differ from both of its clips.

use crate::motion::clip::Clip;
use crate::motion::rig::{Rig, RigKind, Role};
use std::ops::Range;

/// Angle of a joint of the upper body from which on a frame differs from a clip, radians.
const MIN_ANGLE: f32 = 0.01;

/// Finds the frames of a motion that differ from both clips of a seam, by the local rotations of the upper body: pinned
/// feet edit only legs. `placed`: the clips as joined; `starts`: frame of the motion at which frame 0 of each is.
pub fn differing(motion: &Clip, placed: [&Clip; 2], starts: [usize; 2], rig: &Rig) -> Range<usize> {
    let joints = upper_body(motion, rig);
    let is_equal = |side: usize, frame: usize| {
        let Some(source) = frame.checked_sub(starts[side]).filter(|&source| source < placed[side].frames()) else {
            return false;
        };
        let (a, b) = (motion.frame_rotations(frame), placed[side].frame_rotations(source));
        joints.iter().all(|&joint| a[joint].angle_between(b[joint]) < MIN_ANGLE)
    };
    let end = motion.frames();
    let first_end = (starts[0] + placed[0].frames()).min(end);
    let from = (starts[0]..first_end).rev().find(|&frame| is_equal(0, frame)).map_or(starts[0], |frame| frame + 1);
    let to = (starts[1].min(end)..end).find(|&frame| is_equal(1, frame)).unwrap_or(end);
    from.min(to)..to
}

/// Returns the joints of spine, head and arms; of other bodies than bipeds, all joints.
pub fn upper_body(clip: &Clip, rig: &Rig) -> Vec<usize> {
    let roles = Role::ALL[Role::Spine as usize..].iter().filter_map(|&role| rig.joint(role));
    let joints: Vec<usize> = if rig.kind == RigKind::Biped { roles.collect() } else { Vec::new() };
    if joints.is_empty() { (0..clip.joints()).collect() } else { joints }
}
