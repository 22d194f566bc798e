//! Encodes the canonical body as rows of the refiner ([`RefinerRow`]).

use crate::body::{Character, GroundPose, biped};
use crate::feature::layout::{LOWER_BODY_JOINTS, RefinerRow};
use crate::motion::clip::Clip;
use crate::motion::fk::Pose;
use crate::motion::quat::with_positive_w;
use crate::motion::rig::Role;
use crate::motion::root::wrap;
use std::ops::Range;

/// Lower-body roles of a row, in column order; see [`LOWER_BODY_JOINTS`].
pub const LOWER_BODY_ROLES: [Role; LOWER_BODY_JOINTS] = [
    Role::Hips,
    Role::LeftUpLeg,
    Role::LeftLeg,
    Role::LeftFoot,
    Role::LeftToe,
    Role::RightUpLeg,
    Role::RightLeg,
    Role::RightFoot,
    Role::RightToe,
    Role::Spine,
    Role::Spine1,
];

/// A foot at or above this speed is not in contact, metres per second. The paper tests only the height, which would
/// also accept the toes of a foot that swings just above the ground.
pub const CONTACT_SPEED: f32 = 0.5;

/// Encodes a range of frames of a biped's canonical clip, [frames × 161], frame-major. Displacement and velocity are
/// measured from the previous frame, even if it lies before the range; frame 0 of the clip has those of frame 1.
/// `ground`: height of the ground, metres. `contact_heights`: height of each contact joint over the ground at rest,
/// metres.
///
/// [`crate::motion::contact`] defines contacts differently: its hysteresis and its shortest contact depend on distant
/// frames, but a row must be the same whether a window or the whole clip is encoded. The weights are trained on the
/// definition here.
pub fn rows(clip: &Clip, frames: Range<usize>, ground: f32, contact_heights: [f32; 4]) -> Vec<f32> {
    let mut rows = vec![0.0; frames.len() * RefinerRow::WIDTH];
    let (mut current, mut previous, mut following) = (Pose::default(), Pose::default(), Pose::default());
    let start = frames.start;
    for frame in frames {
        let row = &mut rows[(frame - start) * RefinerRow::WIDTH..][..RefinerRow::WIDTH];
        // The two frames between which displacement and velocity are measured.
        let (from, to) = if frame == 0 { (0, 1.min(clip.frames() - 1)) } else { (frame - 1, frame) };
        if frame > start {
            std::mem::swap(&mut previous, &mut current);
        } else {
            previous.set(clip, from);
        }
        current.set(clip, frame);
        if frame == 0 {
            following.set(clip, to);
        }
        let (old, new) = (&previous, if frame == 0 { &following } else { &current });
        let [root, old_root, new_root] = [frame, from, to].map(|frame| GroundPose::from_clip(clip, frame));
        let step = old_root.local_point(new_root.position);
        let heading_change = wrap(new_root.heading - old_root.heading);
        row[RefinerRow::ROOT.range()].copy_from_slice(&[step.x, heading_change, step.z]);
        let to_old_root = old_root.rotation().inverse();
        for (i, role) in LOWER_BODY_ROLES.iter().enumerate() {
            let joint = *role as usize;
            let mut position = root.local_point(current.world_positions[joint]);
            position.y -= ground;
            let velocity = to_old_root * (new.world_positions[joint] - old.world_positions[joint]);
            row[RefinerRow::POSITION.start + 3 * i..][..3].copy_from_slice(&position.to_array());
            row[RefinerRow::VELOCITY.start + 3 * i..][..3].copy_from_slice(&velocity.to_array());
        }
        for (i, rotation) in clip.frame_rotations(frame).iter().enumerate() {
            let local = if i == 0 { root.rotation().inverse() * *rotation } else { *rotation };
            row[RefinerRow::ROTATION.start + 4 * i..][..4].copy_from_slice(&with_positive_w(local).to_array());
        }
        for (i, contact) in biped().contacts.iter().enumerate() {
            let displacement = new.world_positions[contact.joint] - old.world_positions[contact.joint];
            let speed = displacement.length() * clip.fps() as f32;
            let is_low = current.world_positions[contact.joint].y - ground - contact_heights[i] < contact.height;
            row[RefinerRow::CONTACT.start + i] = f32::from(u8::from(is_low && speed < CONTACT_SPEED));
        }
    }
    rows
}

/// Measures the ground of a biped's canonical clip, see [`ground_of`].
pub fn ground(clip: &Clip) -> (f32, [f32; 4]) {
    ground_of(clip, biped())
}

/// Measures the height of the ground, where the tips of the feet rest, and the heights of the character's four contact
/// joints over the ground at rest, metres. These are 5th percentiles of the whole motion, which a jump or a stumble
/// does not change.
pub fn ground_of(clip: &Clip, character: &Character) -> (f32, [f32; 4]) {
    let contacts = &character.contacts;
    let mut heights: [Vec<f32>; 4] = Default::default();
    let mut pose = Pose::default();
    for frame in 0..clip.frames() {
        pose.set(clip, frame);
        for (joint_heights, contact) in heights.iter_mut().zip(contacts) {
            joint_heights.push(pose.world_positions[contact.joint].y);
        }
    }
    let resting = heights.map(|mut joint_heights| {
        joint_heights.sort_by(f32::total_cmp);
        joint_heights.get(joint_heights.len() / 20).copied().unwrap_or(0.0)
    });
    let is_tip = |joint: usize| character.joints.iter().all(|other| other.parent != Some(joint));
    let tips = resting.iter().zip(contacts).filter(|(_, contact)| is_tip(contact.joint));
    let ground = tips.map(|(height, _)| *height).fold(f32::INFINITY, f32::min);
    (ground, resting.map(|height| height - ground))
}
