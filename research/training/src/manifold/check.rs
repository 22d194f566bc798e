//! Validation of in-betweeners: a packed network fills held-out gaps. The results are scored by L2P as in the LAFAN1
//! benchmark, and by foot slide.

use crate::delta::check::l2p;
use crate::delta::sample::interpolate_linearly;
use crate::takes::{Cut, FEET, Take};
use glam::Vec3;
use kinestitch::body::poses::{CONTACTS, PAST, Poses, ROLES, joint_positions};
use kinestitch::error::Result;
use kinestitch::method::filler::BodyMotion;

/// Lengths of the sampler's validation gaps, frames.
pub const GAPS: [usize; 4] = crate::delta::check::GAPS;

/// A gap of a take, with the frames around it.
pub struct Gap {
    /// Frames before the gap.
    past: Poses,
    /// Recorded frames of the gap.
    truth: Poses,
    /// Frame after the gap.
    target: Poses,
    /// Joint offsets of the skeleton, metres.
    offsets: [Vec3; ROLES],
    /// Height of the ground, metres.
    ground: f32,
    /// Recorded contacts of the gap, [gap × 4], 0 or 1.
    contacts: Vec<f32>,
}

/// Cuts gaps of `gap` frames from takes; a gap starts every `stride` frames. The start frames are the same for all
/// lengths in [`GAPS`].
pub fn gaps(takes: &[Take], gap: usize, stride: usize) -> Vec<Gap> {
    let longest = GAPS.into_iter().fold(gap, usize::max);
    let gaps_of_take = |take: &Take| -> Vec<Gap> {
        let end = (take.poses.len() + 1).saturating_sub(PAST + longest + 1);
        let gap_at = |start: usize| {
            let cut = Cut::unchanged(take, start);
            Gap {
                past: cut.poses(0, PAST),
                truth: cut.poses(PAST, gap),
                target: cut.poses(PAST + gap, 1),
                offsets: take.offsets,
                ground: take.ground,
                contacts: cut.contacts(PAST, gap),
            }
        };
        (0..end).step_by(stride).map(gap_at).collect()
    };
    takes.iter().flat_map(gaps_of_take).collect()
}

impl Gap {
    /// Measures the mean horizontal movement of planted feet, centimetres per frame.
    fn slide(&self, poses: &Poses) -> f32 {
        let last = self.past.len() - 1;
        let mut previous = joint_positions(self.past.hips[last], self.past.pose(last), &self.offsets);
        let (mut sum, mut count) = (0.0, 0.0);
        for frame in 0..poses.len() {
            let current = joint_positions(poses.hips[frame], poses.pose(frame), &self.offsets);
            for (foot, role) in FEET.iter().enumerate() {
                let planted = self.contacts[frame * CONTACTS + foot];
                sum += planted * (current[*role as usize] - previous[*role as usize]).with_y(0.0).length() * 100.0;
                count += planted;
            }
            previous = current;
        }
        sum / f32::max(count, 1.0)
    }
}

/// Fills gaps and computes two scores: the L2P of the results divided by the L2P of [`interpolate_linearly`], and the
/// mean slide of planted feet, centimetres per frame. Without gaps, both are NaN. `fill`: fills one gap; its arguments
/// are past, target, number of frames, joint offsets and ground height.
///
/// # Errors
/// Those of `fill`.
pub fn fill_scores(
    gaps: &[Gap],
    fill: impl Fn(&Poses, &Poses, usize, &[Vec3; ROLES], f32) -> Result<BodyMotion>,
) -> Result<[f32; 2]> {
    let (mut network, mut interpolation, mut slide) = (0.0, 0.0, 0.0);
    for gap in gaps {
        let filled = fill(&gap.past, &gap.target, gap.truth.len(), &gap.offsets, gap.ground)?;
        network += l2p(&filled.poses, &gap.truth, &gap.offsets);
        let interpolated = interpolate_linearly(&gap.past, &gap.target, gap.truth.len());
        interpolation += l2p(&interpolated, &gap.truth, &gap.offsets);
        slide += gap.slide(&filled.poses);
    }
    Ok([network / interpolation, slide / gaps.len() as f32])
}
