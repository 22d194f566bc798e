//! Position and heading of a body on the ground: the reference frame in which networks see a motion.

use crate::motion::clip::Clip;
use glam::{Quat, Vec3};

/// Ground projection of a canonical root: position on the ground, and heading of its forward (+z) axis.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct GroundPose {
    /// Ground position, metres; y is the height of the ground, 0 unless stated otherwise.
    pub position: Vec3,
    /// Heading about y, radians; 0 looks along +z, positive turns towards +x.
    pub heading: f32,
}

impl GroundPose {
    /// Ground pose at x and z, metres, with this heading, radians; ground of height 0.
    pub const fn new(x: f32, z: f32, heading: f32) -> Self {
        Self { position: Vec3::new(x, 0.0, z), heading }
    }

    /// Ground pose of one frame of a canonical clip.
    pub fn from_clip(clip: &Clip, frame: usize) -> Self {
        Self::from_root(clip.frame_translations(frame)[0], clip.frame_rotations(frame)[0])
    }

    /// Ground pose below a root with this world position and canonical world rotation.
    pub fn from_root(position: Vec3, rotation: Quat) -> Self {
        let forward = rotation * Vec3::Z;
        Self { position: position.with_y(0.0), heading: forward.x.atan2(forward.z) }
    }

    /// Returns this ground pose with the ground at the height `ground`, metres.
    #[must_use]
    pub fn with_height(self, ground: f32) -> Self {
        Self { position: self.position.with_y(ground), ..self }
    }

    /// Rotation about y that turns +z to the heading.
    pub fn rotation(self) -> Quat {
        Quat::from_rotation_y(self.heading)
    }

    /// Transforms a world point into this frame.
    pub fn local_point(self, world: Vec3) -> Vec3 {
        self.rotation().inverse() * (world - self.position)
    }

    /// Transforms a point of this frame to the world.
    pub fn world_point(self, local: Vec3) -> Vec3 {
        self.position + self.rotation() * local
    }
}
