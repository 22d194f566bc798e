//! Poses of the canonical biped at the frame rate of the networks.

use crate::body::ground_pose::GroundPose;
use crate::body::mirror::opposite_role;
use crate::motion::clip::Clip;
use crate::motion::fk::world_transforms;
use crate::motion::quat::mirror_rotation;
use crate::motion::rig::Role;
use crate::motion::vector::mirror_point;
use glam::{Quat, Vec3};
use std::ops::Range;

/// Number of roles of the canonical biped.
pub const ROLES: usize = Role::ALL.len();
/// Frame rate of the canonical body and of the networks that fill gaps, frames per second.
pub const FPS: f64 = 30.0;
/// Number of contact points of the canonical biped: left heel, left toe, right heel, right toe.
pub const CONTACTS: usize = 4;

/// Largest number of poses before a gap that networks read; earlier poses are ignored.
pub const PAST: usize = 10;
/// Largest number of poses after a gap that networks read; later poses are ignored.
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

    /// Returns the number of frames.
    pub fn len(&self) -> usize {
        self.hips.len()
    }

    /// Returns whether there are no frames.
    pub fn is_empty(&self) -> bool {
        self.hips.is_empty()
    }

    /// Returns the rotations of one frame, `[22]`.
    pub fn pose(&self, frame: usize) -> &[Quat] {
        &self.rotations[frame * ROLES..][..ROLES]
    }

    /// Appends a frame; `rotations` is `[22]`.
    pub fn push(&mut self, hips: Vec3, rotations: impl IntoIterator<Item = Quat>) {
        self.hips.push(hips);
        self.rotations.extend(rotations);
    }

    /// Returns the poses of a range of frames.
    pub fn slice(&self, frames: Range<usize>) -> Self {
        Self {
            hips: self.hips[frames.clone()].to_vec(),
            rotations: self.rotations[frames.start * ROLES..frames.end * ROLES].to_vec(),
        }
    }

    /// Returns the poses mirrored in x = 0: left and right are exchanged.
    pub fn mirrored(&self) -> Self {
        let rotation =
            |index: usize| mirror_rotation(self.rotations[index / ROLES * ROLES + opposite_role(index % ROLES)]);
        Self {
            hips: self.hips.iter().map(|hips| mirror_point(*hips)).collect(),
            rotations: (0..self.rotations.len()).map(rotation).collect(),
        }
    }

    /// Appends all frames of `other`.
    pub fn extend(&mut self, other: &Poses) {
        self.hips.extend_from_slice(&other.hips);
        self.rotations.extend_from_slice(&other.rotations);
    }

    /// Transforms all poses from the world to the axes of a ground pose.
    pub fn to_local(&self, ground: GroundPose) -> Self {
        let world_to_ground = ground.rotation().inverse();
        self.transformed(world_to_ground, |hips| world_to_ground * (hips - ground.position))
    }

    /// Transforms all poses from the axes of a ground pose to the world: the inverse of [`Poses::to_local`].
    pub fn to_world(&self, ground: GroundPose) -> Self {
        let ground_to_world = ground.rotation();
        self.transformed(ground_to_world, |hips| ground_to_world * hips + ground.position)
    }

    /// Rotates the hips of all poses, and transforms their positions by `transform_position`.
    fn transformed(&self, rotation: Quat, transform_position: impl Fn(Vec3) -> Vec3) -> Self {
        let rotate_hips = |(index, local): (usize, &Quat)| if index % ROLES == 0 { rotation * *local } else { *local };
        Self {
            hips: self.hips.iter().map(|position| transform_position(*position)).collect(),
            rotations: self.rotations.iter().enumerate().map(rotate_hips).collect(),
        }
    }
}

/// Computes the world positions of all roles, `[22]`, from local rotations and offsets, `[22]`; in the unit of `hips`.
pub fn joint_positions(hips: Vec3, rotations: &[Quat], offsets: &[Vec3; ROLES]) -> [Vec3; ROLES] {
    let (mut positions, mut world_rotations) = ([hips; ROLES], [rotations[0]; ROLES]);
    let joints = Role::ALL[1..].iter().map(|role| (*role as usize, Some(parent_index(*role))));
    world_transforms(joints, |index| (offsets[index], rotations[index]), &mut positions, &mut world_rotations);
    positions
}

/// Returns the index of a role's parent; the hips are their own parent.
pub fn parent_index(role: Role) -> usize {
    role.parent().map_or(0, |parent| parent as usize)
}
