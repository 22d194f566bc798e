//! Retargeting: transfers a motion from one skeleton to another.
//!
//! Every joint of the target takes the world rotation of its body part (see [`crate::motion::rig::axes`]) from the
//! source: joints with a role from the joint with that role; spine and neck joints from the source's spine and neck
//! at the same height, whatever their number. So thighs, shins, arms and spine point exactly as in the source. Then
//! positions are scaled by leg length: the hips directly, and each ankle by two-bone inverse kinematics
//! ([`crate::motion::ik`]), so that feet on the ground stay there although thigh and shin may have other proportions.
//! Joints without a role (fingers, props) keep the still pose of the target.
//!
//! Between four-legged bodies ([`crate::motion::rig::quadruped`]) each part makes the same rotation relative to its
//! standing pose, and each paw takes the place and height of the source's paw.

mod biped;
mod leg;
mod plan;
mod quadruped;
mod stand;

use crate::error::Result;
use crate::motion::clip::Clip;
use crate::motion::fk::Pose;
use crate::motion::quat::with_nearest_sign;
use crate::motion::rig::axes::Axes;
use crate::motion::rig::quadruped::IS_AVAILABLE;
use crate::motion::rig::{Rig, RigKind, root_chain};
use crate::motion::skeleton::Skeleton;
use crate::motion::widen::translations_on;
use biped::Biped;
use glam::{Quat, Vec3};
use quadruped::Quadrupeds;
use std::sync::Arc;

/// Bones whose directions differ by less than this angle count as having the same axes, radians; a T-pose differs
/// from an A-pose by twice as much.
const SAME_DIRECTION: f32 = 0.35;
/// Bones shorter than this fraction of the longest are ignored when axes are compared.
const SHORT_BONE: f32 = 0.2;
/// Relative difference in leg length below which two bodies count as equal.
const SAME_LEGS: f32 = 2e-3;

/// Transfers the motion of `clip` to the skeleton of `target`, at the frame rate of `clip`. `target` is any clip on
/// that skeleton: its motion gives the height of the ground, and the axes of its joints where neither the rest pose
/// nor the table of known rigs does. On a skeleton with the same names and axes (and on any skeleton with the same
/// names that is not a biped) rotations are copied bit for bit, and translations too unless the leg lengths differ.
///
/// # Errors
/// [`crate::Error::Rig`] if the skeletons differ and are neither two bipeds nor two four-legged bodies, or if a rest
/// pose is not a standing body and its clip has no frames.
pub fn retarget(clip: &Clip, from: &Rig, target: &Clip, to: &Rig) -> Result<Clip> {
    if same_axes(clip.skeleton(), from, target.skeleton(), to) {
        return copy_scaled(clip, from, target, to);
    }
    Retargeter::new(clip, from, target, to)?.transfer_clip(clip)
}

/// Transfers single poses from one skeleton to another. Values that depend on the skeletons are computed once.
#[derive(Debug, Clone)]
pub struct Retargeter {
    skeleton: Arc<Skeleton>,
    bodies: Bodies,
    /// Pose of the target.
    target_pose: Pose,
}

#[derive(Debug, Clone)]
enum Bodies {
    Bipeds(Box<Biped>),
    Quadrupeds(Box<Quadrupeds>),
}

impl Retargeter {
    /// Prepares transfers from the skeleton of `clip` to the skeleton of `target`. Both clips give the height of their
    /// ground, as in [`retarget`].
    ///
    /// # Errors
    /// [`crate::Error::Rig`] if the clips show neither two bipeds nor two four-legged bodies, or if a rest pose is not
    /// a standing body and its clip has no frames.
    pub fn new(clip: &Clip, from: &Rig, target: &Clip, to: &Rig) -> Result<Self> {
        match (from.kind, to.kind) {
            (RigKind::Quadruped, RigKind::Quadruped) if IS_AVAILABLE => Self::for_quadrupeds(clip, target),
            _ => Self::with_axes(clip, from, biped::body_axes(clip, from)?, target, to),
        }
    }

    /// [`Retargeter::new`] for bipeds, with known axes of the source.
    ///
    /// # Errors
    /// The errors of [`Retargeter::new`] about the target.
    pub fn with_axes(clip: &Clip, from: &Rig, source: Axes, target: &Clip, to: &Rig) -> Result<Self> {
        let biped = Biped::new(clip, from, source, target, to)?;
        Ok(Self::with_bodies(target, Bodies::Bipeds(Box::new(biped))))
    }

    /// [`Retargeter::new`] for four-legged bodies.
    ///
    /// # Errors
    /// [`crate::Error::Rig`] if a clip does not show a four-legged body.
    pub fn for_quadrupeds(clip: &Clip, target: &Clip) -> Result<Self> {
        Ok(Self::with_bodies(target, Bodies::Quadrupeds(Box::new(Quadrupeds::new(clip, target)?))))
    }

    fn with_bodies(target: &Clip, bodies: Bodies) -> Self {
        Self { skeleton: Arc::clone(target.skeleton()), bodies, target_pose: Pose::default() }
    }

    /// Skeleton of the target.
    pub fn skeleton(&self) -> &Arc<Skeleton> {
        &self.skeleton
    }

    /// Leg length of the target divided by leg length of the source; strides and heights are multiplied by this ratio.
    pub fn scale(&self) -> f32 {
        match &self.bodies {
            Bodies::Bipeds(bodies) => bodies.scale(),
            Bodies::Quadrupeds(bodies) => bodies.scale(),
        }
    }

    /// The target's joint that corresponds to a joint of the source; `None` if none is known.
    pub fn counterpart(&self, joint: usize) -> Option<usize> {
        match &self.bodies {
            Bodies::Bipeds(bodies) => bodies.counterpart(joint),
            Bodies::Quadrupeds(bodies) => bodies.counterpart(joint),
        }
    }

    /// Transfers a clip from the source's skeleton to the target's.
    ///
    /// # Errors
    /// The errors of [`Clip::new`].
    pub fn transfer_clip(&mut self, clip: &Clip) -> Result<Clip> {
        let skeleton = Arc::clone(&self.skeleton);
        let mut rotations: Vec<Quat> = Vec::with_capacity(clip.frames() * skeleton.len());
        let mut translations: Vec<Vec3> = Vec::with_capacity(clip.frames() * skeleton.translated().len());
        let mut pose = Pose::default();
        for frame in 0..clip.frames() {
            pose.set(clip, frame);
            self.transfer_pose(&pose);
            for (joint, local) in self.rotations().enumerate() {
                // Quaternion signs are continuous along time.
                let before = frame.checked_sub(1).map(|before| rotations[before * skeleton.len() + joint]);
                rotations.push(before.map_or(local, |before| with_nearest_sign(local, before)));
            }
            translations.extend(self.translations());
        }
        Clip::new(clip.name.clone(), skeleton, clip.frame_time_secs(), rotations, translations)
    }

    /// Transfers one pose of the source.
    pub fn transfer_pose(&mut self, pose: &Pose) {
        match &mut self.bodies {
            Bodies::Bipeds(bodies) => bodies.set(&self.skeleton, pose, &mut self.target_pose),
            // Unreachable in builds without the search for legs; the compiler removes the code there.
            Bodies::Quadrupeds(bodies) if IS_AVAILABLE => bodies.set(pose, &mut self.target_pose),
            Bodies::Quadrupeds(_) => {}
        }
    }

    /// Local rotations of the target, `[joints]`.
    pub fn rotations(&self) -> impl Iterator<Item = Quat> {
        let world = &self.target_pose.world_rotations;
        self.skeleton
            .joints()
            .iter()
            .zip(world)
            .map(|(joint, &own)| joint.parent.map_or(own, |parent| world[parent].inverse() * own).normalize())
    }

    /// Local translations of the target, [translated joints], metres.
    pub fn translations(&self) -> impl Iterator<Item = Vec3> {
        let Pose { world_positions: places, world_rotations: turns } = &self.target_pose;
        self.skeleton.translated().iter().map(|&joint| match self.skeleton.joints()[joint].parent {
            Some(parent) => turns[parent].inverse() * (places[joint] - places[parent]),
            None => places[joint],
        })
    }

    /// World positions of the target, `[joints]`, metres.
    pub fn positions(&self) -> &[Vec3] {
        &self.target_pose.world_positions
    }
}

/// Whether rotations mean the same on both skeletons: same names and tree, and long bones with the same directions. A
/// T-pose rig with LAFAN1's joint names does not match: its bones do not lie along x.
fn same_axes(a: &Skeleton, from: &Rig, b: &Skeleton, to: &Rig) -> bool {
    // Clips of one body can always share rotations, whichever of its joints have translations.
    if a.same_body(b) {
        return true;
    }
    let other_kind = from.kind != RigKind::Biped || to.kind != RigKind::Biped;
    if !(a.same_topology(b) || other_kind && a.same_bones(b)) {
        return false;
    }
    // The offsets of joints above the hips hold the position in the first frame.
    let carries = root_chain(a, from);
    let longest =
        a.joints().iter().zip(&carries).filter(|(_, carries)| !**carries).map(|(joint, _)| joint.offset.length());
    let longest = longest.fold(0.0, f32::max);
    let alike = |(joint, carries): (usize, &bool)| {
        let [a, b] = [a, b].map(|skeleton| skeleton.joints()[joint].offset);
        *carries || a.length().min(b.length()) < SHORT_BONE * longest || a.angle_between(b) < SAME_DIRECTION
    };
    other_kind || carries.iter().enumerate().all(alike)
}

/// Scales strides and root heights by leg length, for a body of another size.
fn copy_scaled(clip: &Clip, from: &Rig, target: &Clip, to: &Rig) -> Result<Clip> {
    let ratio = match (leg::length(clip, from), leg::length(target, to)) {
        (Some(from), Some(to)) if (to / from - 1.0).abs() > SAME_LEGS => to / from,
        _ => 1.0,
    };
    let translations = translations_on(clip, target.skeleton(), ratio);
    let skeleton = Arc::clone(target.skeleton());
    Clip::new(clip.name.clone(), skeleton, clip.frame_time_secs(), clip.rotations().to_vec(), translations)
}
