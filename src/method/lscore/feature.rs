//! Computes the features of the score: joint positions in body-local coordinates, in leg lengths.
//!
//! Body-local coordinates: the origin is the ground point below the root, +Z is the heading, and heights are kept. So
//! position and heading of the body do not count, because a stitch may choose both. Positions are divided by the leg
//! length, so that the scores of small and large characters are comparable; the unit of a score is (leg lengths)² per
//! frame². For bipeds, the features are the joints with roles (at most 22: no fingers, no props). For other rigs, they
//! are all joints, and the heading is the root's rotation about the vertical axis.

use crate::error::{Error, Result};
use crate::motion::clip::Clip;
use crate::motion::fk::Pose;
use crate::motion::rig::{Rig, RigKind, Role, facing, leg};
use glam::{Quat, Vec3};

/// Positions of the joints to compare, [frames × joints].
#[derive(Debug, Clone, PartialEq)]
pub struct Features {
    /// Name of the clip, for messages.
    pub name: String,
    joints: usize,
    values: Vec<Vec3>,
}

impl Features {
    /// Creates features from positions, [frames × joints], in any unit.
    ///
    /// # Errors
    /// [`Error::Clip`] if the number of positions is not a multiple of `joints`, or a position is not finite.
    pub fn new(name: impl Into<String>, joints: usize, values: Vec<Vec3>) -> Result<Self> {
        let name = name.into();
        if joints == 0 || !values.len().is_multiple_of(joints) {
            let message = format!("{} positions do not fit {joints} joints", values.len());
            return Err(Error::Clip { clip: name, message });
        }
        if let Some(index) = values.iter().position(|value| !value.is_finite()) {
            let message = format!("frame {} contains a position that is not finite", index / joints);
            return Err(Error::Clip { clip: name, message });
        }
        Ok(Self { name, joints, values })
    }

    /// Returns the number of frames.
    pub fn frames(&self) -> usize {
        self.values.len() / self.joints
    }

    /// Returns the number of joints.
    pub fn joints(&self) -> usize {
        self.joints
    }

    /// Returns the position of a joint in a frame.
    pub fn at(&self, frame: usize, joint: usize) -> Vec3 {
        self.values[frame * self.joints + joint]
    }

    /// Returns the positions of all joints in a frame.
    pub fn frame(&self, frame: usize) -> &[Vec3] {
        &self.values[frame * self.joints..][..self.joints]
    }
}

/// Definition of the features for all clips of one skeleton. It is created once, from one clip, so that all clips are
/// measured with the same unit and joints.
#[derive(Debug, Clone)]
pub struct Measure {
    rig: Rig,
    joints: Vec<usize>,
    root: usize,
    /// World rotation of the root that counts as heading +Z, for rigs other than bipeds.
    reference_rotation: Quat,
    /// Metres per unit of the features.
    metres: f32,
}

impl Measure {
    /// Defines the features for clips on the skeleton of `clip`, which needs at least one frame.
    pub fn new(clip: &Clip, rig: &Rig) -> Self {
        let pose = Pose::from_clip(clip, 0);
        let root = rig.joint(Role::Hips).unwrap_or(0);
        let joints: Vec<usize> = match rig.kind {
            RigKind::Biped => rig.joints.iter().flatten().copied().collect(),
            RigKind::Quadruped | RigKind::Other => (0..clip.joints()).collect(),
        };
        let legs = rig.legs().filter(|_| rig.kind == RigKind::Biped);
        let metres = legs.map_or_else(|| longest_chain_metres(clip), |legs| leg::length(&pose, &legs));
        let metres = if metres > 1e-6 { metres } else { 1.0 };
        Self { rig: rig.clone(), joints, root, reference_rotation: pose.world_rotations[root], metres }
    }

    /// Returns the metres per unit of the features: the length of a leg from hip to ankle; for rigs other than bipeds,
    /// the length of the longest chain of bones.
    pub fn metres(&self) -> f32 {
        self.metres
    }

    /// Computes the features of a clip on this skeleton.
    ///
    /// # Errors
    /// [`Error::Clip`] if a position is not finite.
    pub fn features(&self, clip: &Clip) -> Result<Features> {
        let mut values = Vec::with_capacity(clip.frames() * self.joints.len());
        let mut pose = Pose::default();
        for frame in 0..clip.frames() {
            pose.set(clip, frame);
            let world_to_body = Quat::from_rotation_y(-self.heading(&pose));
            let origin = pose.world_positions[self.root].with_y(0.0);
            values.extend(
                self.joints.iter().map(|&joint| world_to_body * (pose.world_positions[joint] - origin) / self.metres),
            );
        }
        Features::new(clip.name.clone(), self.joints.len(), values)
    }

    /// Returns the heading, radians about +Y from +Z.
    fn heading(&self, pose: &Pose) -> f32 {
        if self.rig.kind == RigKind::Biped {
            let facing = facing(pose, &self.rig);
            return facing.x.atan2(facing.z);
        }
        let rotation = pose.world_rotations[self.root] * self.reference_rotation.conjugate();
        2.0 * rotation.y.atan2(rotation.w)
    }
}

/// Returns the length of the longest chain of bones from a root to a leaf at rest, metres.
fn longest_chain_metres(clip: &Clip) -> f32 {
    let mut lengths = vec![0.0f32; clip.joints()];
    for (index, joint) in clip.skeleton().joints().iter().enumerate() {
        lengths[index] = joint.parent.map_or(0.0, |parent| lengths[parent] + joint.offset.length());
    }
    lengths.into_iter().fold(0.0, f32::max)
}

/// Computes the usual windowed distance between two frames (Wang and Bodenheimer 2003; the paper's Figure 1): the
/// Euclidean distance between all joint positions together, summed over `window` frames centred on the two. Frames
/// beyond the ends of a clip are left out, and the sum is scaled to the whole window.
pub fn euclidean(a: &Features, b: &Features, takeoff: usize, landing: usize, window: usize) -> f32 {
    let frames_before = (window / 2).min(takeoff).min(landing);
    let frames_after = ((window - 1) / 2).min(a.frames() - 1 - takeoff).min(b.frames() - 1 - landing);
    let count = frames_before + 1 + frames_after;
    let distance = |index: usize| {
        let a_positions = a.frame(takeoff + index - frames_before);
        let b_positions = b.frame(landing + index - frames_before);
        a_positions.iter().zip(b_positions).map(|(a, b)| a.distance_squared(*b)).sum::<f32>().sqrt()
    };
    let sum: f32 = (0..count).map(distance).sum();
    sum * window as f32 / count as f32
}
