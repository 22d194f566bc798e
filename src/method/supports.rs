//! Corrects feet and hands of a predicted motion: those in contact stand, and swinging feet keep clear of the ground.
//!
//! The positions and the contacts that a network predicts agree only to some millimetres, so that feet in contact slide.
//! Each ankle is shifted over the ground, smoothly and as little as possible, until its foot stands while it touches
//! ([`crate::feature::foot_alignment`]); wrists too, if the network predicts contacts of hands. A network also predicts
//! the mean of many steps, so that swinging feet pass too low or sink into the ground; they are lifted to the height of
//! recorded feet. In all corrections the limb follows by inverse kinematics, and poses outside the gap do not change.

use crate::body::limb::{ARMS, LEGS, TOES, bones, reach, world_rotations};
use crate::body::poses::{CONTACTS, ROLES, joint_positions};
use crate::feature::foot_alignment::{contact_step, shifts};
use crate::feature::swing::missing_height;
use crate::method::filler::{BodyKeys, BodyMotion};
use crate::motion::rig::Role;
use glam::Vec3;

/// Longest displacement per frame of a foot or hand in contact, metres: a faster one is not held, whatever the network
/// predicts.
const MAX_STEP: f32 = 0.1;
/// Shortest shift that is applied, metres.
const MIN_SHIFT: f32 = 1e-6;
/// Height of a standing toe joint over the ground, metres, unless a toe of the keys is lower.
const RESTING_HEIGHT: f32 = 0.02;

/// World positions of all joints in every frame: the last past key, the gap, and the first target key.
type Positions = Vec<[Vec3; ROLES]>;

/// Holds the feet and hands of a motion in its predicted contacts, and lifts feet that swing too low. `keys`: both keys
/// of its gap.
#[must_use]
pub fn correct_supports(mut motion: BodyMotion, keys: &BodyKeys) -> BodyMotion {
    if !motion.poses.is_empty() && !keys.past.is_empty() && !keys.target.is_empty() {
        hold(&mut motion, keys);
        lift(&mut motion, keys);
    }
    motion
}

/// Shifts feet and hands over the ground until they stand while they touch.
fn hold(motion: &mut BodyMotion, keys: &BodyKeys) {
    let positions = positions(motion, keys);
    for (side, (leg, toe)) in LEGS.into_iter().zip(TOES).enumerate() {
        let contacts = |frame: usize| [0, 1].map(|part| motion.contacts[frame * CONTACTS + 2 * side + part]);
        let shifts = hold_shifts(&positions, [leg[2], toe], contacts);
        shift_end(motion, &positions, leg, &shifts);
    }
    if motion.hand_contacts.is_empty() {
        return;
    }
    for (side, arm) in ARMS.into_iter().enumerate() {
        let contacts = |frame: usize| [motion.hand_contacts[frame * ARMS.len() + side]; 2];
        let shifts = hold_shifts(&positions, [arm[2]; 2], contacts);
        shift_end(motion, &positions, arm, &shifts);
    }
}

/// Returns the shift of a foot or hand in each frame of the gap, metres. `parts`: the joints that touch: heel and toe, or
/// the wrist twice. `contacts`: their contact probabilities in a frame of the gap.
fn hold_shifts(positions: &Positions, parts: [Role; 2], contacts: impl Fn(usize) -> [f32; 2]) -> Vec<Vec3> {
    let gap = positions.len() - 2;
    // The poses of the keys have the contacts of their neighbours in the gap.
    let contacts = |frame: usize| contacts(frame.clamp(1, gap) - 1);
    let step = |frame: usize| {
        let (before, now) = (contacts(frame - 1), contacts(frame));
        let steps = parts.map(|role| positions[frame][role as usize] - positions[frame - 1][role as usize]);
        let (weight, step) =
            contact_step([0, 1].map(|part| now[part].min(before[part])), steps.map(|step| step.with_y(0.0)));
        (if step.length() < MAX_STEP { weight } else { 0.0 }, step)
    };
    shifts(&(1..positions.len()).map(step).collect::<Vec<_>>())
}

/// Lifts both feet until no toe is too low ([`missing_height`]).
fn lift(motion: &mut BodyMotion, keys: &BodyKeys) {
    let gap = motion.poses.len();
    let positions = positions(motion, keys);
    let resting_height = (keys.ground + RESTING_HEIGHT).min(lowest_toe(keys));
    for (leg, toe) in LEGS.into_iter().zip(TOES.map(|toe| toe as usize)) {
        let needed_lift = |frame: usize| {
            let [previous, position] = [frame - 1, frame].map(|frame| positions[frame][toe]);
            let step = (position - previous).with_y(0.0).length();
            missing_height(position.y - resting_height, step, frame.min(gap + 1 - frame)) * Vec3::Y
        };
        let lifts: Vec<Vec3> = (1..=gap).map(needed_lift).collect();
        shift_end(motion, &positions, leg, &lifts);
    }
}

/// Returns the height of the lowest toe joint of all keys, metres.
fn lowest_toe(keys: &BodyKeys) -> f32 {
    let heights = [keys.past, keys.target].into_iter().flat_map(|poses| {
        (0..poses.len()).flat_map(|frame| {
            let positions = joint_positions(poses.hips[frame], poses.pose(frame), keys.offsets);
            TOES.map(|toe| positions[toe as usize].y)
        })
    });
    heights.fold(f32::INFINITY, f32::min)
}

/// Computes the positions of all joints of a motion and of the keys beside it.
fn positions(motion: &BodyMotion, keys: &BodyKeys) -> Positions {
    let mut poses = keys.past.slice(keys.past.len() - 1..keys.past.len());
    poses.extend(&motion.poses);
    poses.extend(&keys.target.slice(0..1));
    (0..poses.len()).map(|frame| joint_positions(poses.hips[frame], poses.pose(frame), keys.offsets)).collect()
}

/// Shifts a foot or hand, and lets its limb follow. `shifts`: one for each frame of the gap, metres.
fn shift_end(motion: &mut BodyMotion, positions: &Positions, limb: [Role; 3], shifts: &[Vec3]) {
    let end = limb[2] as usize;
    for (index, &shift) in shifts.iter().enumerate() {
        if shift.length() < MIN_SHIFT {
            continue;
        }
        let local = &mut motion.poses.rotations[index * ROLES..][..ROLES];
        let world = world_rotations(local);
        let bones = bones(limb, &positions[index + 1], &world);
        reach(limb, &bones, bones.end + shift, world[end], &world, local);
    }
}
