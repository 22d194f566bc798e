//! Displays the controller on a skeleton of the user's: every displayed pose is retargeted.

use super::{Pose, State};
use crate::body::{Character, biped};
use crate::error::Result;
use crate::motion::clip::Clip;
use crate::motion::fk;
use crate::motion::retarget::Retargeter;
use crate::motion::rig::axes::{Axes, Source};
use crate::motion::rig::{Rig, RigKind};
use crate::motion::skeleton::Skeleton;
use glam::{Quat, Vec3};
use std::sync::Arc;

/// Retargets poses of a character to a skeleton of the user's.
pub struct Onto {
    retargeter: Retargeter,
    /// The user's joint for each joint of the character; a missing joint is replaced by that of its parent.
    joints: Vec<usize>,
    /// Buffer for the pose of the character.
    own: fk::Pose,
}

impl Onto {
    /// `state`: at rest on `skeleton`; `target`: any clip on the user's skeleton.
    ///
    /// # Errors
    /// [`crate::Error::Rig`] if the target is not a body of the character's kind, or has no standing pose.
    pub fn new(
        character: &'static Character,
        skeleton: &Arc<Skeleton>,
        state: &State,
        target: &Clip,
        to: &Rig,
    ) -> Result<Self> {
        let still = state.locals(character).collect();
        let standing = Clip::new(character.name, Arc::clone(skeleton), 1.0, still, vec![state.joints[0].position])?;
        let retargeter = if character == biped() {
            // The character's joints are the roles, in order; in the stance all rotations are the identity.
            let from = Rig { joints: std::array::from_fn(Some), kind: RigKind::Biped, warnings: Vec::new() };
            let still = skeleton.joints().iter().map(|joint| (Quat::IDENTITY, joint.offset)).collect();
            let joint_from_body = vec![Quat::IDENTITY; skeleton.len()];
            let axes = Axes { joint_from_body, reference_pose: still, source: Source::Rest };
            Retargeter::with_axes(&standing, &from, axes, target, to)?
        } else {
            Retargeter::for_quadrupeds(&standing, target)?
        };
        let mut joints: Vec<usize> = Vec::with_capacity(character.len());
        for (joint, info) in character.joints.iter().enumerate() {
            let above = info.parent.map_or(0, |parent| joints[parent]);
            joints.push(retargeter.counterpart(joint).unwrap_or(above));
        }
        Ok(Self { retargeter, joints, own: fk::Pose::default() })
    }

    /// The user's skeleton.
    pub fn skeleton(&self) -> &Arc<Skeleton> {
        self.retargeter.skeleton()
    }

    /// The user's joint that corresponds to a joint of the character.
    pub fn joint(&self, joint: usize) -> usize {
        self.joints[joint]
    }

    /// Scale: metres of the user's skeleton per metre of the character.
    pub fn scale(&self) -> f32 {
        self.retargeter.scale()
    }

    /// Retargets a pose of the character to the user's skeleton.
    pub fn put(&mut self, skeleton: &Skeleton, pose: &mut Pose) {
        self.own.world_positions.clone_from(&pose.positions);
        self.own.world_rotations.clear();
        for (joint, local) in skeleton.joints().iter().zip(&pose.rotations) {
            let world = joint.parent.map_or(*local, |parent| self.own.world_rotations[parent] * *local);
            self.own.world_rotations.push(world);
        }
        self.retargeter.transfer_pose(&self.own);
        pose.rotations.clear();
        pose.rotations.extend(self.retargeter.rotations());
        pose.positions.clear();
        pose.positions.extend(self.retargeter.positions());
        pose.root = pose.positions.first().copied().unwrap_or(Vec3::ZERO);
    }

    /// Retargets a motion of the character to the user's skeleton.
    ///
    /// # Errors
    /// Those of [`Clip::new`].
    pub fn clip(&mut self, made: &Clip) -> Result<Clip> {
        self.retargeter.transfer_clip(made)
    }
}
