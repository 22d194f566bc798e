//! Windows of recordings.

use crate::body::poses::{Poses, ROLES};
use crate::judge::window::{COLUMNS, FRAMES, Places};
use crate::train::data::Recording;
use glam::Vec3;

/// Windows of motions, [windows × [`COLUMNS`]].
#[derive(Default)]
pub struct Rows {
    /// Their columns, one window after the other.
    pub values: Vec<f32>,
}

impl Rows {
    /// Every `stride`-th window of recordings.
    pub fn of(recordings: &[&Recording], offsets: &[Vec3; ROLES], stride: usize) -> Self {
        let mut rows = Self::default();
        for recording in recordings {
            let clip = &recording.clip;
            rows.add(&Poses::of(clip, 0..clip.frames()), recording.ground, offsets, stride);
        }
        rows
    }

    /// Adds every `stride`-th window of a motion.
    pub fn add(&mut self, motion: &Poses, ground: f32, offsets: &[Vec3; ROLES], stride: usize) {
        if motion.len() < FRAMES {
            return;
        }
        let places = Places::of(motion, 0..motion.len(), offsets, ground);
        for start in (0..places.windows()).step_by(stride) {
            let from = self.values.len();
            self.values.resize(from + COLUMNS, 0.0);
            places.window(start, &mut self.values[from..]);
        }
    }

    /// Number of windows.
    pub fn len(&self) -> usize {
        self.values.len() / COLUMNS
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.values.is_empty()
    }
}
