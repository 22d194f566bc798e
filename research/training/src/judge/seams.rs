//! Examples of seams, from which the judge's detector learns: two random pieces of recordings, joined by a method of
//! the library.

use super::seam_method::{Methods, SeamMethod};
use crate::data::Recording;
use glam::Vec3;
use kinestitch::body::poses::{Poses, ROLES};
use kinestitch::body::{biped, mirror_clip};
use kinestitch::error::Result;
use kinestitch::motion::clip::Clip;
use kinestitch::motion::skeleton::Skeleton;
use rand::Rng;
use rand::rngs::StdRng;
use std::ops::Range;
use std::sync::Arc;

/// Possible lengths of a piece, frames.
const PIECE_FRAMES: Range<usize> = 45..80;
/// Maximum number of attempts to find an upright piece.
const MAX_ATTEMPTS: usize = 50;

/// A motion with a seam, on ground at height 0.
pub struct SeamExample {
    /// The two pieces, joined.
    pub motion: Poses,
    /// Frames that the join has changed or inserted, and the first frame of the second piece.
    pub seam: Range<usize>,
    /// The two recorded pieces, as before the join.
    pub pieces: [Clip; 2],
}

/// Draws random pieces of recordings, all on one skeleton.
pub struct PieceSource<'a> {
    recordings: &'a [&'a Recording],
    skeleton: Arc<Skeleton>,
    offsets: [Vec3; ROLES],
    /// Total number of frames of the recordings.
    frames: usize,
}

impl<'a> PieceSource<'a> {
    /// Creates a source of pieces of `recordings`, on the canonical skeleton with these joint offsets, metres.
    ///
    /// # Errors
    /// Those of [`kinestitch::body::Character::skeleton`].
    pub fn new(recordings: &'a [&'a Recording], offsets: &[Vec3; ROLES]) -> Result<Self> {
        let frames = recordings.iter().map(|recording| recording.clip.frames()).sum();
        Ok(Self { recordings, skeleton: biped().skeleton(offsets)?, offsets: *offsets, frames })
    }

    /// Returns the joint offsets of the skeleton, metres.
    pub fn offsets(&self) -> &[Vec3; ROLES] {
        &self.offsets
    }

    /// Joins two random pieces by a method; `None` if no upright pieces are found, or if the method cannot join them.
    ///
    /// # Errors
    /// Those of [`Clip::new`].
    pub fn seam(&self, method: SeamMethod, methods: &Methods, rng: &mut StdRng) -> Result<Option<SeamExample>> {
        let (Some(first), Some(second)) = (self.piece(rng)?, self.piece(rng)?) else { return Ok(None) };
        let pieces = [first, second];
        let joined = methods.join(method, &pieces, rng);
        Ok(joined.ok().map(|(motion, seam)| SeamExample { motion, seam, pieces }))
    }

    /// Draws a random upright piece on ground at height 0, mirrored with probability 1/2; recordings are drawn in
    /// proportion to their length. `None` if no upright piece is found.
    ///
    /// # Errors
    /// Those of [`Clip::new`].
    pub fn piece(&self, rng: &mut StdRng) -> Result<Option<Clip>> {
        for _ in 0..MAX_ATTEMPTS {
            // First a frame of all recordings together; `find` converts it to a frame of its recording.
            let mut start = rng.random_range(0..self.frames.max(1));
            let recording = self.recordings.iter().find(|recording| {
                let is_inside = start < recording.clip.frames();
                start = if is_inside { start } else { start - recording.clip.frames() };
                is_inside
            });
            let Some(recording) = recording else { return Ok(None) };
            let frames = rng.random_range(PIECE_FRAMES);
            if start + frames <= recording.clip.frames() && recording.is_upright(start, frames) {
                return self.cut(recording, start..start + frames, rng.random_bool(0.5)).map(Some);
            }
        }
        Ok(None)
    }

    /// Cuts a piece out of a recording, mirrors it if `mirrored`, and puts it on the skeleton, with the ground at
    /// height 0.
    fn cut(&self, recording: &Recording, frames: Range<usize>, mirrored: bool) -> Result<Clip> {
        let clip = recording.clip.trimmed(frames)?;
        let clip = if mirrored { mirror_clip(&clip, biped())? } else { clip };
        let roots = clip.translations().iter().map(|root| *root - Vec3::Y * recording.ground).collect();
        let skeleton = Arc::clone(&self.skeleton);
        Clip::new(recording.name.clone(), skeleton, clip.frame_time_secs(), clip.rotations().to_vec(), roots)
    }
}
