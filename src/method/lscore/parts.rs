//! Contributions of one frame to all its scores, for one k.
//!
//! The smoother is linear, so displacement and acceleration of each smoothed frame split into a part from the take-off
//! window and a part from the landing window: Δp̂ = Δp_a + Δp_b, â = a_a + a_b. Each part is computed once per frame;
//! a cell then costs two additions and a product per joint and smoothed frame.

use super::feature::Features;
use super::smoother::Smoother;

/// Number of frames in one vector register.
pub const LANES: usize = 4;
/// One number of [`LANES`] neighbouring frames.
pub type Lanes = [f32; LANES];
/// Number of values of a joint in a smoothed frame: Δp (x, y, z), a (x, y, z).
pub const WIDTH: usize = 6;

/// Side of a seam.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Side {
    /// The window ends at the frame.
    Takeoff,
    /// The window starts at the frame.
    Landing,
}

/// Features with time running fastest, so that neighbouring frames load as one vector: [joints × 3][frames + padding].
#[derive(Debug, Clone)]
pub struct Track {
    stride: usize,
    values: Vec<f32>,
    joints: usize,
}

impl Track {
    /// `origin`, [joints × 3], is subtracted first: the smoother ignores constants, and small numbers keep f32 exact.
    pub fn new(features: &Features, origin: &[f32]) -> Self {
        let stride = features.frames() + LANES;
        let mut values = vec![0.0; stride * origin.len()];
        for (row, &origin) in origin.iter().enumerate() {
            for (frame, value) in values[row * stride..][..features.frames()].iter_mut().enumerate() {
                *value = features.at(frame, row / 3)[row % 3] - origin;
            }
        }
        Self { stride, values, joints: origin.len() / 3 }
    }
}

/// Parts of a range of frames: [chunk of LANES frames][smoothed pair][joint][WIDTH].
#[derive(Debug, Default)]
pub struct Parts {
    values: Vec<Lanes>,
    chunk: usize,
}

impl Parts {
    /// All numbers of one chunk: [pair][joint][WIDTH], pairs in the order of [`pair_order`].
    pub fn chunk(&self, index: usize) -> &[Lanes] {
        &self.values[index * self.chunk..][..self.chunk]
    }

    /// Computes the parts of `frames`; for [`Side::Takeoff`] a frame is the last of its window, for [`Side::Landing`]
    /// the first.
    pub fn set(
        &mut self,
        track: &Track,
        side: Side,
        frames: std::ops::Range<usize>,
        smoother: &Smoother,
        order: &[usize],
    ) {
        let window = smoother.row(0).len() / 2;
        let (first, column) = match side {
            Side::Takeoff => (frames.start + 1 - window, 0),
            Side::Landing => (frames.start, window),
        };
        let chunks = frames.len().div_ceil(LANES);
        self.chunk = order.len() * track.joints * WIDTH;
        // Not cleared: every number is written below, and clearing megabytes for each k takes time.
        self.values.resize(self.values.len().max(chunks * self.chunk), [0.0; LANES]);
        // [pair][w] coefficients of displacement and acceleration.
        let taps: Vec<[f32; 2]> = order
            .iter()
            .flat_map(|&n| {
                let rows = smoother.row(n).iter().zip(smoother.row(n + 1)).skip(column).take(window);
                rows.map(|(now, next)| [(next.x - now.x) as f32, now.z as f32])
            })
            .collect();
        let rows = track.joints * 3;
        for chunk in 0..chunks {
            let out = &mut self.values[chunk * self.chunk..][..self.chunk];
            for row in 0..rows {
                let source = &track.values[row * track.stride + first + chunk * LANES..][..window + LANES - 1];
                let slots = out[row / 3 * WIDTH + row % 3..].chunks_mut(track.joints * WIDTH);
                match window {
                    3 => weigh::<3>(source, &taps, slots),
                    4 => weigh::<4>(source, &taps, slots),
                    5 => weigh::<5>(source, &taps, slots),
                    6 => weigh::<6>(source, &taps, slots),
                    _ => weigh_any(source, &taps, window, slots),
                }
            }
        }
    }
}

/// Displacement and acceleration of one coordinate in every smoothed pair, written to slots 0 and 3 of each. With the
/// window known at compile time the frames stay in registers: twice as fast as [`weigh_any`].
fn weigh<'a, const W: usize>(source: &[f32], taps: &[[f32; 2]], slots: impl Iterator<Item = &'a mut [Lanes]>) {
    let mut seen = [[0.0; LANES]; W];
    for (seen, source) in seen.iter_mut().zip(source.windows(LANES)) {
        seen.copy_from_slice(source);
    }
    for (taps, slots) in taps.as_chunks::<W>().0.iter().zip(slots) {
        let (mut step, mut force) = ([0.0; LANES], [0.0; LANES]);
        for (seen, [to_step, to_force]) in seen.iter().zip(taps) {
            for lane in 0..LANES {
                step[lane] += to_step * seen[lane];
                force[lane] += to_force * seen[lane];
            }
        }
        (slots[0], slots[3]) = (step, force);
    }
}

/// [`weigh`] for windows without a compiled version.
fn weigh_any<'a>(source: &[f32], taps: &[[f32; 2]], window: usize, slots: impl Iterator<Item = &'a mut [Lanes]>) {
    for (taps, slots) in taps.chunks_exact(window).zip(slots) {
        let (mut step, mut force) = ([0.0; LANES], [0.0; LANES]);
        for (seen, [to_step, to_force]) in source.windows(LANES).zip(taps) {
            for lane in 0..LANES {
                step[lane] += to_step * seen[lane];
                force[lane] += to_force * seen[lane];
            }
        }
        (slots[0], slots[3]) = (step, force);
    }
}

/// Consecutive pairs of `frames` smoothed frames, from the middle outwards: the work is greatest where the two
/// motions meet, so a bad k is abandoned early.
pub fn pair_order(frames: usize) -> Vec<usize> {
    let mut order: Vec<usize> = (0..frames - 1).collect();
    order.sort_by_key(|&n| (2 * n).abs_diff(frames - 2));
    order
}
