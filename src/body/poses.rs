//! Poses of the canonical biped at the frame rate of the networks.

use crate::body::ground_pose::GroundPose;
use crate::body::mirror::{mirror_point, opposite_role};
use crate::motion::clip::Clip;
use crate::motion::fk::world_transforms;
use crate::motion::quat::mirror_rotation;
use crate::motion::rig::Role;
use glam::{Quat, Vec3};
use std::ops::Range;

/// Roles of the canonical biped.
pub const ROLES: usize = Role::ALL.len();
/// Frame rate of the poses that networks fill gaps with, frames per second.
pub const FPS: f64 = 30.0;
/// Contacts of the canonical biped: left heel, left toe, right heel, right toe.
pub const CONTACTS: usize = 4;

/// Most poses before a gap that networks read; earlier poses are ignored.
pub const PAST: usize = 10;
/// Most poses after a gap that networks read; later poses are ignored.
pub const TARGET: usize = 5;

/// Poses on the canonical skeleton.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Poses {
    /// Positions of the hips, `[frames]`, metres at the canonical leg length.
    pub hips: Vec<Vec3>,
    /// Local rotations, [frames × 22]; the rotation of the hips is their world rotation.
    pub rotations: Vec<Quat>,
}

impl Poses {
    /// Copies the poses of a range of frames of a canonical biped clip.
    pub fn from_clip(clip: &Clip, frames: Range<usize>) -> Self {
        let mut poses = Self::default();
        for frame in frames {
            poses.push(clip.frame_translations(frame)[0], clip.frame_rotations(frame).iter().copied());
        }
        poses
    }

    /// Number of frames.
    pub fn len(&self) -> usize {
        self.hips.len()
    }

    /// Whether there are no frames.
    pub fn is_empty(&self) -> bool {
        self.hips.is_empty()
    }

    /// Rotations of one frame, `[22]`.
    pub fn pose(&self, frame: usize) -> &[Quat] {
        &self.rotations[frame * ROLES..][..ROLES]
    }

    /// Adds a frame; `rotations` is `[22]`.
    pub fn push(&mut self, hips: Vec3, rotations: impl IntoIterator<Item = Quat>) {
        self.hips.push(hips);
        self.rotations.extend(rotations);
    }

    /// Poses of a range of frames.
    pub fn slice(&self, frames: Range<usize>) -> Self {
        Self {
            hips: self.hips[frames.clone()].to_vec(),
            rotations: self.rotations[frames.start * ROLES..frames.end * ROLES].to_vec(),
        }
    }

    /// Mirrors the poses in x = 0: left and right are exchanged.
    pub fn mirrored(&self) -> Self {
        let turned =
            |index: usize| mirror_rotation(self.rotations[index / ROLES * ROLES + opposite_role(index % ROLES)]);
        Self {
            hips: self.hips.iter().map(|hips| mirror_point(*hips)).collect(),
            rotations: (0..self.rotations.len()).map(turned).collect(),
        }
    }

    /// Appends all frames of `other`.
    pub fn extend(&mut self, other: &Poses) {
        self.hips.extend_from_slice(&other.hips);
        self.rotations.extend_from_slice(&other.rotations);
    }

    /// Transforms all poses from the world into the frame of a ground pose.
    pub fn to_local(&self, ground: GroundPose) -> Self {
        let turn = ground.rotation().inverse();
        let hips = self.hips.iter().map(|hips| turn * (*hips - ground.position)).collect();
        let first = |(index, rotation): (usize, &Quat)| if index % ROLES == 0 { turn * *rotation } else { *rotation };
        Self { hips, rotations: self.rotations.iter().enumerate().map(first).collect() }
    }

    /// Transforms all poses from the frame of a ground pose to the world: the inverse of [`Poses::to_local`].
    pub fn to_world(&self, ground: GroundPose) -> Self {
        let turn = ground.rotation();
        let hips = self.hips.iter().map(|hips| turn * *hips + ground.position).collect();
        let first = |(index, rotation): (usize, &Quat)| if index % ROLES == 0 { turn * *rotation } else { *rotation };
        Self { hips, rotations: self.rotations.iter().enumerate().map(first).collect() }
    }
}

/// Computes the world positions of all roles, `[22]`, from local rotations and offsets, `[22]`; in the unit of `hips`.
pub fn joint_positions(hips: Vec3, rotations: &[Quat], offsets: &[Vec3; ROLES]) -> [Vec3; ROLES] {
    let (mut places, mut world) = ([hips; ROLES], [rotations[0]; ROLES]);
    let below = Role::ALL[1..].iter().map(|role| (*role as usize, Some(parent_index(*role))));
    world_transforms(below, |index| (offsets[index], rotations[index]), &mut places, &mut world);
    places
}

/// Index of a role's parent; the hips are their own parent.
pub fn parent_index(role: Role) -> usize {
    role.parent().map_or(0, |parent| parent as usize)
}
