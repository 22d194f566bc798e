//! Displays the controller on a skeleton of the user: every displayed pose is retargeted.

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

/// Retargets poses of a character to a skeleton of the user.
pub struct UserBody {
    retargeter: Retargeter,
    /// The user's joint for each joint of the character; if there is none, the joint for the parent.
    joints: Vec<usize>,
    /// Buffer for the pose of the character.
    character_pose: fk::Pose,
}

impl UserBody {
    /// Prepares the retargeting. `state`: at rest on `skeleton`; `target`: any clip on the user's skeleton, with the
    /// rig `to`.
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
        let rotations = state.local_rotations(character).collect();
        let standing = Clip::new(character.name, Arc::clone(skeleton), 1.0, rotations, vec![state.joints[0].position])?;
        let retargeter = if character == biped() {
            // The character's joints are the roles, in order; in the stance all rotations are the identity.
            let from = Rig { joints: std::array::from_fn(Some), kind: RigKind::Biped, ..Rig::empty() };
            let reference_pose = skeleton.joints().iter().map(|joint| (Quat::IDENTITY, joint.offset)).collect();
            let joint_from_body = vec![Quat::IDENTITY; skeleton.len()];
            let axes = Axes { joint_from_body, reference_pose, source: Source::Rest };
            Retargeter::with_axes(&standing, &from, axes, target, to)?
        } else {
            Retargeter::for_quadrupeds(&standing, target)?
        };
        let mut joints: Vec<usize> = Vec::with_capacity(character.len());
        for (joint, info) in character.joints.iter().enumerate() {
            let parent = info.parent.map_or(0, |parent| joints[parent]);
            joints.push(retargeter.counterpart(joint).unwrap_or(parent));
        }
        Ok(Self { retargeter, joints, character_pose: fk::Pose::default() })
    }

    /// Returns the user's skeleton.
    pub fn skeleton(&self) -> &Arc<Skeleton> {
        self.retargeter.skeleton()
    }

    /// Returns the user's joint that corresponds to a joint of the character.
    pub fn joint(&self, joint: usize) -> usize {
        self.joints[joint]
    }

    /// Returns the scale: metres of the user's skeleton per metre of the character.
    pub fn scale(&self) -> f32 {
        self.retargeter.scale()
    }

    /// Retargets a pose of the character to the user's skeleton.
    pub fn retarget_pose(&mut self, skeleton: &Skeleton, pose: &mut Pose) {
        self.character_pose.world_positions.clone_from(&pose.positions);
        self.character_pose.world_rotations.clear();
        for (joint, local) in skeleton.joints().iter().zip(&pose.rotations) {
            let world = joint.parent.map_or(*local, |parent| self.character_pose.world_rotations[parent] * *local);
            self.character_pose.world_rotations.push(world);
        }
        self.retargeter.transfer_pose(&self.character_pose);
        pose.rotations.clear();
        pose.rotations.extend(self.retargeter.rotations());
        pose.positions.clear();
        pose.positions.extend(self.retargeter.positions());
        pose.root = pose.positions.first().copied().unwrap_or(Vec3::ZERO);
    }

    /// Retargets a motion of the character to the user's skeleton.
    ///
    /// # Errors
    /// The errors of [`Clip::new`].
    pub fn retarget_clip(&mut self, clip: &Clip) -> Result<Clip> {
        self.retargeter.transfer_clip(clip)
    }
}
