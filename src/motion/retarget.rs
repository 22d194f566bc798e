//! Retargeting: a motion of one skeleton on another.
//!
//! Every joint of the target takes the world rotation of its body part (see [`crate::motion::rig::axes`]) from the source:
//! joints with a role from the joint with that role, spine and neck joints from the source's spine and neck at the same
//! height, whatever their number. So thighs, shins, arms and the spine point exactly where the source's do. Then the body
//! is scaled by the length of its legs: the hips' place and height, and each ankle by two-bone inverse kinematics (crate::motion::ik), so that
//! feet on the ground stay there although thighs and shins share the leg's length differently. Joints without a role
//! (fingers, props) keep the target's still pose.
//!
//! Between four-legged bodies ([`crate::motion::rig::quadruped`]) a part turns as the source's does from where both stand, and each
//! paw goes where the source's goes, as high.

mod biped;
mod leg;
mod plan;
mod quadruped;
mod stand;

use crate::error::Result;
use crate::motion::clip::Clip;
use crate::motion::fk::Pose;
use crate::motion::quat::near;
use crate::motion::rig::axes::Axes;
use crate::motion::rig::quadruped::IS_BUILT;
use crate::motion::rig::{Rig, RigKind, above_hips};
use crate::motion::skeleton::Skeleton;
use crate::motion::widen::places;
use biped::Biped;
use glam::{Quat, Vec3};
use quadruped::Quadrupeds;
use std::sync::Arc;

/// Bones that point within this angle of each other, radians, have their axes alike; a T-pose differs from an A-pose by
/// twice as much.
const SAME_DIRECTION: f32 = 0.35;
/// Bones shorter than this part of the longest say nothing about axes.
const SHORT_BONE: f32 = 0.2;
/// Legs that differ by less than this part are the same body's.
const SAME_LEGS: f32 = 2e-3;

/// `clip`'s motion on the skeleton of `target`, at `clip`'s frame rate. `target` is any clip on the wanted skeleton:
/// its motion says where the ground is, and how its joints' axes lie where neither rest pose nor table of known rigs does. On a skeleton of the same
/// names and axes (and on any skeleton of the same names that is not a biped's) rotations come back bit for bit, and translations too unless the legs' lengths differ.
///
/// # Errors
/// [`Error::Rig`] where skeletons differ and are neither two bipeds nor two four-legged bodies, or a rest pose is no standing body and
/// its clip has no frames.
pub fn retarget(clip: &Clip, from: &Rig, target: &Clip, to: &Rig) -> Result<Clip> {
    if same_axes(clip.skeleton(), from, target.skeleton(), to) {
        return resized(clip, from, target, to);
    }
    Retargeter::new(clip, from, target, to)?.clip(clip)
}

/// Poses of one skeleton on another, one at a time: what depends on the skeletons is found once.
#[derive(Debug, Clone)]
pub struct Retargeter {
    skeleton: Arc<Skeleton>,
    bodies: Bodies,
    /// The target's pose.
    made: Pose,
}

#[derive(Debug, Clone)]
enum Bodies {
    Bipeds(Box<Biped>),
    Quadrupeds(Box<Quadrupeds>),
}

impl Retargeter {
    /// From the skeleton of `clip` to that of `target`: both tell where their ground is, as in [`retarget`].
    ///
    /// # Errors
    /// [`crate::Error::Rig`] where they are neither two bipeds nor two four-legged bodies, or a rest pose is no standing body and its
    /// clip has no frames.
    pub fn new(clip: &Clip, from: &Rig, target: &Clip, to: &Rig) -> Result<Self> {
        match (from.kind, to.kind) {
            (RigKind::Quadruped, RigKind::Quadruped) if IS_BUILT => Self::quadrupeds(clip, target),
            _ => Self::with_axes(clip, from, biped::body_axes(clip, from)?, target, to),
        }
    }

    /// [`Retargeter::new`] of bipeds where the axes of the source are known.
    ///
    /// # Errors
    /// Those of [`Retargeter::new`] about the target.
    pub fn with_axes(clip: &Clip, from: &Rig, source: Axes, target: &Clip, to: &Rig) -> Result<Self> {
        let biped = Biped::new(clip, from, source, target, to)?;
        Ok(Self::of(target, Bodies::Bipeds(Box::new(biped))))
    }

    /// [`Retargeter::new`] of four-legged bodies.
    ///
    /// # Errors
    /// [`crate::Error::Rig`] where one is none.
    pub fn quadrupeds(clip: &Clip, target: &Clip) -> Result<Self> {
        Ok(Self::of(target, Bodies::Quadrupeds(Box::new(Quadrupeds::new(clip, target)?))))
    }

    fn of(target: &Clip, bodies: Bodies) -> Self {
        Self { skeleton: Arc::clone(target.skeleton()), bodies, made: Pose::default() }
    }

    /// The skeleton of the target.
    pub fn skeleton(&self) -> &Arc<Skeleton> {
        &self.skeleton
    }

    /// How many times as long its legs are as the source's: strides and heights grow with them.
    pub fn scale(&self) -> f32 {
        match &self.bodies {
            Bodies::Bipeds(bodies) => bodies.scale(),
            Bodies::Quadrupeds(bodies) => bodies.scale(),
        }
    }

    /// The target's joint that stands for one of the source's; `None` where it is not known to have one.
    pub fn counterpart(&self, joint: usize) -> Option<usize> {
        match &self.bodies {
            Bodies::Bipeds(bodies) => bodies.counterpart(joint),
            Bodies::Quadrupeds(bodies) => bodies.counterpart(joint),
        }
    }

    /// A clip of the source's skeleton on the target's.
    ///
    /// # Errors
    /// Those of [`Clip::new`].
    pub fn clip(&mut self, clip: &Clip) -> Result<Clip> {
        let skeleton = Arc::clone(&self.skeleton);
        let mut rotations: Vec<Quat> = Vec::with_capacity(clip.frames() * skeleton.len());
        let mut translations: Vec<Vec3> = Vec::with_capacity(clip.frames() * skeleton.translated().len());
        let mut pose = Pose::default();
        for frame in 0..clip.frames() {
            pose.set(clip, frame);
            self.set(&pose);
            for (joint, local) in self.rotations().enumerate() {
                // Signs continuous along time.
                let before = frame.checked_sub(1).map(|before| rotations[before * skeleton.len() + joint]);
                rotations.push(before.map_or(local, |before| near(local, before)));
            }
            translations.extend(self.translations());
        }
        Clip::new(clip.name.clone(), skeleton, clip.frame_time_secs(), rotations, translations)
    }

    /// Takes over a pose of the source.
    pub fn set(&mut self, pose: &Pose) {
        match &mut self.bodies {
            Bodies::Bipeds(bodies) => bodies.set(&self.skeleton, pose, &mut self.made),
            // Never there in builds that do not look for legs; the compiler leaves it out then.
            Bodies::Quadrupeds(bodies) if IS_BUILT => bodies.set(pose, &mut self.made),
            Bodies::Quadrupeds(_) => {}
        }
    }

    /// Local rotations of the target, [joints].
    pub fn rotations(&self) -> impl Iterator<Item = Quat> {
        let world = &self.made.world_rotations;
        self.skeleton
            .joints()
            .iter()
            .zip(world)
            .map(|(joint, &own)| joint.parent.map_or(own, |parent| world[parent].inverse() * own).normalize())
    }

    /// Local translations of the target, [translated joints], metres.
    pub fn translations(&self) -> impl Iterator<Item = Vec3> {
        let Pose { world_positions: places, world_rotations: turns } = &self.made;
        self.skeleton.translated().iter().map(|&joint| match self.skeleton.joints()[joint].parent {
            Some(parent) => turns[parent].inverse() * (places[joint] - places[parent]),
            None => places[joint],
        })
    }

    /// World positions of the target, [joints], metres.
    pub fn positions(&self) -> &[Vec3] {
        &self.made.world_positions
    }
}

/// Whether rotations mean the same on both: same names and tree, and long bones that point alike. A T-pose rig with
/// LAFAN1's joint names fails: its bones do not lie along x.
fn same_axes(a: &Skeleton, from: &Rig, b: &Skeleton, to: &Rig) -> bool {
    // Clips of one body never need more than their frames, whatever body it is and whichever of its joints they move.
    if a.same_body(b) {
        return true;
    }
    let other_kind = from.kind != RigKind::Biped || to.kind != RigKind::Biped;
    if !(a.same_topology(b) || other_kind && a.same_bones(b)) {
        return false;
    }
    // What carries the body has its place in the first frame for an offset.
    let carries = above_hips(a, from);
    let longest =
        a.joints().iter().zip(&carries).filter(|(_, carries)| !**carries).map(|(joint, _)| joint.offset.length());
    let longest = longest.fold(0.0, f32::max);
    let alike = |(joint, carries): (usize, &bool)| {
        let [a, b] = [a, b].map(|skeleton| skeleton.joints()[joint].offset);
        *carries || a.length().min(b.length()) < SHORT_BONE * longest || a.angle_between(b) < SAME_DIRECTION
    };
    other_kind || carries.iter().enumerate().all(alike)
}

/// On a body of another size, strides and root heights grow with the legs.
fn resized(clip: &Clip, from: &Rig, target: &Clip, to: &Rig) -> Result<Clip> {
    let ratio = match (leg::length(clip, from), leg::length(target, to)) {
        (Some(from), Some(to)) if (to / from - 1.0).abs() > SAME_LEGS => to / from,
        _ => 1.0,
    };
    let translations = places(clip, target.skeleton(), ratio);
    let skeleton = Arc::clone(target.skeleton());
    Clip::new(clip.name.clone(), skeleton, clip.frame_time_secs(), clip.rotations().to_vec(), translations)
}
