//! Windows of recordings and of seams, the judge's examples.

use super::seam_method::{Methods, SeamMethod};
use super::seams::{PieceSource, SeamExample};
use crate::data::Recording;
use glam::Vec3;
use kinestitch::body::poses::{Poses, ROLES};
use kinestitch::error::Result;
use kinestitch::judge::window::{COLUMNS, FRAMES, MIDDLE, Trajectories};
use rand::Rng;
use rand::rngs::StdRng;
use std::ops::Range;

/// Number of windows per seam, and number of windows of its two original pieces together.
const WINDOWS_PER_SEAM: usize = 8;

/// Windows of motions, [windows × [`COLUMNS`]].
#[derive(Default)]
pub struct Rows {
    /// Columns of the windows, concatenated.
    pub values: Vec<f32>,
}

impl Rows {
    /// Creates the rows of every `stride`-th window of recordings.
    pub fn new(recordings: &[&Recording], offsets: &[Vec3; ROLES], stride: usize) -> Self {
        let mut rows = Self::default();
        for recording in recordings {
            let clip = &recording.clip;
            rows.add(&Poses::from_clip(clip, 0..clip.frames()), recording.ground, offsets, stride);
        }
        rows
    }

    /// Adds every `stride`-th window of a motion.
    pub fn add(&mut self, motion: &Poses, ground: f32, offsets: &[Vec3; ROLES], stride: usize) {
        if motion.len() < FRAMES {
            return;
        }
        let positions = Trajectories::new(motion, 0..motion.len(), offsets, ground);
        (0..positions.windows()).step_by(stride).for_each(|start| self.push(&positions, start));
    }

    /// Adds the window that begins at a frame.
    fn push(&mut self, positions: &Trajectories, start: usize) {
        let offset = self.values.len();
        self.values.resize(offset + COLUMNS, 0.0);
        positions.window(start, &mut self.values[offset..]);
    }

    /// Returns the number of windows.
    pub fn len(&self) -> usize {
        self.values.len() / COLUMNS
    }

    /// Returns whether there are no windows.
    pub fn is_empty(&self) -> bool {
        self.values.is_empty()
    }
}

/// Makes `count` random seams, by the seam methods in turn. Returns windows around the seams, and the same number of
/// windows of their original pieces. A seam whose pieces cannot be joined is left out.
///
/// # Errors
/// Those of [`PieceSource::seam`].
pub fn draw(
    pieces: &PieceSource,
    methods: &Methods,
    seam_methods: &[SeamMethod],
    count: usize,
    rng: &mut StdRng,
) -> Result<[Rows; 2]> {
    let (mut seams, mut recorded) = (Rows::default(), Rows::default());
    for index in 0..count {
        let method = seam_methods[index % seam_methods.len()];
        let Some(example) = pieces.seam(method, methods, rng)? else { continue };
        let SeamExample { motion, seam, pieces: [first, second] } = example;
        seams.add_random(&motion, pieces.offsets(), seam, WINDOWS_PER_SEAM, rng);
        for piece in [first, second] {
            let motion = Poses::from_clip(&piece, 0..piece.frames());
            recorded.add_random(&motion, pieces.offsets(), 0..motion.len(), WINDOWS_PER_SEAM / 2, rng);
        }
    }
    Ok([seams, recorded])
}

impl Rows {
    /// Adds `count` windows of a motion on ground at height 0. The middle of each window is a random frame of `frames`.
    fn add_random(
        &mut self,
        motion: &Poses,
        offsets: &[Vec3; ROLES],
        frames: Range<usize>,
        count: usize,
        rng: &mut StdRng,
    ) {
        if motion.len() < FRAMES || frames.is_empty() {
            return;
        }
        let positions = Trajectories::new(motion, 0..motion.len(), offsets, 0.0);
        for _ in 0..count {
            let middle = rng.random_range(frames.clone()).clamp(MIDDLE, motion.len() - 1 - MIDDLE);
            self.push(&positions, middle - MIDDLE);
        }
    }
}
