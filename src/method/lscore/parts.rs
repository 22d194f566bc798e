//! Contributions of one frame to all its scores, for one k.
//!
//! The smoother is linear, so displacement and acceleration of each smoothed frame split into a part from the take-off
//! window and a part from the landing window: Δp̂ = Δp_a + Δp_b, â = a_a + a_b. Each part is computed once per frame;
//! a cell then costs two additions and a product per joint and smoothed frame.

use super::feature::Features;
use super::grid::Frames;
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

/// Features with time running fastest: [joints × 3][frames].
#[derive(Debug, Clone)]
pub struct Track {
    frames: usize,
    values: Vec<f32>,
    joints: usize,
}

impl Track {
    /// `origin`, [joints × 3], is subtracted first: the smoother ignores constants, and small numbers keep f32 exact.
    pub fn new(features: &Features, origin: &[f32]) -> Self {
        let frames = features.frames();
        let column = |(row, origin): (usize, &f32)| {
            let origin = *origin;
            (0..frames).map(move |frame| features.at(frame, row / 3)[row % 3] - origin)
        };
        let values = origin.iter().enumerate().flat_map(column).collect();
        Self { frames, values, joints: origin.len() / 3 }
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
    pub fn set(&mut self, track: &Track, side: Side, frames: &Frames, smoother: &Smoother, order: &[usize]) {
        let window = smoother.row(0).len() / 2;
        let (back, column) = match side {
            Side::Takeoff => (window - 1, 0),
            Side::Landing => (0, window),
        };
        let chunks = frames.count.div_ceil(LANES);
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
        let mut seen = vec![[0.0; LANES]; window];
        for chunk in 0..chunks {
            let out = &mut self.values[chunk * self.chunk..][..self.chunk];
            let starts: [usize; LANES] = std::array::from_fn(|lane| frames.at(chunk * LANES + lane) - back);
            for row in 0..track.joints * 3 {
                let source = &track.values[row * track.frames..][..track.frames];
                for (at, seen) in seen.iter_mut().enumerate() {
                    // Lanes past the edge repeat the last frame; nobody reads them.
                    *seen = starts.map(|start| source[(start + at).min(track.frames - 1)]);
                }
                let slots = out[row / 3 * WIDTH + row % 3..].chunks_mut(track.joints * WIDTH);
                match window {
                    3 => weigh::<3>(&seen, &taps, slots),
                    4 => weigh::<4>(&seen, &taps, slots),
                    5 => weigh::<5>(&seen, &taps, slots),
                    6 => weigh::<6>(&seen, &taps, slots),
                    _ => weigh_any(&seen, &taps, slots),
                }
            }
        }
    }
}

/// Displacement and acceleration of one coordinate in every smoothed pair, written to slots 0 and 3 of each. `seen`
/// is its window. With the window known at compile time the frames stay in registers: twice as fast as [`weigh_any`].
fn weigh<'a, const W: usize>(seen: &[Lanes], taps: &[[f32; 2]], slots: impl Iterator<Item = &'a mut [Lanes]>) {
    let Some(seen) = seen.first_chunk::<W>() else { return };
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
fn weigh_any<'a>(seen: &[Lanes], taps: &[[f32; 2]], slots: impl Iterator<Item = &'a mut [Lanes]>) {
    for (taps, slots) in taps.chunks_exact(seen.len()).zip(slots) {
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

/// Consecutive pairs of `frames` smoothed frames, from the middle outwards: the work is greatest where the two
/// motions meet, so a bad k is abandoned early.
pub fn pair_order(frames: usize) -> Vec<usize> {
    let mut order: Vec<usize> = (0..frames - 1).collect();
    order.sort_by_key(|&n| (2 * n).abs_diff(frames - 2));
    order
}
