//! The joint that carries a body, and the standing height of its feet.

use crate::motion::clip::Clip;
use crate::motion::fk::Pose;
use crate::motion::rig::rest_pose;
use crate::motion::skeleton::Skeleton;
use glam::Vec3;

/// Quantile of the heights of a foot that counts as its standing height: lower heights are glitches.
const STANDING_QUANTILE: f32 = 0.1;

/// The joint whose translation places a body.
#[derive(Debug, Clone)]
pub struct Carrier {
    /// Whether each joint moves with the carrier, [joints].
    carried: Vec<bool>,
}

impl Carrier {
    /// Finds the carrier of the hips: the hips themselves, or their nearest ancestor in the skeleton with translations.
    /// `parents`: parents of the joints in the body, [joints]; with control bones they differ from the skeleton's.
    pub fn new(skeleton: &Skeleton, parents: &[Option<usize>], hips: usize) -> Self {
        let mut carrier = hips;
        while skeleton.translation_slot(carrier).is_none() {
            let Some(parent) = skeleton.joints()[carrier].parent else { break };
            carrier = parent;
        }
        let is_carried = |joint| {
            std::iter::successors(Some(joint), |&joint: &usize| parents[joint]).any(|ancestor| ancestor == carrier)
        };
        Self { carried: (0..skeleton.len()).map(is_carried).collect() }
    }

    /// Moves the world positions of all carried joints of `pose` by `translation`, metres.
    pub fn shift(&self, pose: &mut Pose, translation: Vec3) {
        let carried = pose.world_positions.iter_mut().zip(&self.carried).filter(|(_, carried)| **carried);
        carried.for_each(|(position, _)| *position += translation);
    }
}

/// Returns the world height of a standing foot, metres: the first decile of `foot_height` over the frames. A clip
/// without frames stands in its rest pose, with its lowest joint at height 0.
pub fn standing_height(clip: &Clip, foot_height: impl Fn(&Pose) -> f32) -> f32 {
    if clip.frames() == 0 {
        let pose = rest_pose(clip.skeleton());
        return foot_height(&pose)
            - pose.world_positions.iter().map(|position| position.y).fold(f32::INFINITY, f32::min);
    }
    let mut pose = Pose::default();
    let height = |frame: usize| {
        pose.set(clip, frame);
        foot_height(&pose)
    };
    let mut heights: Vec<f32> = (0..clip.frames()).map(height).collect();
    heights.sort_by(f32::total_cmp);
    heights[(heights.len() as f32 * STANDING_QUANTILE) as usize]
}
