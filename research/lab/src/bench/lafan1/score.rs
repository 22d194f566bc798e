//! Scores of the LAFAN1 table: L2Q, L2P, NPSS and foot skate.

use super::Method;
use crate::Outcome;
use crate::window::{JOINTS, PAST, Window, World};
use glam::{DVec3, Vec3};
use kinestitch::metrics::skate::weighted_step;
use kinestitch::metrics::{Npss, l2p, l2q};
use kinestitch::motion::rig::Role;

/// Sums from which the standard deviations of world positions are computed, per joint and axis, over all frames of the
/// training windows.
#[derive(Default)]
pub struct PositionStatistics {
    count: f64,
    sum: Vec<DVec3>,
    squares: Vec<DVec3>,
}

impl PositionStatistics {
    /// Adds the frames of a window.
    pub fn add(&mut self, window: &Window) {
        self.sum.resize(JOINTS, DVec3::ZERO);
        self.squares.resize(JOINTS, DVec3::ZERO);
        for pose in window.world(0..window.roots.len()).positions.chunks_exact(JOINTS) {
            self.count += 1.0;
            for (joint, position) in pose.iter().enumerate() {
                self.sum[joint] += position.as_dvec3();
                self.squares[joint] += position.as_dvec3() * position.as_dvec3();
            }
        }
    }

    /// Whether no frames were added: there are no standard deviations.
    pub fn is_empty(&self) -> bool {
        self.sum.is_empty()
    }

    /// Returns the standard deviations, `[joints]`, metres.
    pub fn deviation(&self) -> Vec<Vec3> {
        let joint_deviation = |(sum, squares): (&DVec3, &DVec3)| {
            let mean = *sum / self.count;
            let variance = *squares / self.count - mean * mean;
            DVec3::new(variance.x.sqrt(), variance.y.sqrt(), variance.z.sqrt()).as_vec3()
        };
        self.sum.iter().zip(&self.squares).map(joint_deviation).collect()
    }
}

/// Scores of one method at one gap length: means over windows; NPSS weights channels and windows by their power.
pub struct Score {
    pub l2q: f64,
    pub l2p: f64,
    pub npss: f64,
    /// Foot skate of the toe joints (Tang et al. 2022, eq. 15), centimetres per frame.
    pub skate: f64,
}

/// Scores a method on windows. At least one window is required. `deviation`: from [`PositionStatistics::deviation`].
pub fn score<'a>(
    windows: impl Iterator<Item = &'a Window>,
    deviation: &[Vec3],
    method: &Method,
    gap: usize,
) -> Outcome<Score> {
    let (mut q, mut p, mut npss, mut skate, mut count) = (0.0, 0.0, Npss::new(gap), 0.0, 0.0);
    for window in windows {
        count += 1.0;
        let truth = window.world(PAST..PAST + gap);
        let predicted = method(window, gap)?;
        q += l2q(&truth.rotations, &predicted.rotations, JOINTS);
        p += l2p(&truth.positions, &predicted.positions, deviation);
        npss.add(&truth.rotations, &predicted.rotations);
        skate += weighted_skate(&window.world(PAST - 1..PAST), &predicted);
    }
    Ok(Score { l2q: q / count, l2p: p / count, npss: npss.value(), skate: skate / count })
}

/// Measures foot skate (Tang et al. 2022, eq. 15): v · clamp(2 − 2^(h/H), 0, 1), averaged over the gap's frames and
/// both feet. v: horizontal movement of the toe, centimetres per frame; h: its height, metres; H:
/// [`SKATE_HEIGHT`](kinestitch::metrics::skate::SKATE_HEIGHT). `past`: the last frame before the gap.
pub fn weighted_skate(past: &World, gap: &World) -> f64 {
    // The joints of LAFAN1 are in the order of `Role`.
    let toes = [Role::LeftToe, Role::RightToe].map(|role| role as usize);
    let mut frames = past.positions.chunks_exact(JOINTS).chain(gap.positions.chunks_exact(JOINTS));
    let Some(mut previous) = frames.next() else { return 0.0 };
    let (mut sum, mut count) = (0.0, 0.0);
    for current in frames {
        for toe in toes {
            let step = (current[toe] - previous[toe]).with_y(0.0).length() * 100.0;
            sum += f64::from(weighted_step(step, current[toe].y));
            count += 1.0;
        }
        previous = current;
    }
    sum / f64::max(count, 1.0)
}
