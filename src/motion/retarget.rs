//! Retargeting: transfers a motion from one skeleton to another.
//!
//! Each joint of the target takes the world rotation of its body part (see [`crate::motion::rig::axes`]) from the
//! source: a joint with a role from the joint with this role; joints of spine and neck from the point of the source's
//! spine or neck at the same height, because the numbers of joints differ. So thighs, shins, arms and spine point
//! exactly as in the source. Then positions are scaled by leg length: the hips directly, and each ankle by two-bone
//! inverse kinematics ([`crate::motion::ik`]), so that feet on the ground stay there although the proportions of thigh
//! and shin may differ. Fingers, eyes and jaw that both
//! bodies have rotate relative to their hands and heads as in the source; a finger that the source lacks follows its
//! neighbour. Other joints (props, hair) keep the reference
//! pose of the target.
//!
//! Between four-legged bodies ([`crate::motion::rig::quadruped`]) each part makes the same rotation relative to its
//! standing pose, and each paw takes the scaled position and height of the source's paw.

mod biped;
mod left_out;
mod leg;
mod plan;
mod quadruped;
mod stand;

use crate::error::Result;
use crate::motion::clip::Clip;
use crate::motion::fk::Pose;
use crate::motion::floor::{Ground, find_floor, height_to, raised};
use crate::motion::quat::with_nearest_sign;
use crate::motion::rig::axes::{Axes, bone_offsets};
use crate::motion::rig::{Rig, RigKind, root_chain};
use crate::motion::skeleton::Skeleton;
use crate::motion::widen::translations_on;
use biped::BipedTransfer;
use glam::{Quat, Vec3};
pub use left_out::left_out;
use quadruped::QuadrupedTransfer;
use std::sync::Arc;

/// Largest angle between the directions of bones that count as equal, radians; the arms of a T-pose and an A-pose
/// differ by twice this angle.
const SAME_DIRECTION: f32 = 0.35;
/// Length below which bones are ignored when axes are compared, as a fraction of the longest bone.
const SHORT_BONE: f32 = 0.2;
/// Relative difference below which two leg lengths count as equal.
const SAME_LEGS: f32 = 2e-3;

/// Transfers the motion of `clip` to the skeleton of `target`, at the frame rate of `clip`. `target` is any clip on
/// that skeleton: its motion determines the height of the ground, and also the body axes if neither the rest pose nor
/// the table of known rigs determines them.
///
/// Rotations are copied bit for bit between skeletons of one body ([`Skeleton::same_body`]), between bipeds with the
/// same names, parents, axes and translated joints, and between any skeletons with the same names and parents if one is
/// not a biped. Translations are then copied too, and scaled if the leg lengths differ; between bipeds of other
/// proportions, translated joints take the bones of the target.
///
/// # Errors
/// [`crate::Error::Rig`] if the skeletons differ and are neither two bipeds nor two four-legged bodies, or if a rest
/// pose is not a standing body and its clip has no frames.
pub fn retarget(clip: &Clip, from: &Rig, target: &Clip, to: &Rig) -> Result<Clip> {
    retarget_with(clip, from, (target, to), Ground::Level)
}

/// Transfers a motion like [`retarget`]. `ground`: whether a biped stands on the floor of the target's clip, or keeps
/// its height over 0, scaled by leg length; a motion without a floor (swimming, flying) keeps it in any case.
///
/// # Errors
/// Those of [`retarget`].
pub fn retarget_with(clip: &Clip, from: &Rig, (target, to): (&Clip, &Rig), ground: Ground) -> Result<Clip> {
    if same_axes(clip.skeleton(), from, target.skeleton(), to) {
        let copy = copy_scaled(clip, from, target, to)?;
        let height = if ground == Ground::Level { height_to((&copy, to), (target, to)) } else { 0.0 };
        return Ok(if height == 0.0 { copy } else { raised(&copy, to, height) });
    }
    let mut retargeter = Retargeter::new(clip, from, target, to)?;
    if let Bodies::Bipeds(bodies) = &mut retargeter.bodies
        && (ground == Ground::AsInFile || find_floor(clip, from).is_none())
    {
        bodies.keep_height(clip, target);
    }
    retargeter.transfer_clip(clip)
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
    Bipeds(Box<BipedTransfer>),
    Quadrupeds(Box<QuadrupedTransfer>),
}

impl Retargeter {
    /// Prepares transfers from the skeleton of `clip` to the skeleton of `target`. The motions of both clips determine
    /// the height of their ground, as in [`retarget`].
    ///
    /// # Errors
    /// [`crate::Error::Rig`] if the clips show neither two bipeds nor two four-legged bodies, or if a rest pose is not
    /// a standing body and its clip has no frames.
    pub fn new(clip: &Clip, from: &Rig, target: &Clip, to: &Rig) -> Result<Self> {
        match (from.kind, to.kind) {
            (RigKind::Quadruped, RigKind::Quadruped) => Self::for_quadrupeds(clip, target),
            _ => Self::with_axes(clip, from, biped::body_axes(clip, from)?, target, to),
        }
    }

    /// Prepares transfers between bipeds as [`Retargeter::new`] does; `source` are the axes of `from`.
    ///
    /// # Errors
    /// The errors of [`Retargeter::new`] about the target.
    pub fn with_axes(clip: &Clip, from: &Rig, source: Axes, target: &Clip, to: &Rig) -> Result<Self> {
        let biped = BipedTransfer::new(clip, from, source, target, to)?;
        Ok(Self::with_bodies(target, Bodies::Bipeds(Box::new(biped))))
    }

    /// Prepares transfers between four-legged bodies as [`Retargeter::new`] does.
    ///
    /// # Errors
    /// [`crate::Error::Rig`] if a clip does not show a four-legged body.
    pub fn for_quadrupeds(clip: &Clip, target: &Clip) -> Result<Self> {
        Ok(Self::with_bodies(target, Bodies::Quadrupeds(Box::new(QuadrupedTransfer::new(clip, target)?))))
    }

    fn with_bodies(target: &Clip, bodies: Bodies) -> Self {
        Self { skeleton: Arc::clone(target.skeleton()), bodies, target_pose: Pose::default() }
    }

    /// Returns the skeleton of the target.
    pub fn skeleton(&self) -> &Arc<Skeleton> {
        &self.skeleton
    }

    /// Returns the leg length of the target divided by the leg length of the source (for four-legged bodies, the ratio
    /// of the hip heights); strides and heights are multiplied by it.
    pub fn scale(&self) -> f32 {
        match &self.bodies {
            Bodies::Bipeds(bodies) => bodies.scale(),
            Bodies::Quadrupeds(bodies) => bodies.scale(),
        }
    }

    /// Returns the target's joint that corresponds to a joint of the source; `None` if none is known.
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
            for (joint, rotation) in self.rotations().enumerate() {
                // Quaternion signs are continuous along time.
                let previous = frame.checked_sub(1).map(|previous| rotations[previous * skeleton.len() + joint]);
                rotations.push(previous.map_or(rotation, |previous| with_nearest_sign(rotation, previous)));
            }
            translations.extend(self.translations());
        }
        Clip::new(clip.name.clone(), skeleton, clip.frame_time_secs(), rotations, translations)
    }

    /// Transfers one pose of the source; [`Retargeter::rotations`] and the other accessors return the result.
    pub fn transfer_pose(&mut self, pose: &Pose) {
        match &mut self.bodies {
            Bodies::Bipeds(bodies) => bodies.set(pose, &mut self.target_pose),
            Bodies::Quadrupeds(bodies) => bodies.set(pose, &mut self.target_pose),
        }
    }

    /// Returns the local rotations of the target, `[joints]`.
    pub fn rotations(&self) -> impl Iterator<Item = Quat> {
        let world_rotations = &self.target_pose.world_rotations;
        self.skeleton.joints().iter().zip(world_rotations).map(|(joint, &rotation)| {
            joint.parent.map_or(rotation, |parent| world_rotations[parent].inverse() * rotation).normalize()
        })
    }

    /// Returns the local translations of the target, [translated joints], metres.
    pub fn translations(&self) -> impl Iterator<Item = Vec3> {
        let Pose { world_positions: positions, world_rotations: rotations } = &self.target_pose;
        self.skeleton.translated().iter().map(|&joint| match self.skeleton.joints()[joint].parent {
            Some(parent) => rotations[parent].inverse() * (positions[joint] - positions[parent]),
            None => positions[joint],
        })
    }

    /// Returns the world positions of the target, `[joints]`, metres.
    pub fn positions(&self) -> &[Vec3] {
        &self.target_pose.world_positions
    }
}

/// Returns whether local rotations can be copied from one skeleton to the other, because equal local rotations give
/// equal poses: same names and parents, and long bones with the same directions. A T-pose rig with LAFAN1's joint names
/// does not match LAFAN1: its bones do not lie along x. If one skeleton is not a biped, directions are not compared.
fn same_axes(a: &Skeleton, from: &Rig, b: &Skeleton, to: &Rig) -> bool {
    // Skeletons of one body may differ only in which joints have translations.
    if a.same_body(b) {
        return true;
    }
    let is_not_biped = from.kind != RigKind::Biped || to.kind != RigKind::Biped;
    if !(a.same_topology(b) || is_not_biped && a.same_bones(b)) {
        return false;
    }
    // Offsets of roots, and of the hips and joints above them, may hold the position of the body in the first frame:
    // they are not compared.
    let carries_body = root_chain(a, from);
    let longest = a
        .joints()
        .iter()
        .zip(&carries_body)
        .filter(|(_, carries_body)| !**carries_body)
        .map(|(joint, _)| joint.offset.length());
    let longest = longest.fold(0.0, f32::max);
    let has_same_direction = |(joint, carries_body): (usize, &bool)| {
        let [a, b] = [a, b].map(|skeleton| skeleton.joints()[joint].offset);
        *carries_body || a.length().min(b.length()) < SHORT_BONE * longest || a.angle_between(b) < SAME_DIRECTION
    };
    is_not_biped || carries_body.iter().enumerate().all(has_same_direction)
}

/// Copies a clip to the skeleton of `target`; its translations are scaled by leg length if the leg lengths differ.
/// Joints of another biped take the target's bones, not those of the source.
fn copy_scaled(clip: &Clip, from: &Rig, target: &Clip, to: &Rig) -> Result<Clip> {
    let ratio = match (leg::length(clip, from), leg::length(target, to)) {
        (Some(from), Some(to)) if (to / from - 1.0).abs() > SAME_LEGS => to / from,
        _ => 1.0,
    };
    let mut translations = translations_on(clip, target.skeleton(), ratio);
    if from.kind == RigKind::Biped && to.kind == RigKind::Biped && !clip.skeleton().same_body(target.skeleton()) {
        replace_bones(&mut translations, ratio, (clip, from), (target, to));
    }
    let skeleton = Arc::clone(target.skeleton());
    Clip::new(clip.name.clone(), skeleton, clip.frame_time_secs(), clip.rotations().to_vec(), translations)
}

/// Replaces the bones of the source in `translations`, which are already scaled by `ratio`, by those of the target:
/// joints that do not carry the body keep only their movement relative to their bone.
fn replace_bones(translations: &mut [Vec3], ratio: f32, source: (&Clip, &Rig), target: (&Clip, &Rig)) {
    let skeleton = target.0.skeleton();
    let carries_body = root_chain(skeleton, target.1);
    let [source_bones, target_bones] = [source, target].map(|(clip, rig)| bone_offsets(clip, rig));
    for frame in translations.chunks_exact_mut(skeleton.translated().len().max(1)) {
        for (translation, &joint) in frame.iter_mut().zip(skeleton.translated()) {
            if !carries_body[joint] {
                *translation += target_bones[joint] - source_bones[joint] * ratio;
            }
        }
    }
}
