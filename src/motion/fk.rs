//! Forward kinematics: local rotations and translations → world.

use crate::motion::clip::Clip;
use glam::{Quat, Vec3};

/// World position and rotation of every joint of one frame.
#[derive(Debug, Clone, Default)]
pub struct Pose {
    /// World positions, [joints], metres.
    pub world_positions: Vec<Vec3>,
    /// World rotations, [joints].
    pub world_rotations: Vec<Quat>,
}

impl Pose {
    /// World pose of a frame.
    pub fn of(clip: &Clip, frame: usize) -> Self {
        let mut pose = Self::default();
        pose.set(clip, frame);
        pose
    }

    /// Same as [`Pose::of`], reusing the buffers.
    pub fn set(&mut self, clip: &Clip, frame: usize) {
        self.world_positions.clear();
        self.world_rotations.clear();
        let rotations = clip.frame_rotations(frame);
        for (index, joint) in clip.skeleton().joints().iter().enumerate() {
            let local = clip.local_translation(frame, index);
            let (position, rotation) = match joint.parent {
                Some(parent) => (
                    self.world_positions[parent] + self.world_rotations[parent] * local,
                    self.world_rotations[parent] * rotations[index],
                ),
                None => (local, rotations[index]),
            };
            self.world_positions.push(position);
            self.world_rotations.push(rotation);
        }
    }

    /// [`Pose::set`] for some joints only: `joints` parents first, each with all its ancestors. The others keep old values.
    pub fn set_joints(&mut self, clip: &Clip, frame: usize, joints: &[usize]) {
        self.world_positions.resize(clip.joints(), Vec3::ZERO);
        self.world_rotations.resize(clip.joints(), Quat::IDENTITY);
        let rotations = clip.frame_rotations(frame);
        for &index in joints {
            let local = clip.local_translation(frame, index);
            (self.world_positions[index], self.world_rotations[index]) = match clip.skeleton().joints()[index].parent {
                Some(parent) => (
                    self.world_positions[parent] + self.world_rotations[parent] * local,
                    self.world_rotations[parent] * rotations[index],
                ),
                None => (local, rotations[index]),
            };
        }
    }
}

/// World tracks of points, each fixed in a joint's frame, [points][frames], metres.
pub fn tracks(clip: &Clip, points: &[(usize, Vec3)]) -> Vec<Vec<Vec3>> {
    let joints = clip.skeleton().joints();
    let mut needed = vec![false; joints.len()];
    for &(tip, _) in points {
        let mut joint = Some(tip);
        while let Some(index) = joint {
            needed[index] = true;
            joint = joints[index].parent;
        }
    }
    let needed: Vec<usize> = (0..joints.len()).filter(|&joint| needed[joint]).collect();
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

/// World positions of a whole clip, [frames × joints], metres.
pub fn world_positions(clip: &Clip) -> Vec<Vec3> {
    let mut pose = Pose::default();
    let mut positions = Vec::with_capacity(clip.frames() * clip.joints());
    for frame in 0..clip.frames() {
        pose.set(clip, frame);
        positions.extend_from_slice(&pose.world_positions);
    }
    positions
}
