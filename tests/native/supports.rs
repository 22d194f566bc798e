//! Feet and hands of predicted motions: those in contact stand, feet that swing too low are lifted, and nothing else
//! changes.

use crate::common::motion::{motion, offsets};
use glam::{Quat, Vec3};
use kinestitch::body::poses::{CONTACTS, Poses, ROLES, joint_positions};
use kinestitch::method::filler::{BodyKeys, BodyMotion};
use kinestitch::method::supports::correct_supports;
use kinestitch::motion::rig::Role;

/// Number of frames of the gap.
const GAP: usize = 30;
/// Frames of the gap in which the left foot touches the ground.
const CONTACT: std::ops::Range<usize> = 8..22;

/// Returns a body that stands with a bent knee and a bent elbow, and glides forwards by one centimetre per frame.
fn gliding_body() -> Poses {
    let mut poses = Poses::default();
    for frame in 0..GAP + 2 {
        let mut rotations = [Quat::IDENTITY; ROLES];
        let angles = [(Role::LeftUpLeg, -0.4), (Role::LeftLeg, 0.8), (Role::LeftFoot, -0.4), (Role::LeftForeArm, 0.9)];
        for (role, angle) in angles {
            rotations[role as usize] = Quat::from_rotation_x(angle);
        }
        poses.push(Vec3::new(0.0, 0.85, 0.01 * frame as f32), rotations);
    }
    poses
}

/// Corrects the feet in the gap between the first and the last pose, far above the ground. The left heel and toe touch
/// in [`CONTACT`] with the given probability.
fn hold(poses: &Poses, probability: f32) -> Poses {
    correct(poses, probability, -1.0)
}

/// Corrects the feet over the ground at a given height; the rest as in [`hold`].
fn correct(poses: &Poses, probability: f32, ground: f32) -> Poses {
    let (past, target) = (poses.slice(0..1), poses.slice(GAP + 1..GAP + 2));
    let contact = |index: usize| {
        let (frame, part) = (index / CONTACTS, index % CONTACTS);
        if CONTACT.contains(&frame) && part < 2 { probability } else { 0.0 }
    };
    let contacts = (0..GAP * CONTACTS).map(contact).collect();
    let keys = BodyKeys { past: &past, target: &target, offsets: &offsets(), ground };
    correct_supports(BodyMotion { poses: poses.slice(1..GAP + 1), contacts, ..BodyMotion::default() }, &keys).poses
}

/// Corrects the hands in the gap between the first and the last pose, far above the ground. The left hand touches in
/// [`CONTACT`].
fn hold_hand(poses: &Poses) -> Poses {
    let (past, target) = (poses.slice(0..1), poses.slice(GAP + 1..GAP + 2));
    let contact = |index: usize| if CONTACT.contains(&(index / 2)) && index.is_multiple_of(2) { 1.0 } else { 0.0 };
    let motion = BodyMotion {
        poses: poses.slice(1..GAP + 1),
        contacts: vec![0.0; GAP * CONTACTS],
        hand_contacts: (0..GAP * 2).map(contact).collect(),
    };
    let keys = BodyKeys { past: &past, target: &target, offsets: &offsets(), ground: -1.0 };
    correct_supports(motion, &keys).poses
}

/// Sums the displacements of a joint in [`CONTACT`], without its first two steps and the last one, metres.
fn slide(positions: &[[Vec3; ROLES]], role: Role) -> f32 {
    let position = |frame: usize| positions[frame][role as usize];
    (CONTACT.start + 2..CONTACT.end - 1).map(|frame| position(frame).distance(position(frame - 1))).sum()
}

fn positions(poses: &Poses) -> Vec<[Vec3; ROLES]> {
    (0..poses.len()).map(|frame| joint_positions(poses.hips[frame], poses.pose(frame), &offsets())).collect()
}

#[test]
fn a_foot_in_contact_stands_and_nothing_else_moves() {
    let poses = gliding_body();
    let held = hold(&poses, 1.0);
    let (before, after) = (positions(&poses.slice(1..GAP + 1)), positions(&held));
    let foot = Role::LeftFoot as usize;
    let [slide_before, slide_after] = [&before, &after].map(|positions| slide(positions, Role::LeftFoot));
    assert!(slide_after < 0.3 * slide_before, "{slide_after} of {slide_before} m remain");
    let leg = [Role::LeftLeg, Role::LeftFoot, Role::LeftToe].map(|role| role as usize);
    for (frame, (before, after)) in before.iter().zip(&after).enumerate() {
        for joint in (0..ROLES).filter(|joint| !leg.contains(joint)) {
            assert!(before[joint].distance(after[joint]) < 1e-5, "joint {joint} of frame {frame} moved");
        }
        let toe = |positions: &[Vec3; ROLES]| positions[leg[2]] - positions[leg[1]];
        assert!(toe(before).distance(toe(after)) < 1e-4, "the foot of frame {frame} turned");
    }
    // The shifts begin and end gradually at the keys.
    let shift = |frame: usize| before[frame][foot].distance(after[frame][foot]);
    assert!(shift(0) < 0.005 && shift(GAP - 1) < 0.005, "{} and {} m", shift(0), shift(GAP - 1));
}

#[test]
fn a_hand_in_contact_stands_and_only_its_arm_follows() {
    let poses = gliding_body();
    let (before, after) = (positions(&poses.slice(1..GAP + 1)), positions(&hold_hand(&poses)));
    let [slide_before, slide_after] = [&before, &after].map(|positions| slide(positions, Role::LeftHand));
    assert!(slide_after < 0.3 * slide_before, "{slide_after} of {slide_before} m remain");
    let arm = [Role::LeftForeArm, Role::LeftHand].map(|role| role as usize);
    for (frame, (before, after)) in before.iter().zip(&after).enumerate() {
        for joint in (0..ROLES).filter(|joint| !arm.contains(joint)) {
            assert!(before[joint].distance(after[joint]) < 1e-5, "joint {joint} of frame {frame} moved");
        }
    }
}

#[test]
fn feet_without_contact_do_not_move() {
    let poses = gliding_body();
    assert_eq!(hold(&poses, 0.0), poses.slice(1..GAP + 1));
}

#[test]
fn fast_feet_are_not_held() {
    let poses = motion(GAP + 2);
    let mut fast = poses.clone();
    fast.hips.iter_mut().enumerate().for_each(|(frame, hips)| hips.z = 0.2 * frame as f32);
    let held = hold(&fast, 1.0);
    assert_eq!(held, fast.slice(1..GAP + 1), "feet that move at 6 m/s are not in contact");
}

#[test]
fn low_feet_are_lifted_and_nothing_else_moves() {
    let mut poses = gliding_body();
    let toes = [Role::LeftToe, Role::RightToe].map(|role| role as usize);
    let lowest_key = toes.map(|toe| positions(&poses)[0][toe].y).into_iter().fold(f32::INFINITY, f32::min);
    let sink = |frame: usize| 0.06 * (std::f32::consts::PI * frame as f32 / (GAP + 1) as f32).sin();
    poses.hips.iter_mut().enumerate().for_each(|(frame, hips)| hips.y -= sink(frame));
    let ground = lowest_key - 0.02;
    let lifted = correct(&poses, 0.0, ground);
    let (before, after) = (positions(&poses.slice(1..GAP + 1)), positions(&lifted));
    for frame in 0..GAP {
        for toe in toes {
            assert!(after[frame][toe].y >= before[frame][toe].y - 2e-3, "a toe of frame {frame} sank");
            let clear = !(2..GAP - 2).contains(&frame) || after[frame][toe].y > ground + 0.02 - 1e-3;
            assert!(clear, "a toe of frame {frame} is {} m above the ground", after[frame][toe].y - ground);
        }
        assert!(before[frame][0].distance(after[frame][0]) < 1e-6, "the hips of frame {frame} moved");
    }
    assert!(toes.iter().any(|&toe| before[GAP / 2][toe].y < ground), "without the lift, a toe is below the ground");
}

#[test]
fn high_feet_are_not_lifted() {
    let poses = gliding_body();
    assert_eq!(correct(&poses, 0.0, -0.3), poses.slice(1..GAP + 1));
}
