//! Forward kinematics: local rotations and translations → world.

use crate::motion::clip::Clip;
use crate::motion::skeleton::Skeleton;
use glam::{Quat, Vec3};

/// World position and rotation of every joint of one frame.
#[derive(Debug, Clone, Default)]
pub struct Pose {
    /// World positions, `[joints]`, metres.
    pub world_positions: Vec<Vec3>,
    /// World rotations, `[joints]`.
    pub world_rotations: Vec<Quat>,
}

impl Pose {
    /// Computes the world pose of one frame.
    pub fn from_clip(clip: &Clip, frame: usize) -> Self {
        let mut pose = Self::default();
        pose.set(clip, frame);
        pose
    }

    /// Computes the world pose of one frame in the existing buffers, see [`Pose::from_clip`].
    pub fn set(&mut self, clip: &Clip, frame: usize) {
        self.set_subset(clip, frame, 0..clip.joints());
    }

    /// Computes the world pose of some joints only. `joints` lists parents first and contains all ancestors of each
    /// joint. Other joints keep their old values.
    pub fn set_joints(&mut self, clip: &Clip, frame: usize, joints: &[usize]) {
        self.set_subset(clip, frame, joints.iter().copied());
    }

    fn set_subset(&mut self, clip: &Clip, frame: usize, joints: impl Iterator<Item = usize>) {
        self.world_positions.resize(clip.joints(), Vec3::ZERO);
        self.world_rotations.resize(clip.joints(), Quat::IDENTITY);
        let rotations = clip.frame_rotations(frame);
        let joints = joints.map(|joint| (joint, clip.skeleton().joints()[joint].parent));
        let local = |joint: usize| (clip.local_translation(frame, joint), rotations[joint]);
        world_transforms(joints, local, &mut self.world_positions, &mut self.world_rotations);
    }
}

/// Computes world positions and rotations. `joints`: index and parent's index of each joint, parents first. `local`:
/// translation and rotation of a joint relative to its parent; for joints without a parent these are world values.
pub fn world_transforms(
    joints: impl Iterator<Item = (usize, Option<usize>)>,
    local: impl Fn(usize) -> (Vec3, Quat),
    world_positions: &mut [Vec3],
    world_rotations: &mut [Quat],
) {
    for (joint, parent) in joints {
        let (translation, rotation) = local(joint);
        (world_positions[joint], world_rotations[joint]) = match parent {
            Some(parent) => {
                (world_positions[parent] + world_rotations[parent] * translation, world_rotations[parent] * rotation)
            }
            None => (translation, rotation),
        };
    }
}

/// Returns `joints` and all their ancestors, parents first: the joints that forward kinematics has to compute.
pub fn with_ancestors(skeleton: &Skeleton, joints: impl IntoIterator<Item = usize>) -> Vec<usize> {
    let mut is_needed = vec![false; skeleton.len()];
    for joint in joints {
        let mut next = Some(joint);
        while let Some(index) = next {
            is_needed[index] = true;
            next = skeleton.joints()[index].parent;
        }
    }
    (0..skeleton.len()).filter(|&joint| is_needed[joint]).collect()
}

/// Computes the world trajectories of points that are fixed to joints, `[points][frames]`, metres. `points`: joint, and
/// position in the joint's axes.
pub fn point_tracks(clip: &Clip, points: &[(usize, Vec3)]) -> Vec<Vec<Vec3>> {
    let needed = with_ancestors(clip.skeleton(), points.iter().map(|&(joint, _)| joint));
    let mut tracks = vec![Vec::with_capacity(clip.frames()); points.len()];
    let mut pose = Pose::default();
    for frame in 0..clip.frames() {
        pose.set_joints(clip, frame, &needed);
        for (&(joint, point), track) in points.iter().zip(&mut tracks) {
            track.push(pose.world_positions[joint] + pose.world_rotations[joint] * point);
        }
    }
    tracks
}

/// Computes the world positions of a whole clip, [frames × joints], metres.
pub fn world_positions(clip: &Clip) -> Vec<Vec3> {
    let mut pose = Pose::default();
    let mut positions = Vec::with_capacity(clip.frames() * clip.joints());
    for frame in 0..clip.frames() {
        pose.set(clip, frame);
        positions.extend_from_slice(&pose.world_positions);
    }
    positions
}
