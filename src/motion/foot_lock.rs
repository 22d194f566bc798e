//! Foot lock: keeps feet that touch the ground in place.
//!
//! [`FootPlan`] gives the contacts, [`crate::motion::foot_hold`] the displacement that holds each foot; here the legs
//! follow by two-bone inverse kinematics. Pelvis, upper body and the world rotation of the foot do not change, and
//! frames without a correction stay bit-equal.

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

/// Fraction of a correction that is applied, by the posture of the leg: 1 below an upright body, 0 if the leg lies
/// (hip hardly above ankle) or is folded away and does not support the body.
fn support(leg: &TwoBone) -> f32 {
    let length = leg.root.distance(leg.middle) + leg.middle.distance(leg.end);
    let part = |value: f32, none: f32, all: f32| smoothstep(((value / length - none) / (all - none)).clamp(0.0, 1.0));
    part(leg.root.y - leg.end.y, 0.2, 0.45) * part(leg.root.distance(leg.end), 0.35, 0.5)
}

/// Pins the feet of `clip` as `plan` says. `tracks` are the trajectories of `clip`.
///
/// # Errors
/// [`crate::Error::Aborted`] if `progress` aborts; no other error.
pub fn lock(clip: &mut Clip, legs: &Legs, tracks: &Tracks, plan: &FootPlan, progress: &mut Progress) -> Result<()> {
    if clip.frames() < 2 {
        return Ok(());
    }
    let leg = legs.length(clip, 0);
    let corrections = [0, 1].map(|side| foot_corrections(side, tracks, plan, leg, clip.fps()));
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
/// `hinge` the knee's axis in the frame of the upper leg.
pub(crate) fn move_foot(clip: &mut Clip, frame: usize, pose: &Pose, chain: &[usize; 3], hinge: Vec3, correction: Vec3) {
    let [upper, lower, foot] = *chain;
    let at = |joint: usize| pose.world_positions[joint];
    let leg = TwoBone { root: at(upper), middle: at(lower), end: at(foot), hinge: pose.world_rotations[upper] * hinge };
    let reach = leg.reach(leg.end + correction * support(&leg));
    turn_limb(clip, frame, pose, chain, &reach);
}

/// Rotates the bones of a limb in world space; its foot or hand keeps the world rotation. `pose` is the pose of this
/// frame.
pub(crate) fn turn_limb(clip: &mut Clip, frame: usize, pose: &Pose, chain: &[usize; 3], reach: &Reach) {
    let [upper, lower, foot] = *chain;
    let skeleton = std::sync::Arc::clone(clip.skeleton());
    // World rotation of the parent before any change; twist joints may lie between the joints of the chain.
    let above = |joint: usize| match skeleton.joints()[joint].parent {
        Some(parent) => pose.world_rotations[parent],
        None => Quat::IDENTITY,
    };
    let rotations = &mut clip.rotations_mut()[frame * skeleton.len()..][..skeleton.len()];
    let in_frame_of = |parent: Quat, turn: Quat| parent.conjugate() * turn * parent;
    rotations[upper] = (in_frame_of(above(upper), reach.upper) * rotations[upper]).normalize();
    rotations[lower] = (in_frame_of(above(lower), reach.lower) * rotations[lower]).normalize();
    let turned = reach.upper * reach.lower;
    rotations[foot] = (in_frame_of(above(foot), turned.conjugate()) * rotations[foot]).normalize();
}
