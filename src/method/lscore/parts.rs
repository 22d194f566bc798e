//! Computes the contribution of each take-off and of each landing to the scores of its cuts, for one k.
//!
//! The smoother is linear, so displacement and acceleration of each smoothed frame are sums of a part from the take-off
//! window and a part from the landing window: Δp̂ = Δp_a + Δp_b, â = a_a + a_b. Each part is computed once per frame. A
//! cell, that is a pair of a take-off and a landing, then takes two additions and a product per coordinate of each
//! joint and smoothed frame.

use super::feature::Features;
use super::grid::Frames;
use super::smoother::Smoother;

/// Number of frames in one vector register.
pub const LANES: usize = 4;
/// One number for each of [`LANES`] neighbouring frames.
pub type Lanes = [f32; LANES];
/// Number of values of a joint in a smoothed frame: Δp (x, y, z), a (x, y, z).
pub const WIDTH: usize = 6;

/// Side of a cut.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Side {
    /// The window ends with the frame.
    Takeoff,
    /// The window starts with the frame.
    Landing,
}

/// Features in the memory order `[joints × 3][frames]`.
#[derive(Debug, Clone)]
pub struct Track {
    frames: usize,
    values: Vec<f32>,
    joints: usize,
}

impl Track {
    /// Transposes features and subtracts `origin`, [joints × 3]: constants do not change the scores, and f32 is more
    /// exact for small numbers.
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

/// Parts of several frames: [chunk of LANES frames][pair of smoothed frames][joint][WIDTH].
#[derive(Debug, Default)]
pub struct Parts {
    values: Vec<Lanes>,
    /// Numbers per chunk.
    chunk_size: usize,
}

impl Parts {
    /// Returns the numbers of one chunk: `[pair][joint][WIDTH]`, pairs in the order of [`pair_order`].
    pub fn chunk(&self, index: usize) -> &[Lanes] {
        &self.values[index * self.chunk_size..][..self.chunk_size]
    }

    /// Computes the parts of `frames`. `order`: order of the pairs of smoothed frames, from [`pair_order`].
    pub fn set(&mut self, track: &Track, side: Side, frames: &Frames, smoother: &Smoother, order: &[usize]) {
        let window = smoother.row(0).len() / 2;
        let (frames_before, first_column) = match side {
            Side::Takeoff => (window - 1, 0),
            Side::Landing => (0, window),
        };
        let chunks = frames.count.div_ceil(LANES);
        self.chunk_size = order.len() * track.joints * WIDTH;
        // The buffer is not cleared, because all numbers are written below and clearing megabytes for each k takes
        // time.
        self.values.resize(self.values.len().max(chunks * self.chunk_size), [0.0; LANES]);
        // [pair][w] coefficients of displacement and acceleration. Vectors of the smoother are (p̂, v̂, â).
        let coefficients: Vec<[f32; 2]> = order
            .iter()
            .flat_map(|&frame| {
                let rows = smoother.row(frame).iter().zip(smoother.row(frame + 1)).skip(first_column).take(window);
                rows.map(|(row, next_row)| [(next_row.x - row.x) as f32, row.z as f32])
            })
            .collect();
        let mut observed = vec![[0.0; LANES]; window];
        for chunk in 0..chunks {
            let out = &mut self.values[chunk * self.chunk_size..][..self.chunk_size];
            let starts: [usize; LANES] = std::array::from_fn(|lane| frames.at(chunk * LANES + lane) - frames_before);
            for row in 0..track.joints * 3 {
                let source = &track.values[row * track.frames..][..track.frames];
                for (offset, observed) in observed.iter_mut().enumerate() {
                    // Results of lanes after the last of `frames` are not used; their windows may end after the clip.
                    *observed = starts.map(|start| source[(start + offset).min(track.frames - 1)]);
                }
                let slots = out[row / 3 * WIDTH + row % 3..].chunks_mut(track.joints * WIDTH);
                match window {
                    3 => smooth_window::<3>(&observed, &coefficients, slots),
                    4 => smooth_window::<4>(&observed, &coefficients, slots),
                    5 => smooth_window::<5>(&observed, &coefficients, slots),
                    6 => smooth_window::<6>(&observed, &coefficients, slots),
                    _ => smooth_any_window(&observed, &coefficients, slots),
                }
            }
        }
    }
}

/// Computes displacement and acceleration of one coordinate for all pairs, and writes them to slots 0 and 3 of each
/// pair. `observed`: the window. `coefficients`: [pair][w]. The window length is a constant at compile time, so
/// the frames stay in registers: twice as fast as [`smooth_any_window`].
fn smooth_window<'a, const W: usize>(
    observed: &[Lanes],
    coefficients: &[[f32; 2]],
    slots: impl Iterator<Item = &'a mut [Lanes]>,
) {
    let Some(observed) = observed.first_chunk::<W>() else { return };
    for (coefficients, slots) in coefficients.as_chunks::<W>().0.iter().zip(slots) {
        let (mut displacement, mut acceleration) = ([0.0; LANES], [0.0; LANES]);
        for (frame, [to_displacement, to_acceleration]) in observed.iter().zip(coefficients) {
            for lane in 0..LANES {
                displacement[lane] += to_displacement * frame[lane];
                acceleration[lane] += to_acceleration * frame[lane];
            }
        }
        (slots[0], slots[3]) = (displacement, acceleration);
    }
}

/// Computes the same as [`smooth_window`] for window lengths that are not known at compile time.
fn smooth_any_window<'a>(observed: &[Lanes], coefficients: &[[f32; 2]], slots: impl Iterator<Item = &'a mut [Lanes]>) {
    for (coefficients, slots) in coefficients.chunks_exact(observed.len()).zip(slots) {
        let (mut displacement, mut acceleration) = ([0.0; LANES], [0.0; LANES]);
        for (frame, [to_displacement, to_acceleration]) in observed.iter().zip(coefficients) {
            for lane in 0..LANES {
                displacement[lane] += to_displacement * frame[lane];
                acceleration[lane] += to_acceleration * frame[lane];
            }
        }
        (slots[0], slots[3]) = (displacement, acceleration);
    }
}

/// Returns the indices of all pairs of consecutive frames among `frames` smoothed frames, from the middle outwards: the
/// work is greatest where the two motions meet, so a bad k is abandoned early.
pub fn pair_order(frames: usize) -> Vec<usize> {
    let mut order: Vec<usize> = (0..frames - 1).collect();
    order.sort_by_key(|&frame| (2 * frame).abs_diff(frames - 2));
    order
}
