//! Validation of the sampler: held-out gaps of four lengths, filled by the packed network, scored as in the benchmark.

use crate::delta::check::l2p;
use crate::takes::{Cut, FEET, Take};
use glam::Vec3;
use kinestitch::body::poses::PAST;
use kinestitch::body::poses::{CONTACTS, Poses, ROLES, joints};
use kinestitch::error::Result;
use kinestitch::method::filler::BodyMotion;

/// Lengths of the gaps, frames.
pub const GAPS: [usize; 4] = crate::delta::check::GAPS;

/// A gap of a take.
pub struct Gap {
    past: Poses,
    truth: Poses,
    target: Poses,
    offsets: [Vec3; ROLES],
    ground: f32,
    contacts: Vec<f32>,
}

/// Gaps of one length, every `stride` frames of the takes.
pub fn gaps(takes: &[Take], gap: usize, stride: usize) -> Vec<Gap> {
    let longest = GAPS.into_iter().fold(gap, usize::max);
    let one = |take: &Take| -> Vec<Gap> {
        let last = (take.poses.len() + 1).saturating_sub(PAST + longest + 1);
        let at = |start: usize| {
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
        (0..last).step_by(stride).map(at).collect()
    };
    takes.iter().flat_map(one).collect()
}

impl Gap {
    /// Interpolation: slerp and straight lines.
    fn plain(&self) -> Poses {
        let (last, gap) = (self.past.len() - 1, self.truth.len());
        let mut poses = Poses::default();
        for step in 1..=gap {
            let share = step as f32 / (gap + 1) as f32;
            let turned = self.past.pose(last).iter().zip(self.target.pose(0)).map(|(a, b)| a.slerp(*b, share));
            poses.push(self.past.hips[last].lerp(self.target.hips[0], share), turned);
        }
        poses
    }

    /// Mean horizontal movement of planted feet, centimetres per frame.
    fn slide(&self, poses: &Poses) -> f32 {
        let last = self.past.len() - 1;
        let mut before = joints(self.past.hips[last], self.past.pose(last), &self.offsets);
        let (mut sum, mut count) = (0.0, 0.0);
        for at in 0..poses.len() {
            let now = joints(poses.hips[at], poses.pose(at), &self.offsets);
            for (foot, role) in FEET.iter().enumerate() {
                let planted = self.contacts[at * CONTACTS + foot];
                sum += planted * (now[*role as usize] - before[*role as usize]).with_y(0.0).length() * 100.0;
                count += planted;
            }
            before = now;
        }
        sum / f32::max(count, 1.0)
    }
}

/// L2P of `fill` relative to the interpolation, and its foot slide, over gaps. Arguments of `fill`: past, target,
/// number of frames, offsets and ground height.
///
/// # Errors
/// Those of `fill`.
pub fn ratios(
    gaps: &[Gap],
    fill: impl Fn(&Poses, &Poses, usize, &[Vec3; ROLES], f32) -> Result<BodyMotion>,
) -> Result<[f32; 2]> {
    let (mut ours, mut plain, mut slide) = (0.0, 0.0, 0.0);
    for gap in gaps {
        let filled = fill(&gap.past, &gap.target, gap.truth.len(), &gap.offsets, gap.ground)?;
        ours += l2p(&filled.poses, &gap.truth, &gap.offsets);
        plain += l2p(&gap.plain(), &gap.truth, &gap.offsets);
        slide += gap.slide(&filled.poses);
    }
    Ok([ours / plain, slide / gaps.len() as f32])
}
