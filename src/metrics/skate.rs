//! Foot skate: the distance that feet slide during contact. Two definitions, because the papers use two.

use crate::motion::clip::Clip;
use crate::motion::fk::Pose;
use crate::motion::rig::{Rig, Role};
use glam::Vec3;
use std::ops::Range;

/// Height over the resting height below which a foot counts as low, metres (RMR, section 5.3, before Table 3).
pub const LOW_HEIGHT: f32 = 0.02;
/// Height H of eq. 15 in *Real-time Controllable Motion Transition*, metres.
pub const SKATE_HEIGHT: f32 = 0.025;

/// Computes the skate of a foot in one frame, in the unit of `step`: `step` times 2 − 2^(`height` / [`SKATE_HEIGHT`]),
/// a weight that is clamped to 0 to 1 (Tang et al. 2022, eq. 15). `step`: its horizontal movement since the previous
/// frame. `height`: its height over the ground, metres.
pub fn weighted_step(step: f32, height: f32) -> f32 {
    step * (2.0 - (height / SKATE_HEIGHT).exp2()).clamp(0.0, 1.0)
}

/// A joint that touches the ground, and its resting height.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Sole {
    /// Joint index.
    pub joint: usize,
    /// World height of the joint while the foot rests on the ground, metres. Heights are measured from it; with zero,
    /// the raw heights count, as in the papers.
    pub resting_height: f32,
}

/// Finds the joints nearest to the ground, left and right: the base of the toes, or the ankle if a rig has no toes.
/// `resting_heights`: of [ankles, toes], world metres, see [`crate::motion::contact::Contacts::world_ground`].
pub fn soles(rig: &Rig, resting_heights: [f32; 2]) -> Vec<Sole> {
    let [ankle_height, toe_height] = resting_heights;
    let feet = [(Role::LeftFoot, Role::LeftToe), (Role::RightFoot, Role::RightToe)];
    let sole = |(foot, toes)| {
        let on_toes = rig.joint(toes).map(|joint| Sole { joint, resting_height: toe_height });
        on_toes.or_else(|| rig.joint(foot).map(|joint| Sole { joint, resting_height: ankle_height }))
    };
    feet.into_iter().filter_map(sole).collect()
}

/// Foot skate by both definitions.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct FootSkate {
    /// Horizontal displacement from frame to frame while the foot is lower than [`LOW_HEIGHT`], metres, mean over such
    /// frames and feet; zero if no foot is low (RMR, Table 3).
    pub slide: f32,
    /// v · clamp(2 − 2^(h/H), 0, 1), v the horizontal displacement in **centimetres** per frame, h the height,
    /// H = [`SKATE_HEIGHT`]; mean over all frames and feet (Tang et al. 2022, eq. 15).
    pub weighted: f32,
    /// Fraction of all frames and feet that count for `slide`, 0 to 1. It is small for methods whose feet slide little
    /// only because they float.
    pub low: f32,
}

/// Measures the foot skate in `frames`, from the displacement of each foot since the frame before. Frame 0 has none.
///
/// The height of the foot at the end of a displacement decides its weight, as in both papers. Frames beyond the clip
/// are ignored.
pub fn foot_skate(clip: &Clip, soles: &[Sole], frames: Range<usize>) -> FootSkate {
    let frames = frames.start.max(1)..frames.end.min(clip.frames());
    if soles.is_empty() || frames.is_empty() {
        return FootSkate::default();
    }
    let mut pose = Pose::from_clip(clip, frames.start - 1);
    let positions = |pose: &Pose| soles.iter().map(|sole| pose.world_positions[sole.joint]).collect::<Vec<Vec3>>();
    let mut previous = positions(&pose);
    let (mut slide_sum, mut low_count, mut weighted) = (0.0_f64, 0_usize, 0.0_f64);
    for frame in frames.clone() {
        pose.set(clip, frame);
        let current = positions(&pose);
        for ((sole, a), b) in soles.iter().zip(&previous).zip(&current) {
            let (step, height) = ((*b - *a).with_y(0.0).length(), b.y - sole.resting_height);
            if height < LOW_HEIGHT {
                slide_sum += f64::from(step);
                low_count += 1;
            }
            weighted += f64::from(weighted_step(step * 100.0, height));
        }
        previous = current;
    }
    FootSkate {
        slide: (slide_sum / low_count.max(1) as f64) as f32,
        weighted: (weighted / (frames.len() * soles.len()) as f64) as f32,
        low: low_count as f32 / (frames.len() * soles.len()) as f32,
    }
}
