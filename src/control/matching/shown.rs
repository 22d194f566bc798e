//! The pose of a step, on the skeleton of the database.

use crate::motion::fk::{Pose, world_transforms};
use crate::motion::resample::slerp;
use crate::motion::skeleton::Skeleton;
use glam::{Quat, Vec3};

/// A pose, or the poses of a recording: [frames × joints] and [frames × translated joints].
#[derive(Debug, Clone, Default)]
pub struct Shown {
    /// Local rotations.
    pub rotations: Vec<Quat>,
    /// Local translations, metres.
    pub translations: Vec<Vec3>,
}

impl Shown {
    /// Interpolates to another pose; `fraction`: 0 to 1.
    pub fn mix(&self, to: &Shown, fraction: f32) -> Shown {
        let translations = self.translations.iter().zip(&to.translations);
        Shown {
            rotations: self.rotations.iter().zip(&to.rotations).map(|(a, b)| slerp(*a, *b, fraction)).collect(),
            translations: translations.map(|(a, b)| a.lerp(*b, fraction)).collect(),
        }
    }

    /// Computes world positions and rotations of the pose.
    pub fn set_world(&self, skeleton: &Skeleton, world: &mut Pose) {
        world.world_positions.resize(skeleton.len(), Vec3::ZERO);
        world.world_rotations.resize(skeleton.len(), Quat::IDENTITY);
        let local = |joint: usize| {
            let translation = skeleton.translation_slot(joint).map(|slot| self.translations[slot]);
            (translation.unwrap_or(skeleton.joints()[joint].offset), self.rotations[joint])
        };
        let parents = (0..skeleton.len()).map(|joint| (joint, skeleton.joints()[joint].parent));
        world_transforms(parents, local, &mut world.world_positions, &mut world.world_rotations);
    }
}
