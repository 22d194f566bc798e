//! Canonical body → rows of the refiner.

use crate::body::{Character, GroundPose, biped};
use crate::feature::layout::{LOWER_BODY_JOINTS, RefinerRow};
use crate::motion::clip::Clip;
use crate::motion::fk::Pose;
use crate::motion::quat::positive;
use crate::motion::rig::Role;
use crate::motion::root::wrap;
use std::ops::Range;

/// Lower-body roles of a row, in column order: 11 as in Figure 4b of the paper.
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

/// Speed from which a low foot does not count as planted, metres per second. The paper tests only height, which would
/// also select the toes of a sliding swing foot.
pub const CONTACT_SPEED: f32 = 0.5;

/// Rows of a range of frames of a biped's canonical clip, [frames × 161], frame-major. Displacement and velocity are
/// relative to the frame before, which may lie before the range; frame 0 of the clip repeats those of frame 1.
/// `ground` is the height of the ground in metres and `rest` the height of each contact joint over it at rest.
///
/// Contacts differ from [`crate::motion::contact`]: its hysteresis and shortest contact depend on distant frames, but
/// a row must be the same whether a window or the whole clip is encoded. Weights are trained on this definition.
pub fn rows(clip: &Clip, frames: Range<usize>, ground: f32, rest: [f32; 4]) -> Vec<f32> {
    let mut rows = vec![0.0; frames.len() * RefinerRow::WIDTH];
    let (mut here, mut before, mut after) = (Pose::default(), Pose::default(), Pose::default());
    let start = frames.start;
    for frame in frames {
        let row = &mut rows[(frame - start) * RefinerRow::WIDTH..][..RefinerRow::WIDTH];
        // The two frames that velocities are computed from.
        let (from, to) = if frame == 0 { (0, 1.min(clip.frames() - 1)) } else { (frame - 1, frame) };
        if frame > start {
            std::mem::swap(&mut before, &mut here);
        } else {
            before.set(clip, from);
        }
        here.set(clip, frame);
        if frame == 0 {
            after.set(clip, to);
        }
        let (old, new) = (&before, if frame == 0 { &after } else { &here });
        let [root, old_root, new_root] = [frame, from, to].map(|frame| GroundPose::of(clip, frame));
        let moved = old_root.local_point(new_root.position);
        let turned = wrap(new_root.heading - old_root.heading);
        row[RefinerRow::ROOT.range()].copy_from_slice(&[moved.x, turned, moved.z]);
        let back = old_root.rotation().inverse();
        for (i, role) in LOWER_BODY_ROLES.iter().enumerate() {
            let joint = *role as usize;
            let mut position = root.local_point(here.world_positions[joint]);
            position.y -= ground;
            let velocity = back * (new.world_positions[joint] - old.world_positions[joint]);
            row[RefinerRow::POSITION.start + 3 * i..][..3].copy_from_slice(&position.to_array());
            row[RefinerRow::VELOCITY.start + 3 * i..][..3].copy_from_slice(&velocity.to_array());
        }
        for (i, rotation) in clip.frame_rotations(frame).iter().enumerate() {
            let local = if i == 0 { root.rotation().inverse() * *rotation } else { *rotation };
            row[RefinerRow::ROTATION.start + 4 * i..][..4].copy_from_slice(&positive(local).to_array());
        }
        for (i, contact) in biped().contacts.iter().enumerate() {
            let step = new.world_positions[contact.joint] - old.world_positions[contact.joint];
            let speed = step.length() * clip.fps() as f32;
            let low = here.world_positions[contact.joint].y - ground - rest[i] < contact.height;
            row[RefinerRow::CONTACT.start + i] = f32::from(u8::from(low && speed < CONTACT_SPEED));
        }
    }
    rows
}

/// Height of the ground, and heights of a biped's contact joints over it at rest, see [`ground_of`].
pub fn ground(clip: &Clip) -> (f32, [f32; 4]) {
    ground_of(clip, biped())
}

/// Height of the ground, on which the tips of the feet rest, and heights of the character's four contact joints over
/// it at rest, metres: low percentiles over the whole motion, which a jump or a stumble does not change.
pub fn ground_of(clip: &Clip, character: &Character) -> (f32, [f32; 4]) {
    let contacts = &character.contacts;
    let mut heights: [Vec<f32>; 4] = Default::default();
    let mut pose = Pose::default();
    for frame in 0..clip.frames() {
        pose.set(clip, frame);
        for (list, contact) in heights.iter_mut().zip(contacts) {
            list.push(pose.world_positions[contact.joint].y);
        }
    }
    let low = heights.map(|mut list| {
        list.sort_by(f32::total_cmp);
        list.get(list.len() / 20).copied().unwrap_or(0.0)
    });
    let is_tip = |joint: usize| character.joints.iter().all(|other| other.parent != Some(joint));
    let tips = low.iter().zip(contacts).filter(|(_, contact)| is_tip(contact.joint));
    let ground = tips.map(|(height, _)| *height).fold(f32::INFINITY, f32::min);
    (ground, low.map(|height| height - ground))
}
