//! Position and heading of a body on the ground: the origin and axes in which networks see a motion.

use crate::motion::clip::Clip;
use glam::{Quat, Vec3};

/// Position on the ground and heading of a body. Its axes: y up, +z along the heading.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct GroundPose {
    /// Ground position, metres; y is the height of the ground, 0 unless stated otherwise.
    pub position: Vec3,
    /// Heading about y, radians: 0 along +z, positive towards +x.
    pub heading: f32,
}

impl GroundPose {
    /// Creates a ground pose at x and z, metres, with a heading, radians; the height of the ground is 0.
    pub const fn new(x: f32, z: f32, heading: f32) -> Self {
        Self { position: Vec3::new(x, 0.0, z), heading }
    }

    /// Returns the ground pose of one frame of a canonical clip.
    pub fn from_clip(clip: &Clip, frame: usize) -> Self {
        Self::from_root(clip.frame_translations(frame)[0], clip.frame_rotations(frame)[0])
    }

    /// Returns the ground pose below a root with this world position and canonical world rotation: its heading is the
    /// heading of the root's +z axis.
    pub fn from_root(position: Vec3, rotation: Quat) -> Self {
        let forward = rotation * Vec3::Z;
        Self { position: position.with_y(0.0), heading: forward.x.atan2(forward.z) }
    }

    /// Returns this ground pose with the ground at the height `ground`, metres.
    #[must_use]
    pub fn with_height(self, ground: f32) -> Self {
        Self { position: self.position.with_y(ground), ..self }
    }

    /// Returns the rotation about y that turns +z to the heading.
    pub fn rotation(self) -> Quat {
        Quat::from_rotation_y(self.heading)
    }

    /// Transforms a world point to the axes of this ground pose.
    pub fn local_point(self, world: Vec3) -> Vec3 {
        self.rotation().inverse() * (world - self.position)
    }

    /// Transforms a point in the axes of this ground pose to the world.
    pub fn world_point(self, local: Vec3) -> Vec3 {
        self.position + self.rotation() * local
    }
}
