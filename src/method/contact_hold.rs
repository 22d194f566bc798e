//! Holds feet still while a network predicts that they touch the ground.
//!
//! The positions and the contacts that a network predicts agree only to some millimetres, so that feet in contact slide.
//! Each ankle is shifted over the ground, smoothly and as little as possible, until its foot stands while it touches
//! ([`crate::feature::foot_alignment`]), and the leg follows by inverse kinematics. Poses outside the gap do not change.

use crate::body::leg::{LEGS, bones, reach, world_rotations};
use crate::body::poses::{CONTACTS, ROLES, joint_positions};
use crate::feature::foot_alignment::{contact_step, shifts};
use crate::method::filler::{BodyKeys, BodyMotion};
use glam::Vec3;

/// Weight of a displacement during a certain contact. For the refiner it is 1, because the foot lock follows; here the
/// feet must stand without it. On LAFAN1's subject 3 (gaps of 5, 15, 30 and 45 frames), the holds lower the foot skate of
/// the delta in-betweener by 26 to 37 %, and the error of joint positions changes by less than 0.5 %.
const CONTACT_WEIGHT: f64 = 10.0;
/// Longest displacement per frame of a foot in contact, metres: a faster foot is not held, whatever the network predicts.
const MAX_STEP: f32 = 0.1;
/// Shortest shift that is applied, metres.
const MIN_SHIFT: f32 = 1e-6;

/// Holds the feet of a motion in its predicted contacts. `keys`: both keys of its gap.
#[must_use]
pub fn hold_feet(mut motion: BodyMotion, keys: &BodyKeys) -> BodyMotion {
    let gap = motion.poses.len();
    if gap == 0 || keys.past.is_empty() || keys.target.is_empty() {
        return motion;
    }
    let mut poses = keys.past.slice(keys.past.len() - 1..keys.past.len());
    poses.extend(&motion.poses);
    poses.extend(&keys.target.slice(0..1));
    let positions: Vec<[Vec3; ROLES]> =
        (0..poses.len()).map(|frame| joint_positions(poses.hips[frame], poses.pose(frame), keys.offsets)).collect();
    for (side, leg) in LEGS.into_iter().enumerate() {
        let [_, _, foot, toe] = leg.map(|role| role as usize);
        // The poses of the keys have the contacts of their neighbours in the gap. `part` is 0 for the heel, 1 for the toe.
        let contact =
            |frame: usize, part: usize| motion.contacts[(frame.clamp(1, gap) - 1) * CONTACTS + 2 * side + part];
        let step = |frame: usize| {
            let contacts = [0, 1].map(|part| contact(frame, part).min(contact(frame - 1, part)));
            let moves = [foot, toe].map(|joint| (positions[frame][joint] - positions[frame - 1][joint]).with_y(0.0));
            let (weight, step) = contact_step(contacts, moves);
            (if step.length() < MAX_STEP { CONTACT_WEIGHT * weight } else { 0.0 }, step)
        };
        let steps: Vec<(f64, Vec3)> = (1..poses.len()).map(step).collect();
        for (index, shift) in shifts(&steps).into_iter().enumerate() {
            if shift.length() < MIN_SHIFT {
                continue;
            }
            let local = &mut motion.poses.rotations[index * ROLES..][..ROLES];
            let world = world_rotations(local);
            let bones = bones(leg, &positions[index + 1], &world);
            reach(leg, &bones, bones.end + shift, world[foot], &world, local);
        }
    }
    motion
}
