//! The joint that carries a body, and its standing height.

use crate::motion::clip::Clip;
use crate::motion::fk::Pose;
use crate::motion::rig::rest_pose;
use crate::motion::skeleton::Skeleton;
use glam::Vec3;

/// Fraction of frames in which a foot is nearer to the ground than its usual standing height.
const LOW_FRACTION: f32 = 0.1;

/// The joint whose translation places a body.
#[derive(Debug, Clone)]
pub struct Carrier {
    /// Whether each joint moves with it, [joints].
    carried: Vec<bool>,
}

impl Carrier {
    /// The carrier of the hips: the hips themselves, or their nearest ancestor with translation. `parents`: [joints].
    pub fn new(skeleton: &Skeleton, parents: &[Option<usize>], hips: usize) -> Self {
        let mut carrier = hips;
        while skeleton.translation_slot(carrier).is_none() {
            let Some(parent) = skeleton.joints()[carrier].parent else { break };
            carrier = parent;
        }
        let hangs = |joint| std::iter::successors(Some(joint), |&joint: &usize| parents[joint]).any(|at| at == carrier);
        Self { carried: (0..skeleton.len()).map(hangs).collect() }
    }

    /// Moves the body by `way`, metres.
    pub fn shift(&self, pose: &mut Pose, way: Vec3) {
        let carried = pose.world_positions.iter_mut().zip(&self.carried).filter(|(_, carried)| **carried);
        carried.for_each(|(place, _)| *place += way);
    }
}

/// World height of a standing foot: the first decile of `lowest` over the frames; without frames, the height over the
/// lowest joint at rest.
pub fn standing_height(clip: &Clip, lowest: impl Fn(&Pose) -> f32) -> f32 {
    if clip.frames() == 0 {
        let pose = rest_pose(clip.skeleton());
        return lowest(&pose) - pose.world_positions.iter().map(|place| place.y).fold(f32::INFINITY, f32::min);
    }
    let mut pose = Pose::default();
    let height = |frame: usize| {
        pose.set(clip, frame);
        lowest(&pose)
    };
    let mut heights: Vec<f32> = (0..clip.frames()).map(height).collect();
    heights.sort_by(f32::total_cmp);
    heights[(heights.len() as f32 * LOW_FRACTION) as usize]
}
