//! Foot lock: keeps feet that touch the ground in place.
//!
//! [`FootPlan`] has the contacts, [`crate::motion::foot_hold`] computes the displacement that holds each foot; here the
//! legs follow by two-bone inverse kinematics. Pelvis, upper body and the world rotation of the foot do not change, and
//! frames without a correction stay bit-identical.

use crate::error::Result;
use crate::motion::clip::Clip;
use crate::motion::contact::{Legs, Tracks};
use crate::motion::ease::smoothstep;
use crate::motion::fk::Pose;
use crate::motion::foot_hold::foot_corrections;
use crate::motion::foot_plan::FootPlan;
use crate::motion::hinge::Hinge;
use crate::motion::ik::{Reach, TwoBone};
use crate::progress::{Progress, Stage};
use glam::{Quat, Vec3};

/// Returns the fraction of a correction that is applied, by the posture of the leg: 1 if the leg supports the body, 0
/// if it lies (the hip is hardly above the ankle) or is folded.
fn support_weight(leg: &TwoBone) -> f32 {
    // Above zero, so that the weight of a leg without length is 0, not NaN.
    let length = (leg.root.distance(leg.middle) + leg.middle.distance(leg.end)).max(f32::MIN_POSITIVE);
    let ramp = |value: f32, zero: f32, one: f32| smoothstep(((value / length - zero) / (one - zero)).clamp(0.0, 1.0));
    ramp(leg.root.y - leg.end.y, 0.2, 0.45) * ramp(leg.root.distance(leg.end), 0.35, 0.5)
}

/// Pins the feet of `clip` by `plan`. `tracks` are the trajectories of the feet in `clip`.
///
/// # Errors
/// [`crate::Error::Aborted`] if `progress` aborts; no other error.
pub fn lock(clip: &mut Clip, legs: &Legs, tracks: &Tracks, plan: &FootPlan, progress: &mut Progress) -> Result<()> {
    if clip.frames() < 2 {
        return Ok(());
    }
    let leg_length = legs.length(clip, 0);
    let corrections = [0, 1].map(|side| foot_corrections(side, tracks, plan, leg_length, clip.fps()));
    move_feet(clip, legs, &corrections, progress)
}

/// Moves both ankles by `corrections`, [side][frame], metres; the legs follow.
///
/// # Errors
/// [`crate::Error::Aborted`] if `progress` aborts; no other error.
pub(crate) fn move_feet(
    clip: &mut Clip,
    legs: &Legs,
    corrections: &[Vec<Vec3>; 2],
    progress: &mut Progress,
) -> Result<()> {
    let hinges = [0, 1].map(|side| Hinge::detect(&[clip], legs.chain[side]).map_or(Vec3::ZERO, |hinge| hinge.axis()));
    let mut pose = Pose::default();
    for frame in 0..clip.frames() {
        if frame % 256 == 0 {
            progress.at(Stage::FootLock, frame as f32 / clip.frames() as f32)?;
        }
        if (0..2).all(|side| corrections[side][frame].length_squared() < 1e-12) {
            continue;
        }
        pose.set_joints(clip, frame, &legs.required_joints);
        for side in 0..2 {
            let correction = corrections[side][frame];
            if correction.length_squared() >= 1e-12 {
                move_foot(clip, frame, &pose, &legs.chain[side], hinges[side], correction);
            }
        }
    }
    Ok(())
}

/// Moves one ankle by `correction`, metres; the foot keeps its world rotation. `pose` is the pose of this frame,
/// `hinge` the knee's axis in the axes of the upper leg's joint.
pub(crate) fn move_foot(clip: &mut Clip, frame: usize, pose: &Pose, chain: &[usize; 3], hinge: Vec3, correction: Vec3) {
    let [upper, lower, foot] = *chain;
    let position = |joint: usize| pose.world_positions[joint];
    let leg = TwoBone {
        root: position(upper),
        middle: position(lower),
        end: position(foot),
        hinge: pose.world_rotations[upper] * hinge,
    };
    let reach = leg.reach(leg.end + correction * support_weight(&leg));
    rotate_limb(clip, frame, pose, chain, &reach);
}

/// Rotates the bones of a limb in world space; its foot or hand keeps the world rotation. A foot that hangs elsewhere
/// than at its leg is moved to the leg's end. `pose` is the pose of this frame.
pub(crate) fn rotate_limb(clip: &mut Clip, frame: usize, pose: &Pose, chain: &[usize; 3], reach: &Reach) {
    let [upper, lower, foot] = *chain;
    let skeleton = std::sync::Arc::clone(clip.skeleton());
    // World rotation of the parent before any change; twist joints may lie between the joints of the chain.
    let parent_rotation = |joint: usize| match skeleton.joints()[joint].parent {
        Some(parent) => pose.world_rotations[parent],
        None => Quat::IDENTITY,
    };
    let rotations = &mut clip.rotations_mut()[frame * skeleton.len()..][..skeleton.len()];
    let to_local = |parent: Quat, rotation: Quat| parent.conjugate() * rotation * parent;
    rotations[upper] = (to_local(parent_rotation(upper), reach.upper) * rotations[upper]).normalize();
    rotations[lower] = (to_local(parent_rotation(lower), reach.lower) * rotations[lower]).normalize();
    let total = reach.upper * reach.lower;
    let is_below = std::iter::successors(Some(foot), |&joint| skeleton.joints()[joint].parent).any(|j| j == lower);
    if !is_below {
        let [start, middle, end] = chain.map(|joint| pose.world_positions[joint]);
        let end = start + reach.upper * (middle - start + reach.lower * (end - middle));
        return set_world_position(clip, frame, pose, foot, end);
    }
    rotations[foot] = (to_local(parent_rotation(foot), total.conjugate()) * rotations[foot]).normalize();
}

/// Moves a joint with translations to a world position, metres. `pose`: the world pose of the joint's parent.
pub(crate) fn set_world_position(clip: &mut Clip, frame: usize, pose: &Pose, joint: usize, position: Vec3) {
    let skeleton = std::sync::Arc::clone(clip.skeleton());
    let Some(slot) = skeleton.translation_slot(joint) else { return };
    let local = match skeleton.joints()[joint].parent {
        Some(parent) => pose.world_rotations[parent].conjugate() * (position - pose.world_positions[parent]),
        None => position,
    };
    clip.translations_mut()[frame * skeleton.translated().len() + slot] = local;
}
